/* SPDX-License-Identifier: MIT */
/*
 * telemetry.h - HAProxy's events through libtrace2. `build` copies this file to
 * include/haproxy.
 */
#ifndef _HAPROXY_TELEMETRY_H
#define _HAPROXY_TELEMETRY_H

#include <trace2.h>

struct htx;
struct stream;

/* A stream has a span for its request, and another one while it waits. Times
 * are of HAProxy's clock; 0: it does not wait. */
struct telemetry {
	trace2_span_t request, wait;
	uint64_t queued_us, asked_us;
};

TRACE2_TIMER_DECLARE(telemetry_poll);
TRACE2_GAUGE_DECLARE(telemetry_connections);

void telemetry_on_request(struct stream *s, struct htx *htx);
void telemetry_on_queued(struct stream *s);
void telemetry_on_dequeued(struct stream *s);
void telemetry_on_server(struct stream *s);
void telemetry_on_response(struct stream *s);
void telemetry_on_end(struct stream *s);

/* Each call is one branch while tracing is off. */
#define TELEMETRY_CALL(function, ...) \
	do { \
		if (trace2_is_enabled()) \
			function(__VA_ARGS__); \
	} while (0)

/* Begin the span of a request whose headers have arrived, and put its
 * traceparent into the headers for the server. */
#define telemetry_request(s, htx) TELEMETRY_CALL(telemetry_on_request, s, htx)

/* Begin or end the wait of a stream for a free server; it may end on any
 * thread. */
#define telemetry_queued(s) TELEMETRY_CALL(telemetry_on_queued, s)
#define telemetry_dequeued(s) TELEMETRY_CALL(telemetry_on_dequeued, s)

/* The stream connects to its server, or takes a connection that is open; the
 * headers of the response are there. */
#define telemetry_server(s) TELEMETRY_CALL(telemetry_on_server, s)
#define telemetry_response(s) TELEMETRY_CALL(telemetry_on_response, s)

/* The stream ends. */
#define telemetry_end(s) TELEMETRY_CALL(telemetry_on_end, s)

#endif /* _HAPROXY_TELEMETRY_H */
