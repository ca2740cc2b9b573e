/* SPDX-License-Identifier: MIT */
/*
 * telemetry.c - what HAProxy says of itself through libtrace2: a span for each
 * request, and in it one for each queue and each server that it waited for.
 * `build` copies it to src.
 */
#include <time.h>

#include <haproxy/backend.h>
#include <haproxy/http.h>
#include <haproxy/http_ana-t.h>
#include <haproxy/http_htx.h>
#include <haproxy/htx.h>
#include <haproxy/log.h>
#include <haproxy/proxy-t.h>
#include <haproxy/server.h>
#include <haproxy/session-t.h>
#include <haproxy/stream.h>
#include <haproxy/telemetry.h>

TRACE2_TIMER_SHARED(telemetry_poll, "poll", "wait", TRACE2_PER_THREAD);
TRACE2_TIMER_SHARED(telemetry_recv, "socket", "recv", 0);
TRACE2_TIMER_SHARED(telemetry_send, "socket", "send", 0);
TRACE2_COUNTER_SHARED(telemetry_connects, "server", "connects", 0);
TRACE2_COUNTER_SHARED(telemetry_reuses, "server", "reuses", 0);
TRACE2_GAUGE_SHARED(telemetry_connections, "client", "connections",
		    "connections");
TRACE2_DISTRIBUTION(queue_wait, "server", "queue", "us");
TRACE2_DISTRIBUTION(response_bytes, "http", "response", "bytes");

/* HAProxy's strings have a length, and no NUL behind them. */
static const char *terminate(struct ist s, char *buf, size_t size)
{
	size_t len = MIN(istlen(s), size - 1);

	memcpy(buf, istptr(s), len);
	buf[len] = '\0';
	return buf;
}

/* What is behind `?` may be secret. */
static struct ist path_of(struct ist uri)
{
	struct http_uri_parser parser = http_uri_parser_init(uri);
	struct ist path = http_parse_path(&parser);

	return iststop(path, '?');
}

void telemetry_request(struct stream *s, struct htx *htx)
{
	struct htx_sl *sl = http_get_stline(htx);
	struct http_hdr_ctx parent = { .blk = NULL };
	char text[257], context[TRACE2_SPAN_CONTEXT_BYTES];
	trace2_span_t span;

	if (!trace2_is_enabled())
		return;
	*text = '\0';
	if (http_find_header(htx, ist("traceparent"), &parent, 1))
		terminate(parent.value, text, sizeof(text));
	span = trace2_span_start_remote("http", "request", text, NULL);
	s->telemetry.request = span;
	trace2_span_enter(span);
	trace2_span_set_string(span, "method",
			       terminate(htx_sl_req_meth(sl), text, 32));
	trace2_span_set_string(span, "path",
			       terminate(path_of(htx_sl_req_uri(sl)), text,
					 sizeof(text)));

	/* The last use of the start line, which may move now. */
	if (!trace2_span_context(span, context, sizeof(context)))
		return;
	if (parent.blk)
		http_replace_header_value(htx, &parent, ist(context));
	else
		http_add_header(htx, ist("traceparent"), ist(context));
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

void telemetry_queued(struct stream *s)
{
	if (!trace2_is_enabled())
		return;
	s->telemetry.queue.since_ns = clock_ns();
	s->telemetry.queue.span = trace2_span_start("server", "queue",
						    s->telemetry.request);
}

void telemetry_dequeued(struct stream *s)
{
	if (!s->telemetry.queue.since_ns)
		return;
	trace2_distribution_add(queue_wait,
				(clock_ns() - s->telemetry.queue.since_ns) / 1000);
	s->telemetry.queue.since_ns = 0;
	trace2_span_end(s->telemetry.queue.span);
}

void telemetry_server(struct stream *s)
{
	struct server *server = objt_server(s->target);

	if (!trace2_is_enabled())
		return;
	if (s->flags & SF_SRV_REUSED)
		trace2_counter_add(telemetry_reuses, 1);
	else
		trace2_counter_add(telemetry_connects, 1);
	trace2_span_fail(s->telemetry.server, "retried");
	s->telemetry.server = trace2_span_start("server", "response",
						s->telemetry.request);
	if (server)
		trace2_span_set_string(s->telemetry.server, "server", server->id);
}

void telemetry_response(struct stream *s)
{
	trace2_span_end(s->telemetry.server);
	s->telemetry.server = TRACE2_SPAN_NONE;
}

/* Why a stream ended; NULL: well, or HAProxy answered as it should. */
static const char *failure(const struct stream *s)
{
	static const char *const names[] = {
		[SF_ERR_CLITO >> SF_ERR_SHIFT] = "timeout of the client",
		[SF_ERR_CLICL >> SF_ERR_SHIFT] = "closed by the client",
		[SF_ERR_SRVTO >> SF_ERR_SHIFT] = "timeout of the server",
		[SF_ERR_SRVCL >> SF_ERR_SHIFT] = "closed by the server",
		[SF_ERR_PRXCOND >> SF_ERR_SHIFT] = "denied or invalid",
		[SF_ERR_RESOURCE >> SF_ERR_SHIFT] = "out of resources",
		[SF_ERR_INTERNAL >> SF_ERR_SHIFT] = "internal error",
		[SF_ERR_DOWN >> SF_ERR_SHIFT] = "backend went down",
		[SF_ERR_KILLED >> SF_ERR_SHIFT] = "killed",
	};
	unsigned int why = (s->flags & SF_ERR_MASK) >> SF_ERR_SHIFT;

	return why < sizeof(names) / sizeof(*names) ? names[why] : "other";
}

void telemetry_end(struct stream *s)
{
	trace2_span_t span = s->telemetry.request;
	const char *why = failure(s);

	if (!trace2_is_enabled() || !span.id)
		return;
	if (s->telemetry.server.id)
		trace2_span_fail(s->telemetry.server, why ? why : "no response");
	if (s->flags & SF_BE_ASSIGNED)
		trace2_span_set_string(span, "backend", s->be->id);
	if (s->txn)
		trace2_span_set_intmax(span, "status", s->txn->status);
	trace2_span_set_intmax(span, "bytes_in", s->logs.bytes_in);
	trace2_span_set_intmax(span, "bytes_out", s->logs.bytes_out);
	if (s->conn_retries)
		trace2_span_set_intmax(span, "retries", s->conn_retries);
	trace2_distribution_add(response_bytes, s->logs.bytes_out);
	if (why)
		trace2_span_fail(span, why);
	else
		trace2_span_end(span);
}
