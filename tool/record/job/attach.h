/* SPDX-License-Identifier: MIT */
/*
 * attach - record processes that run already: all of their threads, and all
 * threads and processes that these start later. The processes are not stopped,
 * and go on when the recording ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/loop.h"

struct tr2_watch;

struct tr2_attached {
	struct tr2_source pidfd; /* first member: its address is cast to this
				  * struct */
	struct tr2_attach *attach;
	pid_t pid, ppid;
	int64_t start_ns; /* CLOCK_BOOTTIME, in ticks */
	char name[64];
	char *ring; /* path of the process's ring; NULL: no ring */
};

struct tr2_attach {
	struct tr2_attached *process; /* sorted by start */
	size_t nr;
	size_t nr_running;
	bool has_rings;
	struct tr2_watch *watch;
	struct tr2_loop *loop;
};

/* Find the processes. Return 0, or the exit code after an error message. */
int tr2_attach_open(struct tr2_attach *attach, const pid_t *pids, size_t nr);
void tr2_attach_release(struct tr2_attach *attach);

/* Does any of the processes write events, or can any of them be asked to write
 * events? */
bool tr2_attach_traces(const struct tr2_attach *attach);

/* Open the kernel's events for all threads of the processes, disabled. The
 * watch must be open. Return 0, or the exit code after an error message. */
int tr2_attach_threads(struct tr2_attach *attach, struct tr2_watch *watch);

/* Begin to record the processes. The loop stops when all of them have ended. */
void tr2_attach_start(struct tr2_attach *attach, struct tr2_loop *loop,
		      struct tr2_watch *watch);
