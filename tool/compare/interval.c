/* SPDX-License-Identifier: MIT */
/* Estimates and confidence intervals of ratios, from ranks. */
#include "common/order.h"
#include "compare/interval.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "compare/significance.h"

TR2_ORDER(compare, double, tr2_order(*a, *b))

/* Return the quantile of the normal distribution that leaves `tail` above
 * it. */
static double normal_quantile(double tail)
{
	double low = 0, high = 40, middle;
	int i;

	for (i = 0; i < 100; i++) {
		middle = (low + high) / 2;
		if (erfc(middle / sqrt(2)) / 2 > tail)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Return the number of smallest sums (0, 1, 2, …) whose joint probability is at
 * most `tail`. ways: by sum, the number of ways to get the sum; all: the total
 * of all ways. */
static size_t count_tail(const double *ways, size_t nr, double all,
			 double tail)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		sum += ways[i] / all;
		if (sum > tail)
			break;
	}
	return i;
}

/* Return the number of sums in the tail of Wilcoxon's signed rank sum. */
static size_t tail_of_pairs(size_t nr, double tail)
{
	size_t width = nr * (nr + 1) / 2 + 1, rank, s;
	double *ways, n = (double)nr, at;

	if (nr > TR2_EXACT_RUNS) {
		at = n * (n + 1) / 4 - normal_quantile(tail) *
			     sqrt(n * (n + 1) * (2 * n + 1) / 24);
		return at > 0 ? (size_t)at : 0;
	}
	ways = tr2_calloc(width, sizeof(*ways));
	ways[0] = 1;
	for (rank = 1; rank <= nr; rank++)
		for (s = width; s-- > rank;)
			ways[s] += ways[s - rank];
	s = count_tail(ways, width, ldexp(1, (int)nr), tail);
	free(ways);
	return s;
}

/* Return the number of sums in the tail of Mann and Whitney's U. ways[k][u]:
 * number of ways in which k of the runs so far belong to a, with u pairs in the
 * wrong order. */
static size_t tail_of_sets(size_t na, size_t nb, double tail)
{
	size_t width = na * nb + 1, total = na + nb, i, k, u;
	double *ways, all = 0, a = (double)na, b = (double)nb, at;

	if (total > TR2_EXACT_RUNS) {
		at = a * b / 2 - normal_quantile(tail) *
			     sqrt(a * b * (a + b + 1) / 12);
		return at > 0 ? (size_t)at : 0;
	}
	ways = tr2_calloc((na + 1) * width, sizeof(*ways));
	ways[0] = 1;
	for (i = 0; i < total; i++)
		/* If the run with index i is the k-th run of a, i - k + 1 runs
		 * of b precede it. */
		for (k = na < i + 1 ? na : i + 1; k > 0; k--)
			for (u = width; i - k + 1 <= nb && u-- > i - k + 1;)
				ways[k * width + u] += ways[(k - 1) * width +
							    u - (i - k + 1)];
	for (u = 0; u < width; u++)
		all += ways[na * width + u];
	u = count_tail(ways + na * width, width, all, tail);
	free(ways);
	return u;
}

/* Sort the differences of logarithms. The interval leaves out `tail` of them at
 * each end. */
static void add_interval(struct tr2_stat_interval *out, double *all, size_t nr,
			 size_t tail)
{
	qsort(all, nr, sizeof(*all), compare);
	out->ratio = exp((all[(nr - 1) / 2] + all[nr / 2]) / 2);
	out->low = tail ? exp(all[tail - 1]) : 0;
	out->high = tail ? exp(all[nr - tail]) : INFINITY;
}

static bool are_positive(const double *values, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!(values[i] > 0))
			return false;
	return nr > 0;
}

bool tr2_interval_of_pairs(struct tr2_stat_interval *out, const double *base,
			   const double *new, size_t nr, double alpha)
{
	size_t at = 0, i, j;
	double *all;

	if (nr > TR2_INTERVAL_RUNS)
		nr = TR2_INTERVAL_RUNS;
	if (!are_positive(base, nr) || !are_positive(new, nr))
		return false;
	all = tr2_calloc(nr * (nr + 1) / 2, sizeof(*all));
	for (i = 0; i < nr; i++)
		for (j = i; j < nr; j++)
			all[at++] = (log(new[i] / base[i]) +
				     log(new[j] / base[j])) / 2;
	add_interval(out, all, at, tail_of_pairs(nr, alpha / 2));
	free(all);
	return true;
}

bool tr2_interval_of_sets(struct tr2_stat_interval *out, const double *base,
			  size_t nr_base, const double *new, size_t nr_new,
			  double alpha)
{
	size_t at = 0, i, j;
	double *all;

	if (nr_base > TR2_INTERVAL_RUNS)
		nr_base = TR2_INTERVAL_RUNS;
	if (nr_new > TR2_INTERVAL_RUNS)
		nr_new = TR2_INTERVAL_RUNS;
	if (!are_positive(base, nr_base) || !are_positive(new, nr_new))
		return false;
	all = tr2_calloc(nr_base * nr_new, sizeof(*all));
	for (i = 0; i < nr_base; i++)
		for (j = 0; j < nr_new; j++)
			all[at++] = log(new[j] / base[i]);
	add_interval(out, all, at, tail_of_sets(nr_base, nr_new, alpha / 2));
	free(all);
	return true;
}
