/* SPDX-License-Identifier: MIT */
/* blank_torn_line - make sure that no file ends in a piece of a line when a
 * disk is full. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fd.h"

/*
 * The last write through fd, which has this id, wrote only the first len bytes
 * of the line. Overwrite these bytes by blanks and a newline, which readers
 * skip. Truncating the file would remove lines that others have appended since.
 * The bytes are compared before they are overwritten. false: nothing was
 * changed: the file is not regular, or may not be read, or others who share the
 * descriptor have written since. Signal-safe.
 */
bool tr2_blank_torn_line(int fd, const struct tr2_file_id *id,
			 const char *line, size_t len);
