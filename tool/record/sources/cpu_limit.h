/* SPDX-License-Identifier: MIT */
/*
 * cpu_limit - read the limit of a control group's CPU time: `cpu.max` of cgroup
 * v2, `cpu.cfs_quota_us` of v1. Containers and services have limits. A group
 * that has used up its limit is throttled: its threads wait for the next
 * period.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_cpu_limit {
	uint64_t millicpu; /* thousandths of a CPU; 0: there is no limit */
	uint64_t first_ns; /* throttled time when the limit was opened */
	uint64_t last_ns;  /* throttled time at the last look, like first_ns a
			    * sum over all CPUs */
	uint64_t looked_ns; /* CLOCK_MONOTONIC just before the last look */
	int fd;             /* the group's file cpu.stat; -1: not open */
	bool v1;
};

/* A throttling that ended between two looks. */
struct tr2_throttled {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	uint64_t ns; /* throttled time, summed over all CPUs */
};

void tr2_cpu_limit_init(struct tr2_cpu_limit *limit);
void tr2_cpu_limit_release(struct tr2_cpu_limit *limit);

/* Find the tightest limit among the group of a process (0: this process) and
 * the groups above that group. */
void tr2_cpu_limit_open(struct tr2_cpu_limit *limit, pid_t pid);
/* Find the tightest limit, as tr2_cpu_limit_open() does, for a process whose
 * files in /proc have the paths `cgroup` and `mountinfo`. */
void tr2_cpu_limit_of(struct tr2_cpu_limit *limit, const char *cgroup,
		      const char *mountinfo);
/* Did a throttling end since the last look? */
bool tr2_cpu_limit_look(struct tr2_cpu_limit *limit,
			struct tr2_throttled *throttled);
