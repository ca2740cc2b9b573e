/* SPDX-License-Identifier: MIT */
/*
 * record - what happened to an event, as records in its buffer. The kernel
 * writes those of its events, this those of the program's own.
 */
#ifndef TR2_PMU_RECORD_H
#define TR2_PMU_RECORD_H

#include "pmu/pmu.h"

/* A thread. */
struct tr2_pmu_task {
	uint32_t tid, ptid; /* ptid 0: not known */
	uint64_t start_ns;
	const char *name;
	const struct tr2_slot *slot; /* NULL: it counted nothing */
};

/* How many open events want to hear of threads. */
extern unsigned int tr2_pmu_nr_watching;

/* A thread begins, has a name, ends; then what it counted is kept. */
void tr2_pmu_task_begin(const struct tr2_pmu_task *task);
void tr2_pmu_task_name(const struct tr2_pmu_task *task);
void tr2_pmu_task_end(const struct tr2_pmu_task *task);

/* ev overflowed in the calling thread, whose slot this is. */
void tr2_record_sample(struct trace2_perf *ev, const struct tr2_slot *slot,
		       uint64_t periods, const struct tr2_callchain *chain);

#endif
