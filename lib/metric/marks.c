/* SPDX-License-Identifier: MIT */
/* marks - a set, by hash of the address, at most half full. */
#include "metric/marks.h"

#include "base/macros.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define FIRST_PLACES 256u /* a power of two */

/* One pointer leads to all of it, so that a child that another thread forks
 * meanwhile finds either the old or the new set. */
struct place {
	unsigned int *index; /* NULL: never used; &gone: removed */
	enum tr2_metric_kind kind;
};
struct places {
	size_t size, nr_used; /* nr_used: all but NULL */
	struct place *at;
};
static unsigned int gone = TRACE2_UNREGISTERED_;
TR2_LARGE struct place tr2_metric_first_places[FIRST_PLACES];
static struct places first_places = { FIRST_PLACES, 0,
					tr2_metric_first_places };
static struct places *places = &first_places;

static size_t hash_place(const unsigned int *index)
{
	return (uintptr_t)index * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* Return its place, or a free one. */
static struct place *find_place(const struct places *set,
				const unsigned int *index)
{
	struct place *place, *room = NULL;
	size_t i = hash_place(index);

	for (;; i++) {
		place = &set->at[i & (set->size - 1)];
		if (place->index == index)
			return place;
		if (!place->index)
			return room ? room : place;
		if (place->index == &gone && !room)
			room = place;
	}
}

static void put_place(struct places *set, const struct place *place)
{
	struct place *at = find_place(set, place->index);

	set->nr_used += !at->index;
	*at = *place;
}

static size_t count_places(void)
{
	size_t i, nr = 0;

	for (i = 0; i < places->size; i++)
		nr += places->at[i].index && places->at[i].index != &gone;
	return nr;
}

static size_t bytes_of(size_t size)
{
	return sizeof(struct places) + size * sizeof(struct place);
}

/* Make a set with twice the room, without the removed places. */
static bool grow_places(void)
{
	struct places *old = places, *set;
	size_t size = FIRST_PLACES, nr = count_places(), i;

	while (size < nr * 4)
		size *= 2;
	set = mmap(NULL, bytes_of(size), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (set == MAP_FAILED)
		return false;
	set->size = size;
	set->at = (struct place *)(set + 1);
	for (i = 0; i < old->size; i++)
		if (old->at[i].index && old->at[i].index != &gone)
			put_place(set, &old->at[i]);
	places = set;
	if (old != &first_places)
		munmap(old, bytes_of(old->size));
	return true;
}

bool tr2_marks_keep(enum tr2_metric_kind kind, unsigned int *index)
{
	const struct place place = { index, kind };

	if (places->nr_used * 2 >= places->size && !grow_places())
		return false;
	put_place(places, &place);
	return true;
}

void tr2_marks_forget(const unsigned int *index)
{
	struct place *place = find_place(places, index);

	if (place->index == index)
		place->index = &gone;
}

void tr2_marks_change(enum tr2_metric_kind kind, unsigned int from,
		       unsigned int to)
{
	const struct place *place;

	/* Relaxed: counting threads see it soon enough. */
	for (place = places->at; place < places->at + places->size; place++)
		if (place->index && place->kind == kind && *place->index == from)
			__atomic_store_n(place->index, to, __ATOMIC_RELAXED);
}

void tr2_marks_release(void)
{
	struct places *old = places;

	places = &first_places;
	if (old != &first_places)
		munmap(old, bytes_of(old->size));
}
