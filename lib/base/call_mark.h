/* SPDX-License-Identifier: MIT */
/*
 * call_mark - whether an interrupted call of a thread still continues, or a
 * signal handler jumped out of it for good.
 *
 * A call has a mark in its stack frame, and stores the mark's address where the
 * thread's next call finds it. A frame that was left is overwritten, sooner or
 * later; a live frame is intact. The mark therefore shows on any stack whether
 * the call continues. A handler may run on an alternate stack, which the kernel
 * does not report if it is SS_AUTODISARM, and may switch to others.
 *
 * All functions are signal-safe, and keep errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A local variable of the function that makes the call. */
struct tr2_call_mark {
	uint32_t mark __attribute__((aligned(8)));
};

static inline uint32_t tr2_call_mark_value(uintptr_t at)
{
	return (uint32_t)(at >> 3) ^ UINT32_C(0x7472326d);
}

static inline void tr2_call_mark_begin(struct tr2_call_mark *in)
{
	__atomic_store_n(&in->mark, tr2_call_mark_value((uintptr_t)in),
			 __ATOMIC_RELAXED);
}

/* End the mark after all stores by which others find it. The fence orders the
 * end for this thread's handlers. */
static inline void tr2_call_mark_end(struct tr2_call_mark *in)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&in->mark, 0, __ATOMIC_RELAXED);
}

/*
 * Return true if the call with the mark at this address is over for good; false
 * if it continues, or if this is not known yet. now: the mark of the caller, in
 * the same thread.
 */
bool tr2_call_mark_is_over(uintptr_t at, const struct tr2_call_mark *now);

/*
 * Return true if `now` probably belongs to a signal handler that interrupted
 * the other call. false: a handler jumped out of the other call, or `now`
 * belongs to a handler on an unknown stack. Call it if tr2_call_mark_is_over()
 * is false.
 */
bool tr2_call_mark_is_interrupted(uintptr_t at,
				  const struct tr2_call_mark *now);
