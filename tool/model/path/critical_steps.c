/* SPDX-License-Identifier: MIT */
/* critical_steps - order the steps and pieces of a critical path. */
#include <stdlib.h>

#include "common/order.h"
#include "model/path/critical_private.h"
#include "model/private.h"

/* A step with its start, for sorting. */
struct place {
	int64_t start_ns;
	uint32_t step;
};

/* For each step, the chain of the steps inside it. A step's number is 1 + its
 * index; number 0 is the whole path. */
struct order {
	const struct tr2_step *steps;
	const uint32_t *more;
	uint32_t *first, *next, *last;
	uint32_t *place_of; /* by step: 1 + its index among the ordered steps */
	struct tr2_step *out;
	uint32_t nr;
};

TR2_ORDER(compare_places, struct place, TR2_UP(start_ns) ?: TR2_UP(step))

/* Append the first step of an owner, then the owner's other steps (`more`). */
static void emit_owner(struct order *o, uint32_t step)
{
	uint32_t parent = o->place_of[o->steps[step - 1].parent], i;

	o->place_of[step] = o->nr + 1;
	for (i = step; i; i = o->more ? o->more[i - 1] : 0) {
		o->out[o->nr] = o->steps[i - 1];
		o->out[o->nr++].parent = parent;
	}
}

static void emit_steps(struct order *o)
{
	uint32_t at = o->first[0];

	while (at) {
		emit_owner(o, at);
		if (o->first[at]) {
			at = o->first[at];
			continue;
		}
		while (at && !o->next[at])
			at = o->steps[at - 1].parent;
		at = at ? o->next[at] : 0;
	}
}

/* Chain the steps inside each step, in order of their starts. Of each owner,
 * chain only the first step. */
static void chain_steps(struct order *o, uint32_t nr)
{
	struct place *places = tr2_calloc((size_t)nr + 1, sizeof(*places));
	bool *is_more = tr2_calloc((size_t)nr + 1, sizeof(*is_more));
	uint32_t i, step, parent, nr_places = 0;

	for (i = 0; o->more && i < nr; i++)
		is_more[o->more[i]] = true;
	for (i = 0; i < nr; i++)
		if (!is_more[i + 1])
			places[nr_places++] = (struct place){
				o->steps[i].start_ns, i + 1 };
	qsort(places, nr_places, sizeof(*places), compare_places);
	for (i = 0; i < nr_places; i++) {
		step = places[i].step;
		parent = o->steps[step - 1].parent;
		*(o->last[parent] ? &o->next[o->last[parent]] :
				    &o->first[parent]) = step;
		o->last[parent] = step;
	}
	free(places);
	free(is_more);
}

size_t tr2_steps_order(const struct tr2_step *steps, uint32_t nr,
		       const uint32_t *more, struct tr2_step **out)
{
	size_t room = (size_t)nr + 1;
	struct order o = {
		.steps = steps,
		.more = more,
		.first = tr2_calloc(room, sizeof(*o.first)),
		.next = tr2_calloc(room, sizeof(*o.next)),
		.last = tr2_calloc(room, sizeof(*o.last)),
		.place_of = tr2_calloc(room, sizeof(*o.place_of)),
		.out = tr2_calloc(room, sizeof(*o.out)),
	};

	chain_steps(&o, nr);
	emit_steps(&o);
	free(o.first);
	free(o.next);
	free(o.last);
	free(o.place_of);
	*out = o.out;
	return o.nr;
}

void tr2_path_add_piece(struct tr2_path_pieces *list,
			const struct tr2_path_piece *piece)
{
	struct tr2_path_piece *last;

	if (!list)
		return;
	last = list->nr ? &list->piece[list->nr - 1] : NULL;
	if (last && last->start_ns == piece->end_ns &&
	    last->node == piece->node && last->span == piece->span &&
	    last->task_thread == piece->task_thread &&
	    last->kind == piece->kind && last->cause == piece->cause &&
	    last->by == piece->by && last->object == piece->object &&
	    last->inferred == piece->inferred) {
		last->start_ns = piece->start_ns;
		return;
	}
	tr2_grow(list->piece, list->nr, list->alloc);
	list->piece[list->nr++] = *piece;
}
