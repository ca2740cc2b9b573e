/* SPDX-License-Identifier: MIT */
/*
 * telemetry.h - what HAProxy says of itself through libtrace2. `build` copies it
 * to include/haproxy.
 */
#ifndef _HAPROXY_TELEMETRY_H
#define _HAPROXY_TELEMETRY_H

#include <trace2.h>

struct htx;
struct stream;

/* The spans of a stream, and when it came into a queue. */
struct telemetry {
	trace2_span_t request, server;
	struct {
		trace2_span_t span;
		uint64_t since_ns;
	} queue;
};

TRACE2_TIMER_DECLARE(telemetry_poll);
TRACE2_TIMER_DECLARE(telemetry_recv);
TRACE2_TIMER_DECLARE(telemetry_send);
TRACE2_COUNTER_DECLARE(telemetry_connects);
TRACE2_COUNTER_DECLARE(telemetry_reuses);
TRACE2_GAUGE_DECLARE(telemetry_connections);

/* Begin the span of a request whose headers have arrived, and put its
 * traceparent into the headers for the server. */
void telemetry_request(struct stream *s, struct htx *htx);

/* The stream waits for a server to have room, and waits no longer; the latter on
 * any thread. */
void telemetry_queued(struct stream *s);
void telemetry_dequeued(struct stream *s);

/* The stream connects to its server, or takes a connection that is open; the
 * headers of the response are there. */
void telemetry_server(struct stream *s);
void telemetry_response(struct stream *s);

/* The stream ends. */
void telemetry_end(struct stream *s);

#endif /* _HAPROXY_TELEMETRY_H */
