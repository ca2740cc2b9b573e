/* SPDX-License-Identifier: MIT */
/*
 * histogram - the buckets of timers, as events and models have them: JSON text,
 * [[upper bound in seconds, count], ...].
 */
#ifndef TR2_MODEL_HISTOGRAM_H
#define TR2_MODEL_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Moves *json behind the next bucket. false: there is none. */
bool tr2_histogram_next(const char **json, uint64_t *upper_ns, uint64_t *count);

/* Adds them to those of the library's buckets that count their bounds. */
void tr2_histogram_add(uint64_t *buckets, const char *json);

/*
 * A value that a share p of all do not exceed, by tr2_rank(), as far as buckets
 * can say: the upper bound of the one in which it is, or the largest value,
 * max_ns, where that is in it, too. TR2_NO_TIME: all buckets are empty.
 */
int64_t tr2_histogram_percentile(const uint64_t *buckets, double p,
				 uint64_t max_ns);

#endif
