/* SPDX-License-Identifier: MIT */
/*
 * fastpath_span - records of spans, written straight into the ring: see
 * session/fastpath.h.
 */
#ifndef TR2_SESSION_FASTPATH_SPAN_H
#define TR2_SESSION_FASTPATH_SPAN_H

#include "event/span.h"
#include "thread/thread.h"

/* Whether the thread may write without the frame of a call, if the fast path is
 * on. */
static inline bool tr2_fastpath_span_is_ready(void)
{
	const struct tr2_thread *thread = tr2_self;

	return thread && tr2_my_slot && thread->announced &&
	       !atomic_load_explicit(&thread->busy, memory_order_relaxed);
}

void tr2_fastpath_span_start(const struct tr2_told_span *span);
void tr2_fastpath_span_end(const struct tr2_told_span *span);

#endif
