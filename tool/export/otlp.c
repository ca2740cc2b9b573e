/* SPDX-License-Identifier: MIT */
/*
 * otlp - spans for OpenTelemetry, as OTLP/JSON: one ExportTraceServiceRequest
 * per line of a file, or per POST to a collector. A request is bounded
 * (MAX_SPANS, MAX_BYTES); if a process's spans do not fit, the next continues.
 *
 * A process, a thread other than main, a region, a child and an exec is a span;
 * a process is below the child span that its parent has for it. Data, errors
 * and other points in time are events of the span around them. Processes
 * without a session are in the trace of the nearest session above them, and are
 * omitted if there is none.
 */
#include <stdlib.h>
#include <string.h>

#include "common/join.h"
#include "common/memory.h"
#include "event/redact.h"
#include "export/otlp.h"
#include "model/filter.h"
#include "common/signals.h"

#define MAX_SPANS 4096
#define MAX_BYTES (3u << 20)
#define MAX_EVENTS 1000 /* per span; the others are counted as dropped */

#define STATUS_ERROR 2

struct otlp {
	const struct tr2_otlp_names *names;
	struct tr2_post *post; /* NULL: write to the sink */
	struct tr2_buf body;
	uint32_t nr_spans;     /* in body */
	/* Points chained by the shown span or thread around them. */
	uint32_t *of_span, *of_thread, *next_point;
	uint32_t *ordinal;     /* by span: its number in its thread */
	uint32_t node, session; /* of the open resource; session may be 0 */
	struct tr2_trace_id trace;
};

/* ---- points by span ------------------------------------------------------ */

static void chain_points(struct tr2_export *x, struct otlp *o)
{
	const struct tr2_model *m = x->m;
	uint32_t i, around, *first;

	o->of_span = tr2_calloc(m->nr_spans, sizeof(uint32_t));
	o->of_thread = tr2_calloc(m->nr_threads, sizeof(uint32_t));
	o->next_point = tr2_calloc(m->nr_points, sizeof(uint32_t));
	for (i = m->nr_points - 1; i > 0; i--) {
		const struct tr2_point *p = &m->points[i];

		for (around = p->parent; around; around = m->spans[around].parent)
			if (tr2_filter_span(x->filter, m, around))
				break;
		first = around ? &o->of_span[around] :
				 &o->of_thread[p->thread];
		o->next_point[i] = *first;
		*first = i;
	}
}

/* Number each span in its thread: the same in every export of a stream. */
static void number_spans(struct tr2_export *x, struct otlp *o)
{
	const struct tr2_model *m = x->m;
	uint32_t t, i, nr;

	o->ordinal = tr2_calloc(m->nr_spans, sizeof(uint32_t));
	for (t = 1; t < m->nr_threads; t++) {
		nr = 0;
		tr2_for_each_span(m, t, i)
			o->ordinal[i] = nr++;
	}
}

static struct tr2_points points(const struct otlp *o, uint32_t first)
{
	return (struct tr2_points){ first, o->next_point };
}

static bool begin(struct tr2_export *x)
{
	struct otlp *o = tr2_calloc(1, sizeof(*o));

	x->state = o;
	chain_points(x, o);
	number_spans(x, o);
	o->names = x->opt->trace2receiver ? &tr2_otlp_trace2receiver_names :
					    &tr2_otlp_own_names;
	if (x->opt->urls.nr)
		o->post = tr2_post_new(x->opt->urls.item[0]);
	return !x->opt->urls.nr || o->post;
}

/* ---- requests ------------------------------------------------------------------------ */

static void open_resource(struct tr2_export *x)
{
	struct otlp *o = x->state;
	struct tr2_attributes a;

	tr2_buf_addstr(&o->body, o->body.len ? ",{\"resource\":{" :
					"{\"resourceSpans\":[{\"resource\":{");
	tr2_attributes_open(&a, x, &o->body);
	tr2_otlp_resource(&a, o->node, o->session);
	tr2_attributes_close(&a);
	tr2_buf_addlit(&o->body, "},\"scopeSpans\":[{\"scope\":{\"name\":");
	tr2_json_add_string(&o->body, o->names->scope);
	tr2_buf_addlit(&o->body, "},\"spans\":[");
}

static void close_resource(struct otlp *o)
{
	tr2_buf_addlit(&o->body, "]}]}");
}

static void send_request(struct tr2_export *x)
{
	struct otlp *o = x->state;

	if (!o->body.len)
		return;
	tr2_buf_addlit(&o->body, "]}");
	tr2_must(!o->body.failed);
	if (!o->post) {
		tr2_buf_add(&x->sink.buf, o->body.p, o->body.len);
		tr2_buf_addch(&x->sink.buf, '\n');
		tr2_sink_step(&x->sink);
	} else if (!tr2_post_send(o->post, o->body.p, o->body.len)) {
		x->failed = true;
	}
	tr2_buf_reset(&o->body);
	o->nr_spans = 0;
}

static bool is_full(const struct otlp *o)
{
	return o->nr_spans >= MAX_SPANS || o->body.len >= MAX_BYTES;
}

/* ---- ids ------------------------------------------------------------------------------ */

static void session_span(struct tr2_export *x, uint32_t session,
			 struct tr2_span_id *id)
{
	const struct tr2_model_session *s = &x->m->sessions[session];

	/* Of several sessions with one SID only the first has its id. */
	if (s->flags & (TR2_SESSION_DUPLICATE | TR2_SESSION_FORKED))
		tr2_otlp_inner_id(id, &x->text, s->sid, "again", "",
				  (uint64_t)(s->wall_ns + s->start_ns));
	else
		tr2_otlp_process_id(id, s->sid);
}

/* Return the nearest session at or above a node; 0: none. */
static uint32_t session_at(const struct tr2_export *x, uint32_t node)
{
	while (node && !x->m->nodes[node].session)
		node = x->m->nodes[node].parent;
	return x->m->nodes[node].session;
}

static void node_span(struct tr2_export *x, uint32_t node,
		      struct tr2_span_id *id)
{
	const struct tr2_node *n = &x->m->nodes[node];

	if (n->session)
		session_span(x, n->session, id);
	else
		tr2_otlp_inner_id(id, &x->text,
				  x->m->sessions[session_at(x, node)].sid,
				  "task", "", (uint64_t)n->start_ns +
					      (uint32_t)n->pid);
}

static void thread_span(struct tr2_export *x, uint32_t thread,
			struct tr2_span_id *id)
{
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);

	if (s->first_thread == thread)
		session_span(x, x->m->threads[thread].session, id);
	else
		tr2_otlp_inner_id(id, &x->text, s->sid, "thread",
				  tr2_s(x->m, x->m->threads[thread].name),
				  (uint64_t)s->start_ns);
}

static void inner_span(struct tr2_export *x, uint32_t span,
		       struct tr2_span_id *id)
{
	const struct otlp *o = x->state;
	const struct tr2_span *s = &x->m->spans[span];
	const struct tr2_model_session *session =
		tr2_export_session_of(x, s->thread);

	tr2_otlp_inner_id(id, &x->text, session->sid, "span",
			  tr2_s(x->m, x->m->threads[s->thread].name),
			  (uint64_t)session->start_ns << 32 ^ o->ordinal[span]);
}

/* Is the node in this trace? A SID may begin again below. */
static bool same_trace(struct tr2_export *x, uint32_t node,
		       const struct tr2_trace_id *trace)
{
	uint32_t session = session_at(x, node);
	struct tr2_trace_id other;

	if (!session)
		return false;
	tr2_otlp_trace_id(&other, x->m->sessions[session].sid);
	return !strcmp(other.hex, trace->hex);
}

/* Set the parent of a process: the child span that its parent has for it or for
 * a process in between; else the process above; else the one its SID names. */
static bool node_parent(struct tr2_export *x, uint32_t node, uint32_t session,
			struct tr2_span_id *id)
{
	const struct tr2_model *m = x->m;
	const struct otlp *o = x->state;
	const char *sid = session ? m->sessions[session].sid : "";
	const char *slash = strrchr(sid, '/');
	uint32_t child, up;

	for (; node; node = up) {
		child = m->nodes[node].child;
		up = m->nodes[node].parent;
		if (!up || !same_trace(x, up, &o->trace))
			break;
		if (child && tr2_filter_span(x->filter, m, m->children[child].span))
			return inner_span(x, m->children[child].span, id), true;
		if (tr2_export_is_process(x, up))
			return node_span(x, up, id), true;
	}
	if (!slash)
		return false;
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, sid, (size_t)(slash - sid));
	tr2_otlp_process_id(id, tr2_buf_str(&x->text));
	return true;
}

/* ---- spans ---------------------------------------------------------------------------- */

static void add_nano(struct tr2_buf *b, const char *key, int64_t wall_ns)
{
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":\"");
	tr2_buf_add_u64(b, wall_ns > 0 ? (uint64_t)wall_ns : 0);
	tr2_buf_addch(b, '"');
}

/* name: in x->text, redacted. The caller adds attributes, events and status. */
static struct tr2_buf *open_span(struct tr2_export *x,
				 const struct tr2_span_id *id,
				 const struct tr2_span_id *parent)
{
	struct otlp *o = x->state;
	struct tr2_buf *b = &o->body;

	if (is_full(o)) {
		close_resource(o);
		send_request(x);
	}
	if (!b->len)
		open_resource(x);
	else if (b->p[b->len - 1] == '}')
		tr2_buf_addch(b, ',');
	o->nr_spans++;
	tr2_buf_addlit(b, "{\"traceId\":\"");
	tr2_buf_addstr(b, o->trace.hex);
	tr2_buf_addlit(b, "\",\"spanId\":\"");
	tr2_buf_addstr(b, id->hex);
	if (parent) {
		tr2_buf_addlit(b, "\",\"parentSpanId\":\"");
		tr2_buf_addstr(b, parent->hex);
	}
	tr2_buf_addch(b, '"');
	return b;
}

/* kind 1 is "internal". */
static void add_name(struct tr2_buf *b, struct tr2_buf *name, int64_t start_ns,
		     int64_t end_ns)
{
	tr2_buf_addlit(b, ",\"name\":");
	tr2_json_add_string(b, tr2_buf_str(name));
	tr2_buf_addlit(b, ",\"kind\":1");
	add_nano(b, "startTimeUnixNano", start_ns);
	add_nano(b, "endTimeUnixNano", end_ns);
	tr2_buf_addch(b, ',');
}

static void event_name(struct tr2_export *x, const struct tr2_point *p)
{
	static const char *const names[] = {
		[TR2_POINT_ERROR] = "exception", [TR2_POINT_PRINTF] = "printf",
		[TR2_POINT_REPO] = "repo",	 [TR2_POINT_SIGNAL] = "signal",
		[TR2_POINT_ALIAS] = "alias",
	};
	const struct tr2_model *m = x->m;

	tr2_buf_reset(&x->text);
	if (p->kind == TR2_POINT_DATA || p->kind == TR2_POINT_DATA_JSON)
		tr2_join(&x->text, tr2_s(m, p->category), tr2_s(m, p->key));
	else
		tr2_buf_addstr(&x->text, p->kind == TR2_POINT_OTHER ?
						 tr2_s(m, p->key) :
						 names[p->kind]);
}

/* OpenTelemetry's name of an error event is "exception". */
static void event_attributes(struct tr2_attributes *a,
			     const struct tr2_point *p)
{
	const char *key = tr2_s(a->x->m, p->key);
	const char *value = tr2_export_is_secret(a->x, key) ? TR2_REDACTED :
							      p->value;

	if (p->kind == TR2_POINT_ERROR) {
		tr2_attribute_str(a, "exception.type", "error");
		tr2_attribute_str(a, "exception.message", p->value);
		tr2_attribute_str(a, "trace2.format", key);
		return;
	}
	if (p->kind == TR2_POINT_ALIAS)
		tr2_attribute_str(a, "trace2.key", key);
	tr2_attribute_number(a, "trace2.value", value);
}

static void add_event(struct tr2_export *x, struct tr2_buf *b,
		      const struct tr2_point *p)
{
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	struct tr2_attributes a;

	tr2_buf_addlit(b, "{\"name\":");
	event_name(x, p);
	tr2_export_add_str(x, b, tr2_buf_str(&x->text));
	add_nano(b, "timeUnixNano", s->wall_ns + p->at_ns);
	tr2_buf_addch(b, ',');
	tr2_attributes_open(&a, x, b);
	event_attributes(&a, p);
	tr2_attributes_close(&a);
	tr2_buf_addch(b, '}');
}

/* Parameters are attributes of the process. */
static void add_events(struct tr2_export *x, struct tr2_buf *b, uint32_t first)
{
	const struct otlp *o = x->state;
	uint32_t i, nr = 0;

	if (!o->names->events)
		return;
	for (i = first; i; i = o->next_point[i]) {
		const struct tr2_point *p = &x->m->points[i];

		if (p->kind == TR2_POINT_PARAM || nr++ >= MAX_EVENTS)
			continue;
		tr2_buf_addstr(b, nr == 1 ? ",\"events\":[" : ",");
		add_event(x, b, p);
	}
	if (nr)
		tr2_buf_addch(b, ']');
	if (nr > MAX_EVENTS)
		tr2_export_json_int(b, "droppedEventsCount", nr - MAX_EVENTS);
}

static void add_error(struct tr2_export *x, struct tr2_buf *b,
		      const char *message)
{
	tr2_buf_addlit(b, ",\"status\":{\"code\":2");
	tr2_export_json_str(x, b, "message", message);
	tr2_buf_addch(b, '}');
}

/* ---- processes -------------------------------------------------------------------------- */

/* The signal that killed it; else its error message; else how it ended. */
static void process_status(struct tr2_export *x, struct tr2_buf *b,
			   uint32_t node, uint32_t first_point)
{
	const struct tr2_node *n = &x->m->nodes[node];
	const struct otlp *o = x->state;
	const char *message = NULL;
	uint32_t i;

	if (!tr2_node_failed(n))
		return;
	for (i = first_point; i; i = o->next_point[i])
		if (x->m->points[i].kind == TR2_POINT_ERROR)
			message = x->m->points[i].value;
	if (n->end == TR2_END_SIGNAL) {
		tr2_buf_reset(&x->text);
		tr2_buf_addlit(&x->text, "killed by ");
		tr2_signal_add(&x->text, n->code);
		message = tr2_buf_str(&x->text);
	} else if (!message) {
		tr2_buf_reset(&x->text);
		tr2_buf_addlit(&x->text, "exit code ");
		tr2_buf_add_i64(&x->text, n->code);
		message = tr2_buf_str(&x->text);
	}
	add_error(x, b, message);
}

/* The parent of a later session of a node is the session that called exec. */
static void add_process(struct tr2_export *x, uint32_t node, uint32_t session,
			int64_t start_ns, int64_t end_ns)
{
	struct otlp *o = x->state;
	const struct tr2_model_session *s = &x->m->sessions[session];
	bool last = !session || !s->next_of_node, has_parent = true;
	uint32_t first = session ? o->of_thread[s->first_thread] : 0;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	if (session && x->m->nodes[node].session != session)
		session_span(x, tr2_session_before(x, session), &parent);
	else
		has_parent = node_parent(x, node, session, &parent);
	if (session)
		session_span(x, session, &id);
	else
		node_span(x, node, &id);
	b = open_span(x, &id, has_parent ? &parent : NULL);
	tr2_buf_reset(&x->text);
	o->names->process_name(x, &x->text, node, session);
	add_name(b, &x->text, start_ns, end_ns);
	tr2_attributes_open(&a, x, b);
	o->names->process(&a, node, session, points(o, first));
	tr2_attributes_close(&a);
	add_events(x, b, first);
	if (last)
		process_status(x, b, node, first);
	tr2_buf_addch(b, '}');
}

/* Begin the resource of a process. */
static void enter_node(struct tr2_export *x, uint32_t node, uint32_t session,
		       const char *sid)
{
	struct otlp *o = x->state;

	o->node = node;
	o->session = session;
	tr2_otlp_trace_id(&o->trace, sid);
	if (o->body.len)
		open_resource(x);
}

static void node(struct tr2_export *x, uint32_t i)
{
	const struct tr2_node *n = &x->m->nodes[i];
	uint32_t above = session_at(x, i);

	if (n->session || !n->task || !above)
		return;
	enter_node(x, i, 0, x->m->sessions[above].sid);
	add_process(x, i, 0, n->start_ns, n->end_ns);
	close_resource(x->state);
}

static void session(struct tr2_export *x, uint32_t i)
{
	const struct tr2_model_session *s = &x->m->sessions[i];

	enter_node(x, s->node, i, s->sid);
	add_process(x, s->node, i, s->wall_ns + s->start_ns,
		    s->wall_ns + s->end_ns);
}

static void session_end(struct tr2_export *x, uint32_t i)
{
	(void)i;
	close_resource(x->state);
}

/* ---- threads, regions, children ------------------------------------------------------------ */

static void thread(struct tr2_export *x, uint32_t i)
{
	struct otlp *o = x->state;
	const struct tr2_model_thread *t = &x->m->threads[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, i);
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	if (s->first_thread == i)
		return;
	thread_span(x, i, &id);
	session_span(x, t->session, &parent);
	b = open_span(x, &id, &parent);
	tr2_buf_reset(&x->text);
	tr2_buf_addlit(&x->text, "thread(");
	tr2_buf_addstr(&x->text, tr2_export_text(x, tr2_s(x->m, t->name)));
	tr2_buf_addch(&x->text, ')');
	add_name(b, &x->text, s->wall_ns + t->start_ns, s->wall_ns + t->end_ns);
	tr2_attributes_open(&a, x, b);
	o->names->thread(&a, i, points(o, o->of_thread[i]));
	tr2_attributes_close(&a);
	add_events(x, b, o->of_thread[i]);
	tr2_buf_addch(b, '}');
}

static void span_parent(struct tr2_export *x, const struct tr2_span *s,
			struct tr2_span_id *id)
{
	uint32_t above = s->parent;

	while (above && !tr2_filter_span(x->filter, x->m, above))
		above = x->m->spans[above].parent;
	if (above)
		inner_span(x, above, id);
	else
		thread_span(x, s->thread, id);
}

static void span(struct tr2_export *x, uint32_t i)
{
	struct otlp *o = x->state;
	const struct tr2_span *s = &x->m->spans[i];
	const struct tr2_child *c = &x->m->children[s->child];
	int64_t wall = tr2_export_session_of(x, s->thread)->wall_ns;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	inner_span(x, i, &id);
	span_parent(x, s, &parent);
	b = open_span(x, &id, &parent);
	tr2_buf_reset(&x->text);
	o->names->span_name(x, &x->text, i);
	add_name(b, &x->text, wall + s->start_ns, wall + s->end_ns);
	tr2_attributes_open(&a, x, b);
	o->names->span(&a, i, points(o, o->of_span[i]));
	tr2_attributes_close(&a);
	add_events(x, b, o->of_span[i]);
	if (c->has_code && c->code)
		add_error(x, b, NULL);
	tr2_buf_addch(b, '}');
}

static bool end(struct tr2_export *x)
{
	struct otlp *o = x->state;

	if (!x->failed)
		send_request(x);
	tr2_post_free(o->post);
	tr2_buf_release(&o->body);
	free(o->of_span);
	free(o->of_thread);
	free(o->next_point);
	free(o->ordinal);
	free(o);
	return !x->failed;
}

const struct tr2_export_format tr2_export_otlp = {
	.flags = TR2_EXPORT_URL,
	.begin = begin,
	.end = end,
	.node = node,
	.session = session,
	.session_end = session_end,
	.thread = thread,
	.span = span,
};
