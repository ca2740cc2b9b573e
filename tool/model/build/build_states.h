/* SPDX-License-Identifier: MIT */
/*
 * build_states - the functions by which a loader adds the kernel's records of
 * threads, after all tasks of a recording. It passes each record twice: first
 * in any order, to count them, so that the states of a thread lie together in
 * memory and are not moved; then in the order of time.
 */
#pragma once

#include "model/model.h"
#include "model/view.h"

enum tr2_task_record_kind {
	TR2_TASK_RECORD_FORK, /* other: the thread that created it */
	TR2_TASK_RECORD_EXIT,
	TR2_TASK_RECORD_COMM, /* comm; how: TR2_HOW_EXEC */
	TR2_TASK_RECORD_IN,   /* it was given a CPU */
	TR2_TASK_RECORD_OUT,  /* it left its CPU; how: TR2_HOW_PREEMPTED */
	/* What is known of the OUT that follows: cause, if it waits; other and
	 * comm, the thread that is given the CPU, 0: none; how: TR2_HOW_NEXT,
	 * if those are known, TR2_HOW_FUTEX */
	TR2_TASK_RECORD_LEAVES,
	/* It is woken by `other`, 0: the kernel, TR2_TID_ENDED; how:
	 * TR2_HOW_INTERRUPT, TR2_HOW_SOFTIRQ; value: how many locks and the
	 * like it holds */
	TR2_TASK_RECORD_WAKING,
	/* how much CPU time it had in all; there may be several */
	TR2_TASK_RECORD_CPU_TIME,
	/* some were lost, on one CPU, between since_ns and wall_ns */
	TR2_TASK_RECORD_LOST,
	TR2_TASK_RECORD_NR
};

/* The thread on that CPU: it has ended so far that its tid is gone. The last
 * thread of a process wakes the parent then, if it is not the first. */
#define TR2_TID_ENDED (-1)

#define TR2_HOW_EXEC (1u << 0)
#define TR2_HOW_PREEMPTED (1u << 1)
#define TR2_HOW_NEXT (1u << 2)
/* `other` was interrupted: by a device or a timer; by the kernel's handling of
 * network packets, which may be its own */
#define TR2_HOW_INTERRUPT (1u << 3)
#define TR2_HOW_SOFTIRQ (1u << 4)
/* IN and OUT of any thread of the machine, with its comm, while one of the
 * recording is ready for a CPU; those of the recording have others, too, until
 * their EXIT. OUT: it never runs again */
#define TR2_HOW_MACHINE (1u << 6)
#define TR2_HOW_DEAD (1u << 7)
#define TR2_HOW_FUTEX (1u << 5)

struct tr2_task_record {
	enum tr2_task_record_kind kind;
	unsigned int how; /* TR2_HOW_... */
	int32_t pid, tid;
	int32_t other;
	uint32_t cpu; /* any number below the nr_cpus of begin() */
	int64_t wall_ns, since_ns;
	uint64_t value;
	enum tr2_cause cause;
	struct tr2_view comm;
};

struct tr2_states_build;

/* The tasks of the recording are those from first_task on. */
struct tr2_states_build *tr2_states_build_new(struct tr2_model *m,
					      uint32_t first_task);
/* First pass: pid, tid, kind and how are set. */
void tr2_states_build_count(struct tr2_states_build *b,
			    const struct tr2_task_record *r);
/* After the first pass. false: too many records. */
bool tr2_states_build_begin(struct tr2_states_build *b, uint32_t nr_cpus);
/* Second pass. Any record may be missing, and any value may be wrong. */
void tr2_states_build_add(struct tr2_states_build *b,
			  const struct tr2_task_record *r);
/* Return the latest thread that had this tid; 0: none. */
uint32_t tr2_states_build_thread(const struct tr2_states_build *b, int32_t tid);
/* Threads that still live were seen until wall_ns. Frees b. */
void tr2_states_build_end(struct tr2_states_build *b, int64_t wall_ns);
