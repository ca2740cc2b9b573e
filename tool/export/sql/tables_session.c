/* SPDX-License-Identifier: MIT */
/*
 * tables_session - cells of a session, and the key that identifies it, see
 * export/sql/tables_private.h.
 */

#include "export/sql/tables_private.h"

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

/* Return the session of the process that started this session's process; 0:
 * none. */
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

uint32_t tr2_row_child_above(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;

	while (!m->nodes[node].child && m->nodes[node].parent &&
	       !m->nodes[m->nodes[node].parent].session)
		node = m->nodes[node].parent;
	return m->nodes[node].child;
}

int64_t tr2_row_parent_id(const struct tr2_export *x,
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

void tr2_row_add_parent_sid(struct tr2_buf *b, const char *sid)
{
	const char *slash = strrchr(sid, '/');

	if (slash)
		tr2_buf_add(b, sid, (size_t)(slash - sid));
}

const char *tr2_end_name(uint8_t end)
{
	static const char *const names[] = {
		[TR2_END_OPEN] = "open",     [TR2_END_EXIT] = "exit",
		[TR2_END_SIGNAL] = "signal", [TR2_END_EXEC] = "exec",
	};

	return names[end];
}

void tr2_row_add_session_name(struct tr2_export *x, struct tr2_buf *b,
			      const struct tr2_model_session *s)
{
	if (s->node)
		tr2_export_node_name(x, b, s->node);
	else
		tr2_buf_addstr(b, tr2_export_text(x, tr2_s(x->m, s->name)));
}
