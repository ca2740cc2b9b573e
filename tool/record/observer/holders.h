/* SPDX-License-Identifier: MIT */
/*
 * holders - which processes of the recording have a file open: the other end of
 * a pipe or a socket, or the holder of a lock.
 *
 * The descriptors of a process are read at the first question after it ran. If
 * it has as many as before, they are first taken for the same, for a second. A
 * match is read again before it counts. Unless two match, or one socket, all
 * are read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/observer/wait_object.h"

/* Which descriptors count. */
enum tr2_ends { TR2_READING = 1, TR2_WRITING = 2, TR2_BOTH = 3 };

struct tr2_held {
	pid_t pid; /* 0: there is none, or several */
	unsigned int nr; /* number of processes */
};

/*
 * Find the other processes that have a descriptor with this link text
 * ("pipe:[123]") which is open for one of `ends`. If the text is a path, the
 * descriptor must be the same file as the wait's descriptor `fd`. is_it(),
 * unless NULL, must be true for a descriptor. Return no process if one whose
 * descriptors cannot be read could have the file.
 */
struct tr2_held tr2_holders_find(const struct tr2_wait *wait, int fd,
				 const char *link, enum tr2_ends ends,
				 bool (*is_it)(pid_t pid, int fd));

/* Does the process itself have such a descriptor? */
bool tr2_holders_self(const struct tr2_wait *wait, int fd, const char *link,
		      enum tr2_ends ends);

/* Return for which directions a descriptor is open; 0: it is gone. */
enum tr2_ends tr2_holders_ends(pid_t pid, int fd);
