/* SPDX-License-Identifier: MIT */
/*
 * numbers - what a few runs say of a number that each of them measured.
 */
#ifndef TR2_STAT_NUMBERS_H
#define TR2_STAT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * error is the standard error of the mean: the standard deviation of the runs
 * (with n - 1) divided by the root of n; NAN for fewer than two. Percentiles
 * are those of tr2_rank() (model/stats.h), as in every report. An outlier is a
 * run that lies more than 1.5 times the distance of the quartiles beyond them
 * (Tukey's fences); with fewer than TR2_OUTLIER_RUNS nobody can tell.
 */
struct tr2_numbers {
	size_t nr;
	double mean, error, min, p50, p90, p99, max;
	double low_fence, high_fence;
	size_t nr_outliers;
};

#define TR2_OUTLIER_RUNS 5

/* Values that are NAN are left out. false: no memory, or no value. */
bool tr2_numbers(struct tr2_numbers *out, const double *values, size_t nr);

/* The value that a share p of sorted values does not exceed; see tr2_rank(). */
double tr2_quantile(const double *sorted, size_t nr, double p);

#endif
