/* SPDX-License-Identifier: MIT */
/*
 * what_if_unseen - widen the bounds of a gain by effects that no wake-up shows.
 * A loop that sleeps and polls may wait for any process. A pool of jobs fills
 * its slots with other jobs. Threads may take locks in another order.
 */
#include <stdlib.h>

#include "model/kind.h"
#include "model/path/what_if_private.h"
#include "model/private.h"
#include "model/states.h"

/* At least this number of sleeps of similar length in a row may be a loop that
 * polls, which means that it checks whether something has happened. */
#define MIN_SLEEPS 3
#define MIN_SLEEP_NS 1000000
/* Ignore shorter waits for a lock, and requests that are less than
 * MIN_EARLIER_NS earlier. */
#define MIN_LOCK_NS 1000000
#define MIN_EARLIER_NS 1000

static int64_t piece_ns(const struct tr2_path_piece *p)
{
	return p->end_ns - p->start_ns;
}

static bool is_sleep(const struct tr2_path_piece *p)
{
	return p->kind == TR2_STEP_WAIT && p->cause == TR2_CAUSE_sleep &&
	       piece_ns(p) >= MIN_SLEEP_NS;
}

/* Does the sleep `b` belong to the loop that began with the sleep `a`? */
static bool is_next(const struct tr2_retime *r, const struct tr2_path_piece *a,
		    const struct tr2_path_piece *b)
{
	int64_t differ = piece_ns(a) - piece_ns(b);

	return tr2_kind((struct tr2_model *)r->m, a->node, 0) ==
		       tr2_kind((struct tr2_model *)r->m, b->node, 0) &&
	       (differ < 0 ? -differ : differ) < piece_ns(a) / 4;
}

/* Find the polling loop whose first sleep is the piece `first`. Between two
 * sleeps, such a loop polls for less time than it sleeps. Return the index
 * after the last sleep; 0: there is no loop. */
static size_t loop_from(const struct tr2_retime *r, size_t first)
{
	const struct tr2_path_piece *p = r->pieces;
	int64_t looked_ns = 0;
	size_t i, end = 0, nr = 1;

	for (i = first + 1; i < r->nr_pieces; i++) {
		if (is_sleep(&p[i]) && is_next(r, &p[first], &p[i])) {
			nr++;
			end = i + 1;
			looked_ns = 0;
			continue;
		}
		looked_ns += piece_ns(&p[i]);
		if (looked_ns > piece_ns(&p[first]))
			break;
	}
	return nr >= MIN_SLEEPS ? end : 0;
}

/* Return by how much a polling loop may end earlier now. Assume that the loop
 * waited for a process that ended during the loop's last sleep, and that the
 * loop now ends as soon as that process ends. Set *who to the process. */
static int64_t ended_earlier(const struct tr2_retime *r, uint32_t looker,
			     const struct tr2_path_piece *last, uint32_t *who)
{
	const struct tr2_model *m = r->m;
	int64_t most_ns = 0, ns;
	uint32_t i;

	for (i = r->root; i && i != m->nodes[r->root].next;
	     i = tr2_node_after(m, i)) {
		const struct tr2_node *n = &m->nodes[i];

		if (i == looker || n->end_ns <= last->start_ns ||
		    n->end_ns >= last->end_ns)
			continue;
		ns = n->end_ns - n->start_ns - tr2_retimed_wall(r, i);
		if (ns <= 0)
			continue;
		ns += last->end_ns - n->end_ns;
		if (ns > most_ns) {
			most_ns = ns;
			*who = i;
		}
	}
	return most_ns;
}

/* Return how much the pieces themselves gain by the changes. */
static int64_t own_gain(const struct tr2_retime *r,
			const struct tr2_change *changes, size_t nr,
			const struct tr2_path_piece *pieces, size_t nr_pieces)
{
	struct tr2_step step;
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < nr_pieces; i++) {
		step = (struct tr2_step){ .node = pieces[i].node,
					  .span = pieces[i].span,
					  .kind = pieces[i].kind,
					  .cause = pieces[i].cause,
					  .ns = piece_ns(&pieces[i]) };
		if (step.kind != TR2_STEP_READY)
			tr2_ns_add(&sum, tr2_retime_path_gain(r, changes, nr,
							      &step, 1));
	}
	return sum;
}

void tr2_unseen_polling(const struct tr2_retime *r,
			const struct tr2_change *changes, size_t nr,
			struct tr2_gain *g)
{
	const struct tr2_path_piece *p = r->pieces;
	int64_t earlier_ns, own_ns, best_ns = g->most_ns;
	size_t i, end;

	for (i = 0; i < r->nr_pieces; i++) {
		end = is_sleep(&p[i]) ? loop_from(r, i) : 0;
		if (!end)
			continue;
		earlier_ns = ended_earlier(r, p[end - 1].node, &p[end - 1],
					   &g->polled_for);
		own_ns = own_gain(r, changes, nr, p + i, end - i);
		if (own_ns > 0 && g->ns > 0)
			g->ns = g->ns > own_ns ? g->ns - own_ns : 0;
		if (earlier_ns > 0) {
			if (earlier_ns > p[end - 1].end_ns - p[i].start_ns)
				earlier_ns = p[end - 1].end_ns - p[i].start_ns;
			earlier_ns += best_ns - (own_ns > 0 ? own_ns : 0);
			if (earlier_ns > g->most_ns)
				g->most_ns = earlier_ns;
		}
		i = end - 1;
	}
}

/* Raise the upper bound for a pool of jobs: a job that ends earlier leaves its
 * slot to other jobs. No order gains more than all jobs together, or takes less
 * than the sum of the jobs divided by the slots. */
void tr2_unseen_pool(struct tr2_retime *r, int64_t wall_ns, struct tr2_gain *g)
{
	const struct tr2_node *n;
	int64_t sum_ns = 0, most_ns;
	uint32_t i;

	if (!r->job_ns)
		return;
	tr2_retimed_jobs(r, &r->jobs, r->job_ns);
	for (i = 0; i < r->jobs.nr; i++) {
		n = &r->m->nodes[r->jobs.job[i]];
		tr2_ns_add(&sum_ns, n->end_ns - n->start_ns - r->job_ns[i]);
	}
	most_ns = wall_ns - tr2_jobs_best(&r->jobs, r->m, r->root,
					  r->jobs.at_once, r->job_ns);
	if (most_ns > sum_ns && !r->any_slower)
		most_ns = sum_ns;
	if (most_ns > g->most_ns)
		g->most_ns = most_ns;
}

/* Find a thread that may now get a lock before the thread that woke it. The
 * thread now requests the lock before the waker reaches the point at which the
 * waker was at the recorded request. At that point the waker certainly had the
 * lock; when the waker took the lock is not recorded. Within one process, a
 * wait for a lock may also be a wait for work, and is left out. */
uint32_t tr2_unseen_locks(const struct tr2_retime *r)
{
	const struct tr2_model *m = r->m;
	uint32_t t, i;

	for (t = 1; t < m->nr_task_threads; t++)
		tr2_for_each_state(m, t, i) {
			const struct tr2_state *s = &m->states[i];

			if (s->kind == TR2_STATE_WAIT && s->other &&
			    s->cause == TR2_CAUSE_lock &&
			    m->task_threads[s->other].task !=
				    m->task_threads[t].task &&
			    tr2_state_end(m, t, i) - s->start_ns >=
				    MIN_LOCK_NS &&
			    r->start_ns[i] + MIN_EARLIER_NS <
				    tr2_retimed_moment(r, s->other,
						       s->start_ns))
				return t;
		}
	return 0;
}
