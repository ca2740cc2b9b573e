/* SPDX-License-Identifier: MIT */
/*
 * significance - test whether two sets of runs differ by more than chance.
 */
#ifndef TR2_COMPARE_SIGNIFICANCE_H
#define TR2_COMPARE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

/* The level below which a difference is significant. */
#define TR2_ALPHA 0.05

/* Up to so many runs in both sets together, p is exact. */
#define TR2_EXACT_RUNS 50

/*
 * Return the two-sided p of the test of Mann and Whitney ("On a test of whether
 * one of two random variables is stochastically larger than the other", Annals
 * of Mathematical Statistics 18, 1947; Wilcoxon's rank sum test): the
 * probability of ranks at least as far apart as these if all runs came from one
 * distribution. It assumes no particular distribution, and an extreme run
 * counts as one run.
 *
 * Equal values share the mean of their ranks. With at most TR2_EXACT_RUNS all
 * ways to divide the runs are counted (the shift algorithm of Streitberg and
 * Roehmel, 1986, which ties do not disturb); with more, p is the normal
 * approximation with the variance corrected for ties and half a rank for
 * continuity (Lehmann, "Nonparametrics", 1975, section 1.3).
 *
 * NAN: nothing can be tested, because a set is empty or all values are equal. No
 * value may be NAN.
 */
double tr2_mann_whitney(const double *a, size_t na, const double *b,
			size_t nb);

/*
 * Return the two-sided p of Wilcoxon's signed rank test ("Individual comparisons
 * by ranking methods", Biometrics Bulletin 1, 1945) of the differences of pairs:
 * the probability of sums of ranks at least as far apart, if each difference
 * were as likely to have the other sign. What lasts longer than a pair (a
 * machine that becomes slower) does not disturb it. Differences of 0 are left
 * out, equal ones share their rank. Exact up to TR2_EXACT_RUNS differences, else
 * the normal approximation. NAN: no difference is other than 0.
 */
double tr2_signed_rank(const double *differences, size_t nr);
/* Return the least p that so many pairs can have. */
double tr2_signed_rank_least(size_t nr);

/* Return the least p that sets of these sizes can have: if every run of one is
 * above all of the other. 1 if a set is empty. */
double tr2_mann_whitney_least(size_t na, size_t nb);
/* Return how many runs on each side are needed at least for one of `tested` to
 * be significant after tr2_holm(). */
size_t tr2_runs_needed(size_t tested);

/* Correct p-values for multiple tests (Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 6, 1979), so
 * that they can be compared with one level: the probability that any of them is
 * below it by chance stays below it. NAN values are ignored. */
void tr2_holm(double *p, size_t nr);

#endif
