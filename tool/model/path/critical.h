/* SPDX-License-Identifier: MIT */
/*
 * critical - the critical path: the chain of processes and regions for which
 * the end of the recording waited.
 *
 * With states of threads (model/states.h) it is walked backwards over wake-ups:
 * a thread that runs, or has no CPU, is on the path; one that waits is not, but
 * the thread that woke it. A wait that the kernel or nobody known ended is on
 * the path, by its cause. So each moment of the wall time has one owner and one
 * reason.
 *
 * Without states, it is at each time the deepest item that ended last: a child
 * for which its parent waited, a thread that was joined, or a region. Time
 * between two of them belongs to their owner, whatever it did.
 */
#pragma once

#include "model/model.h"

enum tr2_step_kind {
	TR2_STEP_UNKNOWN, /* without states, or only inner steps have time */
	TR2_STEP_RUN,
	TR2_STEP_READY, /* it had no CPU; in steps, a part of RUN */
	TR2_STEP_WAIT
};

/* The time on the path of one owner itself for one reason, summed over its
 * pieces. */
struct tr2_step {
	uint32_t node;
	/* one of its programs, before the last; 0: the last, or all of them */
	uint32_t segment;
	uint32_t span;  /* one of its regions; 0: outside regions */
	uint32_t parent; /* step around it, 1 + its index; 0: none */
	int64_t ns;      /* on the path, its own; 0 if all is in inner steps */
	int64_t ready_ns; /* RUN: and so much more in which it had no CPU */
	int64_t start_ns; /* wall; when the path first reaches it */
	/* Who had the CPU (RUN) or ended the wait, most of the time; 0:
	 * unknown, or the kernel (model/states.h). */
	tr2_str by;
	tr2_str object; /* WAIT: for what, more than half of the time; 0: unknown */
	tr2_str thread; /* the kind of its threads; 0: the first thread */
	uint8_t kind;  /* enum tr2_step_kind, but READY */
	uint8_t cause; /* WAIT: enum tr2_cause */
	/* The wake-ups that led here were not recorded, most of the time. */
	bool inferred;
	bool doubtful; /* others could be it, too */
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
	tr2_str object;      /* WAIT: for what; 0: unknown */
	uint8_t kind;        /* enum tr2_step_kind */
	uint8_t cause;       /* WAIT: enum tr2_cause */
	bool inferred;       /* the wake-up that led here was not recorded */
};

/* Return the root that took longest, whose path is the interesting one. 0:
 * none. */
uint32_t tr2_longest_root(const struct tr2_model *m);

/* Are there states of the threads of this root? */
bool tr2_critical_by_states(const struct tr2_model *m, uint32_t root);

/*
 * Return the path below a root, by time, each step before its inner steps; the
 * steps of one owner follow each other, the largest first, and inner steps are
 * inside the first. The caller frees *steps. Return the number of steps.
 */
size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps);

/*
 * Return the path below a root as stretches of time, the first one first,
 * without gaps between them. The caller frees *pieces. Return their number.
 */
size_t tr2_critical_pieces(const struct tr2_model *m, uint32_t root,
			   struct tr2_path_piece **pieces);

/* Return for each sample whether its thread ran (or waited, if samples are waits)
 * on the path below the longest root when it was taken; the caller frees it. NULL: there are no samples, or no
 * states. */
bool *tr2_critical_samples(const struct tr2_model *m);

/* Return the kernel's thread in which a sample was taken; 0: unknown. */
uint32_t tr2_sample_thread(const struct tr2_model *m,
			   const struct tr2_model_sample *s);

/* All steps of processes of one kind, in regions of one name, of threads of one
 * kind, for one reason. */
struct tr2_path_sum {
	tr2_str kind; /* model/kind.h */
	/* The first of them, with the time of all; its start is the earliest,
	 * `by` has more than half of it. */
	struct tr2_step step;
	uint32_t nr_nodes; /* processes */
	/* A process: below it, and others of its kind in the same place, is more
	 * than half of the time; 0: none. */
	uint32_t in;
	/* of its time: derived; doubtful; for step.by; for step.object */
	int64_t inferred_ns, doubtful_ns, by_ns, object_ns;
};

/* Sum the steps, the largest first. The caller frees *sums. Return their
 * number. */
size_t tr2_critical_sums(struct tr2_model *m, const struct tr2_step *steps,
			 size_t nr, struct tr2_path_sum **sums);
