/* SPDX-License-Identifier: MIT */
/*
 * cpu_limit - the limit of CPU time that a control group has: `cpu.max` of cgroup
 * v2, `cpu.cfs_quota_us` of v1, as containers and services get it. What the group
 * used up its limit for, its threads wait for the next period: they are throttled.
 */
#ifndef TR2_RECORD_CPU_LIMIT_H
#define TR2_RECORD_CPU_LIMIT_H

#include <stdint.h>

struct tr2_cpu_limit {
	uint64_t millicpu;     /* thousandths of a CPU; 0: there is no limit */
	uint64_t throttled_ns; /* so far, added up over all CPUs */
};

/* Read the tightest limit of this process's group and of those above it. */
void tr2_cpu_limit_read(struct tr2_cpu_limit *out);
/* The same of the process that has these files: /proc/PID/cgroup, mountinfo. */
void tr2_cpu_limit_of(struct tr2_cpu_limit *out, const char *cgroup,
		      const char *mountinfo);

#endif
