/* SPDX-License-Identifier: MIT */
/* what_if_private - declarations shared by the files that compute new times. */
#pragma once

#include "model/join/thread_borders.h"
#include "model/path/critical.h"
#include "model/path/jobs.h"
#include "model/path/what_if_rank.h"
#include "model/path/what_if_times.h"

/* From the recorded time at_ns on, a thread's own work takes `factor` times as
 * long. */
struct tr2_rate {
	int64_t at_ns;
	double factor;
};

struct tr2_retimed_thread {
	struct tr2_places places;
	struct tr2_rate *rates; /* rates in order of time; none: all times are
				 * as recorded */
	uint32_t nr_rates, alloc_rates;
	int64_t start_ns, end_ns; /* new */
	bool begun;
};

struct tr2_retime {
	const struct tr2_model *m;
	struct moment *moments;
	size_t nr_moments;
	int64_t *start_ns; /* by state: the new start of the state */
	struct tr2_retimed_thread *threads; /* by task thread */
	int64_t *children_end_ns; /* by task: the new end of the last child so
				   * far */
	double wait_factor[TR2_CAUSE_NR], ready_factor;
	bool any_slower; /* a change has a factor above 1 */
	enum tr2_retime_bound bound;
	struct tr2_step *steps; /* steps of the recorded path of `root` */
	size_t nr_steps;
	struct tr2_path_piece *pieces; /* pieces of the recorded path */
	size_t nr_pieces;
	struct tr2_jobs jobs; /* the jobs of `root` */
	int64_t *job_ns; /* new */
	uint32_t root;
};

/* Set the rates of all threads. Return the number of changed pieces. */
uint64_t tr2_retime_rates(struct tr2_retime *r,
			  const struct tr2_change *changes, size_t nr);

/* Return how much shorter the critical path becomes with the rates that were
 * set last, if the work on the path keeps its order. No other order can gain
 * more. */
int64_t tr2_retime_path_gain(const struct tr2_retime *r,
			     const struct tr2_change *changes, size_t nr,
			     const struct tr2_step *steps, size_t nr_steps);

/* Return the new time of a recorded moment. */
int64_t tr2_retimed_moment(const struct tr2_retime *r, uint32_t thread,
			   int64_t at_ns);

/* Widen the bounds of a gain after tr2_retime() with TR2_RETIME_BEST. A loop
 * that sleeps and polls, or a pool of jobs, may gain when other processes are
 * faster. */
void tr2_unseen_polling(const struct tr2_retime *r,
			const struct tr2_change *changes, size_t nr,
			struct tr2_gain *g);
void tr2_unseen_pool(struct tr2_retime *r, int64_t wall_ns, struct tr2_gain *g);

/* Return a thread that may now get a lock before the thread that woke it; 0:
 * there is none. */
uint32_t tr2_unseen_locks(const struct tr2_retime *r);
