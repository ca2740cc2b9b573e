/* SPDX-License-Identifier: MIT */
/*
 * cgroup - find the directory of a process's control group for one controller.
 * It is in the controller's own hierarchy (cgroup v1) or in the common one
 * (v2).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct tr2_cgroup {
	const char *controller; /* such as "cpu" */
	bool v1;
	char path[PATH_MAX]; /* path of the group in its hierarchy */
	char dir[PATH_MAX];  /* directory of the group */
	size_t mount_len;    /* length of the mount point, with which `dir`
			      * begins */
};

/* Find the group of a process. cgroup, mountinfo: paths of these files of the
 * process in /proc. Return false if the process has no group for the
 * controller. */
bool tr2_cgroup_find(struct tr2_cgroup *group, const char *controller,
		     const char *cgroup, const char *mountinfo);
/* Go to the parent group. Return false if this is the highest mounted group. */
bool tr2_cgroup_up(struct tr2_cgroup *group);
