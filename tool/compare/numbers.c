/* SPDX-License-Identifier: MIT */
/* Statistics of a few numbers. */
#include "compare/numbers.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "model/stats.h"

static int compare(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

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
