/* SPDX-License-Identifier: MIT */
/* what_if_private - shared by the files of retiming. */
#ifndef TR2_MODEL_PATH_WHAT_IF_PRIVATE_H
#define TR2_MODEL_PATH_WHAT_IF_PRIVATE_H

#include "model/join/thread_borders.h"
#include "model/path/critical.h"
#include "model/path/jobs.h"
#include "model/path/what_if_times.h"

/* From at_ns on (recorded), own work takes this part of its time. */
struct tr2_rate {
	int64_t at_ns;
	double factor;
};

struct tr2_retimed_thread {
	struct tr2_places places;
	struct tr2_rate *rates; /* none: all as recorded */
	uint32_t nr_rates, alloc_rates;
	int64_t start_ns, end_ns; /* new */
	bool begun;
};

struct tr2_retime {
	const struct tr2_model *m;
	struct moment *moments;
	size_t nr_moments;
	int64_t *start_ns; /* new, by state */
	struct tr2_retimed_thread *threads; /* by task thread */
	int64_t *children_end_ns; /* new, the last so far; by task */
	double wait_factor[TR2_CAUSE_NR], ready_factor;
	bool any_slower; /* a change makes something take longer */
	enum tr2_retime_bound bound;
	struct tr2_step *steps; /* the path of the root asked for last */
	size_t nr_steps;
	struct tr2_jobs jobs; /* of that root, if it has more than at once */
	int64_t *job_ns; /* new */
	uint32_t root;
};

/* Set the rates of all threads. Return the number of changed pieces. */
uint64_t tr2_retime_rates(struct tr2_retime *r,
			  const struct tr2_change *changes, size_t nr);

/* Return how much shorter the critical path itself is with the changes that were
 * set last: no order of the rest gains more. */
int64_t tr2_retime_path_gain(const struct tr2_retime *r,
			     const struct tr2_change *changes, size_t nr,
			     const struct tr2_step *steps, size_t nr_steps);

#endif
