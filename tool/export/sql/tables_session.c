/* SPDX-License-Identifier: MIT */
/*
 * tables_session - the row of a session, and the key that identifies it, see
 * export/tables.h.
 */
#include <string.h>

#include "export/sql/tables_cells.h"

void tr2_session_key(struct tr2_export *x, struct tr2_buf *b, uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];

	tr2_buf_addstr(b, tr2_export_text(x, s->sid));
	if (!(s->flags & (TR2_SESSION_DUPLICATE | TR2_SESSION_FORKED |
			  TR2_SESSION_PERF)))
		return;
	tr2_buf_addch(b, '@');
	tr2_buf_add_i64(b, s->wall_ns + s->start_ns);
}

/* Return the session of the process that started this one. 0: none. */
static uint32_t session_above(const struct tr2_export *x, uint32_t session)
{
	const struct tr2_model *m = x->m;
	uint32_t node = m->sessions[session].node;

	if (m->nodes[node].session && m->nodes[node].session != session)
		return tr2_session_before(x, session);
	while (node && (node = m->nodes[node].parent))
		if (m->nodes[node].session)
			return m->nodes[node].session;
	return m->sessions[session].parent;
}

/* Return the child span that led to a process, through shells and other
 * processes without a session. */
static uint32_t child_above(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;

	while (!m->nodes[node].child && m->nodes[node].parent &&
	       !m->nodes[m->nodes[node].parent].session)
		node = m->nodes[node].parent;
	return m->nodes[node].child;
}

/* Return the id of the session that started this one; 0: unknown. */
static int64_t parent_id(const struct tr2_export *x,
			 const struct tr2_row_ids *ids, uint32_t session)
{
	const char *sid = x->m->sessions[session].sid;
	const char *slash = strrchr(sid, '/');
	uint32_t above = session_above(x, session);

	if (above)
		return tr2_row_session_id(ids, above);
	return slash && ids->id_of_sid ?
		       ids->id_of_sid(sid, (size_t)(slash - sid)) : 0;
}

static void parents(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const char *slash = strrchr(s->sid, '/');
	int64_t above = parent_id(x, ids, session);
	uint32_t child = child_above(x, s->node);
	size_t start = r->text.len;

	tr2_value_number_if(r, above, above);
	if (slash) {
		tr2_buf_add(&r->text, s->sid, (size_t)(slash - s->sid));
		tr2_value_text_from(r, start);
	} else {
		tr2_value_none(r);
	}
	tr2_value_number_if(r, child && above,
			    tr2_row_span_id(ids, x->m->children[child].span));
}

const char *tr2_end_name(uint8_t end)
{
	static const char *const names[] = {
		[TR2_END_OPEN] = "open",     [TR2_END_EXIT] = "exit",
		[TR2_END_SIGNAL] = "signal", [TR2_END_EXEC] = "exec",
	};

	return names[end];
}

void tr2_value_code(struct tr2_row *r, uint8_t end, bool known, int32_t code)
{
	tr2_value_number_if(r, known && end != TR2_END_SIGNAL, code);
	tr2_value_number_if(r, known && end == TR2_END_SIGNAL, code);
}

/* Add code and signal; the kernel may know an end that is not in the
 * session. */
static void session_end(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_model_session *s)
{
	const struct tr2_node *n = &x->m->nodes[s->node];
	bool last = s->node && !s->next_of_node;
	uint8_t end = last ? n->end : s->end;
	int32_t code = last ? n->code : s->code;
	bool known = last ? n->has_code : s->has_code;

	tr2_value_text(x, r, tr2_end_name(end));
	tr2_value_code(r, end, known, code);
}

static void names(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_model_session *s)
{
	size_t start = r->text.len;

	if (s->node) {
		tr2_export_node_name(x, &r->text, s->node);
		tr2_value_text_from(r, start);
	} else {
		tr2_value_string(x, r, s->name);
	}
	tr2_value_string(x, r, s->hierarchy);
	tr2_value_string(x, r, s->mode);
	tr2_value_words(x, r, &s->argv, true);
	tr2_value_words(x, r, &s->ancestry, false);
	tr2_value_string(x, r, s->path);
	tr2_value_string(x, r, s->exe_version);
}

void tr2_row_session(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_session *s = &x->m->sessions[i];
	const struct tr2_node *n = &x->m->nodes[s->node];
	bool first = n->session == i;
	size_t start;

	tr2_value_number(r, tr2_row_session_id(ids, i));
	start = r->text.len;
	tr2_session_key(x, &r->text, i);
	tr2_value_text_from(r, start);
	tr2_value_text(x, r, s->sid);
	parents(x, r, ids, i);
	tr2_value_number_if(r, s->pid > 0 || n->pid > 0,
			    s->pid > 0 ? s->pid : n->pid);
	names(x, r, s);
	tr2_value_times(r, s->wall_ns + s->start_ns, s->wall_ns + s->end_ns);
	tr2_value_number_if(r, first, n->self_ns);
	tr2_value_number_if(r, first && n->spawn_ns != TR2_NO_TIME,
			    n->spawn_ns);
	session_end(x, r, s);
	tr2_value_number(r, s->nr_errors);
	tr2_value_number(r, s->nr_events);
	tr2_value_size(r, s->lost);
	tr2_value_trace(r, &s->trace);
	tr2_value_id(r, s->trace_parent);
}
