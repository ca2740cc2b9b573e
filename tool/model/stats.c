/* SPDX-License-Identifier: MIT */
/* stats - group durations by name, and compute percentiles. */
#include <stdlib.h>
#include <string.h>

#include "arena/layout.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/order.h"
#include "model/model.h"
#include "model/stats.h"

static bool is_group(const struct tr2_group *g, const char *by,
		     const char *name)
{
	return !strcmp(g->name, name) && (!by || !strcmp(g->by, by));
}

struct tr2_group *tr2_groups_get(struct tr2_groups *g, const char *by,
				 const char *name)
{
	uint64_t key = tr2_mix(tr2_hash(name, strlen(name)),
			       by ? tr2_hash(by, strlen(by)) : 0) | 1;
	uint32_t *slot;

	/* Names with equal hashes get different keys, 2 apart. */
	for (;; key += 2) {
		slot = tr2_map_slot(&g->map, key ? key : 1);
		if (!*slot)
			break;
		if (is_group(&g->group[*slot - 1], by, name))
			return &g->group[*slot - 1];
	}
	tr2_grow(g->group, g->nr, g->alloc);
	memset(&g->group[g->nr], 0, sizeof(*g->group));
	g->group[g->nr].name = name;
	g->group[g->nr].by = by;
	*slot = ++g->nr;
	return &g->group[g->nr - 1];
}

void tr2_groups_piece(struct tr2_groups *g, const struct tr2_model *m,
		      const struct tr2_group_piece *piece)
{
	const struct tr2_node *root = &m->nodes[piece->root];
	struct tr2_group_piece p = *piece;

	tr2_ns_add(&g->group[p.group].self_ns, p.to_ns - p.from_ns);
	if (p.from_ns < root->start_ns)
		p.from_ns = root->start_ns;
	if (p.to_ns > root->end_ns)
		p.to_ns = root->end_ns;
	if (p.to_ns <= p.from_ns)
		return;
	tr2_grow(g->pieces, g->nr_pieces, g->alloc_pieces);
	g->pieces[g->nr_pieces++] = p;
}

void tr2_group_add(struct tr2_group *group, uint32_t element, int64_t ns)
{
	if (!group->nr || ns > group->max_ns)
		group->longest = element;
	group->nr++;
	tr2_ns_add(&group->total_ns, ns);
	if (ns > group->max_ns)
		group->max_ns = ns;
	tr2_grow(group->values, group->nr_values, group->alloc_values);
	group->values[group->nr_values++] = ns;
}

TR2_ORDER(compare_ns, int64_t, tr2_order(*a, *b))

TR2_ORDER(compare_pieces, struct tr2_group_piece,
	  TR2_UP(group) ?: TR2_UP(root) ?: TR2_UP(from_ns))

/* Add up the pieces of each group. Count each moment below a root once. */
static void sum_pieces(struct tr2_groups *g)
{
	const struct tr2_group_piece *p, *last = NULL;
	int64_t from_ns, to_ns = 0;
	uint32_t i;

	if (g->nr_pieces)
		qsort(g->pieces, g->nr_pieces, sizeof(*g->pieces),
		      compare_pieces);
	for (i = 0; i < g->nr_pieces; i++, last = p) {
		p = &g->pieces[i];
		if (!last || p->group != last->group || p->root != last->root)
			to_ns = p->from_ns;
		from_ns = p->from_ns > to_ns ? p->from_ns : to_ns;
		if (p->to_ns <= from_ns)
			continue;
		tr2_ns_add(&g->group[p->group].once_ns, p->to_ns - from_ns);
		to_ns = p->to_ns;
	}
}

void tr2_groups_sort(struct tr2_groups *g)
{
	uint32_t i;

	sum_pieces(g);
	for (i = 0; i < g->nr; i++)
		if (g->group[i].nr_values)
			qsort(g->group[i].values, g->group[i].nr_values,
			      sizeof(int64_t), compare_ns);
}

uint64_t tr2_rank(uint64_t nr, double p)
{
	/* Subtract a little, since p is a decimal fraction and rarely exact in
	 * binary: 0.07 times 100 is slightly more than 7. */
	double rank = p * (double)nr - 1e-6;
	uint64_t at = rank > 0 ? (uint64_t)rank : 0;

	return at < nr ? at : nr - 1;
}

int64_t tr2_group_percentile(const struct tr2_group *group, double p)
{
	return group->nr_values ?
		       group->values[tr2_rank(group->nr_values, p)] : 0;
}

void tr2_groups_release(struct tr2_groups *g)
{
	uint32_t i;

	for (i = 0; i < g->nr; i++)
		free(g->group[i].values);
	free(g->group);
	free(g->pieces);
	tr2_map_release(&g->map);
}

static uint64_t parse_seconds(const char *at, char **end)
{
	double seconds = strtod(at, end);

	return seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : UINT64_MAX;
}

bool tr2_histogram_next(const struct tr2_metric *metric, const char **json,
			uint64_t *upper, uint64_t *count)
{
	const char *at = strpbrk(*json, "0123456789");
	char *end;

	if (!at)
		return false;
	*upper = metric->kind == TR2_DEFINITION_TIMER ?
			 parse_seconds(at, &end) : strtoull(at, &end, 10);
	if (*end != ',')
		return false;
	*count = strtoull(end + 1, &end, 10);
	*json = end;
	return true;
}

void tr2_histogram_add(uint64_t *buckets, const struct tr2_metric *metric)
{
	const char *json = metric->histogram;
	uint64_t upper, count;

	while (tr2_histogram_next(metric, &json, &upper, &count))
		buckets[tr2_histogram_bucket(upper)] += count;
}

int64_t tr2_histogram_percentile(const uint64_t *buckets, double p,
				 uint64_t max_ns)
{
	uint64_t nr = 0, rank, upper_ns, lower_ns;
	unsigned int i;

	for (i = 0; i < TR2_HISTOGRAM_BUCKETS; i++)
		nr += buckets[i];
	if (!nr)
		return TR2_NO_TIME;
	rank = tr2_rank(nr, p);
	for (i = 0; i < TR2_HISTOGRAM_BUCKETS - 1 && buckets[i] <= rank; i++)
		rank -= buckets[i];
	upper_ns = tr2_histogram_upper(i);
	/* Is max_ns in the bucket? Streams contain the largest value in whole
	 * microseconds. */
	lower_ns = i ? tr2_histogram_upper(i - 1) + 1 : 0;
	return (int64_t)(max_ns >= lower_ns && max_ns < upper_ns ? max_ns :
								    upper_ns);
}
