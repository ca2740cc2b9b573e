/* SPDX-License-Identifier: MIT */
/*
 * interval - by which factor the runs of one side take more than those of the
 * other, and how certain that is.
 *
 * The estimate is that of Hodges and Lehmann ("Estimates of location based on
 * rank tests", Annals of Mathematical Statistics 34, 1963), of the logarithms:
 * the median of all ratios NEW / BASE, or for pairs that of the geometric means
 * of two of their ratios. The interval has all factors that the test of the same
 * ranks (compare/significance.h) does not reject at the level alpha. Of more than
 * TR2_INTERVAL_RUNS runs, the first ones are used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TR2_INTERVAL_RUNS 1000u

struct tr2_stat_interval {
	double low, ratio, high;
};

/* Of pairs, or of two sets. low is 0 and high INFINITY if there are too few runs
 * for any. false: some value is not above 0, or there is none. */
bool tr2_interval_of_pairs(struct tr2_stat_interval *out, const double *base,
			   const double *new, size_t nr, double alpha);
bool tr2_interval_of_sets(struct tr2_stat_interval *out, const double *base,
			  size_t nr_base, const double *new, size_t nr_new,
			  double alpha);
