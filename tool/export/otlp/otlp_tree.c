/* SPDX-License-Identifier: MIT */
/*
 * otlp_tree - find the ids of the spans of processes, threads and regions, the
 * trace of a process, and the span above a process: see
 * export/otlp/otlp_private.h.
 */
#include <inttypes.h>
#include <string.h>

#include "common/memory.h"
#include "export/otlp/otlp_private.h"
#include "model/build/trace_span.h"
#include "model/filter.h"

static void set_trace(const struct tr2_export *x, uint32_t node,
		      struct tr2_span_id *id)
{
	const struct tr2_otlp *o = x->state;

	tr2_otlp_set_trace_id(&id->trace, &o->trace_of[node]);
}

void tr2_otlp_session_span(struct tr2_export *x, uint32_t session,
			   struct tr2_span_id *id)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const struct tr2_context *trace = &tr2_rare(x->m, session)->trace;

	if (trace->id)
		tr2_otlp_set_id(id, trace->id);
	/* If several sessions have one SID, only the first session gets the id
	 * that follows from the SID. */
	else if (s->flags & (TR2_SESSION_DUPLICATE | TR2_SESSION_FORKED))
		tr2_otlp_inner_id(id, &x->text, s->sid, "again", "",
				  (uint64_t)(s->wall_ns + s->start_ns));
	else
		tr2_otlp_process_id(id, s->sid);
	if (trace->id)
		tr2_otlp_set_trace_id(&id->trace, trace);
	else
		set_trace(x, s->node, id);
}

/* Return the SID of the node, or of its nearest ancestor with a SID, in a
 * static buffer. Without a SID, return a text made of the start and pid of the
 * topmost process. */
static const char *sid_at(struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	const struct tr2_node *n = &m->nodes[o->sid_of[node]];
	static struct tr2_buf b; /* later calls reuse its memory */

	if (n->session)
		return m->sessions[n->session].sid;
	tr2_buf_reset(&b);
	tr2_addf(&b, "task-%" PRId64 "-%d", n->start_ns, n->pid);
	return tr2_buf_str(&b);
}

void tr2_otlp_node_span(struct tr2_export *x, uint32_t node,
			struct tr2_span_id *id)
{
	const struct tr2_node *n = &x->m->nodes[node];

	if (n->session)
		tr2_otlp_session_span(x, n->session, id);
	else
		tr2_otlp_inner_id(id, &x->text, sid_at(x, node), "task", "",
				  (uint64_t)n->start_ns + (uint32_t)n->pid);
	set_trace(x, node, id);
}

static bool same_root(const char *sid, const char *other)
{
	size_t len = strcspn(sid, "/");

	return len == strcspn(other, "/") && !memcmp(sid, other, len);
}

/* Is the session of a process below `n` in n's trace? The first component of a
 * SID determines the session's trace: so streams that are exported separately
 * share a trace. If `n` has no session, sessions below `n` are in n's trace. */
static bool is_in_trace(const struct tr2_model *m, const struct tr2_node *n,
			const struct tr2_model_session *s)
{
	return !n->session || same_root(m->sessions[n->session].sid, s->sid);
}

static bool is_same_trace(const struct tr2_context *a,
			  const struct tr2_context *b)
{
	return a->trace[0] == b->trace[0] && a->trace[1] == b->trace[1];
}

/* Return the place in a trace that TRACEPARENT gives to a child; id 0: none. */
static struct tr2_context place_of_child(const struct tr2_export *x,
					 uint32_t child)
{
	const struct tr2_model *m = x->m;
	const struct tr2_span *s = &m->spans[m->children[child].span];
	uint32_t span = tr2_trace_span_at(x->filter, m, s->thread,
					  s->start_ns, s->end_ns, 0);
	struct tr2_context place = span ?
		m->trace_spans[span].self :
		tr2_rare(m, m->threads[s->thread].session)->trace;

	if (place.id)
		place.id = tr2_context_child(place.id,
					     (uint64_t)m->children[child].id);
	return place;
}

/* Return the trace of a node that has a parent: the trace of the program's span
 * around the child span, else the parent's trace. */
static const struct tr2_context *trace_below(const struct tr2_export *x,
					     uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	uint32_t child = m->nodes[node].child;
	uint32_t span = child ? tr2_trace_span_around(x->filter, m,
						      m->children[child].span) :
				0;

	return span ? &m->trace_spans[span].self :
		      &o->trace_of[m->nodes[node].parent];
}

/* Set the trace of a topmost process: its recording's trace, or a new trace. */
static void begin_trace(struct tr2_export *x, uint32_t node)
{
	uint32_t input = tr2_input_of_node(x->m, node);
	struct tr2_otlp *o = x->state;

	if (input && x->m->inputs[input].trace.id)
		o->trace_of[node] = x->m->inputs[input].trace;
	else
		tr2_otlp_trace_id(&o->trace_of[node], sid_at(x, node));
}

void tr2_otlp_find_traces(struct tr2_export *x, struct tr2_otlp *o)
{
	const struct tr2_model *m = x->m;
	uint32_t i, up, session;

	o->trace_of = tr2_calloc(m->nr_nodes, sizeof(*o->trace_of));
	o->sid_of = tr2_calloc(m->nr_nodes, sizeof(*o->sid_of));
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		up = m->nodes[i].parent;
		session = m->nodes[i].session;
		o->sid_of[i] = up && !session ? o->sid_of[up] : i;
		if (session && tr2_rare(m, session)->trace.id)
			o->trace_of[i] = tr2_rare(m, session)->trace;
		else if (up && (!session ||
				m->nodes[i].join == TR2_JOIN_TRANSPORT ||
				is_in_trace(m, &m->nodes[o->sid_of[up]],
					    &m->sessions[session])))
			o->trace_of[i] = *trace_below(x, i);
		else
			begin_trace(x, i);
	}
}

void tr2_otlp_thread_span(struct tr2_export *x, uint32_t thread,
			  struct tr2_span_id *id)
{
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	uint32_t session = x->m->threads[thread].session;
	const struct tr2_context *trace = &tr2_rare(x->m, session)->trace;

	if (s->first_thread == thread)
		tr2_otlp_session_span(x, session, id);
	else
		tr2_otlp_inner_id(id, &x->text, s->sid, "thread",
				  tr2_s(x->m, x->m->threads[thread].name),
				  (uint64_t)s->start_ns);
	if (trace->id)
		tr2_otlp_set_trace_id(&id->trace, trace);
	else
		set_trace(x, s->node, id);
}

void tr2_otlp_trace_span(struct tr2_export *x, uint32_t trace_span,
			 struct tr2_span_id *id)
{
	const struct tr2_context *self = &x->m->trace_spans[trace_span].self;

	tr2_otlp_set_id(id, self->id);
	tr2_otlp_set_trace_id(&id->trace, self);
}

void tr2_otlp_inner_span(struct tr2_export *x, uint32_t span,
			 struct tr2_span_id *id)
{
	const struct tr2_otlp *o = x->state;
	const struct tr2_span *s = &x->m->spans[span];
	const struct tr2_model_session *session =
		tr2_export_session_of(x, s->thread);
	uint32_t around = tr2_trace_span_around(x->filter, x->m, span);
	const struct tr2_context *trace =
		&tr2_rare(x->m, x->m->threads[s->thread].session)->trace;
	struct tr2_context place = { .id = 0 };

	if (s->kind == TR2_SPAN_CHILD)
		place = place_of_child(x, s->child);
	if (place.id)
		tr2_otlp_set_id(id, place.id);
	else
		tr2_otlp_inner_id(id, &x->text, session->sid, "span",
				  tr2_s(x->m, x->m->threads[s->thread].name),
				  (uint64_t)session->start_ns << 32 ^
					  o->ordinal[span]);
	if (around)
		tr2_otlp_set_trace_id(&id->trace,
				      &x->m->trace_spans[around].self);
	else if (trace->id)
		tr2_otlp_set_trace_id(&id->trace, trace);
	else
		set_trace(x, session->node, id);
}

void tr2_otlp_inner_parent(struct tr2_export *x, uint32_t span,
			   struct tr2_span_id *id)
{
	const struct tr2_span *s = &x->m->spans[span];
	uint32_t above = tr2_region_shown(x->filter, x->m, s->parent);
	uint32_t around = tr2_trace_span_at(x->filter, x->m, s->thread,
					    s->start_ns, s->end_ns, above);

	if (around)
		tr2_otlp_trace_span(x, around, id);
	else if (above)
		tr2_otlp_inner_span(x, above, id);
	else
		tr2_otlp_thread_span(x, s->thread, id);
}

/* Set *id to the nearest span above a process. Return false if there is no such
 * span, or if that span is not in the process's trace. */
static bool span_above(struct tr2_export *x, uint32_t node,
		       struct tr2_span_id *id)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	const struct tr2_context *trace = &o->trace_of[node];
	uint32_t child, up;

	for (; node; node = up) {
		child = m->nodes[node].child;
		up = m->nodes[node].parent;
		if (child &&
		    !is_same_trace(trace, trace_below(x, node)))
			return false;
		if (child &&
		    tr2_filter_span(x->filter, m, m->children[child].span))
			return tr2_otlp_inner_span(x, m->children[child].span,
						   id), true;
		if (!up || !is_same_trace(trace, &o->trace_of[up]))
			return false;
		if (tr2_export_is_process(x, up))
			return tr2_otlp_node_span(x, up, id), true;
	}
	return false;
}

bool tr2_otlp_node_parent(struct tr2_export *x, uint32_t node, uint32_t session,
			  struct tr2_span_id *id)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const char *slash = session ? strrchr(s->sid, '/') : NULL;
	uint32_t input = tr2_input_of_node(x->m, node);
	uint64_t parent = tr2_rare(x->m, session)->trace_parent;

	if (span_above(x, node, id))
		return true;
	if (!parent && input)
		parent = x->m->inputs[input].trace.id;
	if (parent) {
		tr2_otlp_set_id(id, parent);
		return true;
	}
	if (!slash)
		return false;
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, s->sid, (size_t)(slash - s->sid));
	tr2_otlp_process_id(id, tr2_buf_str(&x->text));
	return true;
}
