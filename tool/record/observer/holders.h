/* SPDX-License-Identifier: MIT */
/*
 * holders - find the processes of the recording that have a file open: the
 * other end of a pipe or a socket, or the holder of a lock.
 *
 * The descriptors of a process are read at the first question after it ran. If
 * their number is unchanged, the descriptors are assumed to be unchanged for a
 * second. A match is read again before it counts. If fewer than two processes
 * match (for a socket: if none matches), all descriptors are read again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/observer/wait_object.h"

/* Directions for which a descriptor is open. */
enum tr2_ends { TR2_READING = 1, TR2_WRITING = 2, TR2_BOTH = 3 };

struct tr2_held {
	pid_t pid; /* the only process; 0: none, or several */
	unsigned int nr; /* number of processes that have the file open */
};

/*
 * Find the other processes that have a descriptor with this link text
 * ("pipe:[123]"), open for one of `ends`. If the text is a path, the descriptor
 * must be the same file as the wait's descriptor `fd`. is_it(), unless NULL,
 * must be true for the descriptor. Return no process if the file may be open in
 * a process whose descriptors cannot be read.
 */
struct tr2_held tr2_holders_find(const struct tr2_wait *wait, int fd,
				 const char *link, enum tr2_ends ends,
				 bool (*is_it)(pid_t pid, int fd));

/* Does the waiting process itself have a descriptor with this link text, open
 * for one of `ends`? */
bool tr2_holders_self(const struct tr2_wait *wait, int fd, const char *link,
		      enum tr2_ends ends);

/* Return for which directions a descriptor is open; 0: it is gone. */
enum tr2_ends tr2_holders_ends(pid_t pid, int fd);
