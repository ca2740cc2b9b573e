/* SPDX-License-Identifier: MIT */
/* Begin or continue a trace. */
#include "record/sources/trace.h"

#include <stdlib.h>
#include <sys/random.h>

void tr2_record_trace_begin(struct tr2_record_trace *trace)
{
	const char *spans = getenv("GIT_TRACE2_SPANS");
	struct tr2_context above;
	uint64_t random[3];

	*trace = (struct tr2_record_trace){ .sampled = true };
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return;
	trace->self = (struct tr2_context){ { random[0], random[1] },
					    random[2] | 1 };
	if (tr2_context_parse(getenv("TRACEPARENT"), &above, &trace->sampled)) {
		trace->parent = above.id;
		trace->self.trace[0] = above.trace[0];
		trace->self.trace[1] = above.trace[1];
	} else if (spans && *spans) {
		trace->self.id = 0;
	}
}
