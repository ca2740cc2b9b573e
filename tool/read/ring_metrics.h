/* SPDX-License-Identifier: MIT */
/*
 * ring_metrics - what the timers and counters of a ring's process stood at,
 * into the model, as far as no event told it: a process that was killed told
 * nothing, one that was killed while it ended only some of them.
 */
#ifndef TR2_READ_RING_METRICS_H
#define TR2_READ_RING_METRICS_H

#include "model/private.h"
#include "read/ring_file.h"
#include "read/ring_names.h"

/*
 * Adds the metrics of `session`, whose events are in the model already: the
 * sums of all threads, and each live thread's own of those with
 * TRACE2_PER_THREAD. Intervals that run are counted up to now_ns. false: no
 * memory.
 */
bool tr2_ring_metrics(struct tr2_model *m, struct tr2_ring_file *f,
		      struct tr2_ring_names *names, uint32_t session,
		      uint64_t now_ns);

#endif
