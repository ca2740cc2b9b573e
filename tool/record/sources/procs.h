/* SPDX-License-Identifier: MIT */
/*
 * procs - the processes of a recording, combined from the kernel's records,
 * wait4() and the sources of exit codes.
 *
 * A pid means the latest process with that number. Only descendants of a known
 * process are added; so events of the whole machine may be passed unfiltered.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "format/recording/tasklog.h"

/* Processes beyond this number (70 MB) are counted, not listed. */
#define TR2_PROCS_MAX 500000u

struct tr2_usage {
#define TR2_META_USAGE(key, value, name, unit) uint64_t key;
#include "format/recording/meta.def"
};

enum tr2_status_source {
	TR2_STATUS_NONE,
	TR2_STATUS_PIDFD,
	TR2_STATUS_CONNECTOR,
	TR2_STATUS_WAIT
};

struct tr2_proc {
	pid_t pid, ppid;
	uint64_t start_ns, end_ns; /* 0: unknown */
	int status;                /* as returned by wait4() */
	uint64_t exec_ns; /* time of the process's last exec; 0: none */
	uint8_t status_from; /* enum tr2_status_source */
	bool ended, has_usage;
	bool ran; /* the process ran before the recording began */
	bool observed;
	char comm[TR2_COMM_SIZE];
	struct tr2_usage usage;
};

struct tr2_procs {
	struct tr2_proc *proc;
	size_t nr, alloc;
	uint32_t *by_pid; /* hash table by pid with open addressing: index + 1;
			   * 0: free */
	size_t nr_slots;
	uint64_t nr_seen; /* includes processes that are not listed */
	/* full_ns: a program that starts after this time drops its events; 0:
	 * no program does yet. nr_silent: number of programs that started after
	 * full_ns. */
	uint64_t full_ns, nr_silent;
};

void tr2_procs_init(struct tr2_procs *procs);
void tr2_procs_release(struct tr2_procs *procs);

/* Return the latest process with that pid; NULL: none in the recording. The
 * pointer is valid until the next process is added. */
struct tr2_proc *tr2_procs_find(struct tr2_procs *procs, pid_t pid);

/* Update the processes from a record. Threads are ignored. */
void tr2_procs_event(struct tr2_procs *procs, const struct tr2_task_event *e);

/* Set how a process ended. A better source replaces a worse one; usage may be
 * NULL. Does nothing if the process is not in the recording. */
void tr2_procs_status(struct tr2_procs *procs, pid_t pid, int status,
		      enum tr2_status_source from, uint64_t time_ns,
		      const struct tr2_usage *usage);

void tr2_usage_from_rusage(struct tr2_usage *usage, const struct rusage *ru);
