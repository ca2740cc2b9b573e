/* SPDX-License-Identifier: MIT */
/* histogram - parse the buckets of metrics, and compute percentiles. */
#include "model/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "arena/layout.h"
#include "model/model.h"
#include "model/stats.h"

static uint64_t parse_seconds(const char *at, char **end)
{
	double seconds = strtod(at, end);

	return seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : UINT64_MAX;
}

bool tr2_histogram_next(const struct tr2_metric *metric, const char **json,
			uint64_t *upper, uint64_t *count)
{
	const char *at = strpbrk(*json, "0123456789");
	char *end;

	if (!at)
		return false;
	*upper = metric->kind == TR2_METRIC_TIMER ? parse_seconds(at, &end) :
						     strtoull(at, &end, 10);
	if (*end != ',')
		return false;
	*count = strtoull(end + 1, &end, 10);
	*json = end;
	return true;
}

void tr2_histogram_add(uint64_t *buckets, const struct tr2_metric *metric)
{
	const char *json = metric->histogram;
	uint64_t upper, count;

	while (tr2_histogram_next(metric, &json, &upper, &count))
		buckets[tr2_histogram_bucket(upper)] += count;
}

int64_t tr2_histogram_percentile(const uint64_t *buckets, double p,
				 uint64_t max_ns)
{
	uint64_t nr = 0, rank, upper_ns, lower_ns;
	unsigned int i;

	for (i = 0; i < TR2_HISTOGRAM_BUCKETS; i++)
		nr += buckets[i];
	if (!nr)
		return TR2_NO_TIME;
	rank = tr2_rank(nr, p);
	for (i = 0; i < TR2_HISTOGRAM_BUCKETS - 1 && buckets[i] <= rank; i++)
		rank -= buckets[i];
	upper_ns = tr2_histogram_upper(i);
	/* Streams contain the largest value in whole microseconds. */
	lower_ns = i ? tr2_histogram_upper(i - 1) + 1 : 0;
	return (int64_t)(max_ns >= lower_ns && max_ns < upper_ns ? max_ns :
								    upper_ns);
}
