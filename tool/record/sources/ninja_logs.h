/* SPDX-License-Identifier: MIT */
/*
 * ninja_logs - keep what ninja wrote on the commands that it ran: .ninja_log in
 * the directory of the build has the targets of each.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* More at a time are not kept. */
#define TR2_NINJA_MOST 16

struct tr2_ninja_logs {
	/* Those that run, with the directory of each. */
	struct tr2_ninja {
		pid_t pid;
		uint64_t start_ns;
		int cwd_fd;
	} running[TR2_NINJA_MOST];
	size_t nr;
};

/* A process with this name started another one: if it is ninja, it is in the
 * directory of its build now. Does nothing if it was seen before. */
void tr2_ninja_logs_see(struct tr2_ninja_logs *logs, const char *comm,
			pid_t pid, uint64_t start_ns);
/* It has ended, or its recording has: copy the log into the recording dir_fd,
 * as DIR/targets/PID-START.ninja_log. */
void tr2_ninja_logs_keep(struct tr2_ninja_logs *logs, int dir_fd, pid_t pid);
/* The same of all that were seen. */
void tr2_ninja_logs_end(struct tr2_ninja_logs *logs, int dir_fd);
