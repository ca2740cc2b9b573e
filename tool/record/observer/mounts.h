/* SPDX-License-Identifier: MIT */
/*
 * mounts - the file systems of paths and files, from the list of mounts alone: a
 * file of a machine that does not answer is never touched.
 */
#pragma once

#include <stdbool.h>

#include "record/observer/wait_object.h"

struct tr2_mount {
	int id;
	char type[32];
};

/* Valid until the next call. NULL: not in the process's list. */
const struct tr2_mount *tr2_mount_by_id(const struct tr2_wait *wait, int id);
/* The one that an absolute path of the process is on. */
const struct tr2_mount *tr2_mount_by_path(const struct tr2_wait *wait,
					  const char *path);
/* Is it of another machine, or of a program? */
bool tr2_mount_is_remote(const struct tr2_mount *mount);

void tr2_mounts_free(struct tr2_mounts *mounts);
