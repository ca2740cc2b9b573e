/* SPDX-License-Identifier: MIT */
/* nodes - the segments, names and commands of processes. */
#include <string.h>

#include "base/text.h"
#include "model/private.h"

int64_t tr2_segment_ns(const struct tr2_model *m, const struct tr2_node *n,
		       uint32_t segment)
{
	const struct tr2_segment *s = &m->segments[segment];
	int64_t end_ns = s->next ? m->segments[s->next].start_ns : n->end_ns;

	return end_ns > s->start_ns ? end_ns - s->start_ns : 0;
}

/* A segment is notable if it took at least MIN_SEGMENT_SHARE of the process's
 * time. The segment before the first exec must take MIN_FORKED_NS: a shell that
 * only starts a program takes less. */
#define MIN_SEGMENT_SHARE 0.1
#define MIN_FORKED_NS 10000000

bool tr2_segment_is_notable(const struct tr2_model *m, const struct tr2_node *n,
			    uint32_t segment)
{
	const struct tr2_segment *s = &m->segments[segment];
	int64_t ns = tr2_segment_ns(m, n, segment);

	return s->comm && (s->exec || ns >= MIN_FORKED_NS) &&
	       (double)ns >=
		       MIN_SEGMENT_SHARE * (double)(n->end_ns - n->start_ns);
}

uint32_t tr2_segment_at(const struct tr2_model *m, uint32_t node, int64_t at_ns)
{
	const struct tr2_node *n = &m->nodes[node];
	uint32_t i;

	tr2_for_each_segment(m, n->task, i)
		if (m->segments[i].next && tr2_segment_is_notable(m, n, i) &&
		    m->segments[m->segments[i].next].start_ns > at_ns)
			return i;
	return 0;
}

int64_t tr2_span_busy_to(const struct tr2_model *m, uint32_t span)
{
	const struct tr2_span *s = &m->spans[span];
	const struct tr2_node *n = &m->nodes[m->children[s->child].node];
	int64_t ended;

	if (!s->child || !n->reaped_late)
		return s->end_ns;
	ended = n->end_ns - m->sessions[m->threads[s->thread].session].wall_ns;
	return ended < s->start_ns ? s->start_ns :
	       ended > s->end_ns   ? s->end_ns : ended;
}

/* Return the name of a command that is one word. The word may be a whole line
 * for a shell: only a '/' in the line's first word counts. */
static const char *command_name(const char *line)
{
	const char *name = line, *p;

	for (p = line; *p && *p != ' ' && *p != '\t'; p++)
		if (*p == '/' && p[1] && p[1] != ' ')
			name = p + 1;
	return name;
}

uint32_t tr2_node_session(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	uint32_t i = tr2_last_session(m, n->session);
	const struct tr2_model_session *s = &m->sessions[i];
	uint32_t last = m->tasks[n->task].last_segment;

	return s->end == TR2_END_EXEC && m->segments[last].exec &&
			       m->segments[last].start_ns > s->wall_ns ?
		       0 : i;
}

const char *tr2_node_name(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	uint32_t session = tr2_node_session(m, node);
	const struct tr2_model_session *s = &m->sessions[session];
	/* Ignore the child span if the last program has no session but an
	 * earlier one has: the parent started that earlier program. */
	const struct tr2_child *c =
		&m->children[n->session && !session ? 0 : n->child];
	const struct tr2_segment *last =
		&m->segments[m->tasks[n->task].last_segment];
	const char *name = tr2_s(m, s->name);

	/* Names like _run_dashed_ denote a code path, not a command. */
	if (*name && *name != '_')
		return name;
	if (s->argv.nr && *s->argv.text)
		return tr2_base_name(s->argv.text);
	if (*name)
		return name;
	if (c->hook)
		return tr2_s(m, c->hook);
	if (c->argv.nr == 1 && *c->argv.text)
		return command_name(c->argv.text);
	if (c->argv.nr && *c->argv.text)
		return tr2_base_name(c->argv.text);
	if (last->argv.nr && *last->argv.text)
		return tr2_base_name(last->argv.text);
	return last->comm ? tr2_s(m, last->comm) : "?";
}

const struct tr2_words *tr2_node_words(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	const struct tr2_words *argv =
		&m->sessions[tr2_node_session(m, node)].argv;

	if (!argv->nr)
		argv = &m->segments[m->tasks[n->task].last_segment].argv;
	return argv->nr ? argv : &m->children[n->child].argv;
}

void tr2_node_command(const struct tr2_model *m, uint32_t node,
		      struct tr2_buf *out)
{
	tr2_buf_reset(out);
	tr2_words_quote(tr2_node_words(m, node), out);
}

uint32_t tr2_last_session(const struct tr2_model *m, uint32_t session)
{
	while (m->sessions[session].next_of_node)
		session = m->sessions[session].next_of_node;
	return session;
}
