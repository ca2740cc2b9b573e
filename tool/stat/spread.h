/* SPDX-License-Identifier: MIT */
/*
 * spread - whether runs, in the order in which they were, look as if they were
 * of one kind: what a mean, an error and a test of them take for granted.
 */
#ifndef TR2_STAT_SPREAD_H
#define TR2_STAT_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer runs, nothing is said. */
#define TR2_SPREAD_RUNS 5
#define TR2_DRIFT_RUNS 8

struct tr2_spread {
	/* The first run lies above the fences (stat/numbers.h) of the others,
	 * and a tenth or more above their median: by which share. 0: it does
	 * not. */
	double first_above;
	/* The quartiles are apart by a quarter of the median or more: by which
	 * share. 0: they are nearer. */
	double wide;
	/*
	 * The later, the slower (or faster, then it is negative): the change
	 * from the median of the first half to that of the second, as a share.
	 * Not 0 only where Kendall's rank correlation of value and order ("A
	 * new measure of rank correlation", Biometrika 30, 1938) would come by
	 * chance less than once in a hundred sets, and the change is a
	 * twentieth or more. A first run that stands above is left out.
	 */
	double drift;
};

/* false: no memory, or too few runs. No value may be NAN. */
bool tr2_spread(struct tr2_spread *out, const double *values, size_t nr);

#endif
