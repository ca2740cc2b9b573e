/* SPDX-License-Identifier: MIT */
/* The slow paths of writing: making room, nested and abandoned writes,
 * losses. */
#include "ring/ring.h"

#include <errno.h>

#include "base/mask.h"

/*
 * A ring's own causes come first in enum tr2_lost_cause. The arena alone counts
 * losses outside of rings.
 */
#define NR_RING_CAUSES TR2_LOST_NO_SLOT

/* Limits for the records that wait for an outer write: one that may be over,
 * and one that a handler probably interrupted. */
#define MAX_WAITING 16u
#define MAX_NESTED 10000u

/* The count may have grown beyond `expected` meanwhile: the rest is reported
 * later. */
static void add_count(uint64_t *p, uint64_t n)
{
	__atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}

static void lose(struct tr2_control *ring, enum tr2_lost_cause cause,
		 uint64_t nr)
{
	add_count(&ring->lost[cause], nr);
	add_count(&ring->unreported, nr);
}

void tr2_ring_lost_many(struct tr2_slot *slot, enum tr2_lost_cause cause,
			uint64_t nr)
{
	if (slot && slot->control.data_size && cause < NR_RING_CAUSES)
		lose(&slot->control, cause, nr);
	else
		tr2_arena_lost(cause, nr);
}

void tr2_ring_lost(struct tr2_slot *slot, enum tr2_lost_cause cause)
{
	tr2_ring_lost_many(slot, cause, 1);
}

/* Return the size of the oldest record; all bytes, if it is damaged. */
static uint64_t oldest_size(struct tr2_control *ring, uint64_t tail,
			    uint64_t head, bool *is_filler)
{
	const char *data = (char *)ring + tr2_arena_rings.data_offset;
	struct tr2_record record;

	memcpy(&record, data + (tail & (tr2_arena_rings.data_size - 1)),
	       sizeof(record));
	*is_filler = record.type == TR2_RECORD_FILLER;
	if (record.size < sizeof(record) || record.size % TR2_RECORD_ALIGN ||
	    record.size > head - tail)
		return head - tail;
	return record.size;
}

/* Free a 64th of the ring more than needed. */
#define SPARE(data_size) ((data_size) >> 6)

/*
 * Overwrite records until the one that ends at `end` has room, and the next
 * ones need no check. A handler may interrupt at any place and do the same,
 * further: then the swap fails. Sizes may then come from a handler's newer
 * records, but in that case the tail has moved, too.
 */
static bool overwrite(struct tr2_control *ring, uint64_t end)
{
	uint64_t data_size = tr2_arena_rings.data_size, tail, head, at, nr;
	bool is_filler;

	while (end + SPARE(data_size) -
		       (tail = tr2_ring_load(&ring->data_tail)) > data_size) {
		head = tr2_ring_load(&ring->data_head);
		if (tail == head) {
			/* All records are still in progress. */
			if (end - tail > data_size)
				return false;
			break;
		}
		if (head - tail > data_size) {
			/* No writer leaves the ring like this; going on record
			 * by record could take forever. */
			tr2_ring_swap(&ring->data_tail, tail, head);
			continue;
		}
		for (at = tail, nr = 0;
		     at != head && end + SPARE(data_size) - at > data_size;
		     nr += !is_filler)
			at += oldest_size(ring, at, head, &is_filler);
		TR2_TESTPOINT(walked);
		if (tr2_ring_swap(&ring->data_tail, tail, at))
			add_count(&ring->overwritten, nr);
		TR2_TESTPOINT(made_room);
	}
	/*
	 * Release: later writes to that place are visible only after the tail
	 * has moved. Pairs with the fence of a reader, which reads the tail
	 * again after its copy.
	 */
	tr2_fence(__ATOMIC_RELEASE);
	return true;
}

/* Return the position of the ring's first byte, in the lap in which a record
 * ends. */
static uint64_t lap_of(uint64_t end)
{
	return (end - 1) & ~(tr2_arena_rings.data_size - 1);
}

static uint64_t next_lap(uint64_t position)
{
	return lap_of(position + tr2_arena_rings.data_size);
}

/*
 * The disk is full. Only the part of the ring with space can be overwritten:
 * start again there, empty, and so continue with the newest records. Call it
 * with signals blocked.
 */
static bool begin_anew(struct tr2_control *ring, uint32_t size)
{
	uint64_t head = tr2_ring_load(&ring->data_head);
	uint64_t lap = next_lap(head);

	if (tr2_arena_rings.consume || size > tr2_ring_load(&ring->backed) ||
	    tr2_ring_load(&ring->nest) > 1 ||
	    tr2_ring_load(&ring->reserved) != head ||
	    !overwrite(ring, head + tr2_arena_rings.data_size))
		return false;
	/* A reader that sees only the tail finds an empty range. */
	tr2_ring_store(&ring->data_tail, lap);
	tr2_fence(__ATOMIC_RELEASE);
	tr2_ring_store(&ring->reserved, lap);
	__atomic_store_n(&ring->data_head, lap, __ATOMIC_RELEASE);
	return true;
}

/* Get space for bytes that never had a record; twice as much as before. */
static bool find_space(struct tr2_control *ring, uint64_t bytes, uint32_t size)
{
	struct tr2_slot *slot = (struct tr2_slot *)(void *)ring;
	uint64_t backed, wanted;
	int saved_errno = errno;
	struct tr2_mask before;
	bool ok;

	tr2_mask_begin(&before);
	/* A handler may have done it already. */
	backed = tr2_ring_load(&ring->backed);
	wanted = backed * 2 > bytes ? backed * 2 : bytes;
	if (backed < bytes) {
		backed = tr2_arena_back_ring(slot, backed, wanted);
		tr2_ring_store(&ring->backed, backed);
	}
	ok = backed >= bytes || begin_anew(ring, size);
	tr2_mask_end(&before);
	errno = saved_errno;
	return ok;
}

static bool is_read(struct tr2_control *ring, uint64_t end)
{
	/*
	 * Acquire: pairs with the reader's release of data_tail, so that it has
	 * finished reading the records overwritten from now on.
	 */
	return end - __atomic_load_n(&ring->data_tail, __ATOMIC_ACQUIRE) <=
	       tr2_arena_rings.data_size;
}

/*
 * Return the position up to which the ring has space without unread records. A
 * handler that interrupts finds more space, at worst.
 */
static uint64_t find_limit(const struct tr2_control *ring, uint64_t end)
{
	uint64_t backed = tr2_ring_load(&ring->backed);
	uint64_t room = __atomic_load_n(&ring->data_tail, __ATOMIC_ACQUIRE) +
			tr2_arena_rings.data_size;
	uint64_t space = lap_of(end) + backed;

	return backed < tr2_arena_rings.data_size && space < room ? space :
								    room;
}

bool tr2_ring_make_room(struct tr2_control *ring, uint64_t end, uint32_t size)
{
	uint64_t bytes = end - lap_of(end), limit;

	if (bytes > tr2_ring_load(&ring->backed)) {
		if (!find_space(ring, bytes, size))
			return false;
		if (bytes > tr2_ring_load(&ring->backed))
			return true; /* it was started again */
	}
	if (tr2_arena_rings.consume ? !is_read(ring, end) :
				      !overwrite(ring, end))
		return false;
	limit = find_limit(ring, end);
	TR2_TESTPOINT(found_limit);
	tr2_ring_store(&ring->room_until, limit);
	return true;
}

char *tr2_ring_reserve_slow(struct tr2_control *ring, char *data,
			    uint32_t size)
{
	uint64_t data_size = tr2_arena_rings.data_size, at, gap, end;
	struct tr2_record filler = { TR2_RECORD_FILLER, 0, 0 };

	do {
		at = tr2_ring_load(&ring->reserved);
		gap = data_size - (at & (data_size - 1));
		if (gap >= size)
			gap = 0;
		end = at + gap + size;
		TR2_TESTPOINT(looked);
		if (end > tr2_ring_load(&ring->room_until) &&
		    !tr2_ring_make_room(ring, end, size))
			return NULL;
	} while (!tr2_ring_swap(&ring->reserved, at, end));
	TR2_TESTPOINT(reserved);
	if (gap) {
		filler.size = (uint16_t)gap;
		memcpy(data + (at & (data_size - 1)), &filler, sizeof(filler));
		TR2_TESTPOINT(filled);
	}
	return data + ((end - size) & (data_size - 1));
}

/* Writes came after the head was read, and do not know this one. */
uint64_t tr2_ring_publish_again(struct tr2_control *ring,
				const struct tr2_inside *in, uint32_t *records)
{
	uint64_t head;

	do {
		tr2_ring_be_outermost(ring, in);
		tr2_ring_order();
		*records = 0;
		head = tr2_ring_publish(ring, records);
		if (!tr2_ring_leave_last(ring)) {
			tr2_ring_drop_unfinished(ring, 0);
			break;
		}
	} while (tr2_ring_load(&ring->reserved) != head);
	return head;
}

void tr2_ring_give_up(struct tr2_slot *slot, struct tr2_inside *in)
{
	tr2_ring_lost(slot, tr2_arena_rings.consume ? TR2_LOST_NO_ROOM :
						      TR2_LOST_NESTED);
	TR2_TESTPOINT(counted_loss);
	tr2_ring_leave(&slot->control, in, 0);
	tr2_inside_end(in);
}

void tr2_ring_drop_unfinished(struct tr2_control *ring, uint32_t others)
{
	uint32_t pending = tr2_ring_load(&ring->pending);

	tr2_ring_store(&ring->reserved, tr2_ring_load(&ring->data_head));
	tr2_ring_store(&ring->pending, 0);
	tr2_ring_order();
	tr2_ring_store(&ring->nest, 0);
	lose(ring, TR2_LOST_ABANDONED, pending + (uint64_t)others);
}

/*
 * Whether more records wait for a write that may be over than the handlers of
 * one write would emit. Some of them may have found no room.
 */
static bool waits_too_long(struct tr2_control *ring, uintptr_t at,
			   const struct tr2_inside *in)
{
	static __thread unsigned int nr
		__attribute__((tls_model("initial-exec")));

	nr = tr2_ring_load(&ring->pending) ? nr + 1 : 0;
	return nr >= MAX_WAITING &&
	       (nr >= MAX_NESTED || !tr2_inside_is_interrupted(at, in));
}

/*
 * A write finds another one in progress. Either this one is in a signal handler
 * that interrupted the other; or a handler jumped out of the other, which will
 * never be finished.
 */
void tr2_ring_nested(struct tr2_control *ring, const struct tr2_inside *in)
{
	uintptr_t at = (uintptr_t)(tr2_ring_load(&ring->nest_and_inside) >> 16
				   << 3);

	if (tr2_inside_is_over(at, in) || waits_too_long(ring, at, in)) {
		tr2_ring_drop_unfinished(ring, 1);
		tr2_ring_be_outermost(ring, in);
		return;
	}
	__atomic_fetch_add(&ring->pending, 1, __ATOMIC_RELAXED);
	tr2_ring_store(&ring->nest, (uint16_t)(tr2_ring_load(&ring->nest) + 1));
}

/* false: there is no room for the LOST record. */
static bool report_loss(struct tr2_control *ring, char *data,
			unsigned int cause)
{
	struct tr2_record_lost record = {
		.head = { TR2_RECORD_LOST, 0, sizeof(record) },
		.id = cause,
		.lost = tr2_ring_load(&ring->lost[cause]) -
			tr2_ring_load(&ring->reported[cause]),
	};
	char *p;

	if (!record.lost)
		return true;
	/* First, or a handler would report the same ones. */
	add_count(&ring->reported[cause], record.lost);
	p = tr2_ring_reserve(ring, data, sizeof(record));
	if (p) {
		memcpy(p, &record, sizeof(record));
		add_count(&ring->unreported, -record.lost);
	} else {
		add_count(&ring->reported[cause], -record.lost);
	}
	return p != NULL;
}

void tr2_ring_report_losses(struct tr2_control *ring, char *data)
{
	unsigned int cause;

	for (cause = 0; cause < NR_RING_CAUSES; cause++)
		if (!report_loss(ring, data, cause))
			return;
}

__attribute__((noinline)) bool tr2_ring_put(struct tr2_slot *slot,
					    const void *record)
{
	const struct tr2_record *head = record;
	struct tr2_ring_write w;
	struct tr2_inside in;

	if (!tr2_ring_begin(&w, slot, head->size, &in))
		return false;
	memcpy(w.p, record, head->size);
	tr2_ring_end(&w);
	return true;
}

void tr2_ring_finish(struct tr2_slot *slot)
{
	struct tr2_control *ring = &slot->control;
	struct tr2_inside in;

	if (!ring->data_size || !tr2_arena_rings.data_size)
		return;
	if (tr2_ring_load(&ring->nest))
		tr2_ring_drop_unfinished(ring, 1);
	if (tr2_ring_load(&ring->unreported)) {
		tr2_inside_begin(&in);
		tr2_ring_be_outermost(ring, &in);
		tr2_ring_order();
		tr2_ring_report_losses(ring, tr2_ring_data(slot));
		tr2_ring_leave(ring, &in, 0);
		tr2_inside_end(&in);
	}
	tr2_ring_wake(ring);
}
