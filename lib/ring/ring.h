/* SPDX-License-Identifier: MIT */
/*
 * ring - write records that other processes read, and that survive if this
 * process is killed at any instruction.
 *
 * A ring has one owner, the thread of its slot. Its other writers are that
 * thread's signal handlers, nested to any depth. So they change shared fields
 * by single instructions, without lock prefixes, and never use locks.
 *
 *	data_tail <= data_head <= reserved
 *
 * A writer counts itself in `nest`, moves `reserved` behind its record, writes
 * it, and counts itself out. Only the outermost writer moves `data_head` up to
 * `reserved`: it has seen all others start and end, so everything before is
 * complete. Then it checks again for writers that came meanwhile.
 *
 * A write that a handler jumped out of is detected by its mark (base/inside.h);
 * records that were written meanwhile are dropped with it, and counted.
 *
 * All functions are signal-safe. Other processes may change the slot, which can
 * damage the ring but never causes a write beyond it.
 */
#ifndef TR2_RING_RING_H
#define TR2_RING_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arena/arena.h"
#include "base/inside.h"
#include "base/macros.h"
#include "base/sanitize.h"
#include "ring/layout.h"
#include "ring/testpoint.h"

/* A write in progress; a variable of the writer. */
struct tr2_ring_write {
	struct tr2_control *ring;
	char *p; /* the record's place; the writer fills all of it */
	struct tr2_inside *in;
};

#define TR2_RING_INLINE TR2_INLINE

#define tr2_ring_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define tr2_ring_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
/* Order this thread and its own signal handlers. */
#define tr2_ring_order() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/*
 * Compare and swap against this thread's handlers only: one instruction, since
 * no other thread writes there.
 */
static inline bool tr2_ring_swap(uint64_t *p, uint64_t expected,
				 uint64_t desired)
{
#if defined(__x86_64__) && !TR2_TSAN
	bool swapped;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(swapped), "+m"(*p), "+a"(expected)
			 : "r"(desired)
			 : "memory");
	return swapped;
#else
	return __atomic_compare_exchange_n(p, &expected, desired, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Slow paths of the functions below, out of line: they would take registers. */
char *tr2_ring_reserve_slow(struct tr2_control *ring, char *data,
			    uint32_t size);
/* End a write that got no room, and count it. */
void tr2_ring_give_up(struct tr2_slot *slot, struct tr2_inside *in);
uint64_t tr2_ring_publish_again(struct tr2_control *ring,
				const struct tr2_inside *in,
				uint32_t *records);
/* Make room for a record of this size, behind `reserved`, that ends at `end`;
 * true: try again. */
bool tr2_ring_make_room(struct tr2_control *ring, uint64_t end, uint32_t size);
void tr2_ring_nested(struct tr2_control *ring, const struct tr2_inside *in);
/* Drop the records behind the head, which will not be finished: nested writes,
 * and so many others. */
void tr2_ring_drop_unfinished(struct tr2_control *ring, uint32_t others);
void tr2_ring_report_losses(struct tr2_control *ring, char *data);
void tr2_ring_wake(struct tr2_control *ring);

/*
 * Count a record that was not written: in the ring, or without a ring (NULL, or
 * the slot has none) in the arena.
 */
void tr2_ring_lost(struct tr2_slot *slot, enum tr2_lost_cause cause);
void tr2_ring_lost_many(struct tr2_slot *slot, enum tr2_lost_cause cause,
			uint64_t nr);

static inline char *tr2_ring_data(struct tr2_slot *slot)
{
	return (char *)slot + tr2_arena_rings.data_offset;
}

/* Return the place for `size` bytes; NULL: no room. */
TR2_RING_INLINE char *tr2_ring_reserve(struct tr2_control *ring, char *data,
				     uint32_t size)
{
	uint64_t data_size = tr2_arena_rings.data_size;
	uint64_t at = tr2_ring_load(&ring->reserved), end = at + size;

	TR2_TESTPOINT(looked);
	if (unlikely(end > tr2_ring_load(&ring->room_until)) ||
	    unlikely((at & (data_size - 1)) + size > data_size) ||
	    unlikely(!tr2_ring_swap(&ring->reserved, at, end)))
		return tr2_ring_reserve_slow(ring, data, size);
	TR2_TESTPOINT(reserved);
	return data + (at & (data_size - 1));
}

/* Multiples of 8 below 2^51. */
#define TR2_RING_INSIDE_SHIFT (16 - 3)

/* Make this write the outermost one. */
static inline void tr2_ring_be_outermost(struct tr2_control *ring,
					 const struct tr2_inside *in)
{
	tr2_ring_store(&ring->nest_and_inside,
		       (uint64_t)(uintptr_t)in << TR2_RING_INSIDE_SHIFT | 1);
}

/* false: others are still counted in. One instruction. */
static inline bool tr2_ring_count_out(struct tr2_control *ring)
{
#if defined(__x86_64__) && !TR2_TSAN
	bool is_zero;

	__asm__ volatile("decw %1"
			 : "=@ccz"(is_zero), "+m"(ring->nest)
			 :
			 : "memory");
	return is_zero;
#else
	return !__atomic_sub_fetch(&ring->nest, 1, __ATOMIC_RELAXED);
#endif
}

/* Publish all that is complete; add to *records those since the last wake-up.
 * Return the head. */
TR2_RING_INLINE uint64_t tr2_ring_publish(struct tr2_control *ring,
					  uint32_t *records)
{
	uint64_t head = tr2_ring_load(&ring->reserved);
	uint32_t pending;

	tr2_ring_order();
	/* Read it behind `pending`: a later write is seen in another round. */
	pending = tr2_ring_load(&ring->pending);
	TR2_TESTPOINT(about_to_publish);
	/* Release: pairs with the reader's acquire of data_head. */
	__atomic_store_n(&ring->data_head, head, __ATOMIC_RELEASE);
	TR2_TESTPOINT(published);
	if (unlikely(pending != 0))
		__atomic_fetch_sub(&ring->pending, pending, __ATOMIC_RELAXED);
	*records += pending + tr2_ring_load(&ring->wake_records);
	tr2_ring_store(&ring->wake_records, *records);
	tr2_ring_order();
	return head;
}

/* Count the outermost writer out; true: it was the only one. */
TR2_RING_INLINE bool tr2_ring_leave_last(struct tr2_control *ring)
{
	bool is_last = tr2_ring_count_out(ring);

	tr2_ring_order();
	TR2_TESTPOINT(left);
	return is_last && !tr2_ring_load(&ring->nest);
}

TR2_RING_INLINE void tr2_ring_wake_if_due(struct tr2_control *ring, uint64_t head,
					uint32_t records)
{
	uint64_t threshold = tr2_ring_load(&ring->wakeup_watermark);

	if (!threshold)
		threshold = tr2_arena_rings.data_size / 2;
	/* wakeup_events 0 is the largest number less one. */
	if (unlikely(head - tr2_ring_load(&ring->wake_head) >= threshold) ||
	    unlikely(records - 1u >= tr2_ring_load(&ring->wakeup_events) - 1u))
		tr2_ring_wake(ring);
}

/* Publish, as the outermost writer at its end; others only count themselves
 * out. */
TR2_RING_INLINE void tr2_ring_leave(struct tr2_control *ring,
				  const struct tr2_inside *in, uint32_t records)
{
	uint16_t nest = tr2_ring_load(&ring->nest);
	uint64_t head;

	tr2_ring_order();
	if (unlikely(nest > 1)) {
		tr2_ring_store(&ring->nest, (uint16_t)(nest - 1));
		return;
	}
	head = tr2_ring_publish(ring, &records);
	if (unlikely(!tr2_ring_leave_last(ring)))
		/* A handler jumped out of a write that came meanwhile, to
		 * another one, which has ended. */
		tr2_ring_drop_unfinished(ring, 0);
	else if (unlikely(tr2_ring_load(&ring->reserved) != head))
		head = tr2_ring_publish_again(ring, in, &records);
	tr2_ring_wake_if_due(ring, head, records);
}

/*
 * Reserve a record of `size` bytes, a multiple of 8 and at most TR2_RECORD_MAX.
 * false: there is no room, and the loss was counted; otherwise fill all of
 * w->p, and call tr2_ring_end(). in: a variable of the caller's, until then.
 */
TR2_RING_INLINE bool tr2_ring_begin(struct tr2_ring_write *w,
				  struct tr2_slot *slot, uint32_t size,
				  struct tr2_inside *in)
{
	struct tr2_control *ring;
	char *data;

	if (unlikely(!slot || !slot->control.data_size ||
		     !tr2_arena_rings.data_size)) {
		tr2_ring_lost(slot, TR2_LOST_NO_SLOT);
		return false;
	}
	if (unlikely(size > tr2_arena_rings.data_size / 4)) {
		tr2_ring_lost(slot, TR2_LOST_TOO_LARGE);
		return false;
	}
	ring = &slot->control;
	data = tr2_ring_data(slot);
	w->in = in;
	tr2_inside_begin(in);
	if (unlikely(tr2_ring_load(&ring->nest) != 0))
		tr2_ring_nested(ring, in);
	else
		tr2_ring_be_outermost(ring, in);
	tr2_ring_order();
	TR2_TESTPOINT(entered);
	if (unlikely(tr2_ring_load(&ring->unreported) != 0))
		tr2_ring_report_losses(ring, data);
	w->ring = ring;
	w->p = tr2_ring_reserve(ring, data, size);
	if (likely(w->p != NULL))
		return true;
	tr2_ring_give_up(slot, in);
	return false;
}

TR2_RING_INLINE void tr2_ring_end(const struct tr2_ring_write *w)
{
	tr2_ring_order();
	TR2_TESTPOINT(copied);
	tr2_ring_leave(w->ring, w->in, 1);
	tr2_inside_end(w->in);
}

/* Write a record that is complete in memory, with its size in its head. false:
 * it was lost, and counted. */
bool tr2_ring_put(struct tr2_slot *slot, const void *record);

/* Call it when no thread writes to the slot's ring any more: drops unfinished
 * records, and wakes the reader. Only for its last owner. */
void tr2_ring_finish(struct tr2_slot *slot);

#endif
