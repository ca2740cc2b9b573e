/* SPDX-License-Identifier: MIT */
/*
 * significance - test whether two sets of runs differ by more than chance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The level below which a difference is significant. */
#define TR2_ALPHA 0.05

/* With at most this number of runs in both sets together, p is exact. */
#define TR2_EXACT_RUNS 50

/*
 * Return the two-sided p of the test of Mann and Whitney ("On a test of whether
 * one of two random variables is stochastically larger than the other", Annals
 * of Mathematical Statistics 18, 1947; Wilcoxon's rank sum test). p is the
 * probability that ranks lie at least as far apart as these if all runs come
 * from one distribution. The test assumes no particular distribution, and an
 * extreme run has no more weight than any other run.
 *
 * Equal values share the mean of their ranks. With at most TR2_EXACT_RUNS runs,
 * all ways to divide the runs are counted (by the shift algorithm of Streitberg
 * and Roehmel, 1986, which allows ties). With more runs, p is the normal
 * approximation. Its variance is corrected for ties, and half a rank is
 * subtracted for continuity (Lehmann, "Nonparametrics", 1975, section 1.3).
 *
 * NAN: nothing can be tested, because a set is empty or all values are equal.
 * No value may be NAN.
 */
double tr2_mann_whitney(const double *a, size_t na, const double *b,
			size_t nb);

/*
 * Return the two-sided p of Wilcoxon's signed rank test ("Individual
 * comparisons by ranking methods", Biometrics Bulletin 1, 1945) for the
 * differences of pairs. It is the probability that the sums of ranks lie at
 * least as far apart as these if each difference is as likely to have the other
 * sign. A change that lasts longer than a pair (a machine that becomes slower)
 * does not disturb the test. Differences of 0 are left out; equal differences
 * share the mean of their ranks. With at most TR2_EXACT_RUNS differences, p is
 * exact; with more, it is the normal approximation. NAN: all differences are 0.
 */
double tr2_signed_rank(const double *differences, size_t nr);
/* Return the least p of tr2_signed_rank() that this number of pairs can
 * have. */
double tr2_signed_rank_least(size_t nr);

/* Return the least p that sets of these sizes can have: the p if every run of
 * one set is above all runs of the other. 1: a set is empty. */
double tr2_mann_whitney_least(size_t na, size_t nb);
/* Return the least number of runs of each side with which one of `tested` rows
 * can be significant after tr2_holm(). */
size_t tr2_runs_needed(size_t tested);

/* Correct p-values for multiple tests (Holm, "A simple sequentially rejective
 * multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
 * Compare each corrected p with one level: chance alone brings any p below the
 * level with a probability below the level. NAN values are ignored. */
void tr2_holm(double *p, size_t nr);

/*
 * A schedule of looks at the results while runs are made, in order to stop when
 * the results decide. The looks together give no more wrong verdicts than a
 * single test at the end.
 *
 * A reader who looks often enough will at some time take chance for a
 * difference. So the k-th look has a smaller level: 0.05 / (k * (k + 1)). The
 * sum of the levels is at most 0.05 for any number of looks (Bonferroni's
 * inequality). Looks are few: the number of pairs grows by a factor of 1.4 from
 * look to look.
 */
struct tr2_sequential {
	uint32_t nr_looks;
	uint32_t next; /* number of pairs at which to look next */
	double alpha;  /* level of the last look */
};

void tr2_sequential_init(struct tr2_sequential *s);
/* Is it time to look, after nr_pairs of at most `most` pairs? If so, set
 * s->alpha to the level. */
bool tr2_sequential_looks(struct tr2_sequential *s, uint32_t nr_pairs,
			  uint32_t most);

/*
 * Choose at random which side of a pair runs first. A random order makes the
 * test of pairs exact, whatever else the machine does. With any regular order,
 * a load that alternates in the same way would slow one side more than the
 * other.
 */
bool tr2_coin_toss(void);
