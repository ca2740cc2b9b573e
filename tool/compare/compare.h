/* SPDX-License-Identifier: MIT */
/*
 * compare - compare two sets of runs, measure by measure.
 */
#pragma once

#include "compare/interval.h"
#include "compare/measure.h"

/* If a side has fewer runs than this, no measure counts as exact. */
#define TR2_EXACT_LEAST 4u

/* The result of comparing a count between the sides. */
enum tr2_exactness {
	TR2_EXACT_NO,     /* the measure is a time, or varies from run to run */
	TR2_EXACT_SAME,   /* all runs of both sides have one value */
	TR2_EXACT_DIFFERS /* each side has one value in all of its runs, and the
			   * two values differ */
};

/*
 * base and new are the 50th percentiles of the runs; NAN: the side does not
 * have the measure. p is the p of Mann and Whitney's test or, for runs in
 * turns, of Wilcoxon's test, corrected for the number of tests of this kind
 * (see compare/significance.h). p is NAN if there was no test: only one side
 * has the measure, all values are equal, or the measure is exact. Any
 * difference of an exact measure is significant.
 */
struct tr2_difference {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	const char *name;
	double base, new, base_calls, new_calls;
	bool base_at_least, new_at_least; /* the side's value is a lower bound:
					   * at_least of struct tr2_measure */
	enum tr2_exactness exact, exact_calls;
	double p, p_alone; /* p_alone: p before the correction */
	double p_pairs;    /* p of Wilcoxon's test, for runs in turns; else
			    * NAN */
	bool significant;
	size_t order; /* position of the row among the measures */
};

struct tr2_comparison {
	const struct tr2_measures *base_runs, *new_runs;
	struct tr2_difference *item;
	size_t nr;
	size_t tested[TR2_MEASURE_NR]; /* by kind: number of rows with a p */
	bool paired[TR2_MEASURE_NR];   /* by kind: p comes from Wilcoxon's
					* test */
	uint32_t nr_base, nr_new;      /* runs */
	uint32_t nr_pairs;             /* number of pairs, if the runs were made
					* in turns; else 0 */
	/* the user named kinds or rows */
	bool selected;
};

/* Selects the measures to compare; `data` is the caller's. */
typedef bool tr2_difference_filter(const struct tr2_difference *d,
				   const void *data);

/*
 * Compare the measures that at least one side has and that `takes` accepts.
 * Numbers of the run and events keep their order. Rows of other kinds are
 * sorted, the largest difference first. The sides must outlive the comparison.
 * in_turns: the n-th runs of both sides were made one after the other. These
 * runs are tested as pairs, unless a kind has too many rows for a significant
 * difference of the pairs.
 */
void tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new, bool in_turns,
		 tr2_difference_filter *takes, const void *data);
void tr2_comparison_release(struct tr2_comparison *c);

/* Are there enough runs for a significant difference, given the number of tests
 * of this kind? */
bool tr2_comparison_can_tell(const struct tr2_comparison *c,
			     enum tr2_measure_kind kind);

/* Return the row of this kind and name; NULL: there is no such row. */
const struct tr2_difference *tr2_comparison_find(const struct tr2_comparison *c,
						 enum tr2_measure_kind kind,
						 const char *name);

/* Estimate the ratio of a row with its interval at the level alpha. Return
 * false if the row has no ratio. */
bool tr2_difference_interval(const struct tr2_comparison *c,
			     const struct tr2_difference *d, double alpha,
			     struct tr2_stat_interval *out);

/* Return new - base; a missing value counts as 0. */
double tr2_difference_delta(const struct tr2_difference *d);
/* Did the measure grow significantly, and by more than this share? */
bool tr2_difference_above(const struct tr2_difference *d, double share);
