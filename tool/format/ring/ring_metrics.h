/* SPDX-License-Identifier: MIT */
/*
 * ring_metrics - add the timers and counters of a ring's process to the model,
 * if events did not report them. A killed process reported no timers and
 * counters, or only some if it was killed while it ended.
 */
#pragma once

#include "format/ring/ring_file.h"
#include "format/ring/ring_names.h"
#include "model/private.h"

/* Add the metrics of `session`, whose events are already in the model: the sums
 * over all threads and, for TRACE2_PER_THREAD, the values of each live thread.
 * Running intervals count up to now_ns. */
void tr2_ring_metrics(struct tr2_model *m, struct tr2_ring_file *f,
		      struct tr2_ring_names *names, uint32_t session,
		      uint64_t now_ns);
