/* SPDX-License-Identifier: MIT */
/* jobs_memory - compute how much memory each job had. */
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "model/memory_use.h"
#include "model/path/jobs.h"

/* From at_ns on, the task has this memory. */
struct change {
	uint32_t job; /* index of the job; the number of jobs: in no job */
	uint32_t task;
	int64_t at_ns;
	uint64_t bytes;
};

TR2_ORDER(by_job, struct change, TR2_UP(job) ?: TR2_UP(at_ns))

struct changes {
	struct change *change;
	uint32_t nr, alloc;
};

static void add_change(struct changes *c, uint32_t job, uint32_t task,
		       int64_t at_ns, uint64_t bytes)
{
	tr2_grow(c->change, c->nr, c->alloc);
	c->change[c->nr++] = (struct change){ job, task, at_ns, bytes };
}

/* Return the job of each task as an index into jobs->job; jobs->nr: the task is
 * in no job. */
static uint32_t *job_of_tasks(const struct tr2_jobs *jobs,
			      const struct tr2_model *m)
{
	uint32_t *of = tr2_calloc(m->nr_tasks + 1, sizeof(*of)), i, node;

	for (i = 0; i < m->nr_tasks; i++)
		of[i] = jobs->nr;
	for (i = 0; i < jobs->nr; i++)
		for (node = jobs->job[i]; node;
		     node = tr2_node_below(m, jobs->job[i], node))
			of[m->nodes[node].task] = i;
	return of;
}

static void find_changes(struct changes *c, const struct tr2_jobs *jobs,
			 const struct tr2_model *m)
{
	uint32_t *job = job_of_tasks(jobs, m), i, task;
	struct tr2_memory memory;

	tr2_memory_init(&memory, m);
	for (i = 1; i < m->nr_memory; i++) {
		task = m->memory[i].task;
		if (!task)
			continue;
		tr2_memory_go_to(&memory, m->memory[i].at_ns);
		add_change(c, job[task], task, m->memory[i].at_ns,
			   tr2_memory_of(&memory, task, m->memory[i].at_ns));
	}
	for (task = 1; task < m->nr_tasks; task++)
		if (memory.point[task] && m->tasks[task].end_ns != TR2_NO_TIME)
			add_change(c, job[task], task, m->tasks[task].end_ns,
				   0);
	tr2_memory_release(&memory);
	free(job);
	if (c->nr)
		qsort(c->change, c->nr, sizeof(*c->change), by_job);
}

uint64_t *tr2_jobs_memory(const struct tr2_jobs *jobs,
			  const struct tr2_model *m)
{
	uint64_t *peak = tr2_calloc((size_t)jobs->nr + 1, sizeof(*peak));
	uint64_t *now = tr2_calloc(m->nr_tasks + 1, sizeof(*now)), sum = 0;
	struct changes c = { .nr = 0 };
	uint32_t i;

	find_changes(&c, jobs, m);
	for (i = 0; i < c.nr; i++) {
		const struct change *change = &c.change[i];

		if (i && change->job != c.change[i - 1].job)
			sum = 0;
		sum = sum - now[change->task] + change->bytes;
		now[change->task] = change->bytes;
		if (sum > peak[change->job])
			peak[change->job] = sum;
	}
	free(now);
	free(c.change);
	return peak;
}
