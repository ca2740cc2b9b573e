/* SPDX-License-Identifier: MIT */
/*
 * what_if_times - compute the times of a recording with changes. Each time
 * depends only on earlier ones: of the same thread, of the thread that created
 * it, or of the thread that woke it. So the starts and ends of all states are
 * computed in their recorded order.
 */
#include <stdlib.h>

#include "common/order.h"
#include "model/join/thread_borders.h"
#include "model/path/what_if_private.h"
#include "model/private.h"
#include "model/states.h"

/* If no thread of the recording ended a wait, a wait shorter than this keeps
 * its length. */
#define OUTSIDE_NS 1000000

/* Limit the time of any work to some years. */
#define MAX_NS 1e17

/* A moment of a thread: the start of a state, or the end of the thread's last
 * state. */
struct moment {
	int64_t at_ns;
	uint32_t thread;
	uint32_t state; /* the state that begins; at the thread's end: 1 + the
			 * last state */
};

TR2_ORDER(compare_moments, struct moment,
	  TR2_UP(at_ns) ?: TR2_UP(thread) ?: TR2_UP(state))

static void list_moments(struct tr2_retime *r)
{
	const struct tr2_model *m = r->m;
	uint32_t t, i;

	r->moments = tr2_calloc((size_t)m->nr_states + m->nr_task_threads,
				sizeof(*r->moments));
	for (t = 1; t < m->nr_task_threads; t++) {
		const struct tr2_task_thread *thread = &m->task_threads[t];

		tr2_for_each_state(m, t, i)
			r->moments[r->nr_moments++] = (struct moment){
				m->states[i].start_ns, t, i };
		r->moments[r->nr_moments++] = (struct moment){
			thread->end_ns, t, thread->first_state +
					   thread->nr_states };
	}
	qsort(r->moments, r->nr_moments, sizeof(*r->moments), compare_moments);
}

struct tr2_retime *tr2_retime_new(const struct tr2_model *m)
{
	struct tr2_retime *r = tr2_calloc(1, sizeof(*r));
	uint32_t t;

	r->m = m;
	r->start_ns = tr2_calloc((size_t)m->nr_states + 1,
				 sizeof(*r->start_ns));
	r->threads = tr2_calloc((size_t)m->nr_task_threads + 1,
				sizeof(*r->threads));
	r->children_end_ns = tr2_calloc((size_t)m->nr_tasks + 1,
					sizeof(*r->children_end_ns));
	for (t = 1; t < m->nr_task_threads; t++)
		tr2_places_list(m, t, &r->threads[t].places);
	list_moments(r);
	return r;
}

void tr2_retime_free(struct tr2_retime *r)
{
	uint32_t t;

	if (!r)
		return;
	for (t = 1; t < r->m->nr_task_threads; t++) {
		tr2_places_release(&r->threads[t].places);
		free(r->threads[t].rates);
	}
	free(r->threads);
	free(r->start_ns);
	free(r->children_end_ns);
	free(r->moments);
	free(r->steps);
	free(r->pieces);
	tr2_jobs_release(&r->jobs);
	free(r->job_ns);
	free(r);
}

static int64_t later(int64_t at_ns, int64_t ns)
{
	tr2_ns_add(&at_ns, ns);
	return at_ns;
}

/* Return the new length of the thread's own work between two recorded moments.
 * Work never takes less than 1 ns, so that the order of wake-ups stays, and the
 * critical path can follow them. */
static int64_t work_ns(const struct tr2_retimed_thread *t, int64_t from_ns,
		       int64_t to_ns, double factor)
{
	double sum = 0;
	uint32_t low = 0, high = t->nr_rates, mid;
	int64_t until;

	if (to_ns <= from_ns)
		return 0;
	if (!t->nr_rates && factor == 1)
		return to_ns - from_ns;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->rates[mid].at_ns <= from_ns)
			low = mid + 1;
		else
			high = mid;
	}
	for (; from_ns < to_ns; from_ns = until, low++) {
		until = low < t->nr_rates && t->rates[low].at_ns < to_ns ?
				t->rates[low].at_ns : to_ns;
		sum += (double)(until - from_ns) *
		       (low ? t->rates[low - 1].factor : 1);
	}
	sum *= factor;
	return sum < 1	    ? 1 :
	       sum < MAX_NS ? (int64_t)(sum + 0.5) : (int64_t)MAX_NS;
}

/* Return the new time of a recorded moment in a state whose new end is not yet
 * known. */
static int64_t in_state(const struct tr2_retime *r, uint32_t thread,
			uint32_t state, int64_t at_ns)
{
	int64_t from_ns = r->m->states[state].start_ns;

	if (r->m->states[state].kind != TR2_STATE_RUN)
		return later(r->start_ns[state], at_ns - from_ns);
	return later(r->start_ns[state],
		     work_ns(&r->threads[thread], from_ns, at_ns, 1));
}

/* Set *at_ns to the new time at which the waker reaches the point where it
 * ended the wait. A thread may end a wait by its own end. Return false if no
 * thread of the recording ended the wait. */
static bool woken_at(const struct tr2_retime *r, uint32_t thread,
		     const struct tr2_state *s, int64_t end_ns, int64_t *at_ns)
{
	const struct tr2_model *m = r->m;
	const struct tr2_task_thread *by = &m->task_threads[s->other];
	uint32_t state;

	if (!s->other || s->other == thread || !by->nr_states)
		return false;
	if (by->end_ns > s->start_ns && by->end_ns < end_ns) {
		*at_ns = later(r->threads[s->other].end_ns,
			       end_ns - by->end_ns);
		return true;
	}
	state = tr2_state_at(m, s->other, end_ns - 1);
	if (!state || m->states[state].kind != TR2_STATE_RUN)
		return false;
	*at_ns = in_state(r, s->other, state, end_ns);
	return true;
}

/* Could something outside the recording have ended the wait at a moment that
 * does not depend on the wait? A short wait was more likely ended by an answer
 * to the thread itself. */
static bool by_outside(const struct tr2_state *s, int64_t ns)
{
	return ns >= OUTSIDE_NS && s->cause != TR2_CAUSE_sleep &&
	       s->cause != TR2_CAUSE_disk && s->cause != TR2_CAUSE_page;
}

static bool is_child(const struct tr2_retime *r, uint32_t thread,
		     uint32_t of_thread)
{
	const struct tr2_task_thread *t = r->m->task_threads;

	return r->m->tasks[t[thread].task].parent == t[of_thread].task;
}

static int64_t wait_end(const struct tr2_retime *r, uint32_t thread,
			uint32_t state, int64_t end_ns)
{
	const struct tr2_state *s = &r->m->states[state];
	int64_t from_ns = r->start_ns[state], to_ns;
	double factor = r->wait_factor[s->cause];
	uint32_t task = r->m->task_threads[thread].task;
	int64_t ns;

	if (!woken_at(r, thread, s, end_ns, &to_ns)) {
		ns = work_ns(&r->threads[thread], s->start_ns, end_ns, factor);
		if (r->bound == TR2_RETIME_BEST || factor != 1 ||
		    !by_outside(s, end_ns - s->start_ns))
			return later(from_ns, ns);
		to_ns = end_ns;
	} else if (r->bound == TR2_RETIME_WORST &&
		   is_child(r, s->other, thread) &&
		   r->children_end_ns[task] > to_ns)
		to_ns = r->children_end_ns[task];
	return to_ns > from_ns ? to_ns : later(from_ns, 1);
}

/* Return the new length of a time without a CPU. At best, a thread that runs
 * shorter loses its CPU less often, and gets the CPU earlier if the other
 * thread that has the CPU runs shorter. */
static int64_t ready_ns(const struct tr2_retime *r, uint32_t thread,
			uint32_t state, int64_t end_ns)
{
	const struct tr2_state *s = &r->m->states[state];
	int64_t ns = end_ns - s->start_ns;
	int64_t own_ns = work_ns(&r->threads[thread], s->start_ns, end_ns, 1);
	int64_t by_ns = work_ns(&r->threads[s->other], s->start_ns, end_ns, 1);
	double factor = r->ready_factor;
	bool preempted = state > r->m->task_threads[thread].first_state &&
			 s[-1].kind == TR2_STATE_RUN;

	if (r->bound == TR2_RETIME_BEST && preempted)
		factor *= (double)own_ns / (double)ns;
	if (r->bound == TR2_RETIME_BEST && s->other)
		factor *= (double)by_ns / (double)ns;
	factor *= (double)ns;
	return factor < 1 ? 1 : factor < MAX_NS ? (int64_t)(factor + 0.5) :
						  (int64_t)MAX_NS;
}

/* Return the new end of a state. */
static int64_t end_of(const struct tr2_retime *r, uint32_t thread,
		      uint32_t state)
{
	const struct tr2_state *s = &r->m->states[state];
	int64_t end_ns = tr2_state_end(r->m, thread, state);
	int64_t ns = end_ns - s->start_ns;

	if (ns <= 0)
		return r->start_ns[state];
	if (s->kind == TR2_STATE_RUN)
		ns = work_ns(&r->threads[thread], s->start_ns, end_ns, 1);
	else if (s->kind == TR2_STATE_WAIT)
		return wait_end(r, thread, state, end_ns);
	else
		ns = ready_ns(r, thread, state, end_ns);
	return later(r->start_ns[state], ns);
}

/* Begin a thread at the new time at which its creator creates it. */
static void begin_thread(struct tr2_retime *r, uint32_t thread)
{
	const struct tr2_task_thread *t = &r->m->task_threads[thread];
	int64_t at_ns = t->start_ns;
	uint32_t state = 0;

	if (t->creator && t->creator < thread)
		state = tr2_state_at(r->m, t->creator, at_ns - 1);
	if (state)
		at_ns = in_state(r, t->creator, state, at_ns);
	r->threads[thread].start_ns = at_ns;
	r->threads[thread].begun = true;
}

static void pass(struct tr2_retime *r, const struct moment *at)
{
	const struct tr2_task_thread *t = &r->m->task_threads[at->thread];
	struct tr2_retimed_thread *new = &r->threads[at->thread];
	int64_t at_ns;

	if (!new->begun)
		begin_thread(r, at->thread);
	if (!t->nr_states || at->state == t->first_state)
		at_ns = later(new->start_ns, at->at_ns - t->start_ns);
	else
		at_ns = end_of(r, at->thread, at->state - 1);
	if (at->state < t->first_state + t->nr_states) {
		r->start_ns[at->state] = at_ns;
		return;
	}
	new->end_ns = at_ns;
	if (at_ns > r->children_end_ns[r->m->tasks[t->task].parent])
		r->children_end_ns[r->m->tasks[t->task].parent] = at_ns;
}

uint64_t tr2_retime(struct tr2_retime *r, const struct tr2_change *changes,
		    size_t nr, enum tr2_retime_bound bound)
{
	uint64_t pieces = tr2_retime_rates(r, changes, nr);
	uint32_t t;
	size_t i;

	r->bound = bound;
	for (t = 1; t < r->m->nr_task_threads; t++)
		r->threads[t].begun = false;
	for (i = 0; i < r->m->nr_tasks; i++)
		r->children_end_ns[i] = INT64_MIN;
	for (i = 0; i < r->nr_moments; i++)
		pass(r, &r->moments[i]);
	return pieces;
}

/* Return the new time of a recorded moment. In a wait, or in a time without a
 * CPU, compute the share of the state's work_ns() that lies before the moment.
 * The same share of the state's new length lies before the new moment. */
int64_t tr2_retimed_moment(const struct tr2_retime *r, uint32_t thread,
			   int64_t at_ns)
{
	const struct tr2_model *m = r->m;
	const struct tr2_task_thread *t = &m->task_threads[thread];
	const struct tr2_retimed_thread *new = &r->threads[thread];
	uint32_t state = tr2_state_at(m, thread, at_ns - 1);
	int64_t from_ns, ns, own_ns, whole_ns;

	if (at_ns >= t->end_ns)
		return later(new->end_ns, at_ns - t->end_ns);
	if (!state)
		return later(new->start_ns, at_ns - t->start_ns);
	if (m->states[state].kind == TR2_STATE_RUN)
		return in_state(r, thread, state, at_ns);
	from_ns = m->states[state].start_ns;
	ns = (state + 1 < t->first_state + t->nr_states ?
		      r->start_ns[state + 1] : new->end_ns) -
	     r->start_ns[state];
	own_ns = work_ns(new, from_ns, at_ns, 1);
	whole_ns = work_ns(new, from_ns, tr2_state_end(m, thread, state), 1);
	return r->start_ns[state] +
	       (int64_t)((double)ns * ((double)own_ns / (double)whole_ns));
}

/* Return the new end of a process, which ends with its last thread. */
static int64_t task_end(const struct tr2_retime *r, uint32_t task, int64_t end)
{
	const struct tr2_model *m = r->m;
	int64_t old_ns = INT64_MIN, new_ns = INT64_MIN;
	uint32_t t;

	tr2_for_each_task_thread(m, task, t) {
		if (m->task_threads[t].end_ns > old_ns)
			old_ns = m->task_threads[t].end_ns;
		if (r->threads[t].end_ns > new_ns)
			new_ns = r->threads[t].end_ns;
	}
	return old_ns == INT64_MIN || end == TR2_NO_TIME ?
		       end : later(new_ns, end - old_ns);
}

static int64_t task_start(const struct tr2_retime *r, uint32_t task,
			  int64_t start)
{
	uint32_t t = r->m->tasks[task].first_thread;

	return !t || start == TR2_NO_TIME ? start :
	       later(r->threads[t].start_ns,
		     start - r->m->task_threads[t].start_ns);
}

int64_t tr2_retimed_wall(const struct tr2_retime *r, uint32_t node)
{
	const struct tr2_node *n = &r->m->nodes[node];

	return task_end(r, n->task, n->end_ns) -
	       task_start(r, n->task, n->start_ns);
}

static void *copied(const void *from, size_t nr, size_t size)
{
	void *to = tr2_calloc(nr + 1, size);

	if (nr)
		memcpy(to, from, nr * size);
	return to;
}

/* Move the regions of a session's thread to the new times of its task
 * thread. */
static void move_spans(const struct tr2_retime *r, struct tr2_model *new,
		       uint32_t thread, uint32_t task_thread)
{
	int64_t wall = new->sessions[new->threads[thread].session].wall_ns;
	uint32_t i;

	tr2_for_each_span(new, thread, i) {
		struct tr2_span *s = &new->spans[i];

		s->start_ns = tr2_retimed_moment(r, task_thread,
						 wall + s->start_ns) - wall;
		s->end_ns = tr2_retimed_moment(r, task_thread,
					       wall + s->end_ns) - wall;
	}
}

static void move_thread(const struct tr2_retime *r, struct tr2_model *new,
			uint32_t thread)
{
	const struct tr2_model *m = r->m;
	struct tr2_task_thread *t = &new->task_threads[thread];
	const struct tr2_model_task *task = &m->tasks[t->task];
	uint32_t s = m->nodes[task->node].session, i;

	tr2_for_each_state(m, thread, i)
		new->states[i].start_ns = r->start_ns[i];
	t->start_ns = r->threads[thread].start_ns;
	t->end_ns = r->threads[thread].end_ns;
	if (t->tid != task->pid) {
		if (t->thread)
			move_spans(r, new, t->thread, thread);
		return;
	}
	for (; s; s = m->sessions[s].next_of_node)
		move_spans(r, new, m->sessions[s].first_thread, thread);
	tr2_for_each_segment(m, t->task, i)
		new->segments[i].start_ns =
			tr2_retimed_moment(r, thread, m->segments[i].start_ns);
}

struct tr2_model *tr2_retimed_model(const struct tr2_retime *r)
{
	const struct tr2_model *m = r->m;
	struct tr2_model *new = copied(m, 1, sizeof(*m));
	uint32_t i;

#define COPY(kind) new->kind = copied(m->kind, m->nr_##kind, sizeof(*m->kind))
	COPY(states);
	COPY(task_threads);
	COPY(segments);
	COPY(spans);
	COPY(nodes);
#undef COPY
	for (i = 1; i < m->nr_task_threads; i++)
		move_thread(r, new, i);
	for (i = 1; i < m->nr_nodes; i++) {
		struct tr2_node *n = &new->nodes[i];

		if (!n->task)
			continue;
		n->end_ns = task_end(r, n->task, n->end_ns);
		n->start_ns = task_start(r, n->task, n->start_ns);
	}
	return new;
}

void tr2_retimed_free(struct tr2_model *m)
{
	if (!m)
		return;
	free(m->states);
	free(m->task_threads);
	free(m->segments);
	free(m->spans);
	free(m->nodes);
	free(m);
}
