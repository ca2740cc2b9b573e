/* SPDX-License-Identifier: MIT */
/*
 * emit_span - a span as a record of the ring, and as a data_json event of the
 * other targets. The event is outside of all regions, since only the end of the
 * span happens there.
 */
#pragma once

#include "span/table.h"
#include "thread/emit.h"

/* Emit a span. The thread must be announced. This overwrites the text of
 * tr2_call_format(). */
void tr2_call_emit_span(struct tr2_call *call,
			const struct tr2_span_data *span);

/* Emit the start of a span, which only the ring has. */
void tr2_call_emit_span_start(struct tr2_call *call,
			      const struct tr2_span_data *span);

/* Emit the ids of the session. In a ring, they go to the records of the
 * process, where events of threads never overwrite them. */
void tr2_call_emit_trace(struct tr2_call *call);

/*
 * Return the calling thread if it may write records of spans without the frame
 * of a call, else NULL. Call it if the fast path is on (session/fastpath.h).
 */
static inline struct tr2_thread *tr2_fastpath_span_thread(void)
{
	const struct tr2_own TR2_TLS_SEGMENT *own = tr2_own_at();
	struct tr2_thread *thread = own->context;

	return thread && own->slot && thread->announced &&
	       !atomic_load_explicit(&thread->busy, memory_order_relaxed) ?
		       thread : NULL;
}
void tr2_fastpath_span_start(const struct tr2_span_data *span);
void tr2_fastpath_span_end(const struct tr2_span_data *span);
