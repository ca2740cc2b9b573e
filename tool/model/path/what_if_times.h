/* SPDX-License-Identifier: MIT */
/*
 * what_if_times - compute how long a recording would have taken if a part of it
 * were faster.
 *
 * The states of threads (model/states.h) and their wake-ups are a graph. A
 * thread goes on where its last state ended. A wait that a thread of the
 * recording ended, ends when that thread reaches the same point. Any other
 * wait, and the time on a CPU, takes as long as it did, or less if a change
 * says so. Retiming computes all times of the graph again.
 *
 * Three facts were not recorded, so there are two answers. A wait that ended
 * from outside the recording may last as long as it did, or end at the moment
 * when it did. A thread that is faster, or lost its CPU to a faster one, may be
 * without a CPU for less time, or for as long as it was. A parent that was
 * woken by the end of a child may need only that child, or all children that
 * had ended. TR2_RETIME_BEST assumes the first of each, TR2_RETIME_WORST the
 * second.
 */
#pragma once

#include "model/model.h"

enum tr2_change_kind {
	/* The own work of processes of a name: time on a CPU, and waits that no
	 * thread of the recording ended. */
	TR2_CHANGE_PROCESS,
	TR2_CHANGE_REGION, /* the own work in regions of a name */
	/* Waits of all causes, or of one cause, that no thread of the recording
	 * ended. */
	TR2_CHANGE_WAIT,
	TR2_CHANGE_READY, /* time without a CPU */
	TR2_CHANGE_JOBS   /* another number of jobs at once: see
			   * model/path/jobs.h */
};

struct tr2_change {
	enum tr2_change_kind kind;
	/* If exact: a process's kind or a region's `category/label`. Else a
	 * glob of a process's name, kind or command line, or of a region's
	 * `category/label`. */
	const char *name;
	bool exact;
	int cause;     /* WAIT: enum tr2_cause; -1: any */
	double factor; /* new time / recorded time; 0: no time */
	uint32_t jobs;
};

enum tr2_retime_bound { TR2_RETIME_BEST, TR2_RETIME_WORST };

struct tr2_retime;

/* Prepare the retiming of a model that has states. */
struct tr2_retime *tr2_retime_new(const struct tr2_model *m);
void tr2_retime_free(struct tr2_retime *r);

/* Compute all times with these changes. Return the number of pieces of time
 * that the changes make faster or slower. */
uint64_t tr2_retime(struct tr2_retime *r, const struct tr2_change *changes,
		    size_t nr, enum tr2_retime_bound bound);

/* Return the time from the start to the end of a process, with the last
 * changes. */
int64_t tr2_retimed_wall(const struct tr2_retime *r, uint32_t node);

/* Return a copy of the model with the new times of processes, threads, states
 * and regions: all times that the critical path reads. The copy shares the rest
 * with the model. Free it with tr2_retimed_free(). */
struct tr2_model *tr2_retimed_model(const struct tr2_retime *r);
void tr2_retimed_free(struct tr2_model *m);
