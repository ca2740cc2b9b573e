/* SPDX-License-Identifier: MIT */
/* Take the trace of the session from its environment. */
#include "span/session_trace.h"

#include "span/table.h"

struct tr2_session_trace tr2_session_trace;

void tr2_session_trace_begin(const char *traceparent)
{
	struct tr2_session_trace trace = { .sampled = true };
	struct tr2_context above;

	if (tr2_context_parse(traceparent, &above, &trace.sampled)) {
		trace.self = above;
		trace.self.id = tr2_span_random();
		trace.parent = above.id;
	}
	tr2_session_trace = trace;
}
