/* SPDX-License-Identifier: MIT */
/*
 * environment - the recorded command's environment: the recorder's own, except
 * for the variables that control where events go.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

struct tr2_environment {
	char **vars; /* for execve() */
	int nr_own;  /* number of variables set here; they come first */
};

struct tr2_environment_request {
	const char *target; /* destination of events */
	int64_t nest;
	bool heed_discard; /* programs check for the discard file */
	const char *counters; /* for GIT_TRACE2_COUNTERS; NULL: leave the
			       * variable unchanged */
	const char *rings; /* directory of rings, into which programs write
			    * instead of event streams; NULL: leave the
			    * variables of rings unchanged */
	const char *traceparent; /* NULL: leave the variable unchanged */
};

/* Return false if memory is short. */
bool tr2_environment_init(struct tr2_environment *e,
			  const struct tr2_environment_request *request);
void tr2_environment_release(struct tr2_environment *e);

/* The recording's place in a W3C trace. The command gets the place as
 * TRACEPARENT, and meta.json contains it. */
struct tr2_record_trace {
	struct tr2_context self; /* id 0: the recording is in no trace */
	uint64_t parent; /* span in which the recording runs; 0: the recording
			  * is the root */
	bool sampled;
};

/* Join the trace that TRACEPARENT names. Without TRACEPARENT, begin a new
 * trace, unless GIT_TRACE2_SPANS is set: programs that keep one trace in N
 * would regard the new trace as chosen, and keep all of it. */
void tr2_record_trace_begin(struct tr2_record_trace *trace);
