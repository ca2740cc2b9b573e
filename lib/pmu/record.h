/* SPDX-License-Identifier: MIT */
/*
 * record - changes of an event as records in its buffer. The kernel writes the
 * records of its events; the functions of this file write those of the
 * library's own.
 */
#pragma once

#include "pmu/pmu.h"

/* A thread that begins, gets a name or ends. */
struct tr2_pmu_task {
	uint32_t tid, ptid; /* ptid 0: unknown */
	uint64_t start_ns;
	const char *name;
	const struct tr2_slot *slot; /* the slot of the thread; NULL: the thread
				      * counted nothing */
	bool is_gone; /* the thread ended without a call; another thread noticed
		       * the end */
};

/* The number of open events that record threads. */
extern unsigned int tr2_pmu_nr_watching;

/* Report that a thread begins, got a name, or ends; at its end the events keep
 * its counts. */
void tr2_pmu_task_begin(const struct tr2_pmu_task *task);
void tr2_pmu_task_name(const struct tr2_pmu_task *task);
void tr2_pmu_task_end(const struct tr2_pmu_task *task);

/* Record a sample: ev overflowed in the calling thread, which has this slot. */
void tr2_record_sample(struct trace2_perf *ev, const struct tr2_slot *slot,
		       uint64_t periods, const struct tr2_callchain *chain);
