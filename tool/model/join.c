/* SPDX-License-Identifier: MIT */
/*
 * join - combine sessions, child spans and tasks into processes (nodes): the
 * process's own events, its parent's, and the kernel's records of both. From
 * the most to the least certain:
 *
 *	the kernel's fork record; the parent's child span with our pid; a child
 *	span of the parent that fits by time or argv, whose pid is another's
 *	(a shell, a hook script) or unknown; the parent's SID alone.
 */
#include <stdlib.h>
#include <string.h>

#include "model/private.h"

/* By clock error a process may seem to start this much before its
 * child_start. */
#define SLOP_NS 1000000

/* How many child spans are searched back from the one that began last. */
#define MAX_CANDIDATES 256

/* How many forks in a row a daemon makes at most. */
#define MAX_FORKS 3

struct join {
	struct tr2_model *m;
	/* Children (child_start only) by session and start; session s has
	 * order[first[s]..first[s + 1]). */
	uint32_t *order, *first;
	uint32_t *sessions; /* by depth, then start */
	struct tr2_map by_pid; /* (session, pid) to child */
	uint32_t *node_of_pid_next; /* nodes with the same pid */
	struct tr2_map nodes_by_pid;
	/* lists of the tasks that a task started */
	uint32_t *first_task, *next_task;
};

static uint32_t session_of_child(const struct tr2_model *m, uint32_t child)
{
	return m->threads[m->spans[m->children[child].span].thread].session;
}

/* ---- sessions by their SID ------------------------------------------------------ */

/* Of several sessions of the parent's SID, return the one that existed when `s`
 * began: a process that was forked later cannot have started it. */
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

/* How many levels up from the session before a parent is searched. */
#define NEAR 8

/* Return the session of the first len bytes of a SID. It is mostly the session
 * before session i in the recording, or an ancestor of that one. */
static uint32_t session_of_sid(const struct tr2_model *m, uint32_t i,
			       const char *sid, size_t len)
{
	uint32_t near = i - 1, up;

	/* If several sessions have one SID, the latest is meant: use the
	 * map. */
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

		/* If a session in between is missing, use the one above it. */
		while (!s->parent &&
		       (slash = memrchr(s->sid, '/', (size_t)(end - s->sid)))) {
			end = slash;
			s->parent = session_of_sid(m, i, s->sid,
						   (size_t)(end - s->sid));
			s->parent = parent_in_time(m, s->parent, s);
		}
	}
}

/* ---- orders ---------------------------------------------------------------------- */

/* An index with its sort keys. */
struct sorted {
	uint32_t high;
	uint32_t index;
	int64_t low;
};

static int compare_sorted(const void *va, const void *vb)
{
	const struct sorted *a = va, *b = vb;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

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
			s[nr++] = (struct sorted){ session_of_child(m, i), i,
						   span->start_ns };
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

static void map_pids(struct join *j)
{
	const struct tr2_model *m = j->m;
	uint32_t i;

	for (i = 1; i < m->nr_children; i++) {
		const struct tr2_child *c = &m->children[i];

		if (c->pid > 0 && m->spans[c->span].kind == TR2_SPAN_CHILD)
			*tr2_map_slot(&j->by_pid,
				      tr2_key(session_of_child(m, i),
					      (uint32_t)c->pid)) = i;
	}
}

/* ---- sessions to child spans ---------------------------------------------------------- */

static uint32_t new_node(struct join *j, uint32_t parent, enum tr2_join join)
{
	uint32_t i = tr2_add(j->m, nodes);

	j->m->nodes[i].parent = parent;
	j->m->nodes[i].join = (uint8_t)join;
	j->m->nodes[i].pid = -1;
	return i;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does the session's argv match the argv of the span? `git foo` may have become
 * `/usr/lib/git-core/git foo` or `git-foo`. */
static bool same_command(const struct tr2_words *a, const struct tr2_words *b)
{
	const char *wa = a->text, *wb = b->text;
	uint32_t i;

	if (!a->nr || a->nr != b->nr || strcmp(base_name(wa), base_name(wb)))
		return false;
	for (i = 1; i < a->nr; i++) {
		wa += strlen(wa) + 1;
		wb += strlen(wb) + 1;
		if (strcmp(wa, wb) != 0)
			return false;
	}
	return true;
}

/* Rate how well a child span with another pid fits a session: 0 not at all, 1
 * by time, 2 by time and it starts a shell, 3 by its command. */
static int fit(const struct tr2_model *m, const struct tr2_child *c,
	       const struct tr2_model_session *s, int64_t start_ns)
{
	const struct tr2_span *span = &m->spans[c->span];

	if (start_ns < span->start_ns - SLOP_NS)
		return 0;
	if (start_ns > span->end_ns && !c->ready &&
	    !(span->flags & TR2_SPAN_OPEN))
		return 0;
	if (c->pid == -1 && c->has_code)
		return 0; /* the child could not be started */
	if (same_command(&c->argv, &s->argv))
		return c->node ? 0 : 3;
	return c->use_shell || c->hook ? 2 : 1;
}

/* Return the best fitting child span of the parent; 0: none. */
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
	while (low < high) { /* find the first that began later */
		uint32_t mid = low + (high - low) / 2;

		if (m->spans[m->children[j->order[mid]].span].start_ns >
		    start_ns + SLOP_NS)
			high = mid;
		else
			low = mid + 1;
	}
	for (at = low, tries = 0; at > begin && tries < MAX_CANDIDATES; tries++) {
		f = fit(m, &m->children[j->order[--at]], s, start_ns);
		if (f > best_fit) {
			best_fit = f;
			best = j->order[at];
		}
	}
	return best;
}

/* Return the process that a child span started, adding it if needed. */
static uint32_t node_of_span(struct join *j, uint32_t child)
{
	struct tr2_model *m = j->m;
	struct tr2_child *c = &m->children[child];
	uint32_t parent = m->sessions[session_of_child(m, child)].node;

	if (!c->node) {
		uint32_t i = new_node(j, parent, TR2_JOIN_SPAN);

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
		return new_node(j, m->sessions[s->parent].node, TR2_JOIN_SID);
	/* Its pid is another's: an uninstrumented program is in between. Perf
	 * text lacks the session's pid. */
	if (m->children[child].node ||
	    (m->children[child].pid > 0 &&
	     (s->pid > 0 ||
	      !same_command(&m->children[child].argv, &s->argv))))
		return new_node(j, node_of_span(j, child), TR2_JOIN_WINDOW);
	node = new_node(j, m->sessions[s->parent].node, TR2_JOIN_WINDOW);
	m->children[child].node = node;
	m->nodes[node].child = child;
	return node;
}

/* Did the session's program replace its predecessor by exec? Then its SID names
 * that one as its parent, and both have the same pid. */
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
		return new_node(j, 0, TR2_JOIN_ROOT);
	if (s->flags & TR2_SESSION_FORKED)
		return new_node(j, m->sessions[s->parent].node, TR2_JOIN_SID);
	if (took_over(m, s))
		return m->sessions[s->parent].node;
	child = s->pid > 0 ? tr2_map_get(&j->by_pid,
					 tr2_key(s->parent, (uint32_t)s->pid)) :
			     0;
	if (!child || m->children[child].node)
		return node_by_window(j, session);
	node = new_node(j, m->sessions[s->parent].node, TR2_JOIN_PID);
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

/* Add nodes for child spans without a session: programs that are not
 * instrumented. */
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

/* ---- tasks ------------------------------------------------------------------------------ */

static void map_nodes(struct join *j)
{
	const struct tr2_model *m = j->m;
	uint32_t i, *slot;

	j->node_of_pid_next = tr2_calloc(m->nr_nodes, sizeof(uint32_t));
	for (i = 1; i < m->nr_nodes; i++) {
		if (m->nodes[i].pid <= 0)
			continue;
		slot = tr2_map_slot(&j->nodes_by_pid, (uint32_t)m->nodes[i].pid);
		j->node_of_pid_next[i] = *slot;
		*slot = i;
	}
}

/* Return when a node began, as far as known before its times are set. */
static int64_t early_start(const struct tr2_model *m, const struct tr2_node *n)
{
	const struct tr2_span *span;

	if (n->session)
		return m->sessions[n->session].wall_ns;
	span = &m->spans[m->children[n->child].span];
	return m->sessions[m->threads[span->thread].session].wall_ns +
	       span->start_ns;
}

/* May the kernel's task be the node of the same pid? A child span begins before
 * the fork, on a busy machine long before. */
static bool fits_task(const struct tr2_model *m, const struct tr2_node *n,
		      const struct tr2_model_task *t)
{
	int64_t start = early_start(m, n);
	const struct tr2_span *span = &m->spans[m->children[n->child].span];

	if (t->end_ns != TR2_NO_TIME && start > t->end_ns + SLOP_NS)
		return false;
	if (t->start_ns == TR2_NO_TIME)
		return true;
	if (n->session)
		return start >= t->start_ns - 10 * SLOP_NS;
	return t->start_ns >= start - SLOP_NS &&
	       (span->flags & TR2_SPAN_OPEN ||
		t->start_ns <= start + span->end_ns - span->start_ns + SLOP_NS);
}

/* Find the node with this task's pid that began while the task lived. */
static uint32_t node_of_task(const struct join *j,
			     const struct tr2_model_task *t)
{
	const struct tr2_model *m = j->m;
	uint32_t i = tr2_map_get(&j->nodes_by_pid, (uint32_t)t->pid);

	while (i && (m->nodes[i].task || !fits_task(m, &m->nodes[i], t)))
		i = j->node_of_pid_next[i];
	return i;
}

static bool is_below(const struct tr2_model *m, uint32_t node, uint32_t top)
{
	uint32_t steps = 0;

	for (; node && steps < m->nr_nodes; node = m->nodes[node].parent, steps++)
		if (node == top)
			return true;
	return node;
}

/* The kernel's record of the parent replaces every guess. */
static void reparent(struct tr2_model *m, uint32_t task)
{
	const struct tr2_model_task *t = &m->tasks[task];
	uint32_t parent = t->parent ? m->tasks[t->parent].node : 0;

	if (!parent || !t->node || is_below(m, parent, t->node))
		return;
	m->nodes[t->node].parent = parent;
	m->nodes[t->node].join = TR2_JOIN_TASK;
}

static void set_task(struct tr2_model *m, uint32_t node, uint32_t task)
{
	m->nodes[node].task = task;
	m->nodes[node].pid = m->tasks[task].pid;
	m->tasks[task].node = node;
}

/* List tasks by the task that started them, in the order of their starts. */
static void order_tasks(struct join *j)
{
	const struct tr2_model *m = j->m;
	uint32_t i;

	j->first_task = tr2_calloc(m->nr_tasks, sizeof(uint32_t));
	j->next_task = tr2_calloc(m->nr_tasks, sizeof(uint32_t));
	for (i = m->nr_tasks - 1; i; i--) {
		j->next_task[i] = j->first_task[m->tasks[i].parent];
		j->first_task[m->tasks[i].parent] = i;
	}
}

static bool lived(const struct tr2_model_task *t, int64_t from_ns,
		  int64_t to_ns)
{
	return t->start_ns != TR2_NO_TIME && t->start_ns <= from_ns &&
	       (t->end_ns == TR2_NO_TIME || t->end_ns >= to_ns);
}

/* Find a descendant that `task` forked, that ran no other program, and that
 * lived all that time; 0: none. */
static uint32_t find_forked(const struct join *j, uint32_t task,
			    int64_t from_ns, int64_t to_ns, int depth)
{
	const struct tr2_model *m = j->m;
	uint32_t i = j->first_task[task], tries, found = 0;

	for (tries = 0; i && !found && tries < MAX_CANDIDATES; tries++) {
		const struct tr2_model_task *t = &m->tasks[i];

		if (!(t->flags & TR2_TASK_EXECED) && !t->node) {
			if (lived(t, from_ns + SLOP_NS, to_ns - SLOP_NS))
				found = i;
			else if (depth < MAX_FORKS)
				found = find_forked(j, i, from_ns, to_ns,
						    depth + 1);
		}
		i = j->next_task[i];
	}
	return found;
}

/* The stream of a forked process that kept its parent's SID has no pid: find it
 * by its task. */
static void join_forked(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i, from, task;

	for (i = 1; i < m->nr_sessions; i++) {
		const struct tr2_model_session *s = &m->sessions[i];

		if (!(s->flags & TR2_SESSION_FORKED) || !s->node ||
		    m->nodes[s->node].task)
			continue;
		from = m->nodes[m->sessions[s->parent].node].task;
		task = from ? find_forked(j, from, s->wall_ns + s->start_ns,
					  s->wall_ns + s->end_ns, 0) : 0;
		if (task)
			set_task(m, s->node, task);
	}
}

/* If the parent did not live to see its child's end, the child has no pid
 * there: choose the first task, among those that the parent started then, that
 * has no node. */
static uint32_t find_started(const struct join *j, uint32_t task,
			     int64_t start_ns)
{
	const struct tr2_model *m = j->m;
	uint32_t i = j->first_task[task], tries;

	for (tries = 0; i && tries < MAX_CANDIDATES; tries++) {
		const struct tr2_model_task *t = &m->tasks[i];

		if (!t->node && t->flags & TR2_TASK_EXECED &&
		    t->start_ns != TR2_NO_TIME &&
		    t->start_ns >= start_ns - SLOP_NS)
			return i;
		i = j->next_task[i];
	}
	return 0;
}

static void join_open_spans(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i, task;

	for (i = 1; i < m->nr_nodes; i++) {
		struct tr2_node *n = &m->nodes[i];

		if (n->session || n->task || !n->child || n->pid > 0 ||
		    !(m->spans[m->children[n->child].span].flags &
		      TR2_SPAN_OPEN))
			continue;
		task = m->nodes[n->parent].task;
		task = task ? find_started(j, task, early_start(m, n)) : 0;
		if (task)
			set_task(m, i, task);
	}
}

/* A child span without a pid was given to the session that fits. If the kernel
 * knows a process in between (a shell), the span belongs to that process. */
static void hand_to_shells(struct tr2_model *m)
{
	uint32_t i, up, child;

	for (i = 1; i < m->nr_nodes; i++) {
		child = m->nodes[i].child;
		up = m->nodes[i].parent;
		if (!child || m->children[child].pid > 0 || !up ||
		    !m->nodes[up].task || m->nodes[up].session ||
		    m->nodes[up].child ||
		    m->nodes[up].parent !=
			    m->sessions[session_of_child(m, child)].node)
			continue;
		m->nodes[up].child = child;
		m->children[child].node = up;
		m->nodes[i].child = 0;
	}
}

static void join_tasks(struct join *j)
{
	struct tr2_model *m = j->m;
	uint32_t i, node;

	if (m->nr_tasks < 2)
		return;
	map_nodes(j);
	order_tasks(j);
	for (i = 1; i < m->nr_tasks; i++) {
		node = node_of_task(j, &m->tasks[i]);
		if (node)
			set_task(m, node, i);
	}
	join_forked(j);
	join_open_spans(j);
	for (i = 1; i < m->nr_tasks; i++)
		if (!m->tasks[i].node)
			set_task(m, new_node(j, 0, TR2_JOIN_ROOT), i);
	for (i = 1; i < m->nr_tasks; i++)
		reparent(m, i);
	hand_to_shells(m);
}

void tr2_model_join(struct tr2_model *m)
{
	struct join j = { .m = m };

	tr2_model_end_sessions(m);
	find_parents(m);
	order_sessions(&j);
	order_children(&j);
	map_pids(&j);
	join_sessions(&j);
	join_spans(&j);
	join_tasks(&j);
	free(j.order);
	free(j.first);
	free(j.sessions);
	free(j.node_of_pid_next);
	free(j.first_task);
	free(j.next_task);
	tr2_map_release(&j.by_pid);
	tr2_map_release(&j.nodes_by_pid);
}
