/* SPDX-License-Identifier: MIT */
/*
 * interval - estimate the factor by which the values of NEW are larger than
 * those of BASE, with an interval.
 *
 * The estimate is Hodges and Lehmann's ("Estimates of location based on rank
 * tests", Annals of Mathematical Statistics 34, 1963), on logarithms. For two
 * sets it is the median of all ratios NEW / BASE; for pairs, the median of the
 * geometric means of any two ratios.
 *
 * The interval contains all factors that the test of the same ranks
 * (compare/significance.h) does not reject at the level alpha. Only the first
 * TR2_INTERVAL_RUNS runs are used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TR2_INTERVAL_RUNS 1000u

struct tr2_stat_interval {
	double low, ratio, high;
};

/* Compute the interval of pairs, or of two sets. With too few runs, low is 0
 * and high is INFINITY. Return false if there are no values, or if a value is
 * not above 0. */
bool tr2_interval_of_pairs(struct tr2_stat_interval *out, const double *base,
			   const double *new, size_t nr, double alpha);
bool tr2_interval_of_sets(struct tr2_stat_interval *out, const double *base,
			  size_t nr_base, const double *new, size_t nr_new,
			  double alpha);
