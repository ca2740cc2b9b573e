/* SPDX-License-Identifier: MIT */
/*
 * significance - whether two sets of runs differ, or only look like it.
 */
#ifndef TR2_STAT_SIGNIFICANCE_H
#define TR2_STAT_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

/* What is called significant. */
#define TR2_ALPHA 0.05

/* Up to so many runs in both sets together, p is exact. */
#define TR2_EXACT_RUNS 50

/*
 * The two-sided p of the test of Mann and Whitney ("On a test of whether one of
 * two random variables is stochastically larger than the other", Annals of
 * Mathematical Statistics 18, 1947; Wilcoxon's rank sum test): how likely ranks
 * as far apart as these, or farther, would be if all runs were of one kind. It
 * asks for no distribution, and one wild run counts as one run.
 *
 * Equal values share the mean of their ranks. With at most TR2_EXACT_RUNS the
 * share of all ways to part the runs is counted (the shift algorithm of
 * Streitberg and Roehmel, 1986, which ties do not disturb); with more, it is
 * the normal approximation with the variance corrected for ties and half a rank
 * for continuity (Lehmann, "Nonparametrics", 1975, section 1.3).
 *
 * NAN: there is nothing to test, because a set is empty, all values are equal,
 * or memory is short. No value may be NAN.
 */
double tr2_mann_whitney(const double *a, size_t na, const double *b,
			size_t nb);

/* The least p that sets of these sizes can have: when every run of one is
 * above all of the other. 1 when a set is empty. */
double tr2_mann_whitney_least(size_t na, size_t nb);
/* How many runs on each side are needed, at least, for one of `tested` to be
 * significant after tr2_holm(). */
size_t tr2_runs_needed(size_t tested);

/*
 * Makes p-values that were found by looking at many things fit to be compared
 * with one bound (Holm, "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6, 1979): the chance that
 * chance alone passes the bound anywhere among them stays below it. Those that
 * are NAN do not count. false: no memory, and they are as they were.
 */
bool tr2_holm(double *p, size_t nr);

#endif
