/* SPDX-License-Identifier: MIT */
/*
 * histogram - the buckets of timers and distributions as events and models
 * contain them: JSON text, [[upper bound, count], ...].
 */
#ifndef TR2_MODEL_HISTOGRAM_H
#define TR2_MODEL_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct tr2_metric;

/* Read the next bucket, of the metric's histogram, and move *json after it: its
 * bound in ns, or in the distribution's unit. false: there is none. */
bool tr2_histogram_next(const struct tr2_metric *metric, const char **json,
			uint64_t *upper, uint64_t *count);

/* Add the counts to the library's buckets that contain these bounds. */
void tr2_histogram_add(uint64_t *buckets, const struct tr2_metric *metric);

/* Return a value that a share p of all values do not exceed, by tr2_rank(), as
 * exactly as buckets allow: the upper bound of its bucket, or max_ns, the
 * largest value, if that is in the same bucket. TR2_NO_TIME: all buckets are
 * empty. */
int64_t tr2_histogram_percentile(const uint64_t *buckets, double p,
				 uint64_t max_ns);

#endif
