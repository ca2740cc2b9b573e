/* SPDX-License-Identifier: MIT */
/*
 * cgroup - the directory of a process's control group, for one controller: in
 * the controller's own hierarchy (cgroup v1) or in the common one (v2).
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
	size_t mount_len;    /* length of the part of dir where the hierarchy is
			      * mounted */
};

/* Find the group of the process whose files are `cgroup` (/proc/PID/cgroup) and
 * `mountinfo`. Return false if there is none. */
bool tr2_cgroup_find(struct tr2_cgroup *group, const char *controller,
		     const char *cgroup, const char *mountinfo);
/* Go to the parent group. Return false if this is the highest mounted group. */
bool tr2_cgroup_up(struct tr2_cgroup *group);
