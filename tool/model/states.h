/* SPDX-License-Identifier: MIT */
/*
 * states - sum up the states of threads: run, ready for a CPU, or wait, by
 * cause.
 *
 * Sums are exact to the nanosecond: for any part of a thread's life, run +
 * ready + wait is the length of the part. Without states (m->has_states) sums
 * are 0.
 */
#pragma once

#include "model/model.h"

/* Name of the recorder, in case it had the CPU for which a thread was ready. */
#define TR2_RECORDER_NAME "trace2 record"

struct tr2_state_sums {
	int64_t run_ns, ready_ns, wait_ns;
	int64_t cause_ns[TR2_CAUSE_NR]; /* of wait_ns */
};

/* Return the name of a cause, such as child, pipe, other or unknown. */
const char *tr2_cause_name(enum tr2_cause cause);
/* Return the cause in words. */
const char *tr2_cause_text(enum tr2_cause cause);

/*
 * This bit in the name of the thread that ended a wait or had the CPU marks a
 * thread outside the recording. The name 0 means unknown, or the kernel.
 * tr2_by_name() returns the name. tr2_by_add() appends it, in brackets if the
 * bit is set: cc1, (nm).
 */
#define TR2_BY_OUTSIDE (1u << 31)
tr2_str tr2_state_by(const struct tr2_model *m, const struct tr2_state *s);
const char *tr2_by_name(const struct tr2_model *m, tr2_str by);
void tr2_by_add(struct tr2_buf *b, const struct tr2_model *m, tr2_str by);

/* Return the end of a state of this task thread. */
int64_t tr2_state_end(const struct tr2_model *m, uint32_t task_thread,
		      uint32_t state);

/* Return the state of a task thread at a moment of its life; 0: none. */
uint32_t tr2_state_at(const struct tr2_model *m, uint32_t task_thread,
		      int64_t wall_ns);

/* Add the states of a task thread from from_ns to to_ns, as far as the thread
 * lived in that time. */
void tr2_states_sum(const struct tr2_model *m, uint32_t task_thread,
		    int64_t from_ns, int64_t to_ns,
		    struct tr2_state_sums *sums);

/*
 * Add the states of a process: run while one of its threads ran, ready while
 * none ran and one was ready, else wait. So the sum is to_ns - from_ns, whether
 * the process lived all that time or not. A wait of several threads has the
 * cause of the thread that began to wait last.
 */
void tr2_states_sum_task(const struct tr2_model *m, uint32_t task,
			 int64_t from_ns, int64_t to_ns,
			 struct tr2_state_sums *sums);

/*
 * Add the states of a span's thread in the span's own time, during which no
 * inner span runs (tr2_model_self_times()). _outside(): add the states of a
 * thread outside of all spans. A thread without a task thread has no states.
 */
void tr2_states_sum_span(const struct tr2_model *m, uint32_t span,
			 struct tr2_state_sums *sums);
void tr2_states_sum_outside(const struct tr2_model *m, uint32_t thread,
			    struct tr2_state_sums *sums);

#define tr2_for_each_task_thread(m, task, i)               \
	for ((i) = (m)->tasks[task].first_thread; (i); \
	     (i) = (m)->task_threads[i].next)
#define tr2_for_each_state(m, task_thread, i)                             \
	for ((i) = (m)->task_threads[task_thread].first_state;            \
	     (i) - (m)->task_threads[task_thread].first_state <           \
	     (m)->task_threads[task_thread].nr_states;                    \
	     (i)++)
