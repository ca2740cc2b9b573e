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
	int nr_own;  /* the first of vars, which were set here */
};

struct tr2_environment_request {
	const char *target; /* destination of events */
	int64_t nest;
	bool heed_discard; /* programs check for the discard file */
	const char *counters; /* for GIT_TRACE2_COUNTERS; NULL: leave it */
	const char *rings; /* a directory for rings, which a reader empties,
			    * instead of event streams; NULL: leave them */
	const char *traceparent; /* NULL: leave it */
};

/* false: no memory. */
bool tr2_environment_init(struct tr2_environment *e,
			  const struct tr2_environment_request *request);
void tr2_environment_release(struct tr2_environment *e);

/* The recording's place in a trace of the W3C: the command gets it as
 * TRACEPARENT, and meta.json has it. */
struct tr2_record_trace {
	struct tr2_context self; /* id 0: in none */
	uint64_t parent; /* 0: the trace begins here */
	bool sampled;
};

/* The recording is below what TRACEPARENT names; else it begins a trace, unless
 * GIT_TRACE2_SPANS is set: programs that choose one trace in N would take all of
 * this one, as it is chosen. */
void tr2_record_trace_begin(struct tr2_record_trace *trace);
