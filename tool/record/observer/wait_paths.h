/* SPDX-License-Identifier: MIT */
/* wait_paths - find the path for which a call such as open() waits. */
#pragma once

#include "record/observer/wait_object.h"

/* Set the object to the path at `address`, below the directory `dir_fd`. */
void tr2_wait_find_path(struct tr2_wait *wait, int dir_fd, uint64_t address);

/* Set the name to this absolute path. Make a path below the process's directory
 * relative to the directory. */
void tr2_wait_set_path(const struct tr2_wait *wait, const char *path,
		       struct tr2_wait_object *object);
