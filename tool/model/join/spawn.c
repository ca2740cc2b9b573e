/* SPDX-License-Identifier: MIT */
/*
 * spawn - compute the cost of starting and reaping a process: the time in which
 * its parent waited for its start or its reaping, and no other child ran.
 *
 *	parent   child_start, fork ......................... child_exit
 *	child                  exec ................ end
 *	spawning            |--|                        |----|
 *
 * If the states of the parent's thread are known, two intervals count. First,
 * the time from the fork to the exec in which the thread waited for the child,
 * as after vfork(). Second, the time from the child's end until the thread has
 * a CPU again, if the thread waited for the child. The thread waited for the
 * child if the child ended the wait.
 *
 * If the states are unknown, the time of the start is from the fork to the
 * exec, or from child_start to the child's first event. It ends earlier if the
 * parent's thread emits another event or forks again, since the thread no
 * longer waits then. The time of the end is from the child's end to child_exit,
 * unless the thread emits an event in between. Such a thread did not wait: the
 * child of a long conversation (upload-pack) may be dead long before it is
 * reaped. Without child_exit, no time at the end counts.
 *
 * In both cases, the start also ends when the child forks before it calls exec:
 * the child already works.
 *
 * Time in which another child of the same process ran does not count: it would
 * have passed without the spawning, too. Children that mostly idle (pagers,
 * filter processes, processes left in the background) do not count as running.
 *
 * So the sum is never more than the time lost to spawning, and intervals of one
 * thread never overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/order.h"
#include "model/private.h"
#include "model/states.h"

/* Search this number of levels up from a span for an open region. */
#define MAX_UP 64

struct interval {
	int64_t from, to;
};

struct intervals {
	struct interval *item;
	uint32_t nr, alloc;
};

/* A child span, or a fork without a child span. after_start_ns: the starting
 * thread's next event after the start; after_end_ns: the same thread's next
 * event after the end of the started process. All times are wall times. */
struct wait {
	uint32_t parent; /* the node that started the child */
	uint32_t thread; /* the thread that started the child; 0: the thread is
			  * in no session */
	uint32_t node;   /* the child; 0: its times are unknown */
	bool has_span;
	int64_t start_ns; /* the fork, else child_start */
	int64_t end_ns;   /* child_exit; INT64_MAX: unknown */
	int64_t own_start_ns, own_end_ns; /* times between which the child ran
					   * its own program */
	int64_t after_start_ns, after_end_ns;
};

/* A question for the first event of the thread after at_ns. */
struct query {
	int64_t at_ns;
	int64_t *answer;
};

struct spawn {
	struct tr2_model *m;
	struct wait *waits; /* all waits, sorted by parent, thread and start */
	uint32_t nr, alloc;
	struct query *queries; /* queries about one thread */
	int64_t *marks;        /* ends of the thread's child spans, and its
				* forks without child spans */
	struct intervals running; /* times at which children of one process
				   * ran */
	struct intervals pieces;  /* all time spent on spawning */
};

/* Add an interval. Intervals mostly come in order. If an interval continues the
 * last one, extend the last one. */
static void add_interval(struct intervals *list, int64_t from, int64_t to)
{
	struct interval *last = list->nr ? &list->item[list->nr - 1] : NULL;

	if (to <= from)
		return;
	if (last && from >= last->from && from <= last->to) {
		if (to > last->to)
			last->to = to;
		return;
	}
	tr2_grow(list->item, list->nr, list->alloc);
	list->item[list->nr++] = (struct interval){ from, to };
}

/* Is the end of the node known, or only its last event? */
static bool has_end(const struct tr2_model *m, const struct tr2_node *n)
{
	const struct tr2_model_session *s =
		&m->sessions[tr2_last_session(m, n->session)];

	if (n->task && m->tasks[n->task].end_ns != TR2_NO_TIME)
		return true;
	return n->session && n->end != TR2_END_OPEN && !s->end_by &&
	       s->end != TR2_END_EXEC;
}

static bool has_fork(const struct tr2_model *m, const struct tr2_node *n)
{
	return n->task && m->tasks[n->task].start_ns != TR2_NO_TIME;
}

/* Do parent and child have comparable times, and an end? */
static bool is_known(const struct tr2_model *m, uint32_t child)
{
	const struct tr2_child *c = &m->children[child];
	const struct tr2_span *span = &m->spans[c->span];
	const struct tr2_node *n = &m->nodes[c->node];
	uint32_t by = m->threads[span->thread].session;
	unsigned int flags = m->sessions[by].flags |
			     m->sessions[n->session].flags;

	return c->node && n->child == child && has_end(m, n) &&
	       (has_fork(m, n) ||
		!(c->ready || span->flags & TR2_SPAN_OPEN)) &&
	       !(flags & (TR2_SESSION_NO_CLOCK | TR2_SESSION_CLOCK_STEP));
}

/* Return the time at which the process began to do more than start its program:
 * its exec or, without an exec, its start. If its first child started earlier,
 * return that child's start. */
static int64_t program_start(const struct tr2_model *m,
			     const struct tr2_node *n)
{
	int64_t start_ns = n->start_ns;
	uint32_t i;

	tr2_for_each_segment(m, n->task, i)
		if (m->segments[i].exec) {
			start_ns = m->segments[i].start_ns;
			break;
		}
	return n->first && m->nodes[n->first].start_ns < start_ns ?
		       m->nodes[n->first].start_ns : start_ns;
}

static void fill_own(const struct tr2_model *m, struct wait *w, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];

	w->node = node;
	if (has_fork(m, n) && n->start_ns > w->start_ns)
		w->start_ns = n->start_ns;
	w->own_start_ns = program_start(m, n);
	if (w->own_start_ns < w->start_ns)
		w->own_start_ns = w->start_ns;
	w->own_end_ns = n->end_ns;
	if (w->own_end_ns < w->own_start_ns)
		w->own_end_ns = w->own_start_ns;
}

static void fill_span(const struct tr2_model *m, struct wait *w, uint32_t child)
{
	const struct tr2_child *c = &m->children[child];
	const struct tr2_span *span = &m->spans[c->span];
	const struct tr2_model_session *by =
		&m->sessions[m->threads[span->thread].session];

	w->parent = by->node;
	w->thread = span->thread;
	w->has_span = true;
	w->start_ns = by->wall_ns + span->start_ns;
	w->end_ns = span->flags & TR2_SPAN_OPEN ? INT64_MAX :
						  by->wall_ns + span->end_ns;
	if (is_known(m, child))
		fill_own(m, w, c->node);
}

/* Fill in a fork that only the kernel recorded: take the first thread of the
 * program that forked. */
static void fill_fork(const struct tr2_model *m, struct wait *w, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	uint32_t s, by = 0;

	for (s = m->nodes[n->parent].session; s;
	     s = m->sessions[s].next_of_node)
		if (!by || m->sessions[s].wall_ns + m->sessions[s].start_ns <=
				   n->start_ns)
			by = s;
	w->parent = n->parent;
	w->thread = m->sessions[by].first_thread;
	w->start_ns = n->start_ns;
	w->end_ns = INT64_MAX;
	fill_own(m, w, node);
}

TR2_ORDER(compare_waits, struct wait,
	  TR2_UP(parent) ?: TR2_UP(thread) ?: TR2_UP(start_ns))

static struct wait *add_wait(struct spawn *x)
{
	tr2_grow(x->waits, x->nr, x->alloc);
	memset(&x->waits[x->nr], 0, sizeof(*x->waits));
	return &x->waits[x->nr++];
}

static void list_waits(struct spawn *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	for (i = 1; i < m->nr_children; i++)
		if (m->spans[m->children[i].span].kind == TR2_SPAN_CHILD)
			fill_span(m, add_wait(x), i);
	for (i = 1; i < m->nr_nodes; i++) {
		const struct tr2_node *n = &m->nodes[i];

		if (!n->child && n->parent && has_fork(m, n) && has_end(m, n))
			fill_fork(m, add_wait(x), i);
	}
	if (x->nr)
		qsort(x->waits, x->nr, sizeof(*x->waits), compare_waits);
	x->marks = tr2_calloc(x->nr, sizeof(*x->marks));
	x->queries = tr2_calloc(x->nr, 2 * sizeof(*x->queries));
}

TR2_ORDER(compare_ns, int64_t, tr2_order(*a, *b))

TR2_ORDER(compare_queries, struct query, TR2_UP(at_ns))

/* Return the earliest end of the regions that are open at this time: the end of
 * the innermost one. `i` is the last span that began before at_ns. */
static int64_t region_end_after(const struct tr2_model *m, uint32_t i,
				int64_t at_ns)
{
	const struct tr2_span *s;
	int up;

	for (up = 0; i && up < MAX_UP; up++, i = s->parent) {
		s = &m->spans[i];
		if (s->kind == TR2_SPAN_REGION && s->end_ns > at_ns)
			return s->flags & TR2_SPAN_OPEN ? INT64_MAX : s->end_ns;
	}
	return INT64_MAX;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Answer the queries in the order of time, in one pass over the thread's spans
 * and points, and over x->marks. */
static void answer(const struct spawn *x, uint32_t thread, size_t nr_queries,
		   size_t nr_marks)
{
	const struct tr2_model *m = x->m;
	const struct tr2_model_thread *t = &m->threads[thread];
	int64_t wall = m->sessions[t->session].wall_ns, at, next;
	uint32_t span = t->first_span, before = 0, point = t->first_point;
	size_t i, e = 0;

	for (i = 0; i < nr_queries; i++) {
		at = x->queries[i].at_ns - wall;
		for (; span && m->spans[span].start_ns <= at;
		     span = m->spans[span].next)
			before = span;
		while (point && m->points[point].at_ns <= at)
			point = m->points[point].next;
		while (e < nr_marks && x->marks[e] <= x->queries[i].at_ns)
			e++;
		next = region_end_after(m, before, at);
		if (span)
			next = earlier(next, m->spans[span].start_ns);
		if (point)
			next = earlier(next, m->points[point].at_ns);
		next = next == INT64_MAX ? next : next + wall;
		*x->queries[i].answer = e < nr_marks ?
						earlier(next, x->marks[e]) :
						next;
	}
}

static void look_at_thread(struct spawn *x, struct wait *w, uint32_t nr)
{
	size_t nr_queries = 0, nr_marks = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (!w[i].has_span)
			x->marks[nr_marks++] = w[i].start_ns;
		else if (w[i].end_ns != INT64_MAX)
			x->marks[nr_marks++] = w[i].end_ns;
		if (!w[i].node)
			continue;
		x->queries[nr_queries++] = (struct query){
			w[i].start_ns, &w[i].after_start_ns };
		x->queries[nr_queries++] = (struct query){
			w[i].own_end_ns, &w[i].after_end_ns };
	}
	if (!nr_queries)
		return;
	if (nr_marks)
		qsort(x->marks, nr_marks, sizeof(*x->marks), compare_ns);
	qsort(x->queries, nr_queries, sizeof(*x->queries), compare_queries);
	answer(x, w->thread, nr_queries, nr_marks);
}

/* Does the child mostly wait for its parent? */
static bool is_idle(const struct tr2_model *m, const struct tr2_node *n)
{
	static const char *const classes[] = { "pager", "subprocess",
					       "background" };
	const struct tr2_child *c = &m->children[n->child];
	size_t i;

	if (c->ready || m->sessions[n->session].flags & TR2_SESSION_FORKED)
		return true;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(tr2_s(m, c->child_class), classes[i]))
			return true;
	return false;
}

/* Return the interval in which the process certainly ran. If only its parent
 * reported the process, return the time of its own children. */
static struct interval ran(const struct tr2_model *m, const struct tr2_node *n)
{
	struct interval r = { program_start(m, n), n->end_ns };
	uint32_t i;

	if (n->session || n->task)
		return r;
	r.from = r.to = n->first ? m->nodes[n->first].start_ns : n->start_ns;
	for (i = n->first; i; i = m->nodes[i].next)
		if (m->nodes[i].end_ns > r.to)
			r.to = m->nodes[i].end_ns;
	return r;
}

TR2_ORDER(compare_intervals, struct interval, TR2_UP(from))

/* Sort intervals and merge those that touch. */
static void merge_intervals(struct intervals *list)
{
	uint32_t i, nr = 0;

	if (list->nr)
		qsort(list->item, list->nr, sizeof(*list->item),
		      compare_intervals);
	for (i = 0; i < list->nr; i++) {
		struct interval *last = nr ? &list->item[nr - 1] : NULL;

		if (!last || list->item[i].from > last->to)
			list->item[nr++] = list->item[i];
		else if (list->item[i].to > last->to)
			last->to = list->item[i].to;
	}
	list->nr = nr;
}

static void list_running(struct spawn *x, uint32_t parent)
{
	const struct tr2_model *m = x->m;
	struct interval r;
	uint32_t i;

	x->running.nr = 0;
	tr2_for_each_child_node(m, parent, i) {
		if (is_idle(m, &m->nodes[i]))
			continue;
		r = ran(m, &m->nodes[i]);
		add_interval(&x->running, r.from, r.to);
	}
	merge_intervals(&x->running);
}

/* Count [from, to) as spawning, except for times at which other children
 * ran. */
static void add_spawning(struct spawn *x, int64_t from, int64_t to,
			 int64_t *sum)
{
	const struct intervals *r = &x->running;
	uint32_t low = 0, high = r->nr, mid;

	while (low < high) { /* find the first interval that ends after
			      * `from` */
		mid = low + (high - low) / 2;
		if (r->item[mid].to > from)
			high = mid;
		else
			low = mid + 1;
	}
	while (from < to) {
		int64_t end = low < r->nr ? earlier(r->item[low].from, to) : to;

		if (end > from)
			*sum += end - from;
		add_interval(&x->pieces, from, end);
		from = low < r->nr ? r->item[low++].to : to;
	}
}

/* Return the time at which a parent without a session called exec or ended. */
static int64_t parent_left(const struct tr2_model *m, const struct wait *w)
{
	const struct tr2_node *n = &m->nodes[w->parent];
	uint32_t i;

	tr2_for_each_segment(m, w->thread ? 0 : n->task, i)
		if (m->segments[i].start_ns > w->start_ns)
			return m->segments[i].start_ns;
	return n->end_ns;
}

/* Return the task thread that forked the process of a node; 0: the thread, or
 * its states, are unknown. */
static uint32_t forking_thread(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_model_task *task = &m->tasks[m->nodes[node].task];
	const struct tr2_task_thread *by;
	uint32_t thread = task->first_thread;

	if (!m->has_states || !thread)
		return 0;
	thread = m->task_threads[thread].creator;
	by = &m->task_threads[thread];
	return thread && by->nr_states && by->task == task->parent &&
	       !(by->flags & TR2_TASK_THREAD_LOST) ? thread : 0;
}

/* Was the wait for this process? Also accept a wait for a child if the process
 * that ended the wait is unknown. */
static bool is_for(const struct tr2_model *m, const struct tr2_state *s,
		   uint32_t task)
{
	if (s->kind != TR2_STATE_WAIT)
		return false;
	return s->other ? m->task_threads[s->other].task == task :
			  s->cause == TR2_CAUSE_child;
}

/* Cut an interval to the first part in which the thread waits for the process
 * `task`. Return false if there is no such part. */
static bool cut_to_wait(const struct tr2_model *m, uint32_t thread,
			uint32_t task, int64_t *from_ns, int64_t *to_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t i = tr2_state_at(m, thread, *from_ns);
	int64_t end_ns;

	for (; i && i < t->first_state + t->nr_states; i++) {
		if (m->states[i].start_ns >= *to_ns || *from_ns >= *to_ns)
			return false;
		if (!is_for(m, &m->states[i], task))
			continue;
		if (*from_ns < m->states[i].start_ns)
			*from_ns = m->states[i].start_ns;
		end_ns = tr2_state_end(m, thread, i);
		if (*to_ns > end_ns)
			*to_ns = end_ns;
		return true;
	}
	return false;
}

/* If a thread waits for the process at at_ns, return the time at which it has a
 * CPU again; else return at_ns. */
static int64_t returned_ns(const struct tr2_model *m, uint32_t thread,
			   uint32_t task, int64_t at_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t i = tr2_state_at(m, thread, at_ns);

	if (!i || !is_for(m, &m->states[i], task))
		return at_ns;
	for (; i < t->first_state + t->nr_states; i++)
		if (m->states[i].kind == TR2_STATE_RUN)
			return m->states[i].start_ns;
	return at_ns;
}

/* Set the times of a wait by the states of the thread that forked the child. */
static void set_by_states(struct spawn *x, const struct wait *w,
			  uint32_t thread)
{
	struct tr2_node *n = &x->m->nodes[w->node];
	int64_t from = w->start_ns, to = w->own_start_ns;

	for (; cut_to_wait(x->m, thread, n->task, &from, &to);
	     from = to, to = w->own_start_ns)
		add_spawning(x, from, to, &n->spawn_ns);
	to = returned_ns(x->m, thread, n->task, w->own_end_ns);
	add_spawning(x, w->own_end_ns, to, &n->spawn_ns);
}

static void set_spawn(struct spawn *x, const struct wait *w)
{
	struct tr2_node *n = &x->m->nodes[w->node];
	int64_t started = earlier(w->own_start_ns, w->after_start_ns);
	uint32_t thread = forking_thread(x->m, w->node);

	n->spawn_ns = 0;
	if (thread) {
		n->reaped_late = w->end_ns != INT64_MAX &&
				 w->after_end_ns < w->end_ns;
		set_by_states(x, w, thread);
		return;
	}
	started = earlier(started, parent_left(x->m, w));
	add_spawning(x, w->start_ns, earlier(started, w->end_ns), &n->spawn_ns);
	if (w->end_ns == INT64_MAX)
		return;
	n->reaped_late = w->after_end_ns < w->end_ns;
	if (!n->reaped_late)
		add_spawning(x, w->own_end_ns, w->end_ns, &n->spawn_ns);
}

static bool same_thread(const struct wait *a, const struct wait *b)
{
	return a->thread == b->thread && a->parent == b->parent;
}

static void set_all(struct spawn *x)
{
	struct wait *w = x->waits, *end = x->waits + x->nr, *of_thread;
	uint32_t parent = 0;

	for (; w < end; w++) {
		if (w == x->waits || !same_thread(w - 1, w)) {
			for (of_thread = w; of_thread < end &&
			     same_thread(of_thread, w); of_thread++)
				;
			look_at_thread(x, w, (uint32_t)(of_thread - w));
		}
		if (w->node && w->parent != parent) {
			parent = w->parent;
			list_running(x, parent);
		}
		if (w->node)
			set_spawn(x, w);
	}
}

/* Sum the pieces within the time of the roots. Other pieces belong to processes
 * that were left in the background. Both lists are sorted. */
static int64_t sum_in_roots(struct spawn *x)
{
	const struct intervals *p = &x->pieces, *r = &x->running;
	int64_t sum = 0, from, to;
	uint32_t i = 0, k = 0;

	while (i < p->nr && k < r->nr) {
		from = p->item[i].from > r->item[k].from ? p->item[i].from :
							   r->item[k].from;
		to = earlier(p->item[i].to, r->item[k].to);
		if (to > from)
			sum += to - from;
		if (p->item[i].to < r->item[k].to)
			i++;
		else
			k++;
	}
	return sum;
}

static void list_roots(struct spawn *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	x->running.nr = 0;
	tr2_for_each_root(m, i)
		add_interval(&x->running, m->nodes[i].start_ns,
			     m->nodes[i].end_ns);
	merge_intervals(&x->running);
}

void tr2_model_spawn(struct tr2_model *m)
{
	struct spawn x = { .m = m };
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++)
		m->nodes[i].spawn_ns = TR2_NO_TIME;
	list_waits(&x);
	if (x.nr)
		set_all(&x);
	list_roots(&x);
	merge_intervals(&x.pieces);
	m->spawning_ns = sum_in_roots(&x);
	free(x.waits);
	free(x.marks);
	free(x.queries);
	free(x.running.item);
	free(x.pieces.item);
}
