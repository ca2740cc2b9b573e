/* SPDX-License-Identifier: MIT */
/*
 * mounts - the file systems of paths and files, read from the list of mounts
 * alone: a file of a machine that does not answer is never touched.
 */
#pragma once

#include <stdbool.h>

#include "record/observer/wait_object.h"

struct tr2_mount {
	int id;
	char type[32];
};

/* Return the mount with this id, valid until the next call. NULL: the process's
 * list lacks it. */
const struct tr2_mount *tr2_mount_by_id(const struct tr2_wait *wait, int id);
/* Return the mount that contains an absolute path of the process. */
const struct tr2_mount *tr2_mount_by_path(const struct tr2_wait *wait,
					  const char *path);
/* Does another machine, or a program, serve this mount? */
bool tr2_mount_is_remote(const struct tr2_mount *mount);

void tr2_mounts_free(struct tr2_mounts *mounts);
