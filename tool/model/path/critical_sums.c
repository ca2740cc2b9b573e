/* SPDX-License-Identifier: MIT */
/* critical_sums - sum the steps of a critical path by kind of process, region
 * and reason. */
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "model/kind.h"
#include "model/path/critical.h"
#include "model/private.h"

TR2_ORDER(compare_pieces, struct tr2_path_piece,
	  TR2_UP(task_thread) ?: TR2_UP(start_ns))

/* Does a piece of this thread and kind contain the time? The pieces are sorted
 * by thread and time. */
static bool has(const struct tr2_path_piece *list, size_t nr, uint32_t thread,
		int64_t wall_ns, enum tr2_step_kind kind)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle].task_thread < thread ||
		    (list[middle].task_thread == thread &&
		     list[middle].start_ns <= wall_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && list[low - 1].task_thread == thread &&
	       list[low - 1].kind == kind &&
	       wall_ns <= list[low - 1].end_ns;
}

uint32_t tr2_sample_thread(const struct tr2_model *m,
			   const struct tr2_model_sample *s)
{
	return s->task_thread ? s->task_thread :
	       s->thread      ? m->threads[s->thread].task_thread : 0;
}

bool *tr2_critical_samples(const struct tr2_model *m)
{
	uint32_t root = tr2_longest_root(m), i, thread;
	const struct tr2_model_sample *s;
	struct tr2_path_piece *pieces;
	size_t nr;
	bool *on_path;

	if (m->nr_samples == 1 || !root || !tr2_critical_by_states(m, root))
		return NULL;
	on_path = tr2_calloc(m->nr_samples, sizeof(*on_path));
	nr = tr2_critical_pieces(m, root, &pieces);
	if (nr)
		qsort(pieces, nr, sizeof(*pieces), compare_pieces);
	for (i = 1; i < m->nr_samples; i++) {
		s = &m->samples[i];
		thread = tr2_sample_thread(m, s);
		on_path[i] = thread &&
			     has(pieces, nr, thread,
				 m->sessions[s->session].wall_ns + s->at_ns,
				 s->is_wait ? TR2_STEP_WAIT : TR2_STEP_RUN);
	}
	free(pieces);
	return on_path;
}

/* Cut ways to this length: nobody reads longer ways, and each step is added to
 * all parts of its way. */
#define MAX_WAY 64

/* A way: the kinds of the processes on the way from the root down to a
 * process. */
struct way {
	uint32_t above; /* the way without its last kind; 0: none */
	uint32_t node;  /* the first process at the end of the way */
	uint32_t length;
};

/* The part of a sum's time that was spent below the end of a way. */
struct share {
	uint32_t sum, way; /* sum: 1 + the index of the sum */
	int64_t ns;
};

struct summing {
	struct tr2_model *m;
	tr2_str *kinds;   /* by node: kind of the process, or its way; 0: not
			   * yet known */
	uint32_t *way_of; /* by node: kind of the process, or its way; 0: not
			   * yet known */
	struct way *ways; /* index 0 stands for no way */
	uint32_t nr_ways, alloc_ways;
	struct tr2_map by_way; /* by (way above, kind) */
	uint32_t *unknown;     /* stack: a process and its ancestors whose ways
				* are not yet known */
	uint32_t nr_unknown, alloc_unknown;
	struct share *shares;
	uint32_t nr_shares, alloc_shares;
	struct tr2_map by_share; /* maps (sum, way) to 1 + the index of a
				  * share */
	struct tr2_path_sum *sums;
	uint32_t nr, alloc;
	struct tr2_map by_key; /* maps a sum's key to 1 + its index */
	struct tr2_map seen;   /* (sum, node) */
};

static tr2_str kind_of(struct summing *s, uint32_t node)
{
	if (!s->kinds[node])
		s->kinds[node] = tr2_kind(s->m, node, 0);
	return s->kinds[node];
}

static uint32_t add_way(struct summing *s, uint32_t above, uint32_t node)
{
	tr2_grow(s->ways, s->nr_ways, s->alloc_ways);
	s->ways[s->nr_ways] = (struct way){
		.above = above,
		.node = node,
		.length = above ? s->ways[above].length + 1 : 1,
	};
	return s->nr_ways++;
}

/* Return the way to a process; `way` is the way to its parent. */
static uint32_t way_on(struct summing *s, uint32_t way, uint32_t node)
{
	uint32_t *slot;

	if (s->ways[way].length == MAX_WAY)
		return way;
	slot = tr2_map_slot(&s->by_way, tr2_key(way, kind_of(s, node)));
	if (!*slot)
		*slot = add_way(s, way, node);
	return *slot;
}

/* Return the way to a process; 0: there is no process. */
static uint32_t way_to(struct summing *s, uint32_t node)
{
	uint32_t way;

	for (; node && !s->way_of[node]; node = s->m->nodes[node].parent) {
		tr2_grow(s->unknown, s->nr_unknown, s->alloc_unknown);
		s->unknown[s->nr_unknown++] = node;
	}
	for (way = s->way_of[node]; s->nr_unknown;) {
		node = s->unknown[--s->nr_unknown];
		way = s->way_of[node] = way_on(s, way, node);
	}
	return way;
}

/* Add a step's time to the way to the parent process, and to all shorter parts
 * of that way. */
static void add_shares(struct summing *s, uint32_t sum, uint32_t node,
		       int64_t ns)
{
	uint32_t *slot, way = way_to(s, s->m->nodes[node].parent);

	for (; way; way = s->ways[way].above) {
		slot = tr2_map_slot(&s->by_share, tr2_key(sum, way));
		if (!*slot) {
			tr2_grow(s->shares, s->nr_shares, s->alloc_shares);
			s->shares[s->nr_shares] = (struct share){ sum, way, 0 };
			*slot = ++s->nr_shares;
		}
		s->shares[*slot - 1].ns += ns;
	}
}

/* For each sum, find the longest way with more than half of the sum's time.
 * Only one way of that length can have so much. */
static void find_places(struct summing *s)
{
	const struct tr2_node *nodes = s->m->nodes;
	uint32_t i, node;

	for (i = 0; i < s->nr_shares; i++) {
		const struct share *share = &s->shares[i];
		struct tr2_path_sum *sum = &s->sums[share->sum - 1];

		node = s->ways[share->way].node;
		if (share->ns > tr2_step_ns(&sum->step) / 2 &&
		    (!sum->in || nodes[node].depth > nodes[sum->in].depth))
			sum->in = node;
	}
}

static struct tr2_path_sum *sum_of(struct summing *s,
				   const struct tr2_step *step)
{
	const struct tr2_span *span = &s->m->spans[step->span];
	tr2_str kind = step->segment ?
			       tr2_kind(s->m, step->node, step->segment) :
			       kind_of(s, step->node);
	uint64_t key = tr2_mix(tr2_mix(kind, span->category), span->label);
	uint32_t *slot;

	key = tr2_mix(tr2_mix(key, step->thread),
		      (uint64_t)step->kind << 8 | step->cause);
	slot = tr2_map_slot(&s->by_key, key | 1);
	if (!*slot) {
		tr2_grow(s->sums, s->nr, s->alloc);
		s->sums[s->nr] = (struct tr2_path_sum){
			.kind = kind,
			.step = *step,
		};
		s->sums[s->nr].step.ns = s->sums[s->nr].step.ready_ns = 0;
		*slot = ++s->nr;
	}
	return &s->sums[*slot - 1];
}

/* Vote for a name, to find the name with more than half of the time: add the
 * time of the chosen name, and subtract the time of other names. */
static void vote(tr2_str *chosen, int64_t *chosen_ns, tr2_str name, int64_t ns)
{
	if (name == *chosen) {
		*chosen_ns += ns;
	} else if (ns > *chosen_ns) {
		*chosen = name;
		*chosen_ns = ns - *chosen_ns;
	} else {
		*chosen_ns -= ns;
	}
}

/* Return the time that is due to s->by: all time of a wait, else the time
 * without a CPU. */
static int64_t due_ns(const struct tr2_step *s)
{
	return s->kind == TR2_STEP_WAIT ? s->ns : s->ready_ns;
}

static void add_step(struct summing *s, const struct tr2_step *step)
{
	struct tr2_path_sum *sum = sum_of(s, step);
	uint32_t index = (uint32_t)(sum - s->sums) + 1;
	uint32_t *seen = tr2_map_slot(&s->seen, tr2_key(index, step->node));

	sum->nr_nodes += !*seen;
	*seen = 1;
	add_shares(s, index, step->node, tr2_step_ns(step));
	sum->step.ns += step->ns;
	sum->step.ready_ns += step->ready_ns;
	sum->inferred_ns += step->inferred ? tr2_step_ns(step) : 0;
	sum->doubtful_ns += step->doubtful ? tr2_step_ns(step) : 0;
	if (step->start_ns < sum->step.start_ns)
		sum->step.start_ns = step->start_ns;
	vote(&sum->step.by, &sum->by_ns, step->by, due_ns(step));
	vote(&sum->step.object, &sum->object_ns, step->object, step->ns);
}

/* Drop the name that the vote chose for a sum, unless more than half of the
 * sum's time is due to that name. */
static void check_votes(struct summing *s, const struct tr2_step *steps,
			size_t nr)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		s->sums[i].by_ns = s->sums[i].object_ns = 0;
	for (i = 0; i < nr; i++) {
		struct tr2_path_sum *sum =
			tr2_step_ns(&steps[i]) ? sum_of(s, &steps[i]) : NULL;

		if (sum && steps[i].by == sum->step.by)
			sum->by_ns += due_ns(&steps[i]);
		if (sum && steps[i].object == sum->step.object)
			sum->object_ns += steps[i].ns;
	}
	for (i = 0; i < s->nr; i++) {
		if (s->sums[i].by_ns <= due_ns(&s->sums[i].step) / 2)
			s->sums[i].step.by = 0;
		if (s->sums[i].object_ns <= s->sums[i].step.ns / 2)
			s->sums[i].step.object = 0;
	}
}

TR2_ORDER(compare_sums, struct tr2_path_sum,
	  tr2_order(tr2_step_ns(&b->step), tr2_step_ns(&a->step)) ?:
	  TR2_UP(step.start_ns) ?: TR2_UP(kind))

size_t tr2_critical_sums(struct tr2_model *m, const struct tr2_step *steps,
			 size_t nr, struct tr2_path_sum **sums)
{
	struct summing s = { .m = m };
	size_t i;

	s.kinds = tr2_calloc(m->nr_nodes, sizeof(*s.kinds));
	s.way_of = tr2_calloc(m->nr_nodes, sizeof(*s.way_of));
	add_way(&s, 0, 0);
	for (i = 0; i < nr; i++)
		if (tr2_step_ns(&steps[i]))
			add_step(&s, &steps[i]);
	check_votes(&s, steps, nr);
	find_places(&s);
	for (i = 0; i < s.nr; i++) {
		int64_t ns = tr2_step_ns(&s.sums[i].step);

		s.sums[i].step.inferred =
			s.sums[i].inferred_ns > ns / 2;
		s.sums[i].step.doubtful =
			s.sums[i].doubtful_ns > ns / 2;
	}
	if (s.nr)
		qsort(s.sums, s.nr, sizeof(*s.sums), compare_sums);
	tr2_map_release(&s.by_key);
	tr2_map_release(&s.seen);
	tr2_map_release(&s.by_way);
	tr2_map_release(&s.by_share);
	free(s.kinds);
	free(s.way_of);
	free(s.ways);
	free(s.unknown);
	free(s.shares);
	*sums = s.sums;
	return s.nr;
}
