/* SPDX-License-Identifier: MIT */
/* Compute statistics of a few numbers, their outliers, and their drift. */
#include "common/order.h"
#include "compare/numbers.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "model/stats.h"

TR2_ORDER(compare, double, tr2_order(*a, *b))

double tr2_quantile(const double *sorted, size_t nr, double p)
{
	return sorted[tr2_rank(nr, p)];
}

static void add_spread(struct tr2_numbers *out, const double *sorted)
{
	double squares = 0, n = (double)out->nr, q1, q3;
	size_t i;

	out->error = NAN;
	out->low_fence = -INFINITY;
	out->high_fence = INFINITY;
	for (i = 0; i < out->nr; i++)
		squares += (sorted[i] - out->mean) * (sorted[i] - out->mean);
	if (out->nr > 1)
		out->error = sqrt(squares / (n - 1) / n);
	if (out->nr < TR2_OUTLIER_RUNS)
		return;
	q1 = tr2_quantile(sorted, out->nr, 0.25);
	q3 = tr2_quantile(sorted, out->nr, 0.75);
	out->low_fence = q1 - 1.5 * (q3 - q1);
	out->high_fence = q3 + 1.5 * (q3 - q1);
	for (i = 0; i < out->nr; i++)
		out->nr_outliers += sorted[i] < out->low_fence ||
				    sorted[i] > out->high_fence;
}

bool tr2_numbers(struct tr2_numbers *out, const double *values, size_t nr)
{
	double *sorted = tr2_calloc(nr, sizeof(*sorted)), sum = 0;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < nr; i++)
		if (!isnan(values[i])) {
			sorted[out->nr++] = values[i];
			sum += values[i];
		}
	if (!out->nr) {
		free(sorted);
		return false;
	}
	qsort(sorted, out->nr, sizeof(*sorted), compare);
	out->mean = sum / (double)out->nr;
	out->min = sorted[0];
	out->max = sorted[out->nr - 1];
	out->p50 = tr2_quantile(sorted, out->nr, 0.5);
	out->p90 = tr2_quantile(sorted, out->nr, 0.9);
	out->p99 = tr2_quantile(sorted, out->nr, 0.99);
	add_spread(out, sorted);
	free(sorted);
	return true;
}

#define FIRST_SHARE 0.1
#define WIDE_SHARE 0.25
#define DRIFT_SHARE 0.05
#define DRIFT_ALPHA 0.01

static bool first_above(const double *values, size_t nr, double *share)
{
	struct tr2_numbers rest;

	if (!tr2_numbers(&rest, values + 1, nr - 1))
		return false;
	*share = rest.p50 > 0 ? values[0] / rest.p50 - 1 : 0;
	if (!(values[0] > rest.high_fence) || *share < FIRST_SHARE)
		*share = 0;
	return true;
}

/* Return the probability that values in random order rise or fall at least as
 * much as these values. Use the normal approximation without a correction for
 * ties. */
static double order_p(const double *values, size_t nr)
{
	double pairs = 0, n = (double)nr;
	size_t i, j;

	for (i = 0; i < nr; i++)
		for (j = i + 1; j < nr; j++)
			pairs += (values[j] > values[i]) -
				 (values[j] < values[i]);
	pairs = fabs(pairs) - 1;
	if (pairs <= 0)
		return 1;
	return erfc(pairs / sqrt(n * (n - 1) * (2 * n + 5) / 9));
}

static bool drift(const double *values, size_t nr, double *share)
{
	struct tr2_numbers early, late;
	size_t half = nr / 2;

	if (nr < TR2_DRIFT_RUNS || order_p(values, nr) >= DRIFT_ALPHA)
		return true;
	if (!tr2_numbers(&early, values, half) ||
	    !tr2_numbers(&late, values + nr - half, half))
		return false;
	if (early.p50 > 0)
		*share = late.p50 / early.p50 - 1;
	if (fabs(*share) < DRIFT_SHARE)
		*share = 0;
	return true;
}

bool tr2_spread(struct tr2_spread *out, const double *values, size_t nr)
{
	struct tr2_numbers all;
	size_t skip;

	*out = (struct tr2_spread){ 0, 0, 0 };
	if (nr < TR2_SPREAD_RUNS || !tr2_numbers(&all, values, nr) ||
	    !first_above(values, nr, &out->first_above))
		return false;
	/* The fences are outside the quartiles by 1.5 times the distance
	 * between the quartiles. */
	if (all.p50 > 0)
		out->wide = (all.high_fence - all.low_fence) / 4 / all.p50;
	if (out->wide < WIDE_SHARE)
		out->wide = 0;
	skip = out->first_above > 0;
	return drift(values + skip, nr - skip, &out->drift);
}
