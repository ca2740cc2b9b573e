/* SPDX-License-Identifier: MIT */
/* series - keep sums by labels, and merge all except the largest. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/series.h"

struct tr2_series *tr2_series_at(struct tr2_series_set *set, tr2_str a,
				 tr2_str b)
{
	uint32_t *at = tr2_map_slot(&set->by_labels, tr2_key(a, b));

	if (!*at) {
		tr2_grow(set->item, set->nr, set->alloc);
		set->item[set->nr] = (struct tr2_series){ .label = { a, b } };
		*at = ++set->nr;
	}
	return &set->item[*at - 1];
}

static void add_to(struct tr2_series *to, const struct tr2_series *s)
{
	int i;

	for (i = 0; i < TR2_SERIES_VALUES; i++)
		to->value[i] += s->value[i];
	for (i = 0; i <= TR2_SERIES_BOUNDS; i++)
		to->bucket[i] += s->bucket[i];
	to->sum_ns += s->sum_ns;
	to->has_histogram |= s->has_histogram;
}

/* Sort by value, the greatest first. Equal values stay in their order of
 * appearance. */
static int by_value(const void *a, const void *b, void *by)
{
	const struct tr2_series *p = a, *q = b;
	int i = *(const int *)by;

	if (p->value[i] != q->value[i])
		return p->value[i] < q->value[i] ? 1 : -1;
	if (p->label[0] != q->label[0])
		return p->label[0] < q->label[0] ? -1 : 1;
	return p->label[1] < q->label[1] ? -1 : p->label[1] > q->label[1];
}

void tr2_series_bound(struct tr2_series_set *set, uint32_t max, int by,
		      tr2_str other)
{
	struct tr2_series rest = { .label = { other, other } };
	uint32_t i;

	if (set->nr <= max)
		return;
	qsort_r(set->item, set->nr, sizeof(*set->item), by_value, &by);
	for (i = max; i < set->nr; i++)
		add_to(&rest, &set->item[i]);
	set->nr = max;
	tr2_map_release(&set->by_labels);
	for (i = 0; i < max; i++)
		*tr2_map_slot(&set->by_labels,
			      tr2_key(set->item[i].label[0],
				      set->item[i].label[1])) = i + 1;
	add_to(tr2_series_at(set, other, other), &rest);
}

void tr2_series_release(struct tr2_series_set *set)
{
	free(set->item);
	tr2_map_release(&set->by_labels);
}

uint64_t tr2_series_bound_ns(int bound)
{
	static const uint64_t steps[] = { 1000, 2500, 5000 };
	uint64_t ns = steps[bound % 3];

	for (; bound >= 3; bound -= 3)
		ns *= 10;
	return ns;
}

void tr2_series_observe(struct tr2_series *s, uint64_t ns, uint64_t count)
{
	int i = 0;

	while (i < TR2_SERIES_BOUNDS && ns > tr2_series_bound_ns(i))
		i++;
	s->bucket[i] += count;
	s->has_histogram = true;
}
