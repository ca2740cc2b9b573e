/* SPDX-License-Identifier: MIT */
/*
 * job - one recording from start to end: create the directory, run and watch
 * the command, or watch running processes, or listen to sockets. The recording
 * is finished whatever happens to the command.
 *
 * Nothing is written until it is certain that the command can be run and that
 * the directory may be written. A process may run several jobs, but only one at
 * a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/forward/forward.h"
#include "record/kernel/kernel_records.h"
#include "record/sources/procs.h"
#include "record/sources/ptrace.h"

#define TR2_JOB_NEST 100
#define TR2_JOB_TIMEOUT_NS 3000000000

struct tr2_event_counters;

struct tr2_job {
	char **argv; /* the command, ended by NULL; empty: only listen, or
		      * record `pids` */
	const pid_t *pids; /* processes that run already */
	size_t nr_pids;
	const char *dir;
	int64_t nest;           /* deepest nesting of regions in events;
				 * default: TR2_JOB_NEST */
	int64_t timeout_ns;     /* how long to wait for processes that outlive
				 * the command; default: TR2_JOB_TIMEOUT_NS */
	int64_t max_size_bytes; /* 0: no limit */
	int64_t rotate_bytes; /* with `addresses`: rotate at this size
			       * (rotate.h); 0: never */
	/* number of rotated directories to keep; 0: all */
	int64_t keep;
	/* interval of reporting counts; 0: only on request */
	int64_t report_ns;
	const char *const *addresses; /* sockets to listen on */
	size_t nr_addresses;
	struct tr2_forward_options forward; /* with `addresses`: forward to a
					     * collector */
	struct tr2_kernel_wanted kernel; /* records of the kernel besides
					  * records of tasks */
	bool rings; /* programs that support rings write one */
	bool quiet; /* print errors only */
	enum tr2_ptrace_wanted ptrace; /* whether to trace the command by
					* ptrace */
	struct tr2_event_counters *counters; /* counters of the run; NULL:
					      * none */
};

struct tr2_job_result {
	bool started;     /* the command ran: the members below are set */
	int status;       /* as returned by wait4() */
	int signo;        /* the last signal that requested the end; 0: none */
	bool unwritten;   /* a part of the recording could not be written */
	uint64_t wall_ns; /* time from the command's exec until its end was
			   * noticed */
	struct tr2_usage usage;
};

/* Return 0 if the command seems to be executable, or 126 or 127 after an error
 * message. */
int tr2_job_check(const char *name);

/*
 * Run the job. Return the exit code: the command's, or 126, 127 or 128 after an
 * error message. From the first call on, the process's signals stay blocked: a
 * signal that requests the end is forwarded to the current command, or kept for
 * the next.
 */
int tr2_job_run(const struct tr2_job *job, struct tr2_job_result *result);
