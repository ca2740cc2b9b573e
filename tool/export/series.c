/* SPDX-License-Identifier: MIT */
/*
 * series - see export/series.h.
 */
#include <stdlib.h>
#include <string.h>

#include "export/series.h"

static size_t hash(tr2_str a, tr2_str b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 32);
}

/* Return the slot of these labels, or the free one for them. */
static uint32_t *find(const struct tr2_series_set *set, tr2_str a, tr2_str b)
{
	size_t i = hash(a, b) & (set->nr_slots - 1);
	const struct tr2_series *s;

	for (; set->slot[i]; i = (i + 1) & (set->nr_slots - 1)) {
		s = &set->item[set->slot[i] - 1];
		if (s->label[0] == a && s->label[1] == b)
			break;
	}
	return &set->slot[i];
}

static bool rehash(struct tr2_series_set *set, size_t nr_slots)
{
	uint32_t *slot = calloc(nr_slots, sizeof(*slot));
	size_t i;

	if (!slot)
		return false;
	free(set->slot);
	set->slot = slot;
	set->nr_slots = nr_slots;
	for (i = 0; i < set->nr; i++)
		*find(set, set->item[i].label[0], set->item[i].label[1]) =
			(uint32_t)i + 1;
	return true;
}

static bool grow(struct tr2_series_set *set)
{
	size_t alloc = set->alloc ? 2 * set->alloc : 64;
	struct tr2_series *item =
		reallocarray(set->item, alloc, sizeof(*item));

	if (!item)
		return false;
	set->item = item;
	set->alloc = alloc;
	return rehash(set, 2 * alloc);
}

struct tr2_series *tr2_series_at(struct tr2_series_set *set, tr2_str a,
				 tr2_str b)
{
	uint32_t *at;

	if (set->nr == set->alloc && !grow(set))
		return NULL;
	at = find(set, a, b);
	if (!*at) {
		set->item[set->nr] = (struct tr2_series){ .label = { a, b } };
		*at = (uint32_t)++set->nr;
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

/*
 * Sort by value, the greatest first; equal ones in their order of appearance.
 */
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

bool tr2_series_bound(struct tr2_series_set *set, size_t max, int by,
		      tr2_str other)
{
	struct tr2_series rest = { .label = { other, other } }, *to;
	size_t i;

	if (set->nr <= max)
		return true;
	qsort_r(set->item, set->nr, sizeof(*set->item), by_value, &by);
	for (i = max; i < set->nr; i++)
		add_to(&rest, &set->item[i]);
	set->nr = max;
	if (!rehash(set, set->nr_slots))
		return false;
	to = tr2_series_at(set, other, other);
	if (to)
		add_to(to, &rest);
	return to != NULL;
}

void tr2_series_release(struct tr2_series_set *set)
{
	free(set->item);
	free(set->slot);
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
