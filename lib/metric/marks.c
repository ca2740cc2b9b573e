/* SPDX-License-Identifier: MIT */
/*
 * marks - a set of addresses, in hash tables. The last table is four times as
 * large as the one before it. An address is put into the last table, in the
 * first of PROBES places that is free; one instruction puts it there or takes
 * it away.
 */
#include "metric/marks.h"

#include "base/lock.h"
#include "base/macros.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_PLACES 256u /* a power of two */
#define PROBES 4u

/*
 * A place contains an address and, in its low bits, the kind. FREE: the place
 * was never used, and no address with this hash is in a later place.
 */
#define FREE ((uintptr_t)0)
#define GONE ((uintptr_t)KIND_BITS)
#define KIND_BITS 3u
_Static_assert(TR2_METRIC_KINDS <= KIND_BITS && _Alignof(unsigned int) >= 4,
	       "an address has room for the kind");

struct places {
	struct places *before; /* the table before this one; NULL: this is the
				* first table */
	size_t size;
	atomic_uintptr_t *at;
};
TR2_LARGE atomic_uintptr_t tr2_metric_first_places[FIRST_PLACES];
static struct places first_places = { NULL, FIRST_PLACES,
				      tr2_metric_first_places };
static struct places *places = &first_places; /* the last table */
/* true: a thread that holds the process's lock is writing to addresses of the
 * set. */
static atomic_bool changing;

static size_t hash_place(const unsigned int *index)
{
	return (uintptr_t)index * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct places *last_places(void)
{
	/* Acquire: pairs with add_places(). */
	return __atomic_load_n(&places, __ATOMIC_ACQUIRE);
}

static bool is_at(uintptr_t place, const unsigned int *index)
{
	return (place & ~(uintptr_t)KIND_BITS) == (uintptr_t)index;
}

/* Return the address's place in the table; else NULL, and in *room an unused
 * place (NULL: there is none). */
static atomic_uintptr_t *find_place(const struct places *set,
				    const unsigned int *index,
				    atomic_uintptr_t **room)
{
	size_t hash = hash_place(index), i;
	atomic_uintptr_t *place;
	uintptr_t now;

	*room = NULL;
	for (i = 0; i < PROBES; i++) {
		place = &set->at[(hash + i) & (set->size - 1)];
		now = *place;
		if (is_at(now, index))
			return place;
		if (!*room && (now == FREE || now == GONE))
			*room = place;
		if (now == FREE)
			break;
	}
	return NULL;
}

static bool is_kept(const unsigned int *index, atomic_uintptr_t **room)
{
	const struct places *set = last_places();
	atomic_uintptr_t *unused;

	if (find_place(set, index, room))
		return true;
	for (set = set->before; set; set = set->before)
		if (find_place(set, index, &unused))
			return true;
	return false;
}

static size_t bytes_of(size_t size)
{
	return sizeof(struct places) + size * sizeof(atomic_uintptr_t);
}

/* Add a table, unless another thread adds one at the same time. */
static bool add_places(void)
{
	struct places *last = last_places(), *set;
	size_t size = last->size * 4;

	set = mmap(NULL, bytes_of(size), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (set == MAP_FAILED)
		return false;
	set->before = last;
	set->size = size;
	set->at = (atomic_uintptr_t *)(set + 1);
	/* Release: a thread that finds the table finds it complete. */
	if (!__atomic_compare_exchange_n(&places, &last, set, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		munmap(set, bytes_of(size));
	return true;
}

bool tr2_marks_keep(enum tr2_metric_kind kind, unsigned int *index)
{
	atomic_uintptr_t *room;
	uintptr_t before;

	while (!is_kept(index, &room)) {
		if (!room) {
			if (!add_places())
				return false;
			continue;
		}
		before = *room;
		if ((before == FREE || before == GONE) &&
		    atomic_compare_exchange_strong(room, &before,
						   (uintptr_t)index | kind))
			break;
	}
	return true;
}

/* Remove the address, which occurs once in the set. The address of an opened
 * metric may occur twice, if two threads keep it at the same time, but such an
 * address is never removed. */
void tr2_marks_forget(const unsigned int *index)
{
	const struct places *set;
	atomic_uintptr_t *place, *unused;

	for (set = last_places(); set; set = set->before) {
		place = find_place(set, index, &unused);
		if (!place)
			continue;
		atomic_store(place, GONE);
		break;
	}
	/* A thread that changes the indexes first sets `changing`, and then
	 * reads the places. So either that thread has seen GONE, or this thread
	 * sees `changing` and waits. */
	if (atomic_load(&changing) && !tr2_lock_is_mine()) {
		tr2_lock();
		tr2_unlock();
	}
}

static void change_in(const struct places *set, enum tr2_metric_kind kind,
		      unsigned int from, unsigned int to)
{
	unsigned int *index, expected;
	uintptr_t now;
	size_t i;

	for (i = 0; i < set->size; i++) {
		now = set->at[i];
		index = (unsigned int *)(now & ~(uintptr_t)KIND_BITS);
		expected = from;
		/* Store relaxed: threads that count see the change soon
		 * enough. */
		if (index && (now & KIND_BITS) == kind)
			__atomic_compare_exchange_n(index, &expected, to, false,
						    __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
	}
}

void tr2_marks_change(enum tr2_metric_kind kind, unsigned int from,
		      unsigned int to)
{
	const struct places *set;

	atomic_store(&changing, true);
	for (set = last_places(); set; set = set->before)
		change_in(set, kind, from, to);
	atomic_store(&changing, false);
}

void tr2_marks_after_fork(void)
{
	changing = false;
}

void tr2_marks_release(void)
{
	struct places *set = places, *before;

	places = &first_places;
	for (; set != &first_places; set = before) {
		before = set->before;
		munmap(set, bytes_of(set->size));
	}
}
