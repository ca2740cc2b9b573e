/* SPDX-License-Identifier: MIT */
/*
 * cgroup - the directory of the control group of a process, for one controller,
 * in a hierarchy of its own (cgroup v1) or in that of all (v2).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct tr2_cgroup {
	const char *controller; /* such as "cpu" */
	bool v1;
	char path[PATH_MAX]; /* of the group, in its hierarchy */
	char dir[PATH_MAX];  /* its directory */
	size_t mount_len;    /* of dir: where the hierarchy is mounted */
};

/* Find the group of the process that has these files: /proc/PID/cgroup, mountinfo.
 * false: there is none. */
bool tr2_cgroup_find(struct tr2_cgroup *group, const char *controller,
		     const char *cgroup, const char *mountinfo);
/* Go to the group above it. false: it is the highest one that is mounted. */
bool tr2_cgroup_up(struct tr2_cgroup *group);
