/* SPDX-License-Identifier: MIT */
/*
 * inside - whether what a thread is in the midst of still goes on, or a signal
 * handler jumped out of it and it will never end.
 *
 * Whoever goes in has a mark in its stack frame, and leaves the mark's address
 * where the thread's next one finds it. A frame that is gone is overwritten,
 * sooner or later; one that is not is whole. So the mark tells, whatever stack
 * it lies on: a handler may run on an alternate stack, which the kernel does not
 * know of any more if it is SS_AUTODISARM, and may switch to others.
 *
 * All functions are signal-safe, and keep errno.
 */
#ifndef TR2_BASE_INSIDE_H
#define TR2_BASE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* A variable of the function that is inside, for as long as it is. */
struct tr2_inside {
	uint32_t mark __attribute__((aligned(8)));
};

static inline uint32_t tr2_inside_mark(uintptr_t at)
{
	return (uint32_t)(at >> 3) ^ UINT32_C(0x7472326d);
}

static inline void tr2_inside_begin(struct tr2_inside *in)
{
	__atomic_store_n(&in->mark, tr2_inside_mark((uintptr_t)in),
			 __ATOMIC_RELAXED);
}

/* Behind all that others know it by: for this thread's handlers. */
static inline void tr2_inside_end(struct tr2_inside *in)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&in->mark, 0, __ATOMIC_RELAXED);
}

/*
 * true: what left this address is over for good. now: of who asks, in the same
 * thread. false: it goes on, or it is not known yet.
 */
bool tr2_inside_is_over(uintptr_t at, const struct tr2_inside *now);

/*
 * What is known of the latter: true: `now` belongs to a signal handler, as a
 * rule; false: a handler jumped out, unless it is on a stack that is not known.
 */
bool tr2_inside_is_interrupted(uintptr_t at, const struct tr2_inside *now);

#endif
