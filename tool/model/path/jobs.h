/* SPDX-License-Identifier: MIT */
/*
 * jobs - compute how long a command that runs jobs side by side (make, ninja,
 * prove, xargs -P) would take with another number of jobs at once.
 *
 * A job is a process that a runner started, with all processes below it.
 * Runners are the processes of one name; a runner below another shares its
 * jobs, as with make. Which job needed which other one was not recorded, so
 * there are two answers. At worst, each job needed all jobs that had ended
 * before it began, in the recorded order. At best, no job needed another one.
 */
#pragma once

#include "model/model.h"

struct tr2_jobs {
	uint32_t *job; /* nodes of the jobs, sorted by start */
	uint32_t nr, alloc;
	const char *runner; /* name of the runners */
	uint32_t at_once; /* the largest number of jobs that ran at once in the
			   * recording */
	uint32_t longest; /* a node */
	int64_t sum_ns, longest_ns;
};

/*
 * Find the jobs whose runner is the root or a process below it. runner: a glob
 * of the runners' name. NULL: the name whose processes had children side by
 * side for longest, else the name of the first process with several children.
 * Return false if there are no jobs.
 */
bool tr2_jobs_find(struct tr2_jobs *jobs, const struct tr2_model *m,
		   uint32_t root, const char *runner);
void tr2_jobs_release(struct tr2_jobs *jobs);

/* Return the wall time of the root at worst, or at best, if at most `slots`
 * jobs run at once and take job_ns. m: the model in which the jobs were
 * found. */
int64_t tr2_jobs_worst(const struct tr2_jobs *jobs, const struct tr2_model *m,
		       uint32_t root, uint32_t slots, const int64_t *job_ns);
int64_t tr2_jobs_best(const struct tr2_jobs *jobs, const struct tr2_model *m,
		      uint32_t root, uint32_t slots, const int64_t *job_ns);

/* Return the CPU time of all jobs, divided by the number of CPUs: no order of
 * the jobs takes less wall time. 0: unknown. */
int64_t tr2_jobs_cpu_ns(const struct tr2_jobs *jobs, const struct tr2_model *m);

/* Return the peak memory of each job, and in [jobs->nr] the peak of the
 * processes outside of jobs; 0: unknown. The array is from malloc(). */
uint64_t *tr2_jobs_memory(const struct tr2_jobs *jobs,
			  const struct tr2_model *m);
