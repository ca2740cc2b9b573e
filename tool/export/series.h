/* SPDX-License-Identifier: MIT */
/*
 * series - keep sums for Prometheus: values by one or two labels.
 * tr2_series_bound() limits the number of exported series.
 */
#pragma once

#include "common/map.h"
#include "model/model.h"

/* Upper bounds of histograms: 1, 2.5 and 5 times the powers of ten from a
 * microsecond to a thousand seconds. */
#define TR2_SERIES_BOUNDS 28
#define TR2_SERIES_VALUES 10

struct tr2_series {
	tr2_str label[2];
	uint64_t value[TR2_SERIES_VALUES];
	/* Numbers of values between the previous bound and each bound. The last
	 * member counts the values above all bounds. */
	uint64_t bucket[TR2_SERIES_BOUNDS + 1];
	uint64_t sum_ns;    /* sum of the values in buckets */
	bool has_histogram;
};

/* A set of series; zeros: an empty set. `item` may move when a series is
 * added. */
struct tr2_series_set {
	struct tr2_series *item;
	uint32_t nr, alloc;
	struct tr2_map by_labels; /* maps labels to 1 + the index of a series */
};

/* Return the series with these labels; add it if necessary. */
struct tr2_series *tr2_series_at(struct tr2_series_set *set, tr2_str a,
				 tr2_str b);
/* Keep the `max` series with the greatest value[by]; add up the others under
 * `other`. */
void tr2_series_bound(struct tr2_series_set *set, uint32_t max, int by,
		      tr2_str other);
void tr2_series_release(struct tr2_series_set *set);

void tr2_series_observe(struct tr2_series *s, uint64_t ns, uint64_t count);
/* Return a bound in nanoseconds. */
uint64_t tr2_series_bound_ns(int bound);
