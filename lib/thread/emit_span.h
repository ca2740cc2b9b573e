/* SPDX-License-Identifier: MIT */
/*
 * emit_span - a span as a record of the ring, and as a data_json event of the
 * other targets: outside of all regions, since nothing but its end happens at
 * that place.
 */
#pragma once

#include "span/table.h"
#include "thread/emit.h"

/* The thread was announced. Overwrites the text of tr2_call_format(). */
void tr2_call_emit_span(struct tr2_call *call,
			const struct tr2_span_data *span);

/* Its start, which only the ring has. */
void tr2_call_emit_span_start(struct tr2_call *call,
			      const struct tr2_span_data *span);

/* Emit the ids of the session; in a ring beside its other events of the process,
 * where events of threads never take their place. */
void tr2_call_emit_trace(struct tr2_call *call);

/*
 * Records of spans without the frame of a call, if the fast path is on
 * (session/fastpath.h), and this returns the calling thread, not NULL.
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
