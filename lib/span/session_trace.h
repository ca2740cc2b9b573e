/* SPDX-License-Identifier: MIT */
/* session_trace - the trace that the session is in, if its environment named
 * one. */
#ifndef TR2_SPAN_SESSION_TRACE_H
#define TR2_SPAN_SESSION_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

/* Set while no other thread emits. */
struct tr2_session_trace {
	struct tr2_context self; /* id 0: in none */
	uint64_t parent;
	bool sampled;
};
extern struct tr2_session_trace tr2_session_trace;

/* The session becomes a child of what the value of TRACEPARENT names; NULL or
 * invalid: it is in no trace. */
void tr2_session_trace_begin(const char *traceparent);

#endif
