/* SPDX-License-Identifier: MIT */
/*
 * otlp_tree - the ids of the spans of processes, threads and regions, the trace
 * of a process, and the span above it, see export/otlp_spans.h.
 */
#include <string.h>

#include "common/memory.h"
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

/* Put the SID of the node, or else of its nearest ancestor that has one, into a
 * buffer. If there is none, use a text made of the topmost process's start and
 * pid. */
static const char *sid_at(struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	const struct tr2_node *n = &m->nodes[o->sid_of[node]];
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (n->session)
		return m->sessions[n->session].sid;
	tr2_buf_reset(&b);
	tr2_buf_addlit(&b, "task-");
	tr2_buf_add_i64(&b, n->start_ns);
	tr2_buf_addch(&b, '-');
	tr2_buf_add_i64(&b, n->pid);
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
}

static bool same_root(const char *sid, const char *other)
{
	size_t len = strcspn(sid, "/");

	return len == strcspn(other, "/") && !memcmp(sid, other, len);
}

/* Is the session, of a process below `node`, in the trace of that? A session
 * has the trace of its SID's first component, so that streams that are exported
 * apart meet there. Where the kernel's records show that its process was started
 * by one without a session, it is in that one's trace. */
static bool is_in_trace(const struct tr2_model *m, const struct tr2_node *n,
			const struct tr2_model_session *s)
{
	return !n->session || same_root(m->sessions[n->session].sid, s->sid);
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
		o->trace_of[i] = up && (!session ||
					is_in_trace(m,
						    &m->nodes[o->sid_of[up]],
						    &m->sessions[session])) ?
					 o->trace_of[up] : i;
	}
}

void tr2_otlp_set_trace(struct tr2_export *x, uint32_t node)
{
	struct tr2_otlp *o = x->state;

	node = o->trace_of[node];
	if (node != o->trace_node)
		tr2_otlp_trace_id(&o->trace, sid_at(x, node));
	o->trace_node = node;
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

bool tr2_otlp_node_parent(struct tr2_export *x, uint32_t node, uint32_t session,
			  struct tr2_span_id *id)
{
	const struct tr2_model *m = x->m;
	const struct tr2_otlp *o = x->state;
	const char *sid = session ? m->sessions[session].sid : "";
	const char *slash = strrchr(sid, '/');
	uint32_t child, up, trace = o->trace_of[node];

	for (; node; node = up) {
		child = m->nodes[node].child;
		up = m->nodes[node].parent;
		if (!up || o->trace_of[up] != trace)
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
