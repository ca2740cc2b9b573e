/* SPDX-License-Identifier: MIT */
/*
 * oom_kills - find the processes that the kernel killed because memory was
 * short.
 *
 * The kernel's log names each of them; root may read the log, and others if
 * kernel.dmesg_restrict is 0. Every user may read the number of kills in the
 * control group or, if the group has no count, on the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_oom_kills {
	int log_fd;   /* -1: the log may not be read, or has pids of another
		       * namespace */
	int count_fd; /* -1: there is no count */
	uint64_t first; /* the count when oom_kills was opened */
	/* The processes that the log has named so far, and when each line was
	 * read. */
	struct tr2_oom_victim {
		pid_t pid;
		uint64_t read_ns;
	} *victims;
	size_t nr, alloc;
};

void tr2_oom_kills_init(struct tr2_oom_kills *kills);
void tr2_oom_kills_release(struct tr2_oom_kills *kills);

/* Open the log and the count. Skip the present content of the log. */
void tr2_oom_kills_open(struct tr2_oom_kills *kills);
/* Open only the count, for a process whose files in /proc have the paths
 * `cgroup` and `mountinfo`. */
void tr2_oom_kills_of(struct tr2_oom_kills *kills, const char *cgroup,
		      const char *mountinfo);
/* Does the log name this process, which began at start_ns (CLOCK_MONOTONIC) and
 * was ended by SIGKILL? */
bool tr2_oom_kills_has(struct tr2_oom_kills *kills, pid_t pid,
		       uint64_t start_ns);
/* Return the number of kills since oom_kills was opened; 0 also if there is no
 * count. */
uint64_t tr2_oom_kills_count(const struct tr2_oom_kills *kills);

/* Return the process that a record of /dev/kmsg names as killed; 0: none. */
pid_t tr2_oom_victim_of(const char *record);
