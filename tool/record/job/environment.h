/* SPDX-License-Identifier: MIT */
/*
 * environment - the recorded command's environment: the process's own, except
 * the variables that control where its events go.
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
	const char *counters; /* for GIT_TRACE2_COUNTERS; NULL: leave it
			       * unchanged */
	const char *rings; /* directory of rings, which a reader empties, in
			    * place of event streams; NULL: leave the variables
			    * unchanged */
	const char *traceparent; /* NULL: leave it unchanged */
};

/* Return false without memory. */
bool tr2_environment_init(struct tr2_environment *e,
			  const struct tr2_environment_request *request);
void tr2_environment_release(struct tr2_environment *e);

/* The recording's place in a W3C trace. The command gets it as TRACEPARENT;
 * meta.json has it. */
struct tr2_record_trace {
	struct tr2_context self; /* id 0: the recording is in no trace */
	uint64_t parent; /* 0: the recording is the root */
	bool sampled;
};

/* Join the trace that TRACEPARENT names. Without one begin a new trace, unless
 * GIT_TRACE2_SPANS is set: programs that choose one trace in N would then keep
 * all of this one, as it is already chosen. */
void tr2_record_trace_begin(struct tr2_record_trace *trace);
