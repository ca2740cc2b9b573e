/* SPDX-License-Identifier: MIT */
/* blank_torn_line - no file ends in a piece of a line because a disk is full. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fd.h"

/*
 * The last write through fd, which has this id, took only the first len bytes of
 * the line. Overwrite them by blanks and a newline, which readers skip. Cutting
 * the file off would take lines that others have appended since; what is
 * overwritten is compared before. false: unchanged, since it is no regular file,
 * may not be read, or others share the descriptor and have written since.
 * Signal-safe.
 */
bool tr2_blank_torn_line(int fd, const struct tr2_file_id *id,
			 const char *line, size_t len);
