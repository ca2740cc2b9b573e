/* SPDX-License-Identifier: MIT */
/*
 * holders - which processes of the recording have a file open: the other end of
 * a pipe or a socket, or the holder of a lock.
 *
 * The descriptors of a process are read at the first question after it ran. What is
 * found there is read again before it is an answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/observer/wait_object.h"

/* Which descriptors count. */
enum tr2_ends { TR2_READING = 1, TR2_WRITING = 2, TR2_BOTH = 3 };

struct tr2_held {
	pid_t pid; /* 0: none, or it cannot be chosen */
	unsigned int nr; /* processes */
};

/*
 * Find the processes other than that of the wait that have a descriptor of this
 * link text ("pipe:[123]") that may do one of `ends`. If it is a path, it must be
 * the file of the wait's descriptor `fd`. Of several, choose the only
 * one that has it as its standard input or output. A descriptor counts if
 * is_it(), unless NULL, is true.
 */
struct tr2_held tr2_holders_find(const struct tr2_wait *wait, int fd,
				 const char *link, enum tr2_ends ends,
				 bool (*is_it)(pid_t pid, int fd));

/* Does the process itself have one? */
bool tr2_holders_self(const struct tr2_wait *wait, int fd, const char *link,
		      enum tr2_ends ends);

/* Read what a descriptor may do. 0: it is gone. */
enum tr2_ends tr2_holders_ends(pid_t pid, int fd);
