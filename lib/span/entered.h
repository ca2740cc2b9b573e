/* SPDX-License-Identifier: MIT */
/*
 * entered - the spans that a thread works for, the innermost last. A signal
 * handler of the thread may enter and leave spans at any instruction: its spans
 * are above the interrupted ones, and gone when it returns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace2.h"

#define TR2_ENTERED_MAX 16u

struct tr2_entered {
	uint32_t nr;
	struct {
		trace2_span_t span;
		uint64_t from_ns;
	} at[TR2_ENTERED_MAX];
};

/* Enter a span. false: the thread is in TR2_ENTERED_MAX spans already. */
static inline bool tr2_entered_push(struct tr2_entered *entered,
				    trace2_span_t span, uint64_t now_ns)
{
	uint32_t nr = entered->nr;

	if (nr >= TR2_ENTERED_MAX)
		return false;
	/* Count before the write, so that a signal handler enters its spans
	 * above this entry. */
	__atomic_store_n(&entered->nr, nr + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	entered->at[nr].span = span;
	entered->at[nr].from_ns = now_ns;
	return true;
}

/* Leave the span. false: it is not the innermost one. */
static inline bool tr2_entered_pop(struct tr2_entered *entered,
				   trace2_span_t span)
{
	uint32_t nr = entered->nr;

	if (!nr || entered->at[nr - 1].span.id != span.id ||
	    entered->at[nr - 1].span.place != span.place)
		return false;
	entered->nr = nr - 1;
	return true;
}

/* Return 1 + the place of a span; 0: it was not entered. */
static inline uint32_t tr2_entered_find(const struct tr2_entered *entered,
					trace2_span_t span)
{
	uint32_t nr = entered->nr;

	while (nr && (entered->at[nr - 1].span.id != span.id ||
		      entered->at[nr - 1].span.place != span.place))
		nr--;
	return nr;
}
