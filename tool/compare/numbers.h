/* SPDX-License-Identifier: MIT */
/*
 * numbers - statistics of a number that was measured in a few runs.
 */
#ifndef TR2_COMPARE_NUMBERS_H
#define TR2_COMPARE_NUMBERS_H

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

#endif
