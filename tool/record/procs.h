/* SPDX-License-Identifier: MIT */
/*
 * procs - the processes of a recording, put together from what the kernel's
 * records, wait4() and the exit-code sources say of them.
 *
 * A process is found by its pid: the latest one of that number. Only what
 * descends from a process that is known is taken in; the sources that speak
 * of the whole machine may thus be fed in unfiltered.
 */
#ifndef TR2_RECORD_PROCS_H
#define TR2_RECORD_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "record/tasklog.h"

/* Past so many, processes are counted, not listed: 70 MB. */
#define TR2_PROCS_MAX 500000u

struct tr2_usage {
	uint64_t user_us, system_us, maxrss_bytes;
	uint64_t minflt, majflt, inblock, oublock, nvcsw, nivcsw;
};

enum tr2_status_source {
	TR2_STATUS_NONE,
	TR2_STATUS_CONNECTOR,
	TR2_STATUS_WAIT
};

struct tr2_proc {
	pid_t pid, ppid;
	uint64_t start_ns, end_ns; /* 0: not seen */
	int status;                /* as wait4() gives it */
	uint8_t status_from; /* enum tr2_status_source */
	bool ended, has_usage;
	char comm[TR2_COMM_SIZE];
	struct tr2_usage usage;
};

struct tr2_procs {
	struct tr2_proc *proc;
	size_t nr, alloc;
	uint32_t *by_pid; /* open addressing: index + 1, 0: free */
	size_t nr_slots;
	uint64_t nr_seen; /* with those not listed */
	/* Since when programs that start find no place for their events; 0:
	 * they do. So many have started since. */
	uint64_t full_ns, nr_silent;
};

void tr2_procs_init(struct tr2_procs *procs);
void tr2_procs_release(struct tr2_procs *procs);

/* The latest process of that pid, NULL: not ours. Valid until the next one is
 * added. */
struct tr2_proc *tr2_procs_find(struct tr2_procs *procs, pid_t pid);

/* A process begins. NULL: not listed. */
struct tr2_proc *tr2_procs_add(struct tr2_procs *procs, pid_t pid, pid_t ppid,
			       uint64_t start_ns);

/* Takes in what a record says. Threads do not matter here. */
void tr2_procs_event(struct tr2_procs *procs, const struct tr2_task_event *e);

/* How it ended. A better source replaces a lesser one; usage may be NULL.
 * Nothing when the process is not ours. */
void tr2_procs_status(struct tr2_procs *procs, pid_t pid, int status,
		      enum tr2_status_source from, uint64_t time_ns,
		      const struct tr2_usage *usage);

void tr2_usage_from_rusage(struct tr2_usage *usage, const struct rusage *ru);

#endif
