/* SPDX-License-Identifier: MIT */
/* Compare two sets of runs. */
#include "stat/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "stat/numbers.h"
#include "stat/significance.h"

/*
 * Copy a side's values without NAN to the front of `out`; return their number.
 */
static size_t values_of(const struct tr2_measure *it, uint32_t nr_runs,
			double *out)
{
	size_t nr = 0;
	uint32_t i;

	for (i = 0; it && i < nr_runs; i++)
		if (!isnan(it->values[i]))
			out[nr++] = it->values[i];
	return nr;
}

static double middle(const double *values, size_t nr)
{
	struct tr2_numbers numbers;

	return tr2_numbers(&numbers, values, nr) ? numbers.p50 : NAN;
}

static void fill_difference(struct tr2_difference *d,
			    const struct tr2_measure *base, uint32_t nr_base,
			    const struct tr2_measure *new, uint32_t nr_new,
			    double *scratch)
{
	const struct tr2_measure *any = base ? base : new;
	size_t na = values_of(base, nr_base, scratch);
	size_t nb = values_of(new, nr_new, scratch + na);

	*d = (struct tr2_difference){
		.kind = any->kind,
		.unit = na || !new ? any->unit : new->unit,
		.name = any->name,
		.base = middle(scratch, na),
		.new = middle(scratch + na, nb),
		.base_calls = base ? middle(base->calls, nr_base) : 0,
		.new_calls = new ? middle(new->calls, nr_new) : 0,
		.base_at_least = base && base->at_least,
		.new_at_least = new && new->at_least,
		.p = tr2_mann_whitney(scratch, na, scratch + na, nb),
	};
}

static double size_of_delta(const struct tr2_difference *d)
{
	return fabs(tr2_difference_delta(d));
}

static int by_delta(const void *va, const void *vb)
{
	const struct tr2_difference *a = va, *b = vb;
	double da = size_of_delta(a), db = size_of_delta(b);

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind <= TR2_MEASURE_EVENT)
		return a->order < b->order ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit == TR2_UNIT_NS ? -1 :
		       b->unit == TR2_UNIT_NS ? 1 : (int)b->unit - (int)a->unit;
	if (da > db || da < db)
		return da > db ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Names of one kind are corrected together for multiple tests. */
static void judge(struct tr2_comparison *c)
{
	double *p = tr2_calloc(c->nr, sizeof(*p));
	size_t from, to, i;

	for (from = 0; from < c->nr; from = to) {
		for (to = from; to < c->nr &&
				c->item[to].kind == c->item[from].kind; to++)
			p[to - from] = c->item[to].p;
		tr2_holm(p, to - from);
		for (i = from; i < to; i++) {
			c->item[i].p = p[i - from];
			c->item[i].significant = p[i - from] < TR2_ALPHA;
			c->tested[c->item[i].kind] += !isnan(p[i - from]);
		}
	}
	free(p);
}

/* Without states on one side, nothing is known of the difference. */
static bool can_compare(const struct tr2_measures *base,
			const struct tr2_measures *new,
			enum tr2_measure_kind kind)
{
	return !tr2_measure_is_of_states(kind) ||
	       (base->any_states && new->any_states);
}

/* Add all measures of base, then those that only new has. */
static void fill_all(struct tr2_comparison *c, const struct tr2_measures *base,
		     const struct tr2_measures *new, double *scratch)
{
	const struct tr2_measure *it;
	uint32_t i;

	for (i = 0; i < base->nr; i++) {
		it = &base->item[i];
		if (!can_compare(base, new, it->kind))
			continue;
		fill_difference(&c->item[c->nr++], it, base->nr_runs,
				tr2_measures_find(new, it->kind, it->name),
				new->nr_runs, scratch);
	}
	for (i = 0; i < new->nr; i++) {
		it = &new->item[i];
		if (can_compare(base, new, it->kind) &&
		    !tr2_measures_find(base, it->kind, it->name))
			fill_difference(&c->item[c->nr++], NULL, 0, it,
					new->nr_runs, scratch);
	}
}

void tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new, tr2_difference_filter *takes,
		 const void *data)
{
	double *scratch = tr2_calloc((size_t)base->nr_runs + new->nr_runs,
				     sizeof(*scratch));
	size_t nr, i;

	*c = (struct tr2_comparison){ .nr_base = base->nr_runs,
				      .nr_new = new->nr_runs };
	c->item = tr2_calloc((size_t)base->nr + new->nr, sizeof(*c->item));
	fill_all(c, base, new, scratch);
	free(scratch);
	for (nr = c->nr, c->nr = 0, i = 0; i < nr; i++) {
		c->item[i].order = i;
		if (takes(&c->item[i], data))
			c->item[c->nr++] = c->item[i];
	}
	qsort(c->item, c->nr, sizeof(*c->item), by_delta);
	judge(c);
}

void tr2_comparison_release(struct tr2_comparison *c)
{
	free(c->item);
	*c = (struct tr2_comparison){ 0 };
}

bool tr2_comparison_can_tell(const struct tr2_comparison *c,
			     enum tr2_measure_kind kind)
{
	double least = tr2_mann_whitney_least(c->nr_base, c->nr_new);

	return least * fmax(1, (double)c->tested[kind]) < TR2_ALPHA;
}

double tr2_difference_delta(const struct tr2_difference *d)
{
	return (isnan(d->new) ? 0 : d->new) - (isnan(d->base) ? 0 : d->base);
}

bool tr2_difference_above(const struct tr2_difference *d, double share)
{
	return d->significant && d->new - d->base > share * d->base;
}
