/* SPDX-License-Identifier: MIT */
/*
 * join_tasks - join the kernel's tasks with the nodes of their processes, make
 * nodes for the other tasks, and replace guessed parents by the parents in the
 * kernel's records.
 */
#include <stdlib.h>
#include <string.h>

#include "model/join/join_private.h"

/* A daemon forks at most this many times in a row. */
#define MAX_FORKS 3

/* The kernel cuts a comm after this number of bytes. */
#define COMM_MAX 15

/* The trace of a shell has times in hundredths of a second. */
#define COARSE_NS (10 * TR2_SLOP_NS)

struct task_nodes {
	struct tr2_model *m;
	uint32_t *node_of_pid_next; /* by node: the next node with the same
				     * pid */
	struct tr2_map nodes_by_pid;
	uint32_t *task_of_pid_next; /* by task: the next task with the same
				     * pid */
	struct tr2_map tasks_by_pid;
	/* by task: the first task that this task started, and the next task of
	 * the same parent */
	uint32_t *first_task, *next_task;
};

static void map_nodes(struct task_nodes *j)
{
	const struct tr2_model *m = j->m;
	uint32_t i, *slot;

	j->node_of_pid_next = tr2_calloc(m->nr_nodes, sizeof(uint32_t));
	for (i = 1; i < m->nr_nodes; i++) {
		if (m->nodes[i].pid <= 0)
			continue;
		slot = tr2_map_slot(&j->nodes_by_pid,
				    (uint32_t)m->nodes[i].pid);
		j->node_of_pid_next[i] = *slot;
		*slot = i;
	}
}

/* Return the task's pid in its own pid namespace: the program's session id
 * contains this pid. */
static uint32_t pid_in_sid(const struct tr2_model_task *t)
{
	return (uint32_t)(t->own_pid ? t->own_pid : t->pid);
}

static void map_tasks(struct task_nodes *j)
{
	const struct tr2_model *m = j->m;
	uint32_t i, *slot;

	j->task_of_pid_next = tr2_calloc(m->nr_tasks, sizeof(uint32_t));
	for (i = 1; i < m->nr_tasks; i++) {
		slot = tr2_map_slot(&j->tasks_by_pid, pid_in_sid(&m->tasks[i]));
		j->task_of_pid_next[i] = *slot;
		*slot = i;
	}
}

/* Return when a node began, as far as known before the nodes have times. */
static int64_t early_start(const struct tr2_model *m, const struct tr2_node *n)
{
	const struct tr2_span *span;

	if (n->session)
		return m->sessions[n->session].wall_ns;
	span = &m->spans[m->children[n->child].span];
	return m->sessions[m->threads[span->thread].session].wall_ns +
	       span->start_ns;
}

/* May the kernel's task be the process of the node with the same pid? The
 * node's child span begins before the fork; on a busy machine, long before. */
static bool fits_task(const struct tr2_model *m, const struct tr2_node *n,
		      const struct tr2_model_task *t)
{
	int64_t start = early_start(m, n);
	int64_t begun_ns = t->begun_ns ? t->begun_ns : t->start_ns;
	int64_t slop_ns = n->session ? COARSE_NS : TR2_SLOP_NS;
	const struct tr2_span *span = &m->spans[m->children[n->child].span];

	if (t->end_ns != TR2_NO_TIME && start > t->end_ns + slop_ns)
		return false;
	if (t->start_ns == TR2_NO_TIME)
		return true;
	if (n->session)
		return start >= begun_ns - slop_ns;
	return t->start_ns >= start - TR2_SLOP_NS &&
	       (span->flags & TR2_SPAN_OPEN ||
		t->start_ns <=
			start + span->end_ns - span->start_ns + TR2_SLOP_NS);
}

/* Did the task run the program of the session? In other pid namespaces, several
 * processes have one pid at the same time. */
static bool fits_command(const struct tr2_model *m, const struct tr2_node *n,
			 const struct tr2_model_task *t)
{
	const struct tr2_words *argv = n->session ?
		&m->sessions[n->session].argv : &m->children[n->child].argv;
	uint32_t i;

	for (i = t->first_segment; i; i = m->segments[i].next)
		if (argv->nr && m->segments[i].argv.nr &&
		    !strcmp(tr2_base_name(argv->text),
			    tr2_base_name(m->segments[i].argv.text)))
			return true;
	return false;
}

/* Return how far the start of a node is outside of a task's life. For a child
 * span, return how far its start is from the task's start. */
static int64_t how_far(const struct tr2_model *m, const struct tr2_node *n,
		       const struct tr2_model_task *t)
{
	int64_t start = early_start(m, n);
	int64_t begun_ns = t->begun_ns ? t->begun_ns : t->start_ns;

	if (t->start_ns == TR2_NO_TIME)
		return t->end_ns != TR2_NO_TIME && start > t->end_ns ?
			       start - t->end_ns : 0;
	if (!n->session)
		return t->start_ns > start ? t->start_ns - start :
					     start - t->start_ns;
	if (start < begun_ns)
		return begun_ns - start;
	return t->end_ns != TR2_NO_TIME && start > t->end_ns ?
		       start - t->end_ns : 0;
}

/* Does no other task of the pid fit the node better? A pid may soon be used
 * again. */
static bool is_nearest(const struct task_nodes *j, const struct tr2_node *n,
		       const struct tr2_model_task *t)
{
	const struct tr2_model *m = j->m;
	uint32_t i = tr2_map_get(&j->tasks_by_pid, pid_in_sid(t));
	int64_t far_ns = how_far(m, n, t);

	for (; i; i = j->task_of_pid_next[i])
		if (!m->tasks[i].node && fits_task(m, n, &m->tasks[i]) &&
		    how_far(m, n, &m->tasks[i]) < far_ns)
			return false;
	return true;
}

/* Find the node with this task's pid that began while the task lived, or whose
 * start is nearest to the task's life. */
static uint32_t node_of_task(const struct task_nodes *j,
			     const struct tr2_model_task *t)
{
	const struct tr2_model *m = j->m;
	uint32_t i = tr2_map_get(&j->nodes_by_pid, pid_in_sid(t)), best = 0;

	for (; i; i = j->node_of_pid_next[i]) {
		const struct tr2_node *n = &m->nodes[i];

		if (!n->task && fits_task(m, n, t) &&
		    (!t->own_pid || fits_command(m, n, t)) &&
		    is_nearest(j, n, t) &&
		    (!best || how_far(m, n, t) <
				      how_far(m, &m->nodes[best], t)))
			best = i;
	}
	return best;
}

/* Move the task's node below the parent that the kernel recorded: this record
 * replaces every guess. */
static void reparent(struct tr2_model *m, uint32_t task)
{
	const struct tr2_model_task *t = &m->tasks[task];
	uint32_t parent = t->parent ? m->tasks[t->parent].node : 0;

	if (!parent || !t->node)
		return;
	m->nodes[t->node].parent = parent;
	m->nodes[t->node].join = TR2_JOIN_TASK;
}

/* Drop one guessed parent in a circle of parents. There is one, since the
 * kernel's records alone form no circle. */
static void drop_guess(struct tr2_model *m, uint32_t node)
{
	while (m->nodes[node].join == TR2_JOIN_TASK)
		node = m->nodes[node].parent;
	m->nodes[node].parent = 0;
	m->nodes[node].join = TR2_JOIN_ROOT;
}

/* Break all circles of parents. Look at each node only once, whatever its
 * depth. */
static void break_circles(struct tr2_model *m)
{
	uint32_t *seen_from = tr2_calloc(m->nr_nodes, sizeof(*seen_from));
	uint32_t i, node;

	for (i = 1; i < m->nr_nodes; i++) {
		for (node = i; node && !seen_from[node];
		     node = m->nodes[node].parent)
			seen_from[node] = i;
		if (node && seen_from[node] == i)
			drop_guess(m, node);
	}
	free(seen_from);
}

static void set_task(struct tr2_model *m, uint32_t node, uint32_t task)
{
	m->nodes[node].task = task;
	m->nodes[node].pid = m->tasks[task].pid;
	m->tasks[task].node = node;
}

/* List tasks by the task that started them, in the order of their starts. */
static void order_tasks(struct task_nodes *j)
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
 * lived from from_ns to to_ns; 0: none. */
static uint32_t find_forked(const struct task_nodes *j, uint32_t task,
			    int64_t from_ns, int64_t to_ns, int depth)
{
	const struct tr2_model *m = j->m;
	uint32_t i = j->first_task[task], tries, found = 0;

	for (tries = 0; i && !found && tries < TR2_MAX_CANDIDATES; tries++) {
		const struct tr2_model_task *t = &m->tasks[i];

		if (!m->segments[t->last_segment].exec && !t->node) {
			if (lived(t, from_ns + TR2_SLOP_NS,
				  to_ns - TR2_SLOP_NS))
				found = i;
			else if (depth < MAX_FORKS)
				found = find_forked(j, i, from_ns, to_ns,
						    depth + 1);
		}
		i = j->next_task[i];
	}
	return found;
}

/* Find the tasks of forked processes that kept their parent's SID, since their
 * streams do not contain their pid. */
static void join_forked(struct task_nodes *j)
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

static bool ran_program(const struct tr2_model *m,
			const struct tr2_model_task *t, const char *name)
{
	uint32_t i;

	for (i = t->first_segment; i; i = m->segments[i].next)
		if (m->segments[i].exec &&
		    !strncmp(tr2_s(m, m->segments[i].comm), name, COMM_MAX))
			return true;
	return false;
}

/* Find the only task without a node that ran the program of a session, and
 * lived all of the session's time; 0: none, or several. */
static uint32_t find_by_program(const struct tr2_model *m,
				const struct tr2_model_session *s)
{
	const char *name = tr2_base_name(s->argv.text);
	uint32_t i, found = 0;

	for (i = 1; i < m->nr_tasks; i++) {
		const struct tr2_model_task *t = &m->tasks[i];

		if (t->node || !lived(t, s->wall_ns + s->start_ns,
				      s->wall_ns + s->end_ns) ||
		    !ran_program(m, t, name))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/* Find the tasks of processes in other pid namespaces. A session has the pid in
 * such a namespace; the recorder does not know that pid if the process ended
 * before the recorder could read it. */
static void join_strangers(struct tr2_model *m)
{
	uint32_t i, task;

	for (i = 1; i < m->nr_nodes; i++) {
		const struct tr2_node *n = &m->nodes[i];

		if (n->task || !n->session || n->pid <= 0 ||
		    !m->sessions[n->session].argv.nr ||
		    m->sessions[n->session].flags & TR2_SESSION_NO_CLOCK)
			continue;
		task = find_by_program(m, &m->sessions[n->session]);
		if (task)
			set_task(m, i, task);
	}
}

/* Choose the first task without a node that the parent started at this time. If
 * the parent ended before the child, the parent's events do not contain the
 * child's pid. */
static uint32_t find_started(const struct task_nodes *j, uint32_t task,
			     int64_t start_ns)
{
	const struct tr2_model *m = j->m;
	uint32_t i = j->first_task[task], tries;

	for (tries = 0; i && tries < TR2_MAX_CANDIDATES; tries++) {
		const struct tr2_model_task *t = &m->tasks[i];

		if (!t->node && m->segments[t->last_segment].exec &&
		    t->start_ns != TR2_NO_TIME &&
		    t->start_ns >= start_ns - TR2_SLOP_NS)
			return i;
		i = j->next_task[i];
	}
	return 0;
}

static void join_open_spans(struct task_nodes *j)
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

/* A child span without a pid was joined with the session that fits. If the
 * kernel knows a process in between, such as a shell, join the span with that
 * process. */
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
			    m->sessions[tr2_session_of_child(m, child)].node)
			continue;
		m->nodes[up].child = child;
		m->children[child].node = up;
		m->nodes[i].child = 0;
	}
}

void tr2_join_tasks(struct tr2_model *m)
{
	struct task_nodes j = { .m = m };
	uint32_t i, node;

	if (m->nr_tasks < 2)
		return;
	map_nodes(&j);
	map_tasks(&j);
	order_tasks(&j);
	for (i = 1; i < m->nr_tasks; i++) {
		node = node_of_task(&j, &m->tasks[i]);
		if (node)
			set_task(m, node, i);
	}
	join_forked(&j);
	join_open_spans(&j);
	join_strangers(m);
	for (i = 1; i < m->nr_tasks; i++)
		if (!m->tasks[i].node)
			set_task(m, tr2_new_node(m, 0, TR2_JOIN_ROOT), i);
	for (i = 1; i < m->nr_tasks; i++)
		reparent(m, i);
	break_circles(m);
	hand_to_shells(m);
	free(j.node_of_pid_next);
	free(j.task_of_pid_next);
	free(j.first_task);
	free(j.next_task);
	tr2_map_release(&j.nodes_by_pid);
	tr2_map_release(&j.tasks_by_pid);
}
