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
 * time between two items belongs to their owner, whatever it did.
 */
#pragma once

#include "model/model.h"

enum tr2_step_kind {
	TR2_STEP_UNKNOWN, /* without states, or only inner steps have time */
	TR2_STEP_RUN,
	TR2_STEP_READY, /* without a CPU; in steps, a part of RUN */
	TR2_STEP_WAIT
};

/* The own time of one owner on the path for one reason, summed over all
 * pieces. */
struct tr2_step {
	uint32_t node;
	/* an earlier program of the process; 0: the last one, or all */
	uint32_t segment;
	uint32_t span;  /* a region of the process; 0: outside of regions */
	uint32_t parent; /* 1 + index of the step around it; 0: none */
	int64_t ns;      /* its own time on the path; 0 if only inner steps have
			  * time */
	int64_t ready_ns; /* RUN: the further time without a CPU */
	int64_t start_ns; /* wall; when the path first reaches it */
	/* Who had the CPU (RUN) or ended the wait for most of the time; 0:
	 * unknown, or the kernel (model/states.h). */
	tr2_str by;
	tr2_str object; /* WAIT: the object for more than half of the time; 0:
			 * unknown */
	tr2_str thread; /* the kind of its threads; 0: the first thread */
	uint8_t kind;  /* enum tr2_step_kind, except READY */
	uint8_t cause; /* WAIT: enum tr2_cause */
	/* For most of the time, the wake-ups that led here were not
	 * recorded. */
	bool inferred;
	bool doubtful; /* other threads may have been the waker */
};

static inline int64_t tr2_step_ns(const struct tr2_step *s)
{
	return s->ns + s->ready_ns;
}

/* A stretch of time on the path. */
struct tr2_path_piece {
	int64_t start_ns, end_ns; /* wall */
	uint32_t node, span; /* the owner; span 0: outside regions */
	uint32_t task_thread; /* 0: unknown */
	tr2_str by;          /* who had the CPU, or ended the wait */
	tr2_str object;      /* WAIT: the object; 0: unknown */
	uint8_t kind;        /* enum tr2_step_kind */
	uint8_t cause;       /* WAIT: enum tr2_cause */
	bool inferred;       /* the wake-up that led here was not recorded */
};

/* Return the root that took longest: its path is the interesting one. 0: there
 * is no root. */
uint32_t tr2_longest_root(const struct tr2_model *m);

/* Does the model have states of the threads of this root? */
bool tr2_critical_by_states(const struct tr2_model *m, uint32_t root);

/*
 * Return the path below a root, by time, each step before its inner steps. The
 * steps of one owner follow each other, the largest first, and inner steps are
 * inside the first. The caller frees *steps. Return the number of steps.
 */
size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps);

/*
 * Return the path below a root as stretches of time, in order and without gaps
 * between them. The caller frees *pieces. Return their number.
 */
size_t tr2_critical_pieces(const struct tr2_model *m, uint32_t root,
			   struct tr2_path_piece **pieces);

/* Return for each sample whether its thread ran on the path below the longest
 * root when it was taken; if samples are waits, whether it waited. The caller
 * frees the array. NULL: there are no samples, or no states. */
bool *tr2_critical_samples(const struct tr2_model *m);

/* Return the kernel's thread in which a sample was taken; 0: unknown. */
uint32_t tr2_sample_thread(const struct tr2_model *m,
			   const struct tr2_model_sample *s);

/* The sum of all steps with the same kind of process, region name, kind of
 * thread and reason. */
struct tr2_path_sum {
	tr2_str kind; /* model/kind.h */
	/* The first of these steps, with the total time of all. Its start is
	 * the earliest of all; `by` had more than half of the time. */
	struct tr2_step step;
	uint32_t nr_nodes; /* processes */
	/* More than half of the time belongs to descendants of this process,
	 * and of others of its kind in the same place. 0: no such process. */
	uint32_t in;
	/* Parts of the time: derived; doubtful; due to step.by; due to
	 * step.object */
	int64_t inferred_ns, doubtful_ns, by_ns, object_ns;
};

/* Sum the steps, the largest first. The caller frees *sums. Return their
 * number. */
size_t tr2_critical_sums(struct tr2_model *m, const struct tr2_step *steps,
			 size_t nr, struct tr2_path_sum **sums);
