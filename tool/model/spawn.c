/* SPDX-License-Identifier: MIT */
/*
 * spawn - the cost of starting and reaping a process: the time in which its
 * parent waited for that and nothing else was known to run.
 *
 *	parent   child_start ......................... child_exit
 *	child            version ............ exit
 *	spawning |-------|                        |----|
 *
 * Before the child's own start, the parent waits until its thread emits another
 * event; time after that event is the parent's own. After the child's end, the
 * parent waited only if its thread emits no event before child_exit. If it
 * does, it was not waiting when the child ended: the child of a long
 * conversation (upload-pack) may be dead long before it is reaped. Time in
 * which another child of the same process ran does not count: it would have
 * passed without the spawning, too. Children that mostly idle (pagers, filter
 * processes, processes left in the background) are not counted as running.
 *
 * So the sum is never more than the time lost to spawning, and intervals of one
 * thread never overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/private.h"

/* How many levels up from a span an open region is searched. */
#define MAX_UP 64

struct interval {
	int64_t from, to;
};

struct intervals {
	struct interval *item;
	uint32_t nr, alloc;
};

/* A child span, its process, and the next event of its thread after its begin
 * and after its process's end. All times are wall. */
struct wait {
	uint32_t parent, thread; /* the node and the thread that started it */
	uint32_t node;           /* 0: its times are unknown */
	int64_t start_ns, end_ns;         /* by its parent */
	int64_t own_start_ns, own_end_ns; /* by itself */
	int64_t after_start_ns, after_end_ns;
};

/* When is the first event of the thread after `at_ns`? */
struct query {
	int64_t at_ns;
	int64_t *answer;
};

struct spawn {
	struct tr2_model *m;
	struct wait *waits; /* by parent, thread, start */
	uint32_t nr;
	struct query *queries; /* of one thread */
	int64_t *ends;         /* of the child spans of one thread */
	struct intervals running; /* when children of one process ran */
	struct intervals pieces;  /* all time spent on spawning */
};

static void add_interval(struct intervals *list, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	tr2_grow(list->item, list->nr, list->alloc);
	list->item[list->nr++] = (struct interval){ from, to };
}

/* Is its end known, not only its last event? */
static bool has_end(const struct tr2_model *m, const struct tr2_node *n)
{
	const struct tr2_model_session *s =
		&m->sessions[tr2_last_session(m, n->session)];

	if (n->task && m->tasks[n->task].end_ns != TR2_NO_TIME)
		return true;
	return n->session && n->end != TR2_END_OPEN && !s->end_by &&
	       s->end != TR2_END_EXEC;
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

	return c->node && n->child == child && !c->ready &&
	       !(span->flags & TR2_SPAN_OPEN) && has_end(m, n) &&
	       !(flags & (TR2_SESSION_NO_CLOCK | TR2_SESSION_CLOCK_STEP));
}

/* Return when it began to run its own program, as far as the kernel knows. */
static int64_t program_start(const struct tr2_model *m,
			     const struct tr2_node *n)
{
	uint32_t i;

	tr2_for_each_segment(m, n->task, i)
		if (m->segments[i].exec)
			return m->segments[i].start_ns;
	return n->start_ns;
}

static void fill_wait(const struct tr2_model *m, struct wait *w, uint32_t child)
{
	const struct tr2_child *c = &m->children[child];
	const struct tr2_span *span = &m->spans[c->span];
	const struct tr2_model_session *by =
		&m->sessions[m->threads[span->thread].session];
	const struct tr2_node *n = &m->nodes[c->node];

	w->parent = by->node;
	w->thread = span->thread;
	w->start_ns = by->wall_ns + span->start_ns;
	w->end_ns = span->flags & TR2_SPAN_OPEN ? INT64_MAX :
						  by->wall_ns + span->end_ns;
	if (!is_known(m, child))
		return;
	w->node = c->node;
	w->own_start_ns = program_start(m, n);
	if (w->own_start_ns < w->start_ns)
		w->own_start_ns = w->start_ns;
	w->own_end_ns = n->end_ns;
	if (w->own_end_ns < w->own_start_ns)
		w->own_end_ns = w->own_start_ns;
}

static int compare_waits(const void *va, const void *vb)
{
	const struct wait *a = va, *b = vb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void list_waits(struct spawn *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	x->waits = tr2_calloc(m->nr_children, sizeof(*x->waits));
	x->ends = tr2_calloc(m->nr_children, sizeof(*x->ends));
	x->queries = tr2_calloc(m->nr_children, 2 * sizeof(*x->queries));
	for (i = 1; i < m->nr_children; i++)
		if (m->spans[m->children[i].span].kind == TR2_SPAN_CHILD)
			fill_wait(m, &x->waits[x->nr++], i);
	qsort(x->waits, x->nr, sizeof(*x->waits), compare_waits);
}

static int compare_ns(const void *va, const void *vb)
{
	int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

	return a < b ? -1 : a > b;
}

static int compare_queries(const void *va, const void *vb)
{
	const struct query *a = va, *b = vb;

	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* Return the earliest end of the regions open at that time, which is the end of
 * the innermost; `i` is the last span that began before. */
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

/* Answer queries in the order of time, in one pass over the thread's spans,
 * points and ends of children. */
static void answer(const struct spawn *x, uint32_t thread, size_t nr_queries,
		   size_t nr_ends)
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
		while (e < nr_ends && x->ends[e] <= x->queries[i].at_ns)
			e++;
		next = region_end_after(m, before, at);
		if (span)
			next = earlier(next, m->spans[span].start_ns);
		if (point)
			next = earlier(next, m->points[point].at_ns);
		next = next == INT64_MAX ? next : next + wall;
		*x->queries[i].answer = e < nr_ends ?
						earlier(next, x->ends[e]) :
						next;
	}
}

static void look_at_thread(struct spawn *x, struct wait *w, uint32_t nr)
{
	size_t nr_queries = 0, nr_ends = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (w[i].end_ns != INT64_MAX)
			x->ends[nr_ends++] = w[i].end_ns;
		if (!w[i].node)
			continue;
		x->queries[nr_queries++] = (struct query){
			w[i].start_ns, &w[i].after_start_ns };
		x->queries[nr_queries++] = (struct query){
			w[i].own_end_ns, &w[i].after_end_ns };
	}
	if (!nr_queries)
		return;
	qsort(x->ends, nr_ends, sizeof(*x->ends), compare_ns);
	qsort(x->queries, nr_queries, sizeof(*x->queries), compare_queries);
	answer(x, w->thread, nr_queries, nr_ends);
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

/* Return when it ran for certain. If only its parent reported it, that is the
 * time of its own children. */
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

static int compare_intervals(const void *va, const void *vb)
{
	const struct interval *a = va, *b = vb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sort intervals and merge those that touch. */
static void merge(struct intervals *list)
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
	merge(&x->running);
}

/* Count [from, to) as spawning, except when other children ran. */
static void add_spawning(struct spawn *x, int64_t from, int64_t to, int64_t *sum)
{
	const struct intervals *r = &x->running;
	uint32_t low = 0, high = r->nr, mid;

	while (low < high) { /* find the first that ends after `from` */
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

static void set_spawn(struct spawn *x, const struct wait *w)
{
	struct tr2_node *n = &x->m->nodes[w->node];
	int64_t started = earlier(w->own_start_ns, w->after_start_ns);

	n->spawn_ns = 0;
	n->reaped_late = w->after_end_ns < w->end_ns;
	add_spawning(x, w->start_ns, earlier(started, w->end_ns), &n->spawn_ns);
	if (!n->reaped_late)
		add_spawning(x, w->own_end_ns, w->end_ns, &n->spawn_ns);
}

static void set_all(struct spawn *x)
{
	struct wait *w = x->waits, *end = x->waits + x->nr, *of_thread;
	uint32_t parent = 0;

	for (; w < end; w++) {
		if (w == x->waits || w[-1].thread != w->thread) {
			for (of_thread = w; of_thread < end &&
			     of_thread->thread == w->thread; of_thread++)
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

/* Sum the pieces within the time of the roots; the rest belongs to processes
 * left in the background. Both lists are sorted. */
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
	merge(&x->running);
}

void tr2_model_spawn(struct tr2_model *m)
{
	struct spawn x = { .m = m };
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++)
		m->nodes[i].spawn_ns = TR2_NO_TIME;
	list_waits(&x);
	set_all(&x);
	list_roots(&x);
	merge(&x.pieces);
	m->spawning_ns = sum_in_roots(&x);
	free(x.waits);
	free(x.ends);
	free(x.queries);
	free(x.running.item);
	free(x.pieces.item);
}
