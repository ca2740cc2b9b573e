/* SPDX-License-Identifier: MIT */
/*
 * ring - write records that other processes read, and that survive if this
 * process is killed at any instruction.
 *
 * A ring has one owner, the thread of its slot. Its other writers are that
 * thread's signal handlers, nested to any depth. Writers therefore change
 * shared fields by single instructions, without lock prefixes, and never use
 * locks. The outermost writer is the one that finds no other.
 *
 * An announced write is the outermost writer's write of a short record. It
 * stores its mark and its size in one word, writes after `data_head`, moves
 * `data_head`, and clears the word. Handlers that find the word write after
 * that record. If the record was already published, the place of its size is
 * free, and gets a filler: handlers see this from `announced_at`. Handlers also
 * set `room_until` to 0, so that the announced write notices them at its end,
 * or its beginning.
 *
 *	data_tail <= data_head, and data_head <= reserved if records wait
 *
 * Any other writer counts itself in `nest`, moves `reserved` past its record,
 * writes the record, and counts itself out. Only the outermost writer moves
 * `data_head` up to `reserved`: it has seen all others start and end, so
 * everything before is complete. Then it checks again for writers that came in
 * between.
 *
 * A handler may also fork. In a child by fork(), the interrupted write ends in
 * memory without readers: see tr2_arena_forget(). _Fork() and clone() do not
 * call the library, so each write looks at the fork guard before it moves a
 * position. A child that is made between the look and the move changes its
 * parent's ring.
 *
 * If a handler jumped out of a write, later writes detect that by its mark
 * (base/call_mark.h). Records that were written since are dropped with it, and
 * counted.
 *
 * All functions are signal-safe. Other processes may change the slot, which can
 * damage the ring but never causes a write beyond it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arena/arena.h"
#include "base/call_mark.h"
#include "base/fork_guard.h"
#include "base/macros.h"
#include "base/sanitize.h"
#include "ring/layout.h"
#include "ring/testpoint.h"

/* A write in progress, in a local variable of the writer. */
struct tr2_ring_write {
	struct tr2_control *ring;
	char *p; /* the record's place; the writer fills all of it */
	struct tr2_call_mark *in;
	uint64_t announced; /* the value of the word `nest_and_inside` with this
			     * announced write; 0: not announced */
	uint64_t at, end; /* positions of an announced record */
};

#define TR2_RING_INLINE TR2_INLINE

#define tr2_ring_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define tr2_ring_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
/* Order this thread and its own signal handlers. */
#define tr2_ring_order() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/*
 * Compare and swap against this thread's handlers only. One instruction is
 * enough, since no other thread writes there.
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

/* Add to *p by one instruction: only this thread and its handlers write to
 * *p. */
static inline void tr2_ring_add_u64(uint64_t *p, uint64_t n)
{
#if defined(__x86_64__) && !TR2_TSAN
	__asm__ volatile("addq %1, %0" : "+m"(*p) : "er"(n) : "cc", "memory");
#else
	__atomic_fetch_add(p, n, __ATOMIC_RELAXED);
#endif
}

/*
 * The lower bits of `nest` count writes in progress; the upper bits contain the
 * size of an announced write.
 */
#define TR2_RING_NEST 0x3ffu
#define TR2_RING_ANNOUNCED_SHIFT (10 - 3)
#define TR2_RING_ANNOUNCED_MAX 504u
/* Marks are at multiples of 8 below 2^51. */
#define TR2_RING_INSIDE_SHIFT (16 - 3)

/* Slow paths of the functions below, not inline: they would take registers. */
bool tr2_ring_begin_slow(struct tr2_ring_write *w, struct tr2_slot *slot,
			 uint32_t size, struct tr2_call_mark *in);
void tr2_ring_end_slow(const struct tr2_ring_write *w);
/* At the end of an announced write, publish the records of handlers that came
 * in between, and count `records` of the write's own for wake-ups. */
void tr2_ring_catch_up(struct tr2_control *ring, const struct tr2_call_mark *in,
		       uint32_t records);
/* Count out a write that `nest_and_inside` no longer names. */
void tr2_ring_count_out_late(struct tr2_control *ring,
			     const struct tr2_call_mark *in);
/* Count published records for wakeup_events, and wake the readers if a wake-up
 * is due. */
void tr2_ring_wake_if_due(struct tr2_control *ring, uint32_t records);
void tr2_ring_wake(struct tr2_control *ring);

/*
 * Count a lost record: in the slot's ring, or in the arena if slot is NULL or
 * has no ring.
 */
void tr2_ring_lost(struct tr2_slot *slot, enum tr2_lost_cause cause);
void tr2_ring_lost_many(struct tr2_slot *slot, enum tr2_lost_cause cause,
			uint64_t nr);

static inline char *tr2_ring_data(struct tr2_slot *slot)
{
	return (char *)slot + tr2_arena_rings.data_offset;
}

/* Count a writer out by one instruction. false: other writers are still counted
 * in. */
static inline bool tr2_ring_count_out(struct tr2_control *ring, uint16_t count)
{
#if defined(__x86_64__) && !TR2_TSAN
	bool is_zero;

	__asm__ volatile("subw %2, %1"
			 : "=@ccz"(is_zero), "+m"(ring->nest)
			 : "r"(count)
			 : "memory");
	return is_zero;
#else
	return !__atomic_sub_fetch(&ring->nest, count, __ATOMIC_RELAXED);
#endif
}

/*
 * Announce a record of `size` bytes, a multiple of 8 and at most
 * TR2_RING_ANNOUNCED_MAX. No other write may be in progress. Then call
 * tr2_ring_commit(), if tr2_ring_room() is not negative, or
 * tr2_ring_back_out().
 */
TR2_RING_INLINE void tr2_ring_announce(struct tr2_ring_write *w,
				       struct tr2_control *ring, uint32_t size,
				       struct tr2_call_mark *in)
{
	w->ring = ring;
	w->in = in;
	w->announced = (uint64_t)(uintptr_t)in << TR2_RING_INSIDE_SHIFT |
		       size << TR2_RING_ANNOUNCED_SHIFT | 1;
	tr2_call_mark_begin(in);
	tr2_ring_order();
	tr2_ring_store(&ring->nest_and_inside, w->announced);
	tr2_ring_order();
	TR2_TESTPOINT(entered);
	w->at = tr2_ring_load(&ring->data_head);
	w->end = w->at + size;
	TR2_TESTPOINT(looked);
}

/* Return a negative number if there may be no room, or if the ring's end is too
 * near. The caller combines this number with others by `|`, and checks the sign
 * once. mask: the size of the ring less one. */
TR2_RING_INLINE int64_t tr2_ring_room(const struct tr2_ring_write *w,
				      uint32_t size, uint64_t mask)
{
	return (int64_t)((tr2_ring_load(&w->ring->room_until) - w->end) |
			 (mask + 1 - size - (w->at & mask)));
}

/* Take the place after the head for an announced record. */
TR2_RING_INLINE void tr2_ring_commit(struct tr2_ring_write *w, char *data,
				     uint64_t mask)
{
	/* From here on no handler puts a filler at this place. */
	tr2_ring_store(&w->ring->announced_at, w->at);
	tr2_ring_order();
	TR2_TESTPOINT(reserved);
	w->p = data + (w->at & mask);
}

/* Publish an announced record. */
TR2_RING_INLINE void tr2_ring_publish_announced(const struct tr2_ring_write *w)
{
	struct tr2_control *ring = w->ring;
	uint64_t limits;

	tr2_ring_order();
	TR2_TESTPOINT(copied);
	if (unlikely(tr2_ring_load(&ring->nest_and_inside) != w->announced)) {
		tr2_ring_count_out_late(ring, w->in);
		tr2_call_mark_end(w->in);
		return;
	}
	TR2_TESTPOINT(about_to_publish);
	tr2_fork_guard_look();
	tr2_ring_add_u64(&ring->written, 1);
	/* Release: pairs with the reader's acquire of data_head. */
	__atomic_store_n(&ring->data_head, w->end, __ATOMIC_RELEASE);
	TR2_TESTPOINT(published);
	(void)tr2_ring_count_out(ring, (uint16_t)w->announced);
	TR2_TESTPOINT(left);
	/* Read wakeup_events and wakeup_watermark by one load. If both are 0, a
	 * wake-up is due only at room_until. */
	memcpy(&limits, &ring->wakeup_events, sizeof(limits));
	if (unlikely(limits | tr2_ring_load(&ring->nest)) ||
	    unlikely(tr2_ring_load(&ring->room_until) < w->end))
		tr2_ring_catch_up(ring, w->in, 1);
	tr2_call_mark_end(w->in);
}

/* End an announced write that writes nothing. */
void tr2_ring_back_out(struct tr2_control *ring, struct tr2_call_mark *in);

/*
 * Reserve a record of `size` bytes, a multiple of 8 and at most TR2_RECORD_MAX.
 * false: there is no room, and the loss was counted. true: fill all of w->p,
 * and call tr2_ring_end(). in: a variable of the caller that lives until then.
 */
TR2_RING_INLINE bool tr2_ring_begin(struct tr2_ring_write *w,
				  struct tr2_slot *slot, uint32_t size,
				  struct tr2_call_mark *in)
{
	uint64_t mask = tr2_arena_rings.data_size - 1;

	if (likely(slot != NULL) && likely(slot->control.data_size) &&
	    likely(tr2_arena_rings.data_size) &&
	    likely(size <= TR2_RING_ANNOUNCED_MAX) &&
	    likely(!tr2_ring_load(&slot->control.nest))) {
		tr2_ring_announce(w, &slot->control, size, in);
		if (likely(tr2_ring_room(w, size, mask) >= 0)) {
			tr2_ring_commit(w, tr2_ring_data(slot), mask);
			return true;
		}
		tr2_ring_back_out(&slot->control, in);
	}
	return tr2_ring_begin_slow(w, slot, size, in);
}

TR2_RING_INLINE void tr2_ring_end(const struct tr2_ring_write *w)
{
	if (likely(w->announced))
		tr2_ring_publish_announced(w);
	else
		tr2_ring_end_slow(w);
}

/* Write a record that is complete in memory, with its size in its head. false:
 * the record was lost, and counted. */
bool tr2_ring_put(struct tr2_slot *slot, const void *record);

/* Drop unfinished records, and wake the reader. Call it for the last owner of
 * the slot's ring, when no thread writes to the ring any longer. */
void tr2_ring_finish(struct tr2_slot *slot);
