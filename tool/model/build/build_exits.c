/* SPDX-License-Identifier: MIT */
/*
 * build_exits - derive, without wake-ups, who woke the threads of a process
 * that ends. exit() in one thread wakes all others, which then end at once. A
 * thread that ends wakes the thread that waits for it.
 */
#include "model/build/build_states_private.h"
#include "model/states.h"

/* A thread that is woken to end gets a CPU within LATE_NS. With a CPU, the
 * thread ends within ENDING_NS. */
#define ENDING_NS 1000000
#define LATE_NS 10000000
/* If CPUs are idle, the waker left its CPU at most this long before the woken
 * thread got one. */
#define WOKEN_NS 200000
/* If exit() ends a process, all its threads end within this time. */
#define TOGETHER_NS 20000000
/* If two threads begin to run within this time of each other, one thread may
 * have woken both. */
#define WOKEN_TOO_NS 100000

/* The last wait of a thread, and the time of the wait's end. */
struct last_wait {
	struct tr2_state *state; /* NULL: none */
	int64_t end_ns;
};

static struct last_wait last_wait_of(const struct tr2_model *m,
				     const struct tr2_task_thread *t)
{
	struct last_wait last = { .end_ns = t->end_ns };
	uint32_t i;

	for (i = t->nr_states; i--;) {
		struct tr2_state *s = &m->states[t->first_state + i];

		if (s->kind == TR2_STATE_WAIT) {
			last.state = s;
			break;
		}
		last.end_ns = s->start_ns;
	}
	return last;
}

static bool is_derived(const struct tr2_state *wait)
{
	return !wait->other || wait->flags & TR2_STATE_INFERRED;
}

static bool was_killed(const struct tr2_task_thread *t,
		       const struct last_wait *last, int64_t end_ns)
{
	return last->state && is_derived(last->state) &&
	       t->end_ns > last->end_ns &&
	       t->end_ns - last->end_ns < ENDING_NS &&
	       end_ns - t->end_ns < TOGETHER_NS;
}

static void set_waker(struct tr2_state *wait, uint32_t waker)
{
	wait->other = waker;
	wait->flags = TR2_STATE_INFERRED | TR2_STATE_DOUBTFUL;
}

/* Consider the other threads of self's task that ran before at_ns. Return the
 * one that ended last, unless it ended before from_ns; 0: none. */
static uint32_t last_ended(const struct tr2_model *m, uint32_t self,
			   int64_t from_ns, int64_t at_ns)
{
	uint32_t i, found = 0;

	tr2_for_each_task_thread(m, m->task_threads[self].task, i) {
		const struct tr2_task_thread *t = &m->task_threads[i];

		if (i != self && t->end_ns >= from_ns &&
		    last_wait_of(m, t).end_ns < at_ns) {
			from_ns = t->end_ns;
			found = i;
		}
	}
	return found;
}

/* Return the thread that woke the first thread by its own end or by exit(); 0:
 * none. This waker may also have woken other threads to end; these had a CPU
 * one after the other before the first thread. */
static uint32_t waker_of(const struct tr2_model *m, uint32_t first,
			 const struct last_wait *last)
{
	int64_t at_ns = last->end_ns, within_ns = LATE_NS;
	uint32_t found = 0, before;

	while ((before = last_ended(m, first, at_ns - within_ns, at_ns))) {
		found = before;
		at_ns = last_wait_of(m, &m->task_threads[found]).end_ns;
		within_ns = WOKEN_NS;
	}
	return found;
}

/* Did the thread run at that time, or not long before? */
static bool ran_at(const struct tr2_model *m, uint32_t thread, int64_t at_ns)
{
	uint32_t state = tr2_state_at(m, thread, at_ns - LATE_NS);

	for (; state;
	     state = state + 1 < m->task_threads[thread].first_state +
					 m->task_threads[thread].nr_states ?
			     state + 1 : 0) {
		if (m->states[state].start_ns >= at_ns)
			break;
		if (m->states[state].kind == TR2_STATE_RUN)
			return true;
	}
	return false;
}

/* Set who woke the threads of a task, the last of which ended at end_ns. If the
 * first thread ran when another thread was woken to end, the first thread
 * called exit(), or waits for the other thread to end. */
static void look_at_end(struct tr2_model *m, uint32_t task, int64_t end_ns)
{
	uint32_t first = m->tasks[task].first_thread, i;
	struct last_wait last = last_wait_of(m, &m->task_threads[first]), other;
	bool killed = was_killed(&m->task_threads[first], &last, end_ns);
	uint32_t waker = killed ? waker_of(m, first, &last) : 0;

	for (i = first; (i = m->task_threads[i].next);) {
		other = last_wait_of(m, &m->task_threads[i]);
		if (i == waker ||
		    !was_killed(&m->task_threads[i], &other, end_ns))
			continue;
		if (other.end_ns - WOKEN_TOO_NS > last.end_ns)
			set_waker(other.state, first);
		else if (waker && other.end_ns + WOKEN_TOO_NS > last.end_ns)
			set_waker(other.state, waker);
		else if (!other.state->other && ran_at(m, first, other.end_ns))
			set_waker(other.state, first);
	}
	if (waker)
		set_waker(last.state, waker);
}

void tr2_states_derive_exits(const struct tr2_states_build *b)
{
	struct tr2_model *m = b->m;
	uint32_t task, i, nr;
	int64_t end_ns;

	for (task = b->first_task; task < m->nr_tasks; task++) {
		end_ns = INT64_MIN;
		nr = 0;
		tr2_for_each_task_thread(m, task, i) {
			if (m->task_threads[i].end_ns > end_ns)
				end_ns = m->task_threads[i].end_ns;
			nr++;
		}
		if (nr > 1)
			look_at_end(m, task, end_ns);
	}
}
