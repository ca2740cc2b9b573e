/* SPDX-License-Identifier: MIT */
/*
 * ring_cells - read the values of a process's metrics from the cells in the
 * file of its ring, whether the process runs, has ended or was killed.
 */
#pragma once

#include "format/ring/ring_file.h"

/* The value of one defined metric, for all threads or for one thread. */
struct tr2_ring_value {
	uint64_t count; /* a counter's value; a timer's number of intervals */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t unpaired;
	uint64_t running;    /* number of intervals that have not ended */
	uint64_t running_ns; /* total time of these intervals, up to `now_ns` */
};

/*
 * Sum up the counts of all threads so far, into one value for each of
 * f->definitions. Each thread counts exactly once, even if threads begin and
 * end during the sum. Return false if the sum may be off by one thread: threads
 * ended during every try, or a thread was stopped or killed while it ended.
 */
bool tr2_ring_cells_sum(struct tr2_ring_file *f, uint64_t now_ns,
			struct tr2_ring_value *out);

/* Read the values of one slot's thread. */
void tr2_ring_cells_of(struct tr2_ring_file *f, uint32_t slot, uint64_t now_ns,
		       struct tr2_ring_value *out);

struct tr2_ring_gauge {
	int64_t last, min, max;
};

/* Read a gauge of the process. Return false if the gauge was never set. */
bool tr2_ring_cells_gauge(const struct tr2_ring_file *f,
			  const struct tr2_definition *d,
			  struct tr2_ring_gauge *out);

/*
 * Append the non-empty buckets of a definition: of one slot, or of all threads
 * together (TR2_RING_ALL_SLOTS). The text is JSON in the event target's form:
 * [[upper_bound,count],…], in seconds for a timer. If all buckets are empty,
 * append nothing.
 */
#define TR2_RING_ALL_SLOTS UINT32_MAX
struct tr2_buf;
void tr2_ring_cells_histogram(struct tr2_ring_file *f,
			      const struct tr2_definition *d, uint32_t slot,
			      struct tr2_buf *out);
