/* SPDX-License-Identifier: MIT */
/*
 * critical - the critical path of a recording without states. A scope is a
 * process outside its regions, a region, or a thread that was joined inside a
 * region. Each scope is walked from its end to its start. The walk descends
 * into the item of the scope that ended last before the current time. In a gap
 * without an item, a partner may have run: a process such as git-upload-pack,
 * which was started in another region.
 */
#include <stdlib.h>
#include <string.h>

#include "common/order.h"
#include "model/path/critical_private.h"
#include "model/private.h"

/* The time of scopes below this depth counts for the scope at this depth. */
#define MAX_DEPTH 4000

/* An item inside a scope, in wall time. */
struct item {
	int64_t start_ns, end_ns;
	/* thread: a thread that was joined inside the scope */
	uint32_t node, span, thread;
};

struct walk {
	const struct tr2_model *m;
	uint32_t *first, *next; /* by span: lists of the spans directly inside,
				 * sorted by start */
	/* By region: lists of the threads that were joined in the region. */
	uint32_t *first_joined, *next_joined;
	struct tr2_step *steps;
	uint32_t nr, alloc;
	struct tr2_map by_owner; /* maps (node, category/label) to 1 + the index
				  * of a step */
	/* a stack, with the items of the current scope on top */
	struct item *items;
	uint32_t nr_items, alloc_items;
	unsigned int depth;
	struct tr2_path_pieces *pieces;
};

static int64_t wall_of(const struct tr2_model *m, uint32_t thread)
{
	return m->sessions[m->threads[thread].session].wall_ns;
}

static void nest_spans(struct walk *w)
{
	const struct tr2_model *m = w->m;
	uint32_t *last = tr2_calloc(m->nr_spans, sizeof(*last)), i, p;

	w->first = tr2_calloc(m->nr_spans, sizeof(*w->first));
	w->next = tr2_calloc(m->nr_spans, sizeof(*w->next));
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
}

/* For each thread except main, find the innermost region of main that contains
 * the thread's whole life. Begin with the region that began last before the
 * thread, and go outwards. */
static void join_threads(struct walk *w, uint32_t session, uint32_t *last)
{
	const struct tr2_model *m = w->m;
	uint32_t main = m->sessions[session].first_thread, region = 0, in, t, i;
	int64_t before_ns = INT64_MAX;

	i = m->threads[main].first_span;
	for (t = m->threads[main].next; t; t = m->threads[t].next) {
		if (m->threads[t].start_ns < before_ns) {
			i = m->threads[main].first_span;
			region = 0;
		}
		before_ns = m->threads[t].start_ns;
		for (; i && m->spans[i].start_ns <= before_ns;
		     i = m->spans[i].next)
			if (m->spans[i].kind == TR2_SPAN_REGION)
				region = i;
		in = region;
		while (in && m->spans[in].end_ns < m->threads[t].end_ns)
			in = m->spans[in].parent;
		if (!in)
			continue;
		*(last[in] ? &w->next_joined[last[in]] :
			     &w->first_joined[in]) = t;
		last[in] = t;
	}
}

static void place_threads(struct walk *w)
{
	const struct tr2_model *m = w->m;
	uint32_t *last = tr2_calloc(m->nr_spans, sizeof(*last)), s;

	w->first_joined = tr2_calloc(m->nr_spans, sizeof(*w->first_joined));
	w->next_joined = tr2_calloc(m->nr_threads, sizeof(*w->next_joined));
	tr2_for_each_session(m, s)
		join_threads(w, s, last);
	free(last);
}

static void push_item(struct walk *w, const struct item *item, int64_t from,
		      int64_t to)
{
	struct item *new;

	if (item->start_ns >= to || item->end_ns <= from ||
	    item->end_ns <= item->start_ns)
		return;
	tr2_grow(w->items, w->nr_items, w->alloc_items);
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

	push_item(w, &item, from, to);
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
		push_item(w, &item, from, to);
}

/* Push the threads that were joined in a region. */
static void push_threads(struct walk *w, uint32_t node, uint32_t region,
			 int64_t from, int64_t to)
{
	const struct tr2_model *m = w->m;
	uint32_t t;

	for (t = w->first_joined[region]; t; t = w->next_joined[t]) {
		int64_t wall = wall_of(m, t);
		struct item item = { wall + m->threads[t].start_ns,
				     wall + m->threads[t].end_ns, node, 0, t };

		push_item(w, &item, from, to);
	}
}

/* Push the outermost spans of a thread. */
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
	uint32_t i;

	for (i = w->first[span]; i; i = w->next[i])
		push_span(w, node, i, from, to);
	push_threads(w, node, span, from, to);
}

/* Return the step of a scope, as 1 + its index; add the step if it is new.
 * Regions of one name and one parent share a step. */
static uint32_t step_of(struct walk *w, const struct item *scope,
			uint32_t parent)
{
	const struct tr2_span *s = &w->m->spans[scope->span];
	uint64_t owner = tr2_mix(tr2_mix(scope->node, s->category), s->label);
	uint32_t *slot = tr2_map_slot(&w->by_owner,
				      tr2_mix(owner, parent) | 1);

	if (!*slot) {
		tr2_grow(w->steps, w->nr, w->alloc);
		w->steps[w->nr] = (struct tr2_step){
			.node = scope->node,
			.span = scope->span,
			.parent = parent,
			.start_ns = scope->start_ns,
		};
		*slot = ++w->nr;
	}
	if (scope->start_ns < w->steps[*slot - 1].start_ns)
		w->steps[*slot - 1].start_ns = scope->start_ns;
	return *slot;
}

TR2_ORDER(compare_items, struct item, TR2_DOWN(end_ns) ?: TR2_UP(start_ns))

static void push_scope(struct walk *w, const struct item *s)
{
	if (w->depth > MAX_DEPTH)
		return;
	if (s->thread)
		push_thread(w, s->node, s->thread, s->start_ns, s->end_ns);
	else if (s->span)
		push_region(w, s->node, s->span, s->start_ns, s->end_ns);
	else
		push_process(w, s->node, s->start_ns, s->end_ns);
}

/* Search at most this number of children for a partner in each gap. */
#define MAX_PARTNERS 64

/* Does Git's child_class mean the other side of a fetch or a push: a server,
 * ssh, or the helper that talks to a server by HTTP? */
static bool is_transport(const char *child_class)
{
	return !strncmp(child_class, "transport/", 10) ||
	       !strncmp(child_class, "remote-", 7);
}

/* Is the node a transport with which this scope may have talked, although the
 * node was started in another region? If the node ends within the scope, the
 * scope waited for that end. */
static bool is_partner(const struct walk *w, const struct item *scope,
		       uint32_t node)
{
	const struct tr2_model *m = w->m;
	const struct tr2_node *n = &m->nodes[node];
	const struct tr2_child *c = &m->children[n->child];

	return n->child && m->spans[c->span].parent != scope->span &&
	       n->end_ns <= scope->end_ns &&
	       is_transport(tr2_s(m, c->child_class));
}

/* Find the partner that ran in [from, to) and ended last. Return false if no
 * partner ran. */
static bool find_partner(const struct walk *w, const struct item *scope,
			 int64_t from, int64_t to, struct item *out)
{
	const struct tr2_model *m = w->m;
	uint32_t i = m->nodes[scope->node].first, tries;

	out->end_ns = from;
	for (tries = 0; i && tries < MAX_PARTNERS; tries++) {
		const struct tr2_node *n = &m->nodes[i];
		int64_t end = n->end_ns < to ? n->end_ns : to;

		if (n->start_ns <= from && end > out->end_ns &&
		    is_partner(w, scope, i))
			*out = (struct item){ from, end, i, 0, 0 };
		i = n->next;
	}
	return out->end_ns > from;
}

static void walk_scope(struct walk *w, const struct item *scope,
		       uint32_t parent);

static int64_t add_own(struct walk *w, uint32_t step, int64_t from, int64_t to)
{
	if (to > from)
		tr2_path_add_piece(w->pieces, &(struct tr2_path_piece){
			.start_ns = from,
			.end_ns = to,
			.node = w->steps[step - 1].node,
			.span = w->steps[step - 1].span,
		});
	return to - from;
}

/* Divide the gap [from, to) between the scope itself and a partner, and walk
 * through the partner. Return the scope's own time. */
static int64_t own_time(struct walk *w, const struct item *scope,
			uint32_t step, int64_t from, int64_t to)
{
	struct item partner;
	int64_t own;

	if (to <= from || scope->thread || w->depth > MAX_DEPTH ||
	    !find_partner(w, scope, from, to, &partner))
		return add_own(w, step, from, to);
	own = add_own(w, step, partner.end_ns, to);
	walk_scope(w, &partner, step);
	return own;
}

static void walk_scope(struct walk *w, const struct item *scope,
		       uint32_t parent)
{
	const struct item s = *scope;
	/* The own time of a thread belongs to the region in which main joined
	 * the thread. */
	uint32_t step = s.thread ? parent : step_of(w, &s, parent);
	uint32_t base = w->nr_items, i;
	int64_t at = s.end_ns, own = 0;

	w->depth++;
	push_scope(w, &s);
	if (w->nr_items > base)
		qsort(w->items + base, w->nr_items - base, sizeof(*w->items),
		      compare_items);
	for (i = base; i < w->nr_items; i++) {
		struct item in = w->items[i];

		if (in.end_ns > at)
			in.end_ns = at;
		if (in.end_ns <= in.start_ns)
			continue;
		own += own_time(w, &s, step, in.end_ns, at);
		walk_scope(w, &in, step);
		at = in.start_ns;
	}
	own += own_time(w, &s, step, s.start_ns, at);
	w->steps[step - 1].ns += own;
	w->nr_items = base;
	w->depth--;
}

static size_t walk_back(const struct tr2_model *m, uint32_t root,
			struct tr2_step **steps, struct tr2_path_pieces *pieces)
{
	const struct tr2_node *n = &m->nodes[root];
	struct item whole = { n->start_ns, n->end_ns, root, 0, 0 };
	struct walk w = { .m = m, .pieces = pieces };
	size_t nr;

	if (tr2_critical_by_states(m, root))
		return tr2_critical_states(m, root, steps, pieces);
	nest_spans(&w);
	place_threads(&w);
	walk_scope(&w, &whole, 0);
	nr = tr2_steps_order(w.steps, w.nr, NULL, steps);
	free(w.first);
	free(w.next);
	free(w.first_joined);
	free(w.next_joined);
	free(w.items);
	free(w.steps);
	tr2_map_release(&w.by_owner);
	return nr;
}

size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps)
{
	return walk_back(m, root, steps, NULL);
}

size_t tr2_critical_pieces(const struct tr2_model *m, uint32_t root,
			   struct tr2_path_piece **pieces)
{
	struct tr2_path_pieces list = { 0 };
	struct tr2_step *steps;
	uint32_t i;

	walk_back(m, root, &steps, &list);
	free(steps);
	for (i = 0; i < list.nr / 2; i++) {
		struct tr2_path_piece first = list.piece[i];

		list.piece[i] = list.piece[list.nr - 1 - i];
		list.piece[list.nr - 1 - i] = first;
	}
	*pieces = list.piece;
	return list.nr;
}

uint32_t tr2_longest_root(const struct tr2_model *m)
{
	uint32_t i, best = 0;

	tr2_for_each_root(m, i)
		if (!best || m->nodes[i].end_ns - m->nodes[i].start_ns >
				     m->nodes[best].end_ns -
					     m->nodes[best].start_ns)
			best = i;
	return best;
}
