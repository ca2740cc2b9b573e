/* SPDX-License-Identifier: MIT */
/* fd - descriptors of the library in the host's process. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/raw.h"

/*
 * Move an open file to a number away from 0, 1 and 2, so that a host without
 * these does not print into it, and away from those that the host is likely to
 * use next; close-on-exec. Closes fd. Returns -1 with errno on error, and for
 * fd -1.
 */
int tr2_fd_move_up(int fd);

/* An open file. Hosts that become daemons close all descriptors, and reuse
 * their numbers. */
struct tr2_file_id {
	dev_t device;
	ino_t inode;
};

static inline struct tr2_file_id tr2_file_id_of(const struct stat *st)
{
	return (struct tr2_file_id){ st->st_dev, st->st_ino };
}

/* Is fd still this file? Leaves errno alone. */
static inline bool tr2_fd_is(int fd, const struct tr2_file_id *id)
{
	struct stat st;

	return fd >= 0 && !tr2_raw_fstat(fd, &st) && st.st_dev == id->device &&
	       st.st_ino == id->inode;
}

/* The size in bytes beyond which ftruncate() and write() raise SIGXFSZ. */
uint64_t tr2_file_size_limit(void);

/*
 * Has this process, which was cloned, the table of descriptors of the process that
 * it was made from (CLONE_FILES)? Then that one's are left alone from now on, and
 * none is added, which would stay open there: tr2_fd_move_up() fails.
 */
void tr2_fd_look_whose(void);
/* The same for a process that surely has a table of its own. */
void tr2_fd_are_own(void);
bool tr2_fd_are_shared(void);

/* Close a descriptor that was kept open. */
void tr2_fd_close(int fd);

/* Does a filter judge system calls? It may kill the process for one that it did
 * not make before, such as open(). Signal-safe. */
bool tr2_is_in_sandbox(void);

/*
 * Has another thread this file at that number, in a table of its own
 * (unshare(CLONE_FILES))? Asked of one that the calling thread has not. Slow;
 * signal-safe.
 */
bool tr2_fd_is_elsewhere(int fd, const struct tr2_file_id *id);

/* A pipe inside the process: non-blocking, close-on-exec. Its functions are
 * async-signal-safe. */
struct tr2_pipe {
	int ends[2]; /* read, write; -1: not open */
	struct tr2_file_id id;
};

#define TR2_PIPE_INIT { .ends = { -1, -1 } }

/* Return 0 or a negative errno. */
int tr2_pipe_open(struct tr2_pipe *p);
/* Close an end, or both, unless the number is now another file's. */
void tr2_pipe_close_end(struct tr2_pipe *p, unsigned int end);
void tr2_pipe_close(struct tr2_pipe *p);
/* Are both ends open, and still this pipe? Then a write raises no SIGPIPE. */
bool tr2_pipe_is_open(const struct tr2_pipe *p);
/* Make the reading end readable; if the pipe is full, it is already. */
void tr2_pipe_raise(const struct tr2_pipe *p);
