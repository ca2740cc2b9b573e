/* SPDX-License-Identifier: MIT */
/* filter - match sessions, processes, spans and events against the options. */
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "common/words.h"
#include "event/event.h"
#include "model/filter.h"
#include "model/kind.h"

bool tr2_filter_on(const struct tr2_filter *f)
{
	return f->cmd || f->sid || f->pid >= 0 || f->min_ns ||
	       f->depth >= 0 || f->since_ns != INT64_MIN ||
	       f->until_ns != INT64_MAX;
}

static bool matches_glob(const char *glob, const char *text)
{
	return !fnmatch(glob, text, 0);
}

/* Does the pattern match the command's name, kind or command line? */
static bool command_fits(const struct tr2_filter *f, const struct tr2_model *m,
			 uint32_t node)
{
	static struct tr2_buf line; /* later calls reuse its memory */
	bool fits = matches_glob(f->cmd, tr2_node_name(m, node));

	if (!fits) {
		tr2_buf_reset(&line);
		tr2_kind_add(m, node, 0, &line);
		fits = matches_glob(f->cmd, tr2_buf_str(&line));
	}
	if (!fits) {
		tr2_node_command(m, node, &line);
		fits = matches_glob(f->cmd, tr2_buf_str(&line));
	}
	return fits;
}

/* Match the whole SID, its last component, or the beginning of that
 * component. */
static bool sid_fits(const struct tr2_filter *f, const char *sid)
{
	const char *own = strrchr(sid, '/');
	size_t len = strlen(f->sid);

	own = own ? own + 1 : sid;
	return !strcmp(sid, f->sid) ||
	       (len && !strncmp(own, f->sid, len));
}

static bool node_sid_fits(const struct tr2_filter *f, const struct tr2_model *m,
			  uint32_t node)
{
	uint32_t s = m->nodes[node].session;

	for (; s; s = m->sessions[s].next_of_node)
		if (sid_fits(f, m->sessions[s].sid))
			return true;
	return false;
}

bool tr2_filter_node(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];

	if (f->pid >= 0 && n->pid != f->pid)
		return false;
	if (f->depth >= 0 && n->depth > f->depth)
		return false;
	if (n->end_ns - n->start_ns < f->min_ns)
		return false;
	if (n->end_ns < f->since_ns || n->start_ns > f->until_ns)
		return false;
	if (f->sid && !node_sid_fits(f, m, node))
		return false;
	return !f->cmd || command_fits(f, m, node);
}

/* Match an unfinished session by its events so far. */
static bool unfinished_fits(const struct tr2_filter *f,
			    const struct tr2_model *m, uint32_t session)
{
	const struct tr2_model_session *s = &m->sessions[session];
	static struct tr2_buf line; /* later calls reuse its memory */

	if (f->pid >= 0 && s->pid != f->pid)
		return false;
	if (f->depth >= 0 && s->depth > f->depth)
		return false;
	if (f->sid && !sid_fits(f, s->sid))
		return false;
	if (!f->cmd || matches_glob(f->cmd, tr2_s(m, s->name)))
		return true;
	tr2_buf_reset(&line);
	tr2_words_quote(&s->argv, &line);
	return matches_glob(f->cmd, tr2_buf_str(&line));
}

bool tr2_filter_session(const struct tr2_filter *f, const struct tr2_model *m,
			uint32_t session)
{
	uint32_t node = m->sessions[session].node;

	if (!tr2_filter_on(f))
		return true;
	return node ? tr2_filter_node(f, m, node) :
		      unfinished_fits(f, m, session);
}

static bool region_fits(const struct tr2_filter *f, const struct tr2_model *m,
			tr2_str category, tr2_str label)
{
	static struct tr2_buf name; /* later calls reuse its memory */

	return matches_glob(f->region, tr2_s(m, label)) ||
	       matches_glob(f->region, tr2_join(&name, tr2_s(m, category),
						tr2_s(m, label)));
}

/* Is this range of a session's time selected? */
static bool times_fit(const struct tr2_filter *f,
		      const struct tr2_model_session *s, int64_t start_ns,
		      int64_t end_ns)
{
	return end_ns - start_ns >= f->min_ns &&
	       (f->since_ns == INT64_MIN ||
		s->wall_ns + end_ns >= f->since_ns) &&
	       (f->until_ns == INT64_MAX ||
		s->wall_ns + start_ns <= f->until_ns);
}

bool tr2_filter_span(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t span)
{
	const struct tr2_span *s = &m->spans[span];

	if (!times_fit(f, &m->sessions[m->threads[s->thread].session],
		       s->start_ns, s->end_ns))
		return false;
	if (f->depth >= 0 && s->depth > f->depth)
		return false;
	return !f->region || (s->kind == TR2_SPAN_REGION &&
			      region_fits(f, m, s->category, s->label));
}

bool tr2_filter_trace_span(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t trace_span)
{
	const struct tr2_trace_span *s = &m->trace_spans[trace_span];

	return times_fit(f, &m->sessions[m->threads[s->thread].session],
			 s->start_ns, s->end_ns) &&
	       (!f->region || region_fits(f, m, s->category, s->name));
}

static bool is_of_process(int kind)
{
	switch (kind) {
	case TR2_EV_start:
	case TR2_EV_exit:
	case TR2_EV_atexit:
	case TR2_EV_signal:
	case TR2_EV_error:
		return true;
	default:
		return false;
	}
}

bool tr2_filter_event(const struct tr2_filter *f, const struct tr2_model *m,
		      const struct tr2_line *line)
{
	if (line->at_ns < f->since_ns || line->at_ns > f->until_ns ||
	    !tr2_filter_session(f, m, line->session))
		return false;
	if (line->span)
		return tr2_filter_span(f, m, line->span);
	if (f->region)
		return false;
	return !f->min_ns || is_of_process(line->kind);
}
