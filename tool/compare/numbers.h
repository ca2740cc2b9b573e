/* SPDX-License-Identifier: MIT */
/* numbers - compute statistics of a number that was measured in a few runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * error is the standard error of the mean: the standard deviation of the runs
 * (with n - 1) divided by the root of n. error is NAN for fewer than two runs.
 * Percentiles are computed by tr2_rank() (model/stats.h), as in every report.
 * An outlier is a run outside the quartiles by more than 1.5 times the distance
 * between the quartiles (Tukey's fences). Outliers are determined from
 * TR2_OUTLIER_RUNS runs on.
 */
struct tr2_numbers {
	size_t nr;
	double mean, error, min, p50, p90, p99, max;
	double low_fence, high_fence;
	size_t nr_outliers;
};

#define TR2_OUTLIER_RUNS 5

/* Compute the statistics of all values except NAN. Return false if no value is
 * left. */
bool tr2_numbers(struct tr2_numbers *out, const double *values, size_t nr);

/* Return the value that the share p of the sorted values does not exceed; see
 * tr2_rank(). */
double tr2_quantile(const double *sorted, size_t nr, double p);

/* Signs that the runs come from different distributions. The mean, its error
 * and a test assume one distribution. */
/* The least numbers of runs: TR2_SPREAD_RUNS for struct tr2_spread as a whole,
 * TR2_DRIFT_RUNS for its trend. */
#define TR2_SPREAD_RUNS 5
#define TR2_DRIFT_RUNS 8

struct tr2_spread {
	/* The share by which the first run exceeds the median of the others. 0:
	 * the share is less than a tenth, or the first run is within the fences
	 * of the others. */
	double first_above;
	/* The distance of the quartiles as a share of the median; 0: the share
	 * is less than a quarter. */
	double wide;
	/*
	 * The trend: the change from the median of the first half to the median
	 * of the second half, as a share; negative if later runs are faster.
	 * The trend is 0 if the change is less than a twentieth. It is also 0
	 * if values in random order would change as much with a probability of
	 * one in a hundred or more. This probability is computed by Kendall's
	 * rank correlation of value and order ("A new measure of rank
	 * correlation", Biometrika 30, 1938). A first run above the fences is
	 * excluded.
	 */
	double drift;
};

/* Compute the spread. Return false if there are too few runs. No value may be
 * NAN. */
bool tr2_spread(struct tr2_spread *out, const double *values, size_t nr);
