/* SPDX-License-Identifier: MIT */
/*
 * trace - the recording's place in a trace of the W3C: the command gets it as
 * TRACEPARENT, and meta.json tells it.
 */
#ifndef TR2_RECORD_SOURCES_TRACE_H
#define TR2_RECORD_SOURCES_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

struct tr2_record_trace {
	struct tr2_context self; /* id 0: in none */
	uint64_t parent; /* 0: the trace begins here */
	bool sampled;
};

/* The recording is below what TRACEPARENT names; else it begins a trace, unless
 * GIT_TRACE2_SPANS is set: programs that choose one trace in N would take all of
 * this one, as it is chosen. */
void tr2_record_trace_begin(struct tr2_record_trace *trace);

#endif
