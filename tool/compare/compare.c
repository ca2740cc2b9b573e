/* SPDX-License-Identifier: MIT */
/* Compare two sets of runs. */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "compare/numbers.h"
#include "compare/significance.h"

/*
 * Copy the values of a side's runs to `out`, except NAN. Return the number of
 * copied values.
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

/* Copy a side's values. If the side lacks a kind of system calls, its value is
 * 0 in each run whose system calls were counted. */
static size_t values_of_side(const struct tr2_measures *ms,
			     const struct tr2_measure *it,
			     enum tr2_measure_kind kind, double *out)
{
	size_t nr = 0;
	uint32_t i;

	if (it || kind != TR2_MEASURE_SYSCALL)
		return values_of(it, ms->nr_runs, out);
	for (i = 0; i < ms->nr_runs; i++)
		if (tr2_measures_have_syscalls(ms, i))
			out[nr++] = 0;
	return nr;
}

static double middle(const double *values, size_t nr)
{
	struct tr2_numbers numbers;

	return tr2_numbers(&numbers, values, nr) ? numbers.p50 : NAN;
}

/*
 * Copy the values of pairs of runs that were made one after the other. Leave
 * out pairs that lack a value. Return the number of pairs.
 */
static size_t pairs_of(const struct tr2_measure *base,
		       const struct tr2_measure *new, uint32_t nr_pairs,
		       double *first, double *second)
{
	size_t nr = 0;
	uint32_t i;

	for (i = 0; base && new && i < nr_pairs; i++) {
		if (isnan(base->values[i]) || isnan(new->values[i]))
			continue;
		first[nr] = base->values[i];
		second[nr++] = new->values[i];
	}
	return nr;
}

/* Return the p of the pairs' ratios, which also determine the interval. If a
 * value is not positive, return the p of the pairs' differences. */
static double p_of_pairs(const double *base, const double *new, size_t nr)
{
	double *change = tr2_calloc(nr, sizeof(*change)), p;
	bool ratios = true;
	size_t i;

	for (i = 0; i < nr; i++)
		ratios &= base[i] > 0 && new[i] > 0;
	for (i = 0; i < nr; i++)
		change[i] = ratios ? log(new[i] / base[i]) : new[i] - base[i];
	p = tr2_signed_rank(change, nr);
	free(change);
	return p;
}

/* Are there enough runs, and do all have the same value? */
static bool is_constant(const double *values, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (values[i] < values[0] || values[i] > values[0])
			return false;
	return nr >= TR2_EXACT_LEAST;
}

static enum tr2_exactness exactness(const double *base, size_t nr_base,
				    const double *new, size_t nr_new)
{
	if (!is_constant(base, nr_base) || !is_constant(new, nr_new))
		return TR2_EXACT_NO;
	return base[0] < new[0] || base[0] > new[0] ? TR2_EXACT_DIFFERS :
						      TR2_EXACT_SAME;
}

/* Compare how often processes, regions and timers occurred. A side that lacks
 * the measure has 0 calls. */
static enum tr2_exactness exactness_of_calls(const struct tr2_comparison *c,
					     const struct tr2_measure *base,
					     const struct tr2_measure *new)
{
	enum tr2_measure_kind kind = base ? base->kind : new->kind;
	double none[TR2_EXACT_LEAST] = { 0 };

	if ((kind != TR2_MEASURE_PROCESS && kind != TR2_MEASURE_REGION &&
	     kind != TR2_MEASURE_TIMER) ||
	    c->nr_base < TR2_EXACT_LEAST || c->nr_new < TR2_EXACT_LEAST)
		return TR2_EXACT_NO;
	return exactness(base ? base->calls : none,
			 base ? c->nr_base : TR2_EXACT_LEAST,
			 new ? new->calls : none,
			 new ? c->nr_new : TR2_EXACT_LEAST);
}

static void fill_difference(struct tr2_comparison *c,
			    const struct tr2_measure *base,
			    const struct tr2_measure *new, double *scratch)
{
	const struct tr2_measure *any = base ? base : new;
	size_t na = values_of_side(c->base_runs, base, any->kind, scratch);
	size_t nb = values_of_side(c->new_runs, new, any->kind, scratch + na);
	struct tr2_difference *d = &c->item[c->nr++];
	double *pairs = scratch + c->nr_base + c->nr_new;
	size_t nr;

	*d = (struct tr2_difference){
		.kind = any->kind,
		.unit = na || !new ? any->unit : new->unit,
		.name = any->name,
		.base = middle(scratch, na),
		.new = middle(scratch + na, nb),
		.base_calls = base ? middle(base->calls, c->nr_base) : 0,
		.new_calls = new ? middle(new->calls, c->nr_new) : 0,
		.base_at_least = base && base->at_least,
		.new_at_least = new && new->at_least,
		.exact_calls = exactness_of_calls(c, base, new),
		.p = NAN,
		.p_pairs = NAN,
	};
	if (d->unit != TR2_UNIT_NS &&
	    !tr2_measure_is_random(d->kind, d->name) &&
	    !tr2_measure_is_of_machine(d->kind, d->name))
		d->exact = exactness(scratch, na, scratch + na, nb);
	if (d->exact)
		return;
	d->p = tr2_mann_whitney(scratch, na, scratch + na, nb);
	nr = pairs_of(base, new, c->nr_pairs, pairs, pairs + c->nr_pairs);
	if (nr)
		d->p_pairs = p_of_pairs(pairs, pairs + c->nr_pairs, nr);
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

/*
 * Do the medians and the test disagree on whether the measure grew or fell?
 * Outliers can cause that.
 */
static bool is_contradictory(const struct tr2_comparison *c,
			     const struct tr2_difference *d)
{
	struct tr2_stat_interval ratio;

	return tr2_difference_interval(c, d, TR2_ALPHA, &ratio) &&
	       (ratio.ratio - 1) * (d->new - d->base) <= 0;
}

/* Use the p of pairs if there are enough pairs for a significant difference
 * among the rows of this kind. Discard the p of a row if its medians contradict
 * the test. */
static void choose_test(struct tr2_comparison *c, size_t from, size_t to)
{
	double rows = 0;
	size_t i;

	for (i = from; i < to; i++)
		rows += !isnan(c->item[i].p);
	c->paired[c->item[from].kind] =
		tr2_signed_rank_least(c->nr_pairs) * rows < TR2_ALPHA;
	for (i = from; i < to; i++) {
		struct tr2_difference *d = &c->item[i];

		if (c->paired[d->kind] && !isnan(d->p))
			d->p = isnan(d->p_pairs) ? 1 : d->p_pairs;
		if (d->p < TR2_ALPHA && is_contradictory(c, d))
			d->p = 1;
		d->p_alone = d->p;
	}
}

/* Judge the rows. Correct the p-values of one kind together for multiple
 * tests. */
static void judge_rows(struct tr2_comparison *c)
{
	double *p = tr2_calloc(c->nr, sizeof(*p));
	size_t from, to, i;

	for (from = 0; from < c->nr; from = to) {
		for (to = from; to < c->nr &&
				c->item[to].kind == c->item[from].kind; to++)
			;
		choose_test(c, from, to);
		for (i = from; i < to; i++)
			p[i - from] = c->item[i].p;
		tr2_holm(p, to - from);
		for (i = from; i < to; i++) {
			struct tr2_difference *d = &c->item[i];

			d->p = p[i - from];
			d->significant = d->p < TR2_ALPHA ||
					 d->exact == TR2_EXACT_DIFFERS;
			c->tested[d->kind] += !isnan(d->p);
		}
	}
	free(p);
}

static bool have_syscalls(const struct tr2_measures *ms)
{
	uint32_t i;

	for (i = 0; i < ms->nr_runs; i++)
		if (tr2_measures_have_syscalls(ms, i))
			return true;
	return false;
}

/* Can the measure be compared? A measure of states, or of system calls, can
 * only be compared if both sides recorded them. */
static bool can_compare(const struct tr2_measures *base,
			const struct tr2_measures *new,
			enum tr2_measure_kind kind)
{
	if (kind == TR2_MEASURE_SYSCALL)
		return have_syscalls(base) && have_syscalls(new);
	return !tr2_measure_is_of_states(kind) ||
	       (base->any_states && new->any_states);
}

/* Add all measures of base, then the measures that only new has. */
static void fill_all(struct tr2_comparison *c, double *scratch)
{
	const struct tr2_measures *base = c->base_runs, *new = c->new_runs;
	const struct tr2_measure *it;
	uint32_t i;

	for (i = 0; i < base->nr; i++) {
		it = &base->item[i];
		if (!can_compare(base, new, it->kind))
			continue;
		fill_difference(c, it,
				tr2_measures_find(new, it->kind, it->name),
				scratch);
	}
	for (i = 0; i < new->nr; i++) {
		it = &new->item[i];
		if (can_compare(base, new, it->kind) &&
		    !tr2_measures_find(base, it->kind, it->name))
			fill_difference(c, NULL, it, scratch);
	}
}

void tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new, bool in_turns,
		 tr2_difference_filter *takes, const void *data)
{
	size_t runs = (size_t)base->nr_runs + new->nr_runs, nr, i;
	double *scratch = tr2_calloc(2 * runs, sizeof(*scratch));

	*c = (struct tr2_comparison){ .base_runs = base,
				      .new_runs = new,
				      .nr_base = base->nr_runs,
				      .nr_new = new->nr_runs };
	if (in_turns)
		c->nr_pairs = c->nr_base < c->nr_new ? c->nr_base : c->nr_new;
	c->item = tr2_calloc((size_t)base->nr + new->nr, sizeof(*c->item));
	fill_all(c, scratch);
	free(scratch);
	for (nr = c->nr, c->nr = 0, i = 0; i < nr; i++) {
		c->item[i].order = i;
		if (takes(&c->item[i], data))
			c->item[c->nr++] = c->item[i];
	}
	qsort(c->item, c->nr, sizeof(*c->item), by_delta);
	judge_rows(c);
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

const struct tr2_difference *tr2_comparison_find(const struct tr2_comparison *c,
						 enum tr2_measure_kind kind,
						 const char *name)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (c->item[i].kind == kind && !strcmp(c->item[i].name, name))
			return &c->item[i];
	return NULL;
}

bool tr2_difference_interval(const struct tr2_comparison *c,
			     const struct tr2_difference *d, double alpha,
			     struct tr2_stat_interval *out)
{
	const struct tr2_measure *base =
		tr2_measures_find(c->base_runs, d->kind, d->name);
	const struct tr2_measure *new =
		tr2_measures_find(c->new_runs, d->kind, d->name);
	size_t runs = (size_t)c->nr_base + c->nr_new, na, nb;
	double *values;
	bool ok;

	if (!base || !new)
		return false;
	values = tr2_calloc(2 * runs, sizeof(*values));
	if (c->paired[d->kind]) {
		na = pairs_of(base, new, c->nr_pairs, values, values + runs);
		ok = tr2_interval_of_pairs(out, values, values + runs, na,
					   alpha);
	} else {
		na = values_of(base, c->nr_base, values);
		nb = values_of(new, c->nr_new, values + na);
		ok = tr2_interval_of_sets(out, values, na, values + na, nb,
					  alpha);
	}
	free(values);
	return ok;
}

double tr2_difference_delta(const struct tr2_difference *d)
{
	return (isnan(d->new) ? 0 : d->new) - (isnan(d->base) ? 0 : d->base);
}

bool tr2_difference_above(const struct tr2_difference *d, double share)
{
	return d->significant && d->new - d->base > share * d->base;
}
