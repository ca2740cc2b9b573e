/* SPDX-License-Identifier: MIT */
/*
 * otlp - write spans for OpenTelemetry, as OTLP/JSON: one
 * ExportTraceServiceRequest per line of a file, or per POST to a collector. The
 * size of a request is limited (otlp_spans.c): spans of a process that do not
 * fit are in the next request.
 *
 * Processes, threads other than main, regions, children, execs, and spans of
 * the program become spans. The span of a process is below the child span that
 * its parent recorded. A span of the program keeps its own ids; the work of
 * threads for the span is below it. Data, errors and other points in time are
 * events of the span around them.
 *
 * A process without a session, which only the kernel recorded, is a span, too,
 * with its waits as attributes. export/otlp/otlp_tree.c chooses the trace of a
 * process.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "common/signals.h"
#include "export/otlp/otlp_post.h"
#include "export/otlp/otlp_private.h"
#include "model/build/trace_span.h"

static void chain_points(struct tr2_export *x, struct tr2_otlp *o)
{
	const struct tr2_model *m = x->m;
	uint32_t i, around, work, *first;

	o->of_trace_span = tr2_calloc(m->nr_trace_spans, sizeof(uint32_t));
	o->of_span = tr2_calloc(m->nr_spans, sizeof(uint32_t));
	o->of_thread = tr2_calloc(m->nr_threads, sizeof(uint32_t));
	o->next_point = tr2_calloc(m->nr_points, sizeof(uint32_t));
	for (i = m->nr_points - 1; i > 0; i--) {
		const struct tr2_point *p = &m->points[i];

		around = tr2_region_shown(x->filter, m, p->parent);
		work = tr2_trace_span_at(x->filter, m, p->thread, p->at_ns,
					 p->at_ns, around);
		first = work   ? &o->of_trace_span[work] :
			around ? &o->of_span[around] :
				 &o->of_thread[p->thread];
		o->next_point[i] = *first;
		*first = i;
	}
}

/* Number the spans in each thread. Every export of a stream gives a span the
 * same number. */
static void number_spans(struct tr2_export *x, struct tr2_otlp *o)
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

static struct tr2_points points(const struct tr2_otlp *o, uint32_t first)
{
	return (struct tr2_points){ first, o->next_point };
}

static bool begin_otlp(struct tr2_export *x)
{
	struct tr2_otlp *o = tr2_calloc(1, sizeof(*o));

	x->state = o;
	chain_points(x, o);
	number_spans(x, o);
	tr2_otlp_find_traces(x, o);
	tr2_otlp_sampling_begin(x);
	o->names = x->opt->compat ? &tr2_otlp_trace2receiver_names :
					    &tr2_otlp_own_names;
	if (x->opt->urls.nr)
		o->post = tr2_post_new(x->opt->urls.item[0], 60);
	if (x->opt->urls.nr && !o->post)
		return false;
	tr2_otlp_write_recordings(x);
	return true;
}

/* Append the status of a process: the signal that killed the process, else its
 * error message, else how it ended. */
static void process_status(struct tr2_export *x, struct tr2_buf *b,
			   uint32_t node, uint32_t first_point)
{
	const struct tr2_node *n = &x->m->nodes[node];
	const struct tr2_otlp *o = x->state;
	const char *message = NULL;
	uint32_t i;

	if (!tr2_node_failed(n))
		return;
	for (i = first_point; i; i = o->next_point[i])
		if (x->m->points[i].kind == TR2_POINT_ERROR)
			message = x->m->points[i].value;
	tr2_buf_reset(&x->text);
	if (n->end == TR2_END_SIGNAL) {
		tr2_buf_addlit(&x->text, "killed by ");
		tr2_signal_add(&x->text, n->code);
	} else {
		tr2_addf(&x->text, "exit code %d", n->code);
	}
	if (!message || n->end == TR2_END_SIGNAL)
		message = tr2_buf_str(&x->text);
	tr2_otlp_add_error(x, b, message);
}

/* Add the span of a process. If an exec began the session, the parent is the
 * session that called exec. */
static void add_process(struct tr2_export *x, uint32_t node, uint32_t session,
			int64_t start_ns, int64_t end_ns)
{
	struct tr2_otlp *o = x->state;
	const struct tr2_model_session *s = &x->m->sessions[session];
	bool last = !session || !s->next_of_node, has_parent = true;
	uint32_t first = session ? o->of_thread[s->first_thread] : 0;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	if (session && x->m->nodes[node].session != session)
		tr2_otlp_session_span(x, tr2_session_before(x, session),
				      &parent);
	else
		has_parent = tr2_otlp_node_parent(x, node, session, &parent);
	if (session)
		tr2_otlp_session_span(x, session, &id);
	else
		tr2_otlp_node_span(x, node, &id);
	b = tr2_otlp_open_span(x, &id, has_parent ? &parent : NULL, NULL);
	tr2_buf_reset(&x->text);
	o->names->process_name(x, &x->text, node, session);
	tr2_otlp_add_name(b, &x->text, TR2_OTLP_INTERNAL, start_ns, end_ns);
	tr2_attributes_open(&a, x, b);
	if (o->stands_for)
		tr2_attribute_int(&a, "trace2.adjusted_count",
				  (int64_t)o->stands_for);
	o->names->process(&a, node, session, points(o, first));
	tr2_attributes_close(&a);
	tr2_otlp_add_events(x, b, first);
	if (last)
		process_status(x, b, node, first);
	tr2_buf_addch(b, '}');
}

/* Begin the resource of a process. */
static void enter_node(struct tr2_export *x, uint32_t node, uint32_t session)
{
	struct tr2_otlp *o = x->state;

	o->node = node;
	o->session = session;
	if (o->body.len)
		tr2_otlp_open_resource(x);
}

static void write_node(struct tr2_export *x, uint32_t i)
{
	const struct tr2_node *n = &x->m->nodes[i];

	if (n->session || !n->task)
		return;
	enter_node(x, i, 0);
	add_process(x, i, 0, n->start_ns, n->end_ns);
	tr2_otlp_close_resource(x->state);
}

static void write_session(struct tr2_export *x, uint32_t i)
{
	const struct tr2_model_session *s = &x->m->sessions[i];

	enter_node(x, s->node, i);
	add_process(x, s->node, i, s->wall_ns + s->start_ns,
		    s->wall_ns + s->end_ns);
}

static void session_end(struct tr2_export *x, uint32_t i)
{
	(void)i;
	tr2_otlp_close_resource(x->state);
}

static void write_thread(struct tr2_export *x, uint32_t i)
{
	struct tr2_otlp *o = x->state;
	const struct tr2_model_thread *t = &x->m->threads[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, i);
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	if (s->first_thread == i)
		return;
	tr2_otlp_thread_span(x, i, &id);
	tr2_otlp_session_span(x, t->session, &parent);
	b = tr2_otlp_open_span(x, &id, &parent, NULL);
	tr2_buf_reset(&x->text);
	tr2_buf_addall(&x->text, "thread(",
		       tr2_export_text(x, tr2_s(x->m, t->name)), ")");
	tr2_otlp_add_name(b, &x->text, TR2_OTLP_INTERNAL,
			  s->wall_ns + t->start_ns, s->wall_ns + t->end_ns);
	tr2_attributes_open(&a, x, b);
	o->names->thread(&a, i, points(o, o->of_thread[i]));
	tr2_attributes_close(&a);
	tr2_otlp_add_events(x, b, o->of_thread[i]);
	tr2_buf_addch(b, '}');
}

static void write_span(struct tr2_export *x, uint32_t i)
{
	struct tr2_otlp *o = x->state;
	const struct tr2_span *s = &x->m->spans[i];
	const struct tr2_child *c = &x->m->children[s->child];
	int64_t wall = tr2_export_session_of(x, s->thread)->wall_ns;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	tr2_otlp_inner_span(x, i, &id);
	tr2_otlp_inner_parent(x, i, &parent);
	b = tr2_otlp_open_span(x, &id, &parent, NULL);
	tr2_export_name(x, o->names->span_name, i);
	tr2_otlp_add_name(b, &x->text, TR2_OTLP_INTERNAL, wall + s->start_ns,
			  wall + s->end_ns);
	tr2_attributes_open(&a, x, b);
	o->names->span(&a, i, points(o, o->of_span[i]));
	tr2_attributes_close(&a);
	tr2_otlp_add_events(x, b, o->of_span[i]);
	if (c->has_code && c->code)
		tr2_otlp_add_error(x, b, NULL);
	tr2_buf_addch(b, '}');
}

static bool end_otlp(struct tr2_export *x)
{
	struct tr2_otlp *o = x->state;

	if (!x->failed)
		tr2_otlp_send_request(x);
	tr2_post_free(o->post);
	tr2_buf_release(&o->body);
	free(o->of_span);
	free(o->of_trace_span);
	free(o->of_thread);
	free(o->next_point);
	free(o->ordinal);
	tr2_otlp_sampling_end(o);
	free(o->trace_of);
	free(o->sid_of);
	free(o);
	return !x->failed;
}

const struct tr2_export_format tr2_export_otlp = {
	.flags = TR2_EXPORT_URL,
	.begin = begin_otlp,
	.end = end_otlp,
	.tree = tr2_otlp_wants_tree,
	.node = write_node,
	.session = write_session,
	.session_end = session_end,
	.thread = write_thread,
	.span = write_span,
	.trace_span = tr2_otlp_write_trace_span,
};
