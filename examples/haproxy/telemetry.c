/* SPDX-License-Identifier: MIT */
/*
 * telemetry.c - HAProxy's events through libtrace2: a span for each request,
 * and in it a span for each queue and each new connection to a server that the
 * request waited for. `build` copies this file to src.
 */
#include <haproxy/backend.h>
#include <haproxy/clock.h>
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
TRACE2_GAUGE_SHARED(telemetry_connections, "client", "connections",
		    "connections");
TRACE2_COUNTER(connects, "server", "connects", 0);
TRACE2_COUNTER(reuses, "server", "reuses", 0);
TRACE2_DISTRIBUTION(queue_wait, "server", "queue", "us");
TRACE2_DISTRIBUTION(response_wait, "server", "response", "us");

/* This is in line, so that the key is a constant. */
static inline __attribute__((always_inline)) void
set_string(trace2_span_t span, const char *key, struct ist value)
{
	trace2_span_set_string_n(span, key, istptr(value), istlen(value));
}

/* Return the path before `?`: the rest may be secret. */
static struct ist path_of(struct ist uri)
{
	struct http_uri_parser parser = http_uri_parser_init(uri);
	struct ist path = http_parse_path(&parser);

	return iststop(path, '?');
}

/* Start the span of a request. HAProxy's strings have no NUL after them. */
static trace2_span_t start_request(struct ist parent)
{
	char text[257];
	size_t len = MIN(istlen(parent), sizeof(text) - 1);

	if (!len)
		return trace2_span_start("http", "request", TRACE2_SPAN_NONE);
	memcpy(text, istptr(parent), len);
	text[len] = '\0';
	return trace2_span_start_remote("http", "request", text, NULL);
}

void telemetry_on_request(struct stream *s, struct htx *htx)
{
	struct htx_sl *sl = http_get_stline(htx);
	struct http_hdr_ctx parent = { .blk = NULL };
	char context[TRACE2_SPAN_CONTEXT_BYTES];
	trace2_span_t span;
	struct ist value;

	http_find_header(htx, ist("traceparent"), &parent, 1);
	span = start_request(parent.value);
	s->telemetry.request = span;
	if (trace2_span_is_recorded(span)) {
		set_string(span, "method", htx_sl_req_meth(sl));
		set_string(span, "path", path_of(htx_sl_req_uri(sl)));
	}

	/* The last use of the start line, which may move now. */
	value = ist2(context,
		     trace2_span_context(span, context, sizeof(context)));
	if (!istlen(value))
		return;
	if (parent.blk)
		http_replace_header_value(htx, &parent, value);
	else
		http_add_header(htx, ist("traceparent"), value);
}

/* The time of the last return from poll: no clock is read. */
static uint64_t now_us(void)
{
	return now.tv_sec * 1000000ull + now.tv_usec;
}

/* The clocks of two threads may differ. */
static uint64_t us_since(uint64_t then_us)
{
	uint64_t us = now_us();

	return us > then_us ? us - then_us : 0;
}

static void wait_for(struct stream *s, const char *what)
{
	trace2_span_fail(s->telemetry.wait, "retried");
	s->telemetry.wait =
		trace2_span_start("server", what, s->telemetry.request);
}

static void wait_no_longer(struct stream *s)
{
	trace2_span_end(s->telemetry.wait);
	s->telemetry.wait = TRACE2_SPAN_NONE;
}

void telemetry_on_queued(struct stream *s)
{
	s->telemetry.queued_us = now_us();
	wait_for(s, "queue");
}

void telemetry_on_dequeued(struct stream *s)
{
	if (!s->telemetry.queued_us)
		return;
	trace2_distribution_add(queue_wait, us_since(s->telemetry.queued_us));
	s->telemetry.queued_us = 0;
	wait_no_longer(s);
}

void telemetry_on_server(struct stream *s)
{
	struct server *server = objt_server(s->target);

	s->telemetry.asked_us = now_us();
	if (s->flags & SF_SRV_REUSED)
		trace2_counter_add(reuses, 1);
	else
		trace2_counter_add(connects, 1);
	if (s->flags & SF_SRV_REUSED && !s->conn_retries)
		return;
	wait_for(s, "response");
	if (server)
		trace2_span_set_string(s->telemetry.wait, "server", server->id);
}

void telemetry_on_response(struct stream *s)
{
	uint64_t us;

	if (!s->telemetry.asked_us)
		return;
	us = us_since(s->telemetry.asked_us);
	s->telemetry.asked_us = 0;
	trace2_distribution_add(response_wait, us);
	trace2_span_set_intmax(s->telemetry.request, "server_us", us);
	wait_no_longer(s);
}

/* Return why a stream failed; NULL: it did not, or HAProxy answered as it
 * should. */
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

static void set_result(trace2_span_t span, const struct stream *s)
{
	const struct server *server = objt_server(s->target);

	if (s->flags & SF_BE_ASSIGNED)
		trace2_span_set_string(span, "backend", s->be->id);
	if (server)
		trace2_span_set_string(span, "server", server->id);
	if (s->txn)
		trace2_span_set_intmax(span, "status", s->txn->status);
	trace2_span_set_intmax(span, "bytes_out", s->logs.bytes_out);
	if (s->conn_retries)
		trace2_span_set_intmax(span, "retries", s->conn_retries);
}

void telemetry_on_end(struct stream *s)
{
	trace2_span_t span = s->telemetry.request;
	const char *why = failure(s);

	if (!span.id)
		return;
	trace2_span_fail(s->telemetry.wait, why ? why : "no response");
	if (trace2_span_is_recorded(span))
		set_result(span, s);
	if (why)
		trace2_span_fail(span, why);
	else
		trace2_span_end(span);
}
