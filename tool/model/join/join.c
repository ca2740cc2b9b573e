/* SPDX-License-Identifier: MIT */
/*
 * join - combine sessions, child spans and tasks into processes (nodes). A node
 * has the process's own events, its parent's events about it, and the kernel's
 * records. Parents are found by, from the most to the least certain:
 *
 *	the kernel's fork record; a child span of the parent with our pid; a
 *	child span of the parent that fits by time or argv, and has no pid or
 *	another process's (a shell's, a hook script's); the parent's SID alone.
 */
#include <stdlib.h>
#include <string.h>

#include "common/time.h"
#include "common/order.h"
#include "model/join/join_private.h"

struct join {
	struct tr2_model *m;
	/* Children (child_start only) by session and start; session s has
	 * order[first[s]..first[s + 1]). */
	uint32_t *order, *first;
	uint32_t *sessions; /* all sessions, sorted by depth and start */
	struct tr2_map by_pid; /* maps (session, pid) to a child */
};

/* Return the session with the parent's SID that existed when `s` began. Skip
 * sessions that a later fork began under the same SID: they cannot have started
 * `s`. */
static uint32_t parent_in_time(const struct tr2_model *m, uint32_t parent,
			       const struct tr2_model_session *s)
{
	while (m->sessions[parent].flags & TR2_SESSION_FORKED &&
	       !(s->flags & TR2_SESSION_NO_CLOCK) &&
	       s->wall_ns < m->sessions[parent].wall_ns +
				    m->sessions[parent].start_ns)
		parent = m->sessions[parent].parent;
	return parent;
}

/* Search for a parent's session up to this number of levels above the previous
 * session. */
#define NEAR 8

/* Return the session whose SID is the first len bytes of `sid`. Mostly it is
 * the session before session i in the recording, or an ancestor of that
 * session. */
static uint32_t session_of_sid(const struct tr2_model *m, uint32_t i,
			       const char *sid, size_t len)
{
	uint32_t near = i - 1, up;

	/* Use the map if several sessions have one SID, since the SID means the
	 * latest of them. */
	for (up = 0; near && up < NEAR && !m->priv->sids.again; up++) {
		const char *have = m->sessions[near].sid;

		if (!strncmp(have, sid, len) && !have[len])
			return near;
		near = m->sessions[near].parent;
	}
	return tr2_sid_find(m, sid, len);
}

static void find_parents(struct tr2_model *m)
{
	const char *slash;
	uint32_t i;

	for (i = 1; i < m->nr_sessions; i++) {
		struct tr2_model_session *s = &m->sessions[i];
		const char *end = s->sid + strlen(s->sid);

		/* If the parent's session is missing, use the session above
		 * it. */
		while (!s->parent &&
		       (slash = memrchr(s->sid, '/', (size_t)(end - s->sid)))) {
			end = slash;
			s->parent = session_of_sid(m, i, s->sid,
						   (size_t)(end - s->sid));
			s->parent = parent_in_time(m, s->parent, s);
		}
	}
}

/* An index with its sort keys. */
struct sorted {
	uint32_t high;
	uint32_t index;
	int64_t low;
};

TR2_ORDER(compare_sorted, struct sorted,
	  TR2_UP(high) ?: TR2_UP(low) ?: TR2_UP(index))

static void order_sessions(struct join *j)
{
	const struct tr2_model *m = j->m;
	struct sorted *s = tr2_calloc(m->nr_sessions, sizeof(*s));
	uint32_t i;

	j->sessions = tr2_calloc(m->nr_sessions, sizeof(*j->sessions));
	for (i = 1; i < m->nr_sessions; i++)
		s[i] = (struct sorted){ m->sessions[i].depth, i,
					m->sessions[i].wall_ns };
	qsort(s + 1, m->nr_sessions - 1, sizeof(*s), compare_sorted);
	for (i = 1; i < m->nr_sessions; i++)
		j->sessions[i] = s[i].index;
	free(s);
}

static void order_children(struct join *j)
{
	const struct tr2_model *m = j->m;
	struct sorted *s = tr2_calloc(m->nr_children, sizeof(*s));
	uint32_t i, nr = 0, session = 0;

	j->order = tr2_calloc(m->nr_children, sizeof(*j->order));
	j->first = tr2_calloc((size_t)m->nr_sessions + 1, sizeof(*j->first));
	for (i = 1; i < m->nr_children; i++) {
		const struct tr2_span *span = &m->spans[m->children[i].span];

		if (span->kind == TR2_SPAN_CHILD)
			s[nr++] = (struct sorted){ tr2_session_of_child(m, i),
						   i, span->start_ns };
	}
	qsort(s, nr, sizeof(*s), compare_sorted);
	for (i = 0; i < nr; i++) {
		while (session <= s[i].high)
			j->first[session++] = i;
		j->order[i] = s[i].index;
	}
	while (session <= m->nr_sessions)
		j->first[session++] = nr;
	free(s);
}

/* Return the child span that has the pid of this session; 0: none. */
static uint32_t find_by_pid(const struct join *j,
			    const struct tr2_model_session *s)
{
	return s->pid > 0 ? tr2_map_get(&j->by_pid,
					tr2_key(s->parent, (uint32_t)s->pid)) :
			    0;
}

static void map_pids(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i, child;

	for (i = 1; i < m->nr_children; i++) {
		const struct tr2_child *c = &m->children[i];

		if (c->pid > 0) /* skip execs, which have no pid */
			*tr2_map_slot(&j->by_pid,
				      tr2_key(tr2_session_of_child(m, i),
					      (uint32_t)c->pid)) = i;
	}
	for (i = 1; i < m->nr_sessions; i++) {
		child = find_by_pid(j, &m->sessions[i]);
		if (child && !(m->sessions[i].flags & TR2_SESSION_FORKED))
			m->children[child].traced = true;
	}
}

uint32_t tr2_new_node(struct tr2_model *m, uint32_t parent, enum tr2_join join)
{
	uint32_t i = tr2_add(m, nodes);

	m->nodes[i].parent = parent;
	m->nodes[i].join = (uint8_t)join;
	m->nodes[i].pid = -1;
	return i;
}

/* Does the session's argv match the argv of the span? `git foo` may have become
 * `/usr/lib/git-core/git foo` or `git-foo`. */
static bool same_command(const struct tr2_words *a, const struct tr2_words *b)
{
	const char *wa = a->text, *wb = b->text;
	uint32_t i;

	if (!a->nr || a->nr != b->nr ||
	    strcmp(tr2_base_name(wa), tr2_base_name(wb)))
		return false;
	for (i = 1; i < a->nr; i++) {
		wa += strlen(wa) + 1;
		wb += strlen(wb) + 1;
		if (strcmp(wa, wb) != 0)
			return false;
	}
	return true;
}

/* Rate how well a child span with another pid fits a session. 0: not at all; 1:
 * by time; 2: by time, and it starts a shell; 3: by its command. */
static int fit(const struct tr2_model *m, const struct tr2_child *c,
	       const struct tr2_model_session *s, int64_t start_ns)
{
	const struct tr2_span *span = &m->spans[c->span];

	if (start_ns < span->start_ns - TR2_SLOP_NS)
		return 0;
	if (start_ns > span->end_ns && !c->ready &&
	    !(span->flags & TR2_SPAN_OPEN))
		return 0;
	if (c->pid == -1 && c->has_code)
		return 0; /* the program of this child could not be started */
	if (c->traced)
		return 0; /* the child has a session of its own: the SIDs of
			   * sessions below the child contain that session's
			   * id */
	if (same_command(&c->argv, &s->argv))
		return c->node ? 0 : 3;
	return c->use_shell || c->hook ? 2 : 1;
}

/* Return the child span of the parent that fits best; 0: none. */
static uint32_t find_by_window(const struct join *j,
			       const struct tr2_model_session *s)
{
	const struct tr2_model *m = j->m;
	const struct tr2_model_session *p = &m->sessions[s->parent];
	int64_t start_ns = s->wall_ns - p->wall_ns;
	uint32_t low = j->first[s->parent], high = j->first[s->parent + 1];
	uint32_t begin = low, best = 0, at;
	int best_fit = 0, f, tries;

	if ((s->flags | p->flags) & TR2_SESSION_NO_CLOCK)
		return 0;
	while (low < high) { /* find the first child that began later */
		uint32_t mid = low + (high - low) / 2;

		if (m->spans[m->children[j->order[mid]].span].start_ns >
		    start_ns + TR2_SLOP_NS)
			high = mid;
		else
			low = mid + 1;
	}
	for (at = low, tries = 0; at > begin && tries < TR2_MAX_CANDIDATES;
	     tries++) {
		f = fit(m, &m->children[j->order[--at]], s, start_ns);
		if (f > best_fit) {
			best_fit = f;
			best = j->order[at];
		}
	}
	return best;
}

/* Return the process that a child span started; add it if needed. */
static uint32_t node_of_span(struct join *j, uint32_t child)
{
	struct tr2_model *m = j->m;
	struct tr2_child *c = &m->children[child];
	uint32_t parent = m->sessions[tr2_session_of_child(m, child)].node;

	if (!c->node) {
		uint32_t i = tr2_new_node(j->m, parent, TR2_JOIN_SPAN);

		m->children[child].node = i;
		m->nodes[i].child = child;
		m->nodes[i].pid = c->pid;
	}
	return m->children[child].node;
}

static uint32_t node_by_window(struct join *j, uint32_t session)
{
	struct tr2_model *m = j->m;
	const struct tr2_model_session *s = &m->sessions[session];
	uint32_t child = find_by_window(j, s), node;

	if (!child)
		return tr2_new_node(j->m, m->sessions[s->parent].node,
				    TR2_JOIN_SID);
	/* A program without events may have run between parent and session.
	 * Then the child span belongs to that program: the span has another pid
	 * than the session or, in perf text, where the session has no pid,
	 * another command. */
	if (m->children[child].node ||
	    (m->children[child].pid > 0 &&
	     (s->pid > 0 ||
	      !same_command(&m->children[child].argv, &s->argv))))
		return tr2_new_node(j->m, node_of_span(j, child),
				    TR2_JOIN_WINDOW);
	node = tr2_new_node(j->m, m->sessions[s->parent].node, TR2_JOIN_WINDOW);
	m->children[child].node = node;
	m->nodes[node].child = child;
	return node;
}

/* Did the session's program replace its predecessor by exec? In that case its
 * SID names the predecessor as parent, and both have the same pid. */
static bool took_over(const struct tr2_model *m,
		      const struct tr2_model_session *s)
{
	const struct tr2_model_session *p = &m->sessions[s->parent];

	return s->pid > 0 && s->pid == p->pid && p->end != TR2_END_EXIT;
}

static void chain_session(struct tr2_model *m, uint32_t session, uint32_t node)
{
	uint32_t *at = &m->nodes[node].session;

	while (*at)
		at = &m->sessions[*at].next_of_node;
	*at = session;
}

static uint32_t node_for_session(struct join *j, uint32_t session)
{
	struct tr2_model *m = j->m;
	const struct tr2_model_session *s = &m->sessions[session];
	uint32_t child, node;

	if (!s->parent)
		return tr2_new_node(j->m, 0, TR2_JOIN_ROOT);
	if (s->flags & TR2_SESSION_FORKED)
		return tr2_new_node(j->m, m->sessions[s->parent].node,
				    TR2_JOIN_SID);
	if (took_over(m, s))
		return m->sessions[s->parent].node;
	child = find_by_pid(j, s);
	if (!child || m->children[child].node)
		return node_by_window(j, session);
	node = tr2_new_node(j->m, m->sessions[s->parent].node, TR2_JOIN_PID);
	m->children[child].node = node;
	m->nodes[node].child = child;
	return node;
}

static void join_sessions(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i, node;

	for (i = 1; i < m->nr_sessions; i++) {
		struct tr2_model_session *s = &m->sessions[j->sessions[i]];

		node = node_for_session(j, j->sessions[i]);
		s->node = node;
		chain_session(m, j->sessions[i], node);
		if (s->pid > 0)
			m->nodes[node].pid = s->pid;
	}
}

/* Add nodes for child spans without a session: programs without events. */
static void join_spans(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i;

	for (i = 1; i < m->nr_children; i++) {
		const struct tr2_child *c = &m->children[i];

		if (m->spans[c->span].kind == TR2_SPAN_CHILD && !c->node &&
		    !(c->pid == -1 && c->has_code))
			node_of_span(j, i);
	}
}

/* Return the first known start of all sessions; 0: no start is known. */
static int64_t first_start(const struct tr2_model *m)
{
	int64_t first_ns = 0;
	uint32_t i;

	for (i = 1; i < m->nr_sessions; i++) {
		const struct tr2_model_session *s = &m->sessions[i];

		if (!(s->flags & TR2_SESSION_NO_CLOCK) &&
		    (!first_ns || s->wall_ns < first_ns))
			first_ns = s->wall_ns;
	}
	return first_ns;
}

/*
 * Place a session whose times are missing or cannot be read, so that no sum
 * reaches back to 1970. Take the time in its id, else its parent's start, else
 * the first start of all sessions.
 */
static void place_session(const struct tr2_model *m,
			  struct tr2_model_session *s, int64_t first_ns)
{
	const char *slash = strrchr(s->sid, '/');
	const char *own = slash ? slash + 1 : s->sid;
	int64_t wall_us;

	if (tr2_parse_time(own, strcspn(own, "-"), &wall_us)) {
		s->wall_ns = tr2_wall_ns(wall_us * 1000);
		return;
	}
	s->wall_ns = m->sessions[s->parent].wall_ns;
	if (!s->wall_ns)
		s->wall_ns = first_ns;
	if (s->wall_ns)
		s->flags |= TR2_SESSION_NO_PLACE;
}

/* Place all sessions, parents before their children. */
static void place_sessions(const struct join *j)
{
	struct tr2_model *m = j->m;
	int64_t first_ns = first_start(m);
	uint32_t i;

	for (i = 1; i < m->nr_sessions; i++) {
		struct tr2_model_session *s = &m->sessions[j->sessions[i]];

		if (s->flags & TR2_SESSION_NO_CLOCK)
			place_session(m, s, first_ns);
	}
}

void tr2_model_join(struct tr2_model *m)
{
	struct join j = { .m = m };

	tr2_model_end_sessions(m);
	find_parents(m);
	order_sessions(&j);
	place_sessions(&j);
	order_children(&j);
	map_pids(&j);
	join_sessions(&j);
	join_spans(&j);
	tr2_join_tasks(m);
	tr2_join_transports(m);
	free(j.order);
	free(j.first);
	free(j.sessions);
	tr2_map_release(&j.by_pid);
}
