/* SPDX-License-Identifier: MIT */
/*
 * compare - compare two sets of runs, measure by measure.
 */
#ifndef TR2_STAT_COMPARE_H
#define TR2_STAT_COMPARE_H

#include "stat/measure.h"

/*
 * base and new are the 50th percentiles of the runs, NAN if a side does not
 * have the measure. p is that of Mann and Whitney's test, corrected for the
 * number of tests of this kind (see stat/significance.h); NAN if nothing could
 * be tested: only one side has the measure, or all values are equal.
 */
struct tr2_difference {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	const char *name;
	double base, new, base_calls, new_calls;
	bool base_at_least, new_at_least; /* as in struct tr2_measure */
	double p;
	bool significant;
	size_t order; /* position in the measures */
};

struct tr2_comparison {
	struct tr2_difference *item;
	size_t nr;
	size_t tested[TR2_MEASURE_NR]; /* number with a p */
	uint32_t nr_base, nr_new;      /* runs */
};

/* Selects the measures to compare; `data` is the caller's. */
typedef bool tr2_difference_filter(const struct tr2_difference *d,
				   const void *data);

/* Compare the measures that either side has and `takes` accepts, kind by kind:
 * numbers of the run and events in their original order, the others with the
 * largest difference first. Names point into base and new. */
void tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new, tr2_difference_filter *takes,
		 const void *data);
void tr2_comparison_release(struct tr2_comparison *c);

/* Can so many runs show a significant difference at all, given the number of
 * tests of this kind? */
bool tr2_comparison_can_tell(const struct tr2_comparison *c,
			     enum tr2_measure_kind kind);

/* Return new - base; a missing value counts as 0. */
double tr2_difference_delta(const struct tr2_difference *d);
/* Did it grow by more than this share, significantly? */
bool tr2_difference_above(const struct tr2_difference *d, double share);

#endif
