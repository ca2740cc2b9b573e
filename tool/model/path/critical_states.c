/* SPDX-License-Identifier: MIT */
/*
 * critical_states - find the critical path over wake-ups. Walk a thread back
 * through its states, to a wait that a running thread ended. From there, walk
 * that thread back. At the beginning of a thread, go on in the thread that
 * created it. Each step goes back in time, or to a thread that ran or was
 * created earlier, so the walk ends.
 */
#include <stdlib.h>

#include "common/order.h"
#include "model/join/thread_borders.h"
#include "model/objects.h"
#include "model/path/critical_private.h"
#include "model/private.h"
#include "model/states.h"

/* The borders of a thread's regions and programs. The walk never goes forward,
 * so it passes each border once. */
struct places {
	struct tr2_places of;
	uint32_t regions_left, segments_left; /* number of borders before the
					       * current time of the walk */
	bool listed;
};

/* The time that an owner has on the path for one reason. */
struct reason {
	struct tr2_step step;
	int64_t inferred_ns, doubtful_ns; /* parts of the step's time: with
					   * derived, and with doubtful
					   * wake-ups */
	uint32_t next;       /* 1 + index of the owner's next reason */
	/* Two lists of parts, as 1 + the index of the first part. parts: by the
	 * thread that ended the wait or had the CPU; objects: by the object of
	 * the wait. */
	uint32_t parts, objects;
};

/* The part of a reason's time that is due to one thread, or to one object. */
struct part {
	tr2_str name;
	uint32_t next; /* 1 + index of the next part in the list */
	int64_t ns;
};

static const struct tr2_step unknown = { .kind = TR2_STEP_WAIT };

struct walk {
	const struct tr2_model *m;
	uint32_t root;
	int64_t from_ns; /* time at which the walk ends */
	int64_t at_ns;
	uint32_t thread, state; /* present thread and state of the walk; state
				 * 0: before the thread's first state */
	bool inferred, doubtful;

	/* An owner is a step without a reason. Owners, reasons and parts refer
	 * to each other by 1 + the index. */
	struct tr2_step *owners;
	uint32_t nr_owners, alloc_owners;
	uint32_t *first_reason; /* by owner */
	uint32_t alloc_first_reason;
	struct reason *reasons;
	uint32_t nr_reasons, alloc_reasons;
	struct part *parts;
	uint32_t nr_parts, alloc_parts;
	struct tr2_map by_region; /* key: (owner around the region,
				   * category/label) */
	struct tr2_map by_reason; /* key: (owner, thread, kind, cause) */
	struct tr2_map by_part;   /* key: (reason, by) */
	struct tr2_map by_object; /* key: (reason, object) */
	uint32_t *of_node, *of_segment, *of_span; /* owners by node, by segment
						   * and by span */
	uint32_t *stack; /* of spans */
	uint32_t alloc_stack;
	struct tr2_step *list; /* reasons of one owner, to be sorted */
	uint32_t alloc_list;
	struct places *places; /* by task thread */
	struct tr2_path_pieces *pieces; /* the pieces of the path; NULL: not
					 * needed */
};

static struct places *places_of(struct walk *w, uint32_t thread)
{
	struct places *p = &w->places[thread];

	if (p->listed)
		return p;
	p->listed = true;
	tr2_places_list(w->m, thread, &p->of);
	p->regions_left = p->of.regions.nr;
	p->segments_left = p->of.segments.nr;
	return p;
}

/* Return the region or program in which the thread was just before at_ns. If
 * the last border before at_ns is later than *since_ns, set *since_ns to that
 * border. */
static uint32_t place_before(const struct tr2_borders *b, uint32_t *left,
			     int64_t at_ns, int64_t *since_ns)
{
	const struct tr2_border *last;

	while (*left && b->border[*left - 1].at_ns >= at_ns)
		--*left;
	if (!*left)
		return 0;
	last = &b->border[*left - 1];
	if (last->at_ns > *since_ns)
		*since_ns = last->at_ns;
	return last->in;
}

static uint32_t add_owner(struct walk *w, const struct tr2_step *owner)
{
	tr2_grow(w->owners, w->nr_owners, w->alloc_owners);
	tr2_grow(w->first_reason, w->nr_owners, w->alloc_first_reason);
	w->first_reason[w->nr_owners] = 0;
	w->owners[w->nr_owners] = *owner;
	w->owners[w->nr_owners].start_ns = INT64_MAX;
	return ++w->nr_owners;
}

/* Return the owner of a process's time outside regions. Add owners for the
 * process and its ancestors, if needed. */
static uint32_t owner_of_node(struct walk *w, uint32_t node, uint32_t segment)
{
	const struct tr2_node *nodes = w->m->nodes;
	uint32_t *slot, inner = 0, owner = 0;
	bool known = false;

	while (node && !known) {
		slot = segment ? &w->of_segment[segment] : &w->of_node[node];
		known = *slot;
		if (!known)
			*slot = add_owner(w, &(struct tr2_step){
						     .node = node,
						     .segment = segment });
		if (inner)
			w->owners[inner - 1].parent = *slot;
		owner = owner ? owner : *slot;
		inner = *slot;
		segment = tr2_segment_at(w->m, nodes[node].parent,
				     nodes[node].start_ns);
		node = nodes[node].parent;
	}
	return owner;
}

/* Return the owner of a region. Regions of one name inside of one owner share
 * an owner. */
static uint32_t owner_of_region(struct walk *w, uint32_t around, uint32_t span)
{
	const struct tr2_span *s = &w->m->spans[span];
	uint64_t name = tr2_mix(tr2_mix(around, s->category), s->label);
	uint32_t *slot = tr2_map_slot(&w->by_region, name | 1);
	struct tr2_step owner = { .node = w->owners[around - 1].node,
				  .segment = w->owners[around - 1].segment,
				  .span = span,
				  .parent = around };

	if (!*slot)
		*slot = add_owner(w, &owner);
	return *slot;
}

static uint32_t owner_of(struct walk *w, uint32_t node, uint32_t segment,
			 uint32_t span)
{
	const struct tr2_span *spans = w->m->spans;
	uint32_t owner, nr = 0, i;

	for (i = span; i && !w->of_span[i]; i = spans[i].parent) {
		tr2_grow(w->stack, nr, w->alloc_stack);
		w->stack[nr++] = i;
	}
	owner = i ? w->of_span[i] : owner_of_node(w, node, segment);
	while (nr--) {
		owner = owner_of_region(w, owner, w->stack[nr]);
		w->of_span[w->stack[nr]] = owner;
	}
	return owner;
}

static uint32_t reason_of(struct walk *w, uint32_t owner,
			  const struct tr2_step *reason)
{
	uint8_t kind = reason->kind == TR2_STEP_READY ? TR2_STEP_RUN :
							reason->kind;
	tr2_str thread = w->m->task_threads[w->thread].kind;
	uint64_t key = tr2_mix(tr2_mix(owner, thread),
			       (uint64_t)kind << 8 | reason->cause);
	uint32_t *slot = tr2_map_slot(&w->by_reason, key | 1);
	uint32_t *first = &w->first_reason[owner - 1];

	if (!*slot) {
		tr2_grow(w->reasons, w->nr_reasons, w->alloc_reasons);
		w->reasons[w->nr_reasons] = (struct reason){
			.step = { .kind = kind,
				  .cause = reason->cause,
				  .thread = thread },
			.next = *first,
		};
		*slot = *first = ++w->nr_reasons;
	}
	return *slot;
}

/* Add time to the part with this name. slot: the part's entry in its map;
 * first: the beginning of the reason's list. */
static void add_part(struct walk *w, uint32_t *slot, uint32_t *first,
		     tr2_str name, int64_t ns)
{
	if (!*slot) {
		tr2_grow(w->parts, w->nr_parts, w->alloc_parts);
		w->parts[w->nr_parts] = (struct part){ name, *first, 0 };
		*slot = *first = ++w->nr_parts;
	}
	w->parts[*slot - 1].ns += ns;
}

static void add_piece(struct walk *w, uint32_t owner, int64_t from_ns,
		      const struct tr2_step *reason)
{
	uint32_t i = reason_of(w, owner, reason);
	struct reason *r = &w->reasons[i - 1];
	int64_t ns = w->at_ns - from_ns;

	if (reason->kind == TR2_STEP_READY)
		r->step.ready_ns += ns;
	else
		r->step.ns += ns;
	r->inferred_ns += w->inferred ? ns : 0;
	r->doubtful_ns += w->doubtful ? ns : 0;
	if (from_ns < w->owners[owner - 1].start_ns)
		w->owners[owner - 1].start_ns = from_ns;
	if (reason->kind != TR2_STEP_RUN)
		add_part(w, tr2_map_slot(&w->by_part, tr2_key(i, reason->by)),
			 &r->parts, reason->by, ns);
	if (reason->object)
		add_part(w, tr2_map_slot(&w->by_object,
					 tr2_key(i, reason->object)),
			 &r->objects, reason->object, ns);
	tr2_path_add_piece(w->pieces, &(struct tr2_path_piece){
		.start_ns = from_ns,
		.end_ns = w->at_ns,
		.node = w->owners[owner - 1].node,
		.span = w->owners[owner - 1].span,
		.task_thread = w->thread,
		.by = reason->kind != TR2_STEP_RUN ? reason->by : 0,
		.object = reason->object,
		.kind = reason->kind,
		.cause = reason->cause,
		.inferred = w->inferred,
	});
}

/* Add the time from from_ns to w->at_ns to the owners: the regions and programs
 * in which the thread was. */
static void charge(struct walk *w, int64_t from_ns,
		   const struct tr2_step *reason)
{
	struct places *p = places_of(w, w->thread);
	uint32_t task = w->m->task_threads[w->thread].task;
	uint32_t node = w->m->tasks[task].node, segment, span;
	int64_t from;

	if (from_ns < w->from_ns)
		from_ns = w->from_ns;
	while (w->at_ns > from_ns) {
		from = from_ns;
		segment = place_before(&p->of.segments, &p->segments_left,
				       w->at_ns, &from);
		span = place_before(&p->of.regions, &p->regions_left,
				    w->at_ns, &from);
		add_piece(w, owner_of(w, node ? node : w->root, segment, span),
			  from, reason);
		w->at_ns = from;
	}
}

/* Continue the walk in this thread, backwards from w->at_ns. */
static void go_to(struct walk *w, uint32_t thread)
{
	w->thread = thread;
	w->state = tr2_state_at(w->m, thread, w->at_ns - 1);
}

static struct tr2_step as_reason(const struct tr2_model *m, uint32_t thread,
				 uint32_t state)
{
	const struct tr2_state *s = &m->states[state];
	static const uint8_t kinds[] = {
		[TR2_STATE_RUN] = TR2_STEP_RUN,
		[TR2_STATE_READY] = TR2_STEP_READY,
		[TR2_STATE_WAIT] = TR2_STEP_WAIT,
	};

	return (struct tr2_step){
		.kind = kinds[s->kind],
		.cause = s->kind == TR2_STATE_WAIT ? s->cause : 0,
		.by = tr2_state_by(m, s),
		.object = tr2_object_text(m, thread, state),
	};
}

/* Assume that a thread gets a CPU within this time after its wake-up. If the
 * supposed waker left its CPU earlier, another thread was the waker. */
#define WOKEN_NS 10000000

/* Return the end of the last stretch before at_ns in which the thread ran, if
 * that end is after since_ns and not long ago; 0: it did not run then. */
static int64_t ran_until(const struct tr2_model *m, uint32_t thread,
			 int64_t at_ns, int64_t since_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t state = tr2_state_at(m, thread, at_ns - 1);
	int64_t end_ns;

	while (state && m->states[state].kind != TR2_STATE_RUN)
		state = state > t->first_state ? state - 1 : 0;
	if (!state)
		return 0;
	end_ns = tr2_state_end(m, thread, state);
	if (end_ns >= at_ns)
		return at_ns;
	return end_ns > since_ns && end_ns > at_ns - WOKEN_NS ? end_ns : 0;
}

/* At the end of a wait, continue the walk in the waker if the waker ran. If the
 * waker ended the wait by its own end, the wait lasted a little longer. If the
 * wake-up was derived, the waker may have left its CPU some time before the end
 * of the wait. */
static bool follow_wait(struct walk *w, const struct tr2_state *s)
{
	const struct tr2_model *m = w->m;
	const struct tr2_task_thread *by = &m->task_threads[s->other];
	struct tr2_step reason = as_reason(m, w->thread, w->state);
	int64_t until_ns;

	if (s->kind != TR2_STATE_WAIT || !s->other || s->other == w->thread ||
	    w->at_ns != tr2_state_end(m, w->thread, w->state))
		return false;
	if (by->end_ns < w->at_ns && by->end_ns > by->start_ns &&
	    by->end_ns > s->start_ns && by->nr_states)
		charge(w, by->end_ns, &reason);
	until_ns = ran_until(m, s->other, w->at_ns, s->start_ns);
	if (!until_ns || w->at_ns <= w->from_ns ||
	    (until_ns < w->at_ns && !(s->flags & TR2_STATE_INFERRED)))
		return false;
	charge(w, until_ns, &reason);
	if (w->at_ns <= w->from_ns)
		return false;
	w->inferred = s->flags & TR2_STATE_INFERRED;
	w->doubtful = s->flags & TR2_STATE_DOUBTFUL;
	go_to(w, s->other);
	return true;
}

/* Before a thread's first state, continue the walk in the thread that created
 * it. */
static void go_to_creator(struct walk *w)
{
	const struct tr2_task_thread *t = &w->m->task_threads[w->thread];

	if (w->at_ns > t->start_ns)
		charge(w, t->start_ns, &unknown);
	if (t->creator && t->creator < w->thread)
		go_to(w, t->creator);
	else
		charge(w, w->from_ns, &unknown);
}

static void go_back(struct walk *w)
{
	const struct tr2_model *m = w->m;
	const struct tr2_state *s = &m->states[w->state];
	struct tr2_step reason;

	if (!w->state) {
		go_to_creator(w);
		return;
	}
	if (follow_wait(w, s))
		return;
	reason = as_reason(m, w->thread, w->state);
	charge(w, s->start_ns, &reason);
	w->state = w->state > m->task_threads[w->thread].first_state ?
			   w->state - 1 : 0;
}

/* Return the task's thread that ended last. main: consider only threads whose
 * tid is the pid; there may be several after an exec. */
static uint32_t last_thread(const struct tr2_model *m, uint32_t task, bool main)
{
	uint32_t i, last = 0;

	tr2_for_each_task_thread(m, task, i)
		if ((!main || m->task_threads[i].tid == m->tasks[task].pid) &&
		    m->task_threads[i].nr_states &&
		    (!last || m->task_threads[i].end_ns >=
				      m->task_threads[last].end_ns))
			last = i;
	return last;
}

/* Walk back until from_ns. */
static void walk_back(struct walk *w, int64_t from_ns, uint32_t thread)
{
	int64_t end_ns = w->m->task_threads[thread].end_ns;

	w->from_ns = from_ns;
	w->thread = thread;
	if (end_ns < w->at_ns)
		charge(w, end_ns, &unknown);
	go_to(w, thread);
	while (w->at_ns > from_ns)
		go_back(w);
}

/* Let an owner begin no later than the owners inside it. */
static void spread_starts(struct tr2_step *owners, uint32_t nr)
{
	struct tr2_step *in, *around;
	uint32_t i;

	for (i = 0; i < nr; i++)
		for (in = &owners[i]; in->parent; in = around) {
			around = &owners[in->parent - 1];
			if (around->start_ns <= in->start_ns)
				break;
			around->start_ns = in->start_ns;
		}
}

/* Return the name to which most of the time is due, if that time is more than
 * least_ns; 0: none. */
static tr2_str largest_part(const struct walk *w, uint32_t first,
			    int64_t least_ns)
{
	tr2_str best = 0;
	uint32_t i;

	for (i = first; i; i = w->parts[i - 1].next)
		if (w->parts[i - 1].ns > least_ns) {
			best = w->parts[i - 1].name;
			least_ns = w->parts[i - 1].ns;
		}
	return best;
}

TR2_ORDER(compare_reasons, struct tr2_step,
	  tr2_order(tr2_step_ns(b), tr2_step_ns(a)) ?: TR2_UP(thread) ?:
	  TR2_UP(kind) ?: TR2_UP(cause))

/* Turn the owner into the step of its largest reason. Append steps for the
 * other reasons after all owners. */
static void make_steps(struct walk *w, uint32_t owner, uint32_t *more)
{
	struct tr2_step *list, *step = &w->owners[owner - 1];
	uint32_t i, nr = 0, last = owner;

	for (i = w->first_reason[owner - 1]; i; i = w->reasons[i - 1].next) {
		const struct reason *r = &w->reasons[i - 1];

		tr2_grow(w->list, nr, w->alloc_list);
		list = w->list;
		list[nr] = r->step;
		list[nr].by = largest_part(w, r->parts, 0);
		list[nr].object = largest_part(w, r->objects, r->step.ns / 2);
		list[nr].inferred = r->inferred_ns > tr2_step_ns(&r->step) / 2;
		list[nr].doubtful = r->doubtful_ns > tr2_step_ns(&r->step) / 2;
		list[nr].node = step->node;
		list[nr].segment = step->segment;
		list[nr].span = step->span;
		list[nr].parent = step->parent;
		list[nr++].start_ns = step->start_ns;
	}
	if (!nr)
		return;
	list = w->list;
	qsort(list, nr, sizeof(*list), compare_reasons);
	*step = list[0];
	for (i = 1; i < nr; i++) {
		tr2_grow(w->owners, w->nr_owners, w->alloc_owners);
		w->owners[w->nr_owners] = list[i];
		more[last - 1] = ++w->nr_owners;
		last = w->nr_owners;
	}
}

static size_t steps_of(struct walk *w, struct tr2_step **steps)
{
	uint32_t i, nr_owners = w->nr_owners;
	uint32_t *more = tr2_calloc((size_t)nr_owners + w->nr_reasons,
				    sizeof(*more));
	size_t nr;

	spread_starts(w->owners, nr_owners);
	for (i = 1; i <= nr_owners; i++)
		make_steps(w, i, more);
	nr = tr2_steps_order(w->owners, w->nr_owners, more, steps);
	free(more);
	return nr;
}

static void release_walk(struct walk *w)
{
	uint32_t i;

	for (i = 0; i < w->m->nr_task_threads; i++)
		tr2_places_release(&w->places[i].of);
	free(w->places);
	free(w->owners);
	free(w->first_reason);
	free(w->reasons);
	free(w->parts);
	free(w->of_node);
	free(w->of_segment);
	free(w->of_span);
	free(w->stack);
	free(w->list);
	tr2_map_release(&w->by_region);
	tr2_map_release(&w->by_reason);
	tr2_map_release(&w->by_part);
	tr2_map_release(&w->by_object);
}

bool tr2_critical_by_states(const struct tr2_model *m, uint32_t root)
{
	return m->has_states && last_thread(m, m->nodes[root].task, false);
}

size_t tr2_critical_states(const struct tr2_model *m, uint32_t root,
			   struct tr2_step **steps,
			   struct tr2_path_pieces *pieces)
{
	const struct tr2_node *n = &m->nodes[root];
	uint32_t last = last_thread(m, n->task, false);
	uint32_t main = last_thread(m, n->task, true);
	struct walk w = {
		.m = m,
		.root = root,
		.at_ns = n->end_ns,
		.of_node = tr2_calloc(m->nr_nodes, sizeof(*w.of_node)),
		.of_segment = tr2_calloc(m->nr_segments, sizeof(*w.of_segment)),
		.of_span = tr2_calloc(m->nr_spans, sizeof(*w.of_span)),
		.places = tr2_calloc(m->nr_task_threads, sizeof(*w.places)),
		.pieces = pieces,
	};
	size_t nr;

	/* Other threads may outlive the first thread: walk through that time
	 * first. */
	if (main && main != last && m->task_threads[main].end_ns < n->end_ns &&
	    m->task_threads[main].end_ns > n->start_ns)
		walk_back(&w, m->task_threads[main].end_ns, last);
	walk_back(&w, n->start_ns, main ? main : last);
	nr = steps_of(&w, steps);
	release_walk(&w);
	return nr;
}
