/* SPDX-License-Identifier: MIT */
/*
 * spread - check whether runs, in their order, seem to come from one
 * distribution, as their mean, its error and a test assume.
 */
#ifndef TR2_COMPARE_SPREAD_H
#define TR2_COMPARE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer runs nothing is reported. */
#define TR2_SPREAD_RUNS 5
#define TR2_DRIFT_RUNS 8

struct tr2_spread {
	/* By which share the first run exceeds the median of the others, if it
	 * is above their fences (compare/numbers.h) and the share is at least a
	 * tenth; else 0. */
	double first_above;
	/* The distance of the quartiles as a share of the median, if that is at
	 * least a quarter; else 0. */
	double wide;
	/*
	 * The trend: the change from the median of the first half to that of
	 * the second, as a share; negative if later runs are faster. 0 unless
	 * Kendall's rank correlation of value and order ("A new measure of rank
	 * correlation", Biometrika 30, 1938) has a probability by chance of
	 * less than one in a hundred, and the change is at least a twentieth. A
	 * first run above the fences is excluded.
	 */
	double drift;
};

/* false: too few runs. No value may be NAN. */
bool tr2_spread(struct tr2_spread *out, const double *values, size_t nr);

#endif
