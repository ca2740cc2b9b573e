/* SPDX-License-Identifier: MIT */
/*
 * filter - see model/filter.h.
 */
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "model/filter.h"
#include "common/options.h"

bool tr2_filter_on(void)
{
	const struct tr2_common *c = &tr2_common;

	return c->cmd || c->sid || c->pid >= 0 || c->min_ns ||
	       c->depth >= 0 || c->since_ns != INT64_MIN ||
	       c->until_ns != INT64_MAX;
}

static bool like(const char *glob, const char *text)
{
	return !fnmatch(glob, text, 0);
}

/* The command's name, or its command line. */
static bool command_fits(const struct tr2_model *m, uint32_t node)
{
	static struct tr2_buf line; /* kept: it is mapped memory */
	bool fits = like(tr2_common.cmd, tr2_node_name(m, node));

	if (!fits) {
		tr2_node_command(m, node, &line);
		fits = like(tr2_common.cmd, tr2_buf_str(&line));
	}
	return fits;
}

/* The whole SID, its last component, or how that begins. */
static bool sid_fits(const char *sid)
{
	const char *own = strrchr(sid, '/');
	size_t len = strlen(tr2_common.sid);

	own = own ? own + 1 : sid;
	return !strcmp(sid, tr2_common.sid) ||
	       (len && !strncmp(own, tr2_common.sid, len));
}

static bool node_sid_fits(const struct tr2_model *m, uint32_t node)
{
	uint32_t s = m->nodes[node].session;

	for (; s; s = m->sessions[s].next_of_node)
		if (sid_fits(m->sessions[s].sid))
			return true;
	return false;
}

bool tr2_filter_node(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_common *c = &tr2_common;
	const struct tr2_node *n = &m->nodes[node];

	if (c->pid >= 0 && n->pid != c->pid)
		return false;
	if (c->depth >= 0 && n->depth > c->depth)
		return false;
	if (n->end_ns - n->start_ns < c->min_ns)
		return false;
	if (n->end_ns < c->since_ns || n->start_ns > c->until_ns)
		return false;
	if (c->sid && !node_sid_fits(m, node))
		return false;
	return !c->cmd || command_fits(m, node);
}

bool tr2_filter_session(const struct tr2_model *m, uint32_t session)
{
	return !tr2_filter_on() ||
	       (m->sessions[session].node &&
		tr2_filter_node(m, m->sessions[session].node));
}

static bool region_fits(const struct tr2_model *m, const struct tr2_span *s)
{
	static struct tr2_buf name; /* kept: it is mapped memory */
	bool fits = like(tr2_common.region, tr2_s(m, s->label));

	if (!fits) {
		tr2_buf_reset(&name);
		tr2_buf_addstr(&name, tr2_s(m, s->category));
		tr2_buf_addch(&name, '/');
		tr2_buf_addstr(&name, tr2_s(m, s->label));
		fits = like(tr2_common.region, tr2_buf_str(&name));
	}
	return fits;
}

bool tr2_filter_span(const struct tr2_model *m, uint32_t span)
{
	const struct tr2_common *c = &tr2_common;
	const struct tr2_span *s = &m->spans[span];
	int64_t wall = m->sessions[m->threads[s->thread].session].wall_ns;

	if (s->end_ns - s->start_ns < c->min_ns)
		return false;
	if (c->depth >= 0 && s->depth > c->depth)
		return false;
	if (c->since_ns != INT64_MIN && wall + s->end_ns < c->since_ns)
		return false;
	if (c->until_ns != INT64_MAX && wall + s->start_ns > c->until_ns)
		return false;
	return !c->region || (s->kind == TR2_SPAN_REGION && region_fits(m, s));
}

int tr2_filter_depth(const struct tr2_model *m, uint32_t node)
{
	int depth = 0;

	if (!tr2_filter_on())
		return m->nodes[node].depth;
	for (node = m->nodes[node].parent; node; node = m->nodes[node].parent)
		depth += tr2_filter_node(m, node);
	return depth;
}
