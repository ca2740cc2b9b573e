/* SPDX-License-Identifier: MIT */
/*
 * ring_cells - what the timers and counters of a process stand at, out of the
 * cells of its ring's file, whether it runs, has ended or was killed.
 */
#ifndef TR2_READ_RING_CELLS_H
#define TR2_READ_RING_CELLS_H

#include "read/ring_file.h"

/* One definition's value: of all threads, or of one. */
struct tr2_ring_value {
	uint64_t count; /* a counter's value; a timer's intervals */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t unpaired;
	uint64_t running;    /* intervals that are going on */
	uint64_t running_ns; /* … for how long in all, as of `now_ns` */
};

/*
 * What all threads counted so far, one value for each of f->definitions: no
 * thread is counted twice, or left out, though threads begin and end. false:
 * they began and ended all the time, and the sum may be off by one of them.
 */
bool tr2_ring_cells_sum(struct tr2_ring_file *f, uint64_t now_ns,
			struct tr2_ring_value *out);

/* What one slot's thread counted. */
void tr2_ring_cells_of(struct tr2_ring_file *f, uint32_t slot, uint64_t now_ns,
		       struct tr2_ring_value *out);

/*
 * The non-empty buckets of a definition, in one slot or in all that count, as
 * the JSON text that the event target has: [[upper_bound_seconds,count],…].
 * Empty: none.
 */
#define TR2_RING_ALL_SLOTS UINT32_MAX
struct tr2_buf;
void tr2_ring_cells_histogram(struct tr2_ring_file *f,
			      const struct tr2_definition *d, uint32_t slot,
			      struct tr2_buf *out);

#endif
