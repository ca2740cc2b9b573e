/* SPDX-License-Identifier: MIT */
/*
 * ninja_logs - keep ninja's record of the commands that it ran: .ninja_log, in
 * the directory of the build, has the targets of each command.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most ninja processes at a time whose logs are kept. */
#define TR2_NINJA_MOST 16

struct tr2_ninja_logs {
	/* Running ninja processes, with the directory of each. */
	struct tr2_ninja {
		pid_t pid;
		uint64_t start_ns;
		int cwd_fd;
	} running[TR2_NINJA_MOST];
	size_t nr;
};

/* The process pid, with the name comm, has started another process. If it is
 * ninja, remember its current directory, which is the directory of its build.
 * Do nothing if the process was seen before. */
void tr2_ninja_logs_see(struct tr2_ninja_logs *logs, const char *comm,
			pid_t pid, uint64_t start_ns);
/* Call this when the process or its recording has ended. Copy ninja's log into
 * the recording dir_fd, as DIR/targets/PID-START.ninja_log. */
void tr2_ninja_logs_keep(struct tr2_ninja_logs *logs, int dir_fd, pid_t pid);
/* Copy the logs of all ninja processes that were seen. */
void tr2_ninja_logs_end(struct tr2_ninja_logs *logs, int dir_fd);
