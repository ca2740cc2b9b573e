/* SPDX-License-Identifier: MIT */
/* fd - descriptors of the library in the host's process. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/raw.h"

/*
 * Move an open file to a number away from 0, 1 and 2, so that a host without
 * these does not print into the file. Choose a number that the host is unlikely
 * to use next, set close-on-exec, and close fd. Return -1 with errno on error,
 * and for fd -1.
 */
int tr2_fd_move_up(int fd);

/* The identity of an open file. Hosts that become daemons close all
 * descriptors, and reuse their numbers. */
struct tr2_file_id {
	dev_t device;
	ino_t inode;
};

static inline struct tr2_file_id tr2_file_id_of(const struct stat *st)
{
	return (struct tr2_file_id){ st->st_dev, st->st_ino };
}

/* Return whether fd is still this file. Leaves errno alone. */
static inline bool tr2_fd_is(int fd, const struct tr2_file_id *id)
{
	struct stat st;

	return fd >= 0 && !tr2_raw_fstat(fd, &st) && st.st_dev == id->device &&
	       st.st_ino == id->inode;
}

/* The size in bytes beyond which ftruncate() and write() raise SIGXFSZ. */
uint64_t tr2_file_size_limit(void);

/*
 * Find out whether this process, which was cloned, shares the table of
 * descriptors with the process that made it (CLONE_FILES). If so, the library
 * leaves that process's descriptors alone from now on, and adds none, since
 * they would stay open there: tr2_fd_move_up() fails.
 */
void tr2_fd_look_whose(void);
/* Record that the process has a table of descriptors of its own. */
void tr2_fd_are_own(void);
bool tr2_fd_are_shared(void);

/* Close a descriptor of the library, unless the table is shared. */
void tr2_fd_close(int fd);

/* Return whether a filter judges system calls. It may kill the process for a
 * call that the process did not make before, such as open(). Signal-safe. */
bool tr2_is_in_sandbox(void);

/*
 * Return whether another thread, which has a table of its own
 * (unshare(CLONE_FILES)), has this file as its descriptor fd. Call it if the
 * calling thread's descriptor fd is not this file. Slow; signal-safe.
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
/* Return whether both ends are open, and still this pipe: then a write raises
 * no SIGPIPE. */
bool tr2_pipe_is_open(const struct tr2_pipe *p);
/* Make the reading end readable. A full pipe is readable already. */
void tr2_pipe_raise(const struct tr2_pipe *p);
