/* SPDX-License-Identifier: MIT */
/*
 * compare - two sets of runs, measure by measure.
 */
#ifndef TR2_STAT_COMPARE_H
#define TR2_STAT_COMPARE_H

#include "stat/measure.h"

/*
 * base and new are the 50th percentiles of the runs, NAN where a side does not have it.
 * p is that of Mann and Whitney's test, made fit for as many as there are of
 * this kind (see stat/significance.h); NAN where there was nothing to test:
 * only one side has it, or all values are equal.
 */
struct tr2_difference {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	const char *name;
	double base, new, base_calls, new_calls;
	double p;
	bool significant;
};

struct tr2_comparison {
	struct tr2_difference *item;
	size_t nr;
	uint32_t nr_base, nr_new; /* runs */
};

/*
 * What any of both has, kind by kind, the largest difference first. Names are
 * those of base and new. false: no memory.
 */
bool tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new);
void tr2_comparison_release(struct tr2_comparison *c);

/* new - base; what a side does not have is 0. */
double tr2_difference_delta(const struct tr2_difference *d);
/* Whether it grew by more than this share, and that is significant. */
bool tr2_difference_above(const struct tr2_difference *d, double share);

#endif
