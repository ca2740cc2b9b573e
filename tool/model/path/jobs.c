/* SPDX-License-Identifier: MIT */
/* jobs - find the jobs, and compute the wall time with another number of jobs
 * at once. */
#include "model/path/jobs.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/order.h"
#include "model/private.h"

TR2_ORDER(compare_ns, int64_t, tr2_order(*a, *b))

/* Return the time in which more than one child ran, counted once for each child
 * after the first. */
static int64_t side_by_side_ns(const struct tr2_model *m, uint32_t node)
{
	int64_t ns = 0, until = INT64_MIN, at;
	uint32_t i;

	tr2_for_each_child_node(m, node, i) {
		const struct tr2_node *n = &m->nodes[i];

		at = n->start_ns;
		if (at < until)
			ns += (n->end_ns < until ? n->end_ns : until) - at;
		if (n->end_ns > until)
			until = n->end_ns;
	}
	return ns;
}

struct named {
	const char *name;
	int64_t ns;
};

TR2_ORDER(compare_names, struct named, strcmp(a->name, b->name))

/* Return the name of the processes that had children side by side for the
 * longest time. If no children overlapped, return the name of the first process
 * with several children; NULL: there is none. */
static const char *busiest(const struct tr2_model *m, uint32_t root)
{
	struct named *list = NULL, best = { NULL, 0 };
	const char *several = NULL;
	uint32_t nr = 0, alloc = 0, i, from = 0, node;
	int64_t ns = 0;

	for (node = root; node; node = tr2_node_below(m, root, node)) {
		if (!m->nodes[m->nodes[node].first].next)
			continue;
		if (!several)
			several = tr2_node_name(m, node);
		tr2_grow(list, nr, alloc);
		list[nr++] = (struct named){ tr2_node_name(m, node),
					     side_by_side_ns(m, node) };
	}
	if (nr)
		qsort(list, nr, sizeof(*list), compare_names);
	for (i = 0; i < nr; i++) {
		if (strcmp(list[i].name, list[from].name)) {
			from = i;
			ns = 0;
		}
		ns += list[i].ns;
		if (ns > best.ns)
			best = (struct named){ list[i].name, ns };
	}
	free(list);
	return best.name ? best.name : several;
}

static bool is_runner(const struct tr2_model *m, uint32_t node,
		      const char *name, bool exact)
{
	const char *of_node = tr2_node_name(m, node);

	return m->nodes[node].first &&
	       (exact ? !strcmp(name, of_node) : !fnmatch(name, of_node, 0));
}

static int by_start(const void *va, const void *vb, void *vm)
{
	const struct tr2_model *m = vm;
	const struct tr2_node *a = &m->nodes[*(const uint32_t *)va];
	const struct tr2_node *b = &m->nodes[*(const uint32_t *)vb];

	return TR2_UP(start_ns) ?: tr2_order(a, b);
}

/* Return the ends of all jobs in order. The caller frees them. */
static int64_t *ends_of(const struct tr2_jobs *jobs, const struct tr2_model *m)
{
	int64_t *ends = tr2_calloc((size_t)jobs->nr + 1, sizeof(*ends));
	uint32_t i;

	for (i = 0; i < jobs->nr; i++)
		ends[i] = m->nodes[jobs->job[i]].end_ns;
	qsort(ends, jobs->nr, sizeof(*ends), compare_ns);
	return ends;
}

static void count_jobs(struct tr2_jobs *jobs, const struct tr2_model *m)
{
	int64_t *ends = ends_of(jobs, m);
	uint32_t i, ended = 0;

	for (i = 0; i < jobs->nr; i++) {
		const struct tr2_node *n = &m->nodes[jobs->job[i]];

		while (ended < i && ends[ended] <= n->start_ns)
			ended++;
		if (i - ended >= jobs->at_once)
			jobs->at_once = i - ended + 1;
		tr2_ns_add(&jobs->sum_ns, n->end_ns - n->start_ns);
		if (!jobs->longest ||
		    n->end_ns - n->start_ns > jobs->longest_ns) {
			jobs->longest = jobs->job[i];
			jobs->longest_ns = n->end_ns - n->start_ns;
		}
	}
	free(ends);
}

bool tr2_jobs_find(struct tr2_jobs *jobs, const struct tr2_model *m,
		   uint32_t root, const char *runner)
{
	/* Runners, and processes with a runner below them, are not jobs. */
	bool *above = tr2_calloc(m->nr_nodes, sizeof(*above));
	bool exact = !runner;
	uint32_t node, up;

	*jobs = (struct tr2_jobs){ 0 };
	if (!runner)
		runner = busiest(m, root);
	for (node = runner ? root : 0; node;
	     node = tr2_node_below(m, root, node))
		if (is_runner(m, node, runner, exact))
			for (up = node; up && !above[up];
			     up = m->nodes[up].parent)
				above[up] = true;
	for (node = runner ? root : 0; node;
	     node = tr2_node_below(m, root, node)) {
		const struct tr2_node *n = &m->nodes[node];

		if (node == root || above[node] ||
		    !is_runner(m, n->parent, runner, exact))
			continue;
		tr2_grow(jobs->job, jobs->nr, jobs->alloc);
		jobs->job[jobs->nr++] = node;
		jobs->runner = tr2_node_name(m, n->parent);
	}
	free(above);
	if (!jobs->nr)
		return false;
	qsort_r(jobs->job, jobs->nr, sizeof(*jobs->job), by_start, (void *)m);
	count_jobs(jobs, m);
	return true;
}

void tr2_jobs_release(struct tr2_jobs *jobs)
{
	free(jobs->job);
}

/* Let a job that ends at until_ns take the slot that becomes free first. slot[]
 * is a heap of the times at which slots become free, the earliest on top. */
static void take_slot(int64_t *slot, uint32_t nr, int64_t until_ns)
{
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && slot[child + 1] < slot[child])
			child++;
		if (slot[child] >= until_ns)
			break;
		slot[i] = slot[child];
		i = child;
	}
	slot[i] = until_ns;
}

/* A job that was running in the recording when the previous job began. */
struct placed {
	int64_t end_ns, new_end_ns;
};

int64_t tr2_jobs_worst(const struct tr2_jobs *jobs, const struct tr2_model *m,
		       uint32_t root, uint32_t slots, const int64_t *job_ns)
{
	const struct tr2_node *top = &m->nodes[root], *n;
	/* The latest end or start of a job so far, recorded and new. */
	int64_t last_ns = top->start_ns, new_last_ns = last_ns;
	int64_t end_ns = last_ns, new_end_ns = last_ns, new_ns;
	uint32_t nr = slots < jobs->nr ? slots : jobs->nr, i, k;
	int64_t *slot = tr2_calloc((size_t)nr + 1, sizeof(*slot));
	struct placed *running = tr2_calloc((size_t)jobs->nr + 1,
					    sizeof(*running));
	uint32_t nr_running = 0, still;

	for (i = 0; i < jobs->nr; i++) {
		n = &m->nodes[jobs->job[i]];
		for (k = still = 0; k < nr_running; k++) {
			if (running[k].end_ns > n->start_ns) {
				running[still++] = running[k];
				continue;
			}
			if (running[k].end_ns > last_ns)
				last_ns = running[k].end_ns;
			if (running[k].new_end_ns > new_last_ns)
				new_last_ns = running[k].new_end_ns;
		}
		nr_running = still;
		/* After last_ns, the runner works for as long as in the
		 * recording. */
		new_ns = new_last_ns;
		if (slot[0] > new_ns)
			new_ns = slot[0];
		tr2_ns_add(&new_ns, n->start_ns - last_ns);
		last_ns = n->start_ns;
		new_last_ns = new_ns;
		tr2_ns_add(&new_ns, job_ns[i]);
		take_slot(slot, nr, new_ns);
		running[nr_running++] = (struct placed){ n->end_ns, new_ns };
		if (n->end_ns > end_ns)
			end_ns = n->end_ns;
		if (new_ns > new_end_ns)
			new_end_ns = new_ns;
	}
	free(slot);
	free(running);
	return new_end_ns - top->start_ns + (top->end_ns - end_ns);
}

static void add_known(int64_t *sum_ns, const struct tr2_times *times)
{
	if (times->cpu_ns != TR2_NO_TIME)
		tr2_ns_add(sum_ns, times->cpu_ns);
}

int64_t tr2_jobs_cpu_ns(const struct tr2_jobs *jobs, const struct tr2_model *m)
{
	int64_t sum_ns = 0;
	uint32_t i, node;

	for (i = 0; i < jobs->nr; i++)
		for (node = jobs->job[i]; node;
		     node = tr2_node_below(m, jobs->job[i], node))
			add_known(&sum_ns, tr2_times(m, &m->nodes[node]));
	return m->nr_cpus ? sum_ns / m->nr_cpus : 0;
}

int64_t tr2_jobs_best(const struct tr2_jobs *jobs, const struct tr2_model *m,
		      uint32_t root, uint32_t slots, const int64_t *job_ns)
{
	const struct tr2_node *top = &m->nodes[root], *n;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, sum_ns = 0;
	int64_t longest_ns = 0;
	uint32_t i;

	for (i = 0; i < jobs->nr; i++) {
		n = &m->nodes[jobs->job[i]];
		if (n->start_ns < first_ns)
			first_ns = n->start_ns;
		if (n->end_ns > last_ns)
			last_ns = n->end_ns;
		if (job_ns[i] > longest_ns)
			longest_ns = job_ns[i];
		tr2_ns_add(&sum_ns, job_ns[i]);
	}
	if (longest_ns < sum_ns / slots)
		longest_ns = sum_ns / slots;
	/* The time before the first job and after the last one does not
	 * change. */
	return first_ns - top->start_ns + longest_ns + (top->end_ns - last_ns);
}
