/* SPDX-License-Identifier: MIT */
/*
 * critical - see model/critical.h. A scope (a process outside its regions, a
 * region, a thread that was joined inside one) is walked from its end to its
 * start; what ended last before the moment at hand is walked in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "model/critical.h"
#include "model/private.h"

/* Deeper scopes count for the one around them. */
#define MAX_DEPTH 4000

/* Something inside a scope, in wall time. */
struct item {
	int64_t start_ns, end_ns;
	uint32_t node, span, thread; /* thread: joined inside the scope */
};

struct walk {
	const struct tr2_model *m;
	uint32_t *first, *next; /* spans inside a span, by start */
	struct tr2_step *steps;
	uint32_t nr, alloc;
	struct tr2_map by_owner; /* (node, category/label) to step + 1 */
	struct item *items; /* a stack: each scope's stand on top */
	uint32_t nr_items, alloc_items;
	unsigned int depth;
	bool failed;
};

static int64_t wall_of(const struct tr2_model *m, uint32_t thread)
{
	return m->sessions[m->threads[thread].session].wall_ns;
}

/* ---- what is in a scope ---------------------------------------------------------- */

static bool nest_spans(struct walk *w)
{
	const struct tr2_model *m = w->m;
	uint32_t *last = calloc(m->nr_spans, sizeof(*last)), i, p;

	w->first = calloc(m->nr_spans, sizeof(*w->first));
	w->next = calloc(m->nr_spans, sizeof(*w->next));
	if (last && w->first && w->next)
		for (i = 1; i < m->nr_spans; i++) {
			p = m->spans[i].parent;
			if (!p)
				continue;
			if (last[p])
				w->next[last[p]] = i;
			else
				w->first[p] = i;
			last[p] = i;
		}
	free(last);
	return last && w->first && w->next;
}

static void push(struct walk *w, const struct item *item, int64_t from,
		 int64_t to)
{
	struct item *new;

	if (item->start_ns >= to || item->end_ns <= from ||
	    item->end_ns <= item->start_ns)
		return;
	if (w->nr_items >= w->alloc_items &&
	    !tr2_array_grow((void **)&w->items, &w->alloc_items, w->nr_items,
			    sizeof(*w->items))) {
		w->failed = true;
		return;
	}
	new = &w->items[w->nr_items++];
	*new = *item;
	if (new->start_ns < from)
		new->start_ns = from;
	if (new->end_ns > to)
		new->end_ns = to;
}

static void push_node(struct walk *w, uint32_t node, int64_t from, int64_t to)
{
	const struct tr2_node *n = &w->m->nodes[node];
	struct item item = { n->start_ns, n->end_ns, node, 0, 0 };

	push(w, &item, from, to);
}

static void push_span(struct walk *w, uint32_t node, uint32_t span,
		      int64_t from, int64_t to)
{
	const struct tr2_model *m = w->m;
	const struct tr2_span *s = &m->spans[span];
	int64_t wall = wall_of(m, s->thread);
	struct item item = { wall + s->start_ns, wall + s->end_ns, node, span,
			     0 };

	if (s->kind == TR2_SPAN_CHILD && m->children[s->child].node)
		push_node(w, m->children[s->child].node, from, to);
	else if (s->kind == TR2_SPAN_REGION)
		push(w, &item, from, to);
}

/* The innermost region of main that a whole thread lies in. */
static uint32_t region_around(const struct walk *w, const struct tr2_thread *t)
{
	const struct tr2_model *m = w->m;
	uint32_t main = m->sessions[t->session].first_thread, found = 0, i;

	for (i = m->threads[main].first_span; i; i = m->spans[i].next) {
		const struct tr2_span *s = &m->spans[i];

		if (s->start_ns > t->start_ns)
			break;
		if (s->kind == TR2_SPAN_REGION && s->end_ns >= t->end_ns &&
		    s->parent == found)
			found = i;
	}
	return found;
}

static void push_threads(struct walk *w, uint32_t node, uint32_t session,
			 uint32_t region, int64_t from, int64_t to)
{
	const struct tr2_model *m = w->m;
	int64_t wall = m->sessions[session].wall_ns;
	uint32_t t = m->sessions[session].first_thread;

	for (t = t ? m->threads[t].next : 0; t; t = m->threads[t].next) {
		struct item item = { wall + m->threads[t].start_ns,
				     wall + m->threads[t].end_ns, node, 0, t };

		if (region_around(w, &m->threads[t]) == region)
			push(w, &item, from, to);
	}
}

/* The outermost spans of a thread. */
static void push_thread(struct walk *w, uint32_t node, uint32_t thread,
			int64_t from, int64_t to)
{
	const struct tr2_model *m = w->m;
	uint32_t i;

	for (i = m->threads[thread].first_span; i; i = m->spans[i].next)
		if (!m->spans[i].parent)
			push_span(w, node, i, from, to);
}

static void push_process(struct walk *w, uint32_t node, int64_t from,
			 int64_t to)
{
	const struct tr2_model *m = w->m;
	uint32_t s, i;

	for (s = m->nodes[node].session; s; s = m->sessions[s].next_of_node)
		push_thread(w, node, m->sessions[s].first_thread, from, to);
	for (i = m->nodes[node].first; i; i = m->nodes[i].next)
		if (!m->nodes[i].child || !m->nodes[node].session)
			push_node(w, i, from, to);
}

static void push_region(struct walk *w, uint32_t node, uint32_t span,
			int64_t from, int64_t to)
{
	const struct tr2_model *m = w->m;
	uint32_t thread = m->spans[span].thread, i;
	uint32_t session = m->threads[thread].session;

	for (i = w->first[span]; i; i = w->next[i])
		push_span(w, node, i, from, to);
	if (thread == m->sessions[session].first_thread &&
	    m->threads[thread].next)
		push_threads(w, node, session, span, from, to);
}

/* ---- the walk ---------------------------------------------------------------------- */

/* Time that is the scope's own. */
static void own(struct walk *w, uint32_t node, uint32_t span, int64_t from,
		int64_t to)
{
	const struct tr2_span *s = &w->m->spans[span];
	uint64_t owner = tr2_mix(tr2_mix(node, s->category), s->label);
	uint32_t *slot;

	if (to <= from || w->failed)
		return;
	slot = tr2_map_slot(&w->by_owner, owner | 1);
	if (!slot || (!*slot && w->nr >= w->alloc &&
		      !tr2_array_grow((void **)&w->steps, &w->alloc, w->nr,
				      sizeof(*w->steps)))) {
		w->failed = true;
		return;
	}
	if (!*slot) {
		w->steps[w->nr] = (struct tr2_step){
			node, span, (uint16_t)(w->depth - 1), 0, from };
		*slot = ++w->nr;
	}
	w->steps[*slot - 1].ns += to - from;
	if (from < w->steps[*slot - 1].start_ns)
		w->steps[*slot - 1].start_ns = from;
}

static int compare_items(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void walk(struct walk *w, const struct item *scope)
{
	const struct item s = *scope;
	uint32_t base = w->nr_items, i;
	int64_t at = s.end_ns;

	w->depth++;
	if (w->depth > MAX_DEPTH)
		;
	else if (s.thread)
		push_thread(w, s.node, s.thread, s.start_ns, s.end_ns);
	else if (s.span)
		push_region(w, s.node, s.span, s.start_ns, s.end_ns);
	else
		push_process(w, s.node, s.start_ns, s.end_ns);
	if (w->nr_items > base)
		qsort(w->items + base, w->nr_items - base, sizeof(*w->items),
		      compare_items);
	for (i = base; i < w->nr_items; i++) {
		struct item in = w->items[i];

		if (in.end_ns > at)
			in.end_ns = at;
		if (in.end_ns <= in.start_ns)
			continue;
		own(w, s.node, s.span, in.end_ns, at);
		walk(w, &in);
		at = in.start_ns;
	}
	own(w, s.node, s.span, s.start_ns, at);
	w->nr_items = base;
	w->depth--;
}

static int compare_steps(const void *va, const void *vb)
{
	const struct tr2_step *a = va, *b = vb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->depth - b->depth;
}

size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps)
{
	const struct tr2_node *n = &m->nodes[root];
	struct item whole = { n->start_ns, n->end_ns, root, 0, 0 };
	struct walk w = { .m = m };

	if (nest_spans(&w))
		walk(&w, &whole);
	if (w.nr)
		qsort(w.steps, w.nr, sizeof(*w.steps), compare_steps);
	free(w.first);
	free(w.next);
	free(w.items);
	tr2_map_release(&w.by_owner);
	*steps = w.steps;
	return w.nr;
}
