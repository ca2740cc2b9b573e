/* SPDX-License-Identifier: MIT */
/*
 * numbers - statistics of a number that was measured in a few runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * error is the standard error of the mean: the standard deviation of the runs
 * (with n - 1) divided by the root of n; NAN for fewer than two. Percentiles
 * are those of tr2_rank() (model/stats.h), as in every report. An outlier is a
 * run beyond the quartiles by more than 1.5 times their distance (Tukey's
 * fences); at least TR2_OUTLIER_RUNS are needed to determine outliers.
 */
struct tr2_numbers {
	size_t nr;
	double mean, error, min, p50, p90, p99, max;
	double low_fence, high_fence;
	size_t nr_outliers;
};

#define TR2_OUTLIER_RUNS 5

/* Compute them, ignoring NAN. false: there is no value. */
bool tr2_numbers(struct tr2_numbers *out, const double *values, size_t nr);

/* Return the value that a share p of sorted values does not exceed; see
 * tr2_rank(). */
double tr2_quantile(const double *sorted, size_t nr, double p);

/* Do runs, in their order, seem to come from one distribution, as their mean, its
 * error and a test assume? */
/* With fewer runs nothing is reported. */
#define TR2_SPREAD_RUNS 5
#define TR2_DRIFT_RUNS 8

struct tr2_spread {
	/* By which share the first run exceeds the median of the others, if it
	 * is above their fences and the share is at least a
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
