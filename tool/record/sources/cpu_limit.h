/* SPDX-License-Identifier: MIT */
/*
 * cpu_limit - the limit of CPU time that a control group has: `cpu.max` of cgroup
 * v2, `cpu.cfs_quota_us` of v1, as containers and services get it. What the group
 * used up its limit for, its threads wait for the next period: they are throttled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_cpu_limit {
	uint64_t millicpu; /* thousandths of a CPU; 0: there is no limit */
	uint64_t first_ns; /* how long it was throttled when it was opened, */
	uint64_t last_ns;  /* and at the last look, added up over all CPUs */
	uint64_t looked_ns; /* CLOCK_MONOTONIC: before the last look */
	int fd;             /* its cpu.stat; -1: it has none */
	bool v1;
};

/* A throttling that ended between two looks. */
struct tr2_throttled {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	uint64_t ns; /* how long it lasted, added up over all CPUs */
};

void tr2_cpu_limit_init(struct tr2_cpu_limit *limit);
void tr2_cpu_limit_release(struct tr2_cpu_limit *limit);

/* Find the tightest limit of the group of a process (0: this one) and of those
 * above it. */
void tr2_cpu_limit_open(struct tr2_cpu_limit *limit, pid_t pid);
/* The same of the process that has these files: /proc/PID/cgroup, mountinfo. */
void tr2_cpu_limit_of(struct tr2_cpu_limit *limit, const char *cgroup,
		      const char *mountinfo);
/* Did a throttling end since the last look? */
bool tr2_cpu_limit_look(struct tr2_cpu_limit *limit,
			struct tr2_throttled *throttled);
