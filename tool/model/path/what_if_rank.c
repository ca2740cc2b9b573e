/* SPDX-License-Identifier: MIT */
/* what_if_rank - rank the parts of the critical path by their cost. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/words.h"
#include "common/order.h"
#include "model/kind.h"
#include "model/path/critical.h"
#include "model/path/what_if_private.h"
#include "model/path/what_if_rank.h"
#include "model/private.h"

struct list {
	const struct tr2_model *m;
	struct tr2_gain *gains;
	uint32_t nr, alloc;
};

/* Add time to the part with this kind, name and cause. The list is short:
 * programs, regions and causes have few names. */
static void add_change(struct list *l, enum tr2_change_kind kind,
		       const char *name, int cause, int64_t ns)
{
	struct tr2_gain *g;
	uint32_t i;

	for (i = 0; i < l->nr; i++) {
		g = &l->gains[i];
		if (g->change.kind == kind && g->change.cause == cause &&
		    !strcmp(g->change.name, name)) {
			g->path_ns += ns;
			return;
		}
	}
	tr2_grow(l->gains, l->nr, l->alloc);
	l->gains[l->nr++] = (struct tr2_gain){
		.change = { .kind = kind, .name = tr2_strdup(name),
			    .exact = true, .cause = cause },
		.path_ns = ns,
	};
}

static void add_step(struct list *l, const struct tr2_step *s)
{
	static struct tr2_buf b; /* later calls reuse its memory */
	const struct tr2_model *m = l->m;
	const struct tr2_span *span = &m->spans[s->span];

	if (s->ready_ns)
		add_change(l, TR2_CHANGE_READY, "", -1, s->ready_ns);
	if (!s->ns)
		return;
	tr2_buf_reset(&b);
	tr2_kind_add(m, s->node, s->segment, &b);
	add_change(l, TR2_CHANGE_PROCESS, tr2_buf_str(&b), -1, s->ns);
	if (s->kind == TR2_STEP_WAIT)
		add_change(l, TR2_CHANGE_WAIT, "", s->cause, s->ns);
	if (s->span)
		add_change(l, TR2_CHANGE_REGION,
			   tr2_join(&b, tr2_s(m, span->category),
				    tr2_s(m, span->label)),
			   -1, s->ns);
}

TR2_ORDER(by_path, struct tr2_gain,
	  TR2_DOWN(path_ns) ?: strcmp(a->change.name, b->change.name))

/* Order by the middle of the two bounds, the largest first. */
TR2_ORDER(by_gain, struct tr2_gain,
	  tr2_order(b->ns + b->most_ns, a->ns + a->most_ns) ?: by_path(a, b))

static void look_at(struct tr2_retime *r, uint32_t root)
{
	if (r->root == root)
		return;
	free(r->steps);
	free(r->pieces);
	tr2_jobs_release(&r->jobs);
	free(r->job_ns);
	r->job_ns = NULL;
	r->nr_steps = tr2_critical_path(r->m, root, &r->steps);
	r->nr_pieces = tr2_critical_pieces(r->m, root, &r->pieces);
	r->root = root;
	if (tr2_jobs_find(&r->jobs, r->m, root, NULL) &&
	    r->jobs.at_once > 1 && r->jobs.nr > r->jobs.at_once)
		r->job_ns = tr2_calloc(r->jobs.nr, sizeof(*r->job_ns));
}

/* Compute how long the jobs take. If no change makes anything slower, no job
 * takes longer than recorded: a job that begins earlier does not wait longer
 * for something outside. */
const int64_t *tr2_retimed_jobs(const struct tr2_retime *r,
				const struct tr2_jobs *jobs, int64_t *job_ns)
{
	const struct tr2_node *n;
	uint32_t i;

	for (i = 0; i < jobs->nr; i++) {
		n = &r->m->nodes[jobs->job[i]];
		job_ns[i] = tr2_retimed_wall(r, jobs->job[i]);
		if (!r->any_slower && job_ns[i] > n->end_ns - n->start_ns)
			job_ns[i] = n->end_ns - n->start_ns;
	}
	return job_ns;
}

/*
 * Return the worst time of a program that runs several jobs, such as make -j.
 * If jobs end earlier, the program begins other jobs in their place, in an
 * order that the recorded wake-ups do not show. At worst, each job needs all
 * jobs that had ended before it began.
 */
static int64_t worst_of_jobs(struct tr2_retime *r, uint32_t root,
			     int64_t worst_ns)
{
	int64_t ns;

	if (!r->job_ns)
		return worst_ns;
	ns = tr2_jobs_worst(&r->jobs, r->m, root, r->jobs.at_once,
			    tr2_retimed_jobs(r, &r->jobs, r->job_ns));
	return ns < worst_ns ? ns : worst_ns;
}

/* Compute two bounds of a gain. Jobs may begin in another order than the
 * recorded one: this can bring at most the gain of the path itself. */
struct tr2_gain tr2_gain_of(struct tr2_retime *r, uint32_t root,
			    const struct tr2_change *changes, size_t nr,
			    uint64_t *pieces)
{
	struct tr2_gain g = { 0 };
	int64_t wall_ns, worst_ns, best_ns, path_ns;

	look_at(r, root);
	tr2_retime(r, NULL, 0, TR2_RETIME_BEST);
	wall_ns = tr2_retimed_wall(r, root);
	tr2_retime(r, changes, nr, TR2_RETIME_WORST);
	worst_ns = wall_ns -
		   worst_of_jobs(r, root, tr2_retimed_wall(r, root));
	*pieces = tr2_retime(r, changes, nr, TR2_RETIME_BEST);
	best_ns = wall_ns - tr2_retimed_wall(r, root);
	path_ns = tr2_retime_path_gain(r, changes, nr, r->steps, r->nr_steps);
	g.ns = worst_ns < best_ns ? worst_ns : best_ns;
	g.most_ns = worst_ns > best_ns ? worst_ns : best_ns;
	if (path_ns > g.most_ns)
		g.most_ns = path_ns;
	tr2_unseen_polling(r, changes, nr, &g);
	tr2_unseen_pool(r, wall_ns, &g);
	if (g.most_ns > wall_ns)
		g.most_ns = wall_ns;
	g.lock_first = tr2_unseen_locks(r);
	return g;
}

size_t tr2_gains(const struct tr2_model *m, uint32_t root, size_t max,
		 struct tr2_gain **gains)
{
	struct list l = { .m = m };
	struct tr2_step *steps;
	size_t nr = tr2_critical_path(m, root, &steps), i;
	struct tr2_retime *r;
	uint64_t pieces;

	for (i = 0; i < nr; i++)
		if (tr2_step_ns(&steps[i]))
			add_step(&l, &steps[i]);
	free(steps);
	*gains = l.gains;
	if (!l.nr)
		return 0;
	qsort(l.gains, l.nr, sizeof(*l.gains), by_path);
	for (i = max; i < l.nr; i++)
		free((char *)l.gains[i].change.name);
	nr = l.nr < max ? l.nr : max;
	r = tr2_retime_new(m);
	for (i = 0; i < nr; i++) {
		struct tr2_gain g = tr2_gain_of(r, root, &l.gains[i].change, 1,
						&pieces);

		l.gains[i].ns = g.ns;
		l.gains[i].most_ns = g.most_ns;
		l.gains[i].polled_for = g.polled_for;
		l.gains[i].lock_first = g.lock_first;
	}
	tr2_retime_free(r);
	qsort(l.gains, nr, sizeof(*l.gains), by_gain);
	return nr;
}

void tr2_gains_free(struct tr2_gain *gains, size_t nr)
{
	while (nr)
		free((char *)gains[--nr].change.name);
	free(gains);
}
