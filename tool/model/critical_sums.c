/* SPDX-License-Identifier: MIT */
/* critical_sums - sum the steps of a critical path by kind of process, region
 * and reason. */
#include <stdlib.h>

#include "model/critical.h"
#include "model/kind.h"
#include "model/private.h"

struct summing {
	struct tr2_model *m;
	tr2_str *kinds; /* by node; 0: not yet known */
	struct tr2_path_sum *sums;
	uint32_t nr, alloc;
	struct tr2_map by_key; /* 1 + the index of a sum */
	struct tr2_map seen;   /* (sum, node) */
};

static tr2_str kind_of(struct summing *s, uint32_t node)
{
	if (!s->kinds[node])
		s->kinds[node] = tr2_kind(s->m, node, 0);
	return s->kinds[node];
}

/* Return the last process on the way down to `a` up to which the way to `b` has
 * the same kinds; 0: none. */
static uint32_t common_way(struct summing *s, uint32_t a, uint32_t b)
{
	const struct tr2_node *n = s->m->nodes;
	uint32_t common;

	while (n[a].depth > n[b].depth)
		a = n[a].parent;
	while (n[b].depth > n[a].depth)
		b = n[b].parent;
	for (common = a; a && a != b; a = n[a].parent, b = n[b].parent)
		if (kind_of(s, a) != kind_of(s, b))
			common = n[a].parent;
	return common;
}

static struct tr2_path_sum *sum_of(struct summing *s, const struct tr2_step *step)
{
	const struct tr2_span *span = &s->m->spans[step->span];
	tr2_str kind = step->segment ?
			       tr2_kind(s->m, step->node, step->segment) :
			       kind_of(s, step->node);
	uint64_t key = tr2_mix(tr2_mix(kind, span->category), span->label);
	uint32_t *slot;

	key = tr2_mix(key, (uint64_t)step->kind << 8 | step->cause);
	slot = tr2_map_slot(&s->by_key, key | 1);
	if (!*slot) {
		tr2_grow(s->sums, s->nr, s->alloc);
		s->sums[s->nr] = (struct tr2_path_sum){
			.kind = kind,
			.step = *step,
			.in = s->m->nodes[step->node].parent,
		};
		s->sums[s->nr].step.ns = 0;
		*slot = ++s->nr;
	}
	return &s->sums[*slot - 1];
}

/* Keep the one with more than half of the time, if there is one: others take
 * theirs from it. */
static void vote(struct tr2_path_sum *sum, tr2_str by, int64_t ns)
{
	if (by == sum->step.by) {
		sum->by_ns += ns;
	} else if (ns > sum->by_ns) {
		sum->step.by = by;
		sum->by_ns = ns - sum->by_ns;
	} else {
		sum->by_ns -= ns;
	}
}

static void add_step(struct summing *s, const struct tr2_step *step)
{
	struct tr2_path_sum *sum = sum_of(s, step);
	uint32_t index = (uint32_t)(sum - s->sums) + 1;
	uint32_t *seen = tr2_map_slot(&s->seen, tr2_key(index, step->node));

	if (!*seen) {
		sum->nr_nodes++;
		sum->in = common_way(s, sum->in,
				     s->m->nodes[step->node].parent);
	}
	*seen = 1;
	sum->step.ns += step->ns;
	sum->inferred_ns += step->inferred ? step->ns : 0;
	if (step->start_ns < sum->step.start_ns)
		sum->step.start_ns = step->start_ns;
	vote(sum, step->by, step->ns);
}

/* Is more than half of the time of a sum for the one that it names? */
static void check_votes(struct summing *s, const struct tr2_step *steps,
			size_t nr)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		s->sums[i].by_ns = 0;
	for (i = 0; i < nr; i++) {
		struct tr2_path_sum *sum =
			steps[i].ns ? sum_of(s, &steps[i]) : NULL;

		if (sum && steps[i].by == sum->step.by)
			sum->by_ns += steps[i].ns;
	}
	for (i = 0; i < s->nr; i++)
		if (s->sums[i].by_ns <= s->sums[i].step.ns / 2)
			s->sums[i].step.by = 0;
}

static int compare_sums(const void *va, const void *vb)
{
	const struct tr2_path_sum *a = va, *b = vb;

	if (a->step.ns != b->step.ns)
		return a->step.ns > b->step.ns ? -1 : 1;
	if (a->step.start_ns != b->step.start_ns)
		return a->step.start_ns < b->step.start_ns ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

size_t tr2_critical_sums(struct tr2_model *m, const struct tr2_step *steps,
			 size_t nr, struct tr2_path_sum **sums)
{
	struct summing s = { .m = m };
	size_t i;

	s.kinds = tr2_calloc(m->nr_nodes, sizeof(*s.kinds));
	for (i = 0; i < nr; i++)
		if (steps[i].ns)
			add_step(&s, &steps[i]);
	check_votes(&s, steps, nr);
	for (i = 0; i < s.nr; i++)
		s.sums[i].step.inferred =
			s.sums[i].inferred_ns > s.sums[i].step.ns / 2;
	if (s.nr)
		qsort(s.sums, s.nr, sizeof(*s.sums), compare_sums);
	tr2_map_release(&s.by_key);
	tr2_map_release(&s.seen);
	free(s.kinds);
	*sums = s.sums;
	return s.nr;
}
