/* SPDX-License-Identifier: MIT */
/* report_jobs - trace2 report --what-if='-j N': more or fewer jobs at once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "common/say.h"
#include "model/path/jobs.h"
#include "model/path/what_if_rank.h"
#include "model/path/what_if_times.h"
#include "report/report.h"

struct answer {
	const char *name;
	const struct tr2_jobs *jobs;
	int64_t wall_ns, worst_ns, best_ns;
	/* The memory of all jobs at once, and the memory of the largest job; 0:
	 * unknown. */
	uint64_t most_bytes, largest_bytes;
	/* With more jobs at once than recorded, only the best case is known:
	 * the worst case depends on which jobs need which others. */
	bool only_best;
};

#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(what, tr2_cell_str(t, r->name)) \
	DATA(wall_ns, tr2_cell_ns(t, r->wall_ns)) \
	DATA(then_ns, tr2_cell_ns(t, r->worst_ns)) \
	DATA(then_at_least_ns, tr2_cell_ns(t, r->best_ns)) \
	DATA(jobs, tr2_cell_uint(t, r->jobs->nr)) \
	DATA(of, tr2_cell_str(t, r->jobs->runner)) \
	DATA(at_once, tr2_cell_uint(t, r->jobs->at_once)) \
	DATA(sum_ns, tr2_cell_ns(t, r->jobs->sum_ns)) \
	DATA(longest_ns, tr2_cell_ns(t, r->jobs->longest_ns)) \
	DATA(memory_at_most_bytes, if (r->most_bytes) \
		tr2_cell_bytes(t, r->most_bytes)) \
	DATA(largest_job_bytes, if (r->most_bytes) \
		tr2_cell_bytes(t, r->largest_bytes))

TR2_COLUMN_LIST(columns, struct answer, COLUMNS)

/* Print, for example:
 * -j 4: 80.7 s would be 79.1 s at best on 2 CPUs, if no job needs another one
 * -j 1: 80.7 s would be between 157.0 s, if no job needs another one, and 159.2 s
 * 765 jobs of make, at most 2 at once: 158.1 s in all, the longest 2.7 s (cc …)
 * memory: at most 1.2 GiB, the largest job 410.0 MiB */
static void print_sentence(const struct tr2_report *r, const struct answer *a)
{
	uint32_t nr = r->m->nr_cpus;

	printf("%s: %s would be %s%s", a->name, tr2_ns_text(a->wall_ns),
	       a->only_best ? "" : "between ", tr2_ns_text(a->best_ns));
	if (a->only_best)
		printf(" at best");
	if (a->only_best && nr)
		printf(" on %u CPU%s", nr, nr == 1 ? "" : "s");
	printf(", if no job needs another one");
	if (!a->only_best)
		printf(", and %s", tr2_ns_text(a->worst_ns));
	printf("\n%" PRIu32 " job%s of %s, at most %" PRIu32 " at once: %s in "
	       "all, the longest %s (%s)\n",
	       a->jobs->nr, a->jobs->nr == 1 ? "" : "s", a->jobs->runner,
	       a->jobs->at_once, tr2_ns_text(a->jobs->sum_ns),
	       tr2_ns_text(a->jobs->longest_ns),
	       tr2_node_name(r->m, a->jobs->longest));
	if (a->most_bytes)
		printf("memory: at most %s, the largest job %s\n",
		       tr2_bytes_text(a->most_bytes),
		       tr2_bytes_text(a->largest_bytes));
}

TR2_ORDER(from_large, uint64_t, tr2_order(*b, *a))

/* Estimate the memory: the largest jobs may run at once, each at its peak. */
static void take_memory(struct answer *a, const struct tr2_model *m,
			uint32_t slots)
{
	uint64_t *peak = tr2_jobs_memory(a->jobs, m);
	uint32_t i;

	qsort(peak, a->jobs->nr, sizeof(*peak), from_large);
	if (peak[0])
		a->most_bytes = peak[a->jobs->nr];
	a->largest_bytes = peak[0];
	for (i = 0; i < a->jobs->nr && i < slots; i++)
		a->most_bytes += peak[i];
	free(peak);
}

bool tr2_report_jobs(const struct tr2_report *r, uint32_t root,
		     const struct tr2_job_changes *c)
{
	const struct tr2_node *n = &r->m->nodes[root];
	struct tr2_retime *retime = tr2_retime_new(r->m);
	struct tr2_jobs jobs;
	struct answer a = { .name = c->name, .jobs = &jobs,
			    .wall_ns = n->end_ns - n->start_ns };
	int64_t *job_ns, cpu_ns;

	if (!tr2_jobs_find(&jobs, r->m, root, c->jobs->name)) {
		tr2_error("--what-if='%s' changes nothing: no such process of "
			  "this recording runs others", c->name);
		tr2_retime_free(retime);
		return false;
	}
	job_ns = tr2_calloc(jobs.nr, sizeof(*job_ns));
	tr2_retime(retime, c->change, c->nr, TR2_RETIME_WORST);
	a.worst_ns = tr2_jobs_worst(&jobs, r->m, root, c->jobs->jobs,
				    tr2_retimed_jobs(retime, &jobs, job_ns));
	/* In the best case, no job lacks a CPU. */
	c->change[c->nr] = (struct tr2_change){ .kind = TR2_CHANGE_READY };
	tr2_retime(retime, c->change, c->nr + 1, TR2_RETIME_BEST);
	a.best_ns = tr2_jobs_best(&jobs, r->m, root, c->jobs->jobs,
				  tr2_retimed_jobs(retime, &jobs, job_ns));
	/* No order of the recorded jobs takes less than their CPU time, divided
	 * by the number of CPUs. Other changes would change the CPU time,
	 * too. */
	cpu_ns = c->nr > 1 ? 0 : tr2_jobs_cpu_ns(&jobs, r->m);
	if (a.best_ns < cpu_ns)
		a.best_ns = cpu_ns;
	tr2_retime_free(retime);
	free(job_ns);
	if (a.best_ns > a.worst_ns)
		a.best_ns = a.worst_ns;
	a.only_best = c->jobs->jobs > jobs.at_once;
	take_memory(&a, r->m, c->jobs->jobs);
	if (tr2_report_is_text(r))
		print_sentence(r, &a);
	else
		tr2_table_print_row(r->out, "what_if", TR2_COLUMNS(columns),
				    &a);
	tr2_jobs_release(&jobs);
	return true;
}
