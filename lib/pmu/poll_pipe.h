/* SPDX-License-Identifier: MIT */
/*
 * poll_pipe - the reading end of a pipe, which the program polls for overflows.
 * All functions are async-signal-safe.
 */
#ifndef TR2_PMU_POLL_PIPE_H
#define TR2_PMU_POLL_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

struct tr2_poll_pipe {
	int read_fd, write_fd; /* -1: not open; only write_fd is -1: hung up */
	/* of the pipe, to see whether the number is now another file */
	ino_t inode;
};

void tr2_poll_pipe_init(struct tr2_poll_pipe *poll_pipe);
void tr2_poll_pipe_release(struct tr2_poll_pipe *poll_pipe);

/* The descriptor to poll, or a negative errno. */
int tr2_poll_pipe_fd(struct tr2_poll_pipe *poll_pipe);

/* Make the descriptor readable (POLLIN) until tr2_poll_pipe_clear(). Does
 * nothing before tr2_poll_pipe_fd(). */
void tr2_poll_pipe_raise(struct tr2_poll_pipe *poll_pipe);
void tr2_poll_pipe_clear(struct tr2_poll_pipe *poll_pipe);

/* Make poll() return POLLHUP until tr2_poll_pipe_resume(), which returns 0 or a
 * negative errno. */
void tr2_poll_pipe_hang_up(struct tr2_poll_pipe *poll_pipe);
int tr2_poll_pipe_resume(struct tr2_poll_pipe *poll_pipe);

#endif
