/* SPDX-License-Identifier: MIT */
/* histogram - parse the buckets of timers, and compute percentiles. */
#include "model/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "arena/layout.h"
#include "model/stats.h"

bool tr2_histogram_next(const char **json, uint64_t *upper_ns, uint64_t *count)
{
	const char *at = strpbrk(*json, "0123456789");
	double seconds;
	char *end;

	if (!at)
		return false;
	seconds = strtod(at, &end);
	if (*end != ',')
		return false;
	*upper_ns = seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : UINT64_MAX;
	*count = strtoull(end + 1, &end, 10);
	*json = end;
	return true;
}

void tr2_histogram_add(uint64_t *buckets, const char *json)
{
	uint64_t upper_ns, count;

	while (tr2_histogram_next(&json, &upper_ns, &count))
		buckets[tr2_histogram_bucket(upper_ns)] += count;
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
