/* SPDX-License-Identifier: MIT */
/*
 * critical - the critical path: the chain of processes and regions for which
 * the end of the recording waited.
 *
 * With the states of threads (model/states.h), the path is walked backwards
 * over wake-ups. A thread that runs, or has no CPU, is on the path. For a
 * thread that waits, the thread that woke it is on the path instead. If the
 * kernel or an unknown thread ended the wait, the wait itself is on the path,
 * with its cause. So each moment of the wall time has one owner and one reason.
 *
 * Without states, the path has at each time the deepest item that ended last: a
 * child for which its parent waited, a thread that was joined, or a region. The
 * time between two items belongs to their owner, whatever the owner did.
 */
#pragma once

#include "model/model.h"

enum tr2_step_kind {
	TR2_STEP_UNKNOWN, /* no states were recorded, or only the step's inner
			   * steps have time */
	TR2_STEP_RUN,
	TR2_STEP_READY, /* ready, but without a CPU; a step of RUN includes this
			 * time, as ready_ns */
	TR2_STEP_WAIT
};

/* The time on the path that one owner (a process, a program of it, or a region)
 * itself took for one reason, summed over all pieces. */
struct tr2_step {
	uint32_t node;
	/* an earlier program of the process; 0: the last one, or all */
	uint32_t segment;
	uint32_t span;  /* a region of the process; 0: outside of regions */
	uint32_t parent; /* 1 + index of the step around this one; 0: none */
	int64_t ns;      /* the step's own time on the path; 0: only inner steps
			  * have time */
	int64_t ready_ns; /* RUN: time without a CPU, which ns does not
			   * include */
	int64_t start_ns; /* wall time at which the path first reaches the
			   * step */
	/* For most of the time: RUN: who had the CPU instead; WAIT: who ended
	 * the wait. 0: unknown, or the kernel (model/states.h). */
	tr2_str by;
	tr2_str object; /* WAIT: the object of more than half of the time; 0:
			 * unknown */
	tr2_str thread; /* the kind of the step's threads; 0: the first
			 * thread */
	uint8_t kind;  /* enum tr2_step_kind, except READY */
	uint8_t cause; /* WAIT: enum tr2_cause */
	/* For most of the time, the wake-ups that led to this step were
	 * derived, not recorded. */
	bool inferred;
	bool doubtful; /* for most of the time, the waker may have been another
			* thread */
};

static inline int64_t tr2_step_ns(const struct tr2_step *s)
{
	return s->ns + s->ready_ns;
}

/* A stretch of time on the path. */
struct tr2_path_piece {
	int64_t start_ns, end_ns; /* wall */
	uint32_t node, span; /* node and region of the owner; span 0: outside of
			      * regions */
	uint32_t task_thread; /* 0: unknown */
	tr2_str by;          /* READY: who had the CPU; WAIT: who ended the
			      * wait */
	tr2_str object;      /* WAIT: the object; 0: unknown */
	uint8_t kind;        /* enum tr2_step_kind */
	uint8_t cause;       /* WAIT: enum tr2_cause */
	bool inferred;       /* the wake-up that led to this piece was derived,
			      * not recorded */
};

/* Return the root that took longest: its path is the interesting one. 0: there
 * is no root. */
uint32_t tr2_longest_root(const struct tr2_model *m);

/* Does the model have states of this root's threads, so that the path follows
 * wake-ups? */
bool tr2_critical_by_states(const struct tr2_model *m, uint32_t root);

/*
 * Find the path below a root. Steps come in order of time, each before its
 * inner steps. The steps of one owner are adjacent, the largest first; the
 * first one is the parent of the inner steps. The caller frees *steps. Return
 * the number of steps.
 */
size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps);

/*
 * Find the path below a root as stretches of time, in order and without gaps
 * between them. The caller frees *pieces. Return the number of pieces.
 */
size_t tr2_critical_pieces(const struct tr2_model *m, uint32_t root,
			   struct tr2_path_piece **pieces);

/* Return an array that says for each sample whether its thread ran on the path
 * below the longest root at that time. For a sample that is a wait, it says
 * whether the thread waited on the path. The caller frees the array. NULL:
 * there are no samples, or no states. */
bool *tr2_critical_samples(const struct tr2_model *m);

/* Return the kernel's thread in which a sample was taken; 0: unknown. */
uint32_t tr2_sample_thread(const struct tr2_model *m,
			   const struct tr2_model_sample *s);

/* The sum of all steps with the same kind of process, region name, kind of
 * thread and reason. */
struct tr2_path_sum {
	tr2_str kind; /* model/kind.h */
	/* The first of the summed steps, with the total time and the earliest
	 * start of all. `by` had more than half of the time. */
	struct tr2_step step;
	uint32_t nr_nodes; /* processes */
	/* The first process at the place below which more than half of the time
	 * was spent; 0: no place has so much. A place is a chain of kinds of
	 * processes from the root down. */
	uint32_t in;
	/* Parts of the time: with derived wake-ups; with doubtful wake-ups; due
	 * to step.by; due to step.object. */
	int64_t inferred_ns, doubtful_ns, by_ns, object_ns;
};

/* Sum up the steps; the largest sum comes first. The caller frees *sums. Return
 * the number of sums. */
size_t tr2_critical_sums(struct tr2_model *m, const struct tr2_step *steps,
			 size_t nr, struct tr2_path_sum **sums);
