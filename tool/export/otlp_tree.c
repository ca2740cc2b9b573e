/* SPDX-License-Identifier: MIT */
/*
 * otlp_tree - the ids of the spans of processes, threads and regions, and the
 * span above a process, see export/otlp_spans.h.
 */
#include <string.h>

#include "export/otlp_spans.h"
#include "model/filter.h"

void tr2_otlp_session_span(struct tr2_export *x, uint32_t session,
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

uint32_t tr2_otlp_session_at(const struct tr2_export *x, uint32_t node)
{
	while (node && !x->m->nodes[node].session)
		node = x->m->nodes[node].parent;
	return x->m->nodes[node].session;
}

void tr2_otlp_node_span(struct tr2_export *x, uint32_t node,
			struct tr2_span_id *id)
{
	const struct tr2_node *n = &x->m->nodes[node];

	if (n->session)
		tr2_otlp_session_span(x, n->session, id);
	else
		tr2_otlp_inner_id(id, &x->text,
			x->m->sessions[tr2_otlp_session_at(x, node)].sid,
			"task", "", (uint64_t)n->start_ns + (uint32_t)n->pid);
}

void tr2_otlp_thread_span(struct tr2_export *x, uint32_t thread,
			  struct tr2_span_id *id)
{
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);

	if (s->first_thread == thread)
		tr2_otlp_session_span(x, x->m->threads[thread].session, id);
	else
		tr2_otlp_inner_id(id, &x->text, s->sid, "thread",
				  tr2_s(x->m, x->m->threads[thread].name),
				  (uint64_t)s->start_ns);
}

void tr2_otlp_inner_span(struct tr2_export *x, uint32_t span,
			 struct tr2_span_id *id)
{
	const struct tr2_otlp *o = x->state;
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
	uint32_t session = tr2_otlp_session_at(x, node);
	struct tr2_trace_id other;

	if (!session)
		return false;
	tr2_otlp_trace_id(&other, x->m->sessions[session].sid);
	return !strcmp(other.hex, trace->hex);
}

bool tr2_otlp_node_parent(struct tr2_export *x, uint32_t node, uint32_t session,
			  struct tr2_span_id *id)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	const char *sid = session ? m->sessions[session].sid : "";
	const char *slash = strrchr(sid, '/');
	uint32_t child, up;

	for (; node; node = up) {
		child = m->nodes[node].child;
		up = m->nodes[node].parent;
		if (!up || !same_trace(x, up, &o->trace))
			break;
		if (child && tr2_filter_span(x->filter, m, m->children[child].span))
			return tr2_otlp_inner_span(x, m->children[child].span,
						   id), true;
		if (tr2_export_is_process(x, up))
			return tr2_otlp_node_span(x, up, id), true;
	}
	if (!slash)
		return false;
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, sid, (size_t)(slash - sid));
	tr2_otlp_process_id(id, tr2_buf_str(&x->text));
	return true;
}
