/* SPDX-License-Identifier: MIT */
/*
 * job - one recording from its start to its end: the directory is made, the
 * command runs and is watched, or sockets are listened to, and whatever happens
 * to the command, the recording is finished.
 *
 * Nothing is written before it is known that the command can be run and that
 * the directory is ours to write. One job after another may run in a process,
 * but not two at once.
 */
#ifndef TR2_RECORD_JOB_H
#define TR2_RECORD_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/procs.h"

#define TR2_JOB_NEST 100
#define TR2_JOB_TIMEOUT_NS 3000000000

struct tr2_event_counters;

struct tr2_job {
	char **argv; /* ended by NULL; empty: only listen */
	const char *dir;
	int64_t nest;           /* TR2_JOB_NEST */
	int64_t timeout_ns;     /* how long processes are waited for that
				   outlive the command: TR2_JOB_TIMEOUT_NS */
	int64_t max_size_bytes; /* 0: any */
	int64_t rotate_bytes; /* of addresses: see rotate.h; 0: never */
	int64_t keep;         /* of those put aside; 0: all */
	int64_t report_ns;    /* how often counts are said; 0: when asked */
	const char *const *addresses; /* sockets to listen to */
	size_t nr_addresses;
	bool rings; /* programs that can have one write a ring */
	bool quiet; /* say nothing but errors */
	struct tr2_event_counters *counters; /* counted over the run; NULL: none */
};

struct tr2_job_result {
	bool started;     /* the command did run: the rest is set */
	int status;       /* as wait4() has it */
	int signo;        /* the last signal that asked us to end; 0: none */
	uint64_t wall_ns; /* from its exec until its end was seen */
	struct tr2_usage usage;
};

/* 0 when it looks as if this command can be run; 126 or 127 after an error
 * message. */
int tr2_job_check(const char *name);

/*
 * Returns the exit code: that of the command, or 126, 127 or 128 after an error
 * message. From the first call on, the process's signals stay blocked: those
 * that ask for the end are for the command of the time, or for the next.
 */
int tr2_job_run(const struct tr2_job *job, struct tr2_job_result *result);

#endif
