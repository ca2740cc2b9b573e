/* SPDX-License-Identifier: MIT */
/*
 * build_states - the functions by which a loader adds the kernel's records of
 * threads, after all tasks of a recording. The loader passes each record twice:
 * first in any order, to count the records, so that the states of a thread get
 * one place in memory; then in the order of time.
 */
#pragma once

#include "model/model.h"
#include "model/view.h"

enum tr2_task_record_kind {
	TR2_TASK_RECORD_FORK, /* a new thread; other: the thread that created
			       * it */
	TR2_TASK_RECORD_EXIT,
	TR2_TASK_RECORD_COMM, /* a new name, or an exec (how has TR2_HOW_EXEC);
			       * comm: the name */
	TR2_TASK_RECORD_IN,   /* the thread got a CPU */
	TR2_TASK_RECORD_OUT,  /* the thread left its CPU; how may have
			       * TR2_HOW_PREEMPTED */
	/* More about the next OUT of the thread. cause: the cause of the wait.
	 * other, comm: the thread that gets the CPU; 0: none. how may have
	 * TR2_HOW_FUTEX, and has TR2_HOW_NEXT if other and comm are known. */
	TR2_TASK_RECORD_LEAVES,
	/* `other` wakes the thread. other 0: the kernel wakes the thread;
	 * TR2_TID_ENDED: see below. how may have TR2_HOW_INTERRUPT or
	 * TR2_HOW_SOFTIRQ. value: the depth of disabled preemption, such as by
	 * locks that `other` holds. */
	TR2_TASK_RECORD_WAKING,
	/* a part of the thread's CPU time; all records together are the
	 * whole */
	TR2_TASK_RECORD_CPU_TIME,
	/* records of one CPU were lost, between since_ns and wall_ns */
	TR2_TASK_RECORD_LOST,
	TR2_TASK_RECORD_NR
};

/* A waker without a tid: the thread on the record's CPU, which has nearly
 * ended. The last thread of a process wakes the parent in this way, unless it
 * is the first thread. */
#define TR2_TID_ENDED (-1)

#define TR2_HOW_EXEC (1u << 0)
#define TR2_HOW_PREEMPTED (1u << 1)
#define TR2_HOW_NEXT (1u << 2)
/* `other` was interrupted and did not wake the thread itself. INTERRUPT: a
 * device or a timer interrupted `other`. SOFTIRQ: the kernel interrupted
 * `other` to handle network packets, perhaps packets from `other`. */
#define TR2_HOW_INTERRUPT (1u << 3)
#define TR2_HOW_SOFTIRQ (1u << 4)
/* MACHINE: this IN or OUT was recorded for the whole machine: it is about any
 * thread, and has the thread's comm. Such records exist while a thread of the
 * recording is ready for a CPU. Threads of the recording also have their own
 * records of the same switches, until their EXIT. DEAD: after this OUT, the
 * thread never runs again. */
#define TR2_HOW_MACHINE (1u << 6)
#define TR2_HOW_DEAD (1u << 7)
#define TR2_HOW_FUTEX (1u << 5)

struct tr2_task_record {
	enum tr2_task_record_kind kind;
	unsigned int how; /* TR2_HOW_... */
	int32_t pid, tid;
	int32_t other;
	uint32_t cpu; /* below the nr_cpus of tr2_states_build_begin() */
	int64_t wall_ns, since_ns;
	uint64_t value;
	enum tr2_cause cause;
	struct tr2_view comm;
};

struct tr2_states_build;

/* Begin to add records. The recording's tasks are those from first_task on. */
struct tr2_states_build *tr2_states_build_new(struct tr2_model *m,
					      uint32_t first_task);
/* First pass: count a record. Only pid, tid, kind and how must be set. */
void tr2_states_build_count(struct tr2_states_build *b,
			    const struct tr2_task_record *r);
/* End the first pass. false: there are too many records. */
bool tr2_states_build_begin(struct tr2_states_build *b, uint32_t nr_cpus);
/* Second pass: add a record. Any record may be missing, and any value may be
 * wrong. */
void tr2_states_build_add(struct tr2_states_build *b,
			  const struct tr2_task_record *r);
/* Return the latest thread that had this tid; 0: none. */
uint32_t tr2_states_build_thread(const struct tr2_states_build *b, int32_t tid);
/* End the second pass, and free b. Threads that still live are known to have
 * lived until wall_ns. */
void tr2_states_build_end(struct tr2_states_build *b, int64_t wall_ns);
