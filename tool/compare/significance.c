/* SPDX-License-Identifier: MIT */
/* Rank tests for two sets of runs. */
#include "common/order.h"
#include "compare/significance.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "common/memory.h"

/* A run, and twice its rank among all runs. The doubled rank is an integer even
 * if equal runs share the mean of their ranks. */
struct ranked {
	double value;
	bool in_a;
	size_t twice_rank;
};

TR2_ORDER(compare, struct ranked, TR2_UP(value))

/* Set the ranks. Return the sum of t^3 - t over all groups of t equal
 * values. */
static double assign_ranks(struct ranked *r, size_t nr)
{
	double ties = 0, t;
	size_t i, end;

	qsort(r, nr, sizeof(*r), compare);
	for (i = 0; i < nr; i = end) {
		for (end = i; end < nr && !(r[end].value > r[i].value); end++)
			;
		t = (double)(end - i);
		ties += t * t * t - t;
		/* These runs share the ranks i + 1 to end; twice the mean of
		 * the ranks is i + 1 + end. */
		for (size_t at = i; at < end; at++)
			r[at].twice_rank = i + 1 + end;
	}
	return ties;
}

/*
 * Return the exact p. ways[k][s]: number of ways to choose k runs whose doubled
 * ranks add up to s. With up to 50 runs, this number is below 2^53, so a double
 * is exact.
 */
static double exact_p(const struct ranked *r, size_t nr, size_t take,
		      size_t twice_sum)
{
	size_t width = nr * (nr + 1) + 1, expected = take * (nr + 1), i, k, s;
	double *ways = tr2_calloc((take + 1) * width, sizeof(*ways));
	double far = 0, all = 0;
	size_t distance = twice_sum > expected ? twice_sum - expected :
						 expected - twice_sum;

	ways[0] = 1;
	for (i = 0; i < nr; i++)
		for (k = take; k-- > 0;)
			for (s = width - r[i].twice_rank; s-- > 0;)
				ways[(k + 1) * width + s + r[i].twice_rank] +=
					ways[k * width + s];
	for (s = 0; s < width; s++) {
		all += ways[take * width + s];
		if (s >= expected + distance || s + distance <= expected)
			far += ways[take * width + s];
	}
	free(ways);
	return far / all;
}

static double normal_p(double na, double nb, double twice_sum, double ties)
{
	double n = na + nb;
	double away = fabs(twice_sum / 2 - na * (n + 1) / 2) - 0.5;
	double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));

	if (away < 0)
		return 1;
	return erfc(away / sqrt(2 * variance));
}

static void fill_ranks(struct ranked *r, const double *values, size_t nr,
		       bool in_a)
{
	size_t i;

	for (i = 0; i < nr; i++)
		r[i] = (struct ranked){ values[i], in_a, 0 };
}

double tr2_mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
	size_t nr = na + nb, sum_a = 0, i;
	bool few_a = na <= nb;
	struct ranked *r;
	double ties, p;

	if (!na || !nb)
		return NAN;
	r = tr2_calloc(nr, sizeof(*r));
	fill_ranks(r, a, na, true);
	fill_ranks(r + na, b, nb, false);
	ties = assign_ranks(r, nr);
	for (i = 0; i < nr; i++)
		if (r[i].in_a == few_a)
			sum_a += r[i].twice_rank;
	if (!(r[nr - 1].value > r[0].value))
		p = NAN;
	else if (nr <= TR2_EXACT_RUNS)
		p = exact_p(r, nr, few_a ? na : nb, sum_a);
	else
		p = normal_p((double)(few_a ? na : nb),
			     (double)(few_a ? nb : na), (double)sum_a, ties);
	free(r);
	return p;
}

/*
 * Return the share of all combinations of signs whose sum of doubled ranks is
 * at least as far from the middle as `sum`.
 */
static double exact_signed_p(const struct ranked *r, size_t nr,
			     size_t twice_sum)
{
	size_t width = nr * (nr + 1) + 1, middle = (width - 1) / 2, i, s;
	size_t distance = twice_sum > middle ? twice_sum - middle :
					       middle - twice_sum;
	double *ways = tr2_calloc(width, sizeof(*ways)), far = 0;

	ways[0] = 1;
	for (i = 0; i < nr; i++)
		for (s = width; s-- > r[i].twice_rank;)
			ways[s] += ways[s - r[i].twice_rank];
	for (s = 0; s < width; s++)
		if (s >= middle + distance || s + distance <= middle)
			far += ways[s];
	free(ways);
	return far / ldexp(1, (int)nr);
}

double tr2_signed_rank(const double *differences, size_t nr)
{
	struct ranked *r = tr2_calloc(nr, sizeof(*r));
	size_t used = 0, twice_sum = 0, i;
	double ties, n, away, p = NAN;

	for (i = 0; i < nr; i++)
		if (fabs(differences[i]) > 0)
			r[used++] = (struct ranked){ fabs(differences[i]),
						     differences[i] > 0, 0 };
	ties = assign_ranks(r, used);
	for (i = 0; i < used; i++)
		twice_sum += r[i].in_a ? r[i].twice_rank : 0;
	if (used && used <= TR2_EXACT_RUNS) {
		p = exact_signed_p(r, used, twice_sum);
	} else if (used) {
		n = (double)used;
		away = fabs((double)twice_sum / 2 - n * (n + 1) / 4) - 0.5;
		p = away < 0 ? 1 :
			erfc(away / sqrt(2 * (n * (n + 1) * (2 * n + 1) / 24 -
					      ties / 48)));
	}
	free(r);
	return p;
}

double tr2_signed_rank_least(size_t nr)
{
	return fmin(1, ldexp(1, 1 - (int)(nr < 1000 ? nr : 1000)));
}

double tr2_mann_whitney_least(size_t na, size_t nb)
{
	size_t few = na < nb ? na : nb, i;
	double ways = 1;

	if (!few)
		return 1;
	for (i = 1; i <= few; i++)
		ways *= (double)(na + nb - few + i) / (double)i;
	return fmin(1, 2 / ways);
}

size_t tr2_runs_needed(size_t tested)
{
	size_t nr = 1;

	while (tr2_mann_whitney_least(nr, nr) * (double)(tested ? tested : 1) >=
	       TR2_ALPHA)
		nr++;
	return nr;
}

TR2_ORDER(compare_p, double *const, tr2_order(**a, **b))

void tr2_holm(double *p, size_t nr)
{
	double **order = tr2_calloc(nr, sizeof(*order)), least = 0;
	size_t tested = 0, i;

	for (i = 0; i < nr; i++)
		if (!isnan(p[i]))
			order[tested++] = &p[i];
	qsort(order, tested, sizeof(*order), compare_p);
	for (i = 0; i < tested; i++) {
		least = fmax(least, *order[i] * (double)(tested - i));
		*order[i] = fmin(1, least);
	}
	free(order);
}

/* The number of pairs at the first look: the smallest number that can be
 * significant at the first level. */
#define FIRST_LOOK 7u

void tr2_sequential_init(struct tr2_sequential *s)
{
	*s = (struct tr2_sequential){ 0, FIRST_LOOK, TR2_ALPHA };
}

bool tr2_sequential_looks(struct tr2_sequential *s, uint32_t nr_pairs,
			  uint32_t most)
{
	double k;

	if (nr_pairs < s->next && nr_pairs < most)
		return false;
	k = ++s->nr_looks;
	s->alpha = TR2_ALPHA / (k * (k + 1));
	s->next += s->next * 2 / 5;
	return true;
}

bool tr2_coin_toss(void)
{
	static uint64_t coins;
	static unsigned int nr;

	if (!nr && getrandom(&coins, sizeof(coins), 0) != sizeof(coins))
		coins = (uint64_t)time(NULL) * UINT64_C(0x9e3779b97f4a7c15);
	nr = (nr + 1) % 64;
	return coins >> nr & 1;
}
