/* SPDX-License-Identifier: MIT */
/*
 * what_if_rank - compute how much shorter a recording would be if a part of its
 * critical path took no time. This is the drag of each kind of process, region
 * and cause of waiting.
 */
#pragma once

#include "model/path/what_if_times.h"

struct tr2_gain {
	struct tr2_change change; /* the change: factor 0, exact; change.name is
				   * allocated */
	int64_t path_ns;          /* time on the path */
	int64_t ns, most_ns;      /* least and most time that is gained */
	uint32_t polled_for; /* a process for which a loop may have waited; 0:
			      * none */
	/* A thread that may now get a lock before another; the least gain is
	 * then unknown. 0: none. */
	uint32_t lock_first;
};

/*
 * Find the largest gains of a root that has states (tr2_critical_by_states()).
 * Consider only the `max` parts with the most time on the path. The gain with
 * the largest middle of its bounds comes first. Return the number of gains.
 */
size_t tr2_gains(const struct tr2_model *m, uint32_t root, size_t max,
		 struct tr2_gain **gains);
void tr2_gains_free(struct tr2_gain *gains, size_t nr);

/* Return the gain of changes, as two bounds. Set *pieces to the number of
 * changed pieces of time. */
struct tr2_gain tr2_gain_of(struct tr2_retime *r, uint32_t root,
			    const struct tr2_change *changes, size_t nr,
			    uint64_t *pieces);

struct tr2_jobs;
/* Set job_ns to the new length of each job, with the last changes. Return
 * job_ns. */
const int64_t *tr2_retimed_jobs(const struct tr2_retime *r,
				const struct tr2_jobs *jobs, int64_t *job_ns);
