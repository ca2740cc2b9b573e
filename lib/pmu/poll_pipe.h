/* SPDX-License-Identifier: MIT */
/*
 * poll_pipe - the pipe whose reading end the program polls for overflows;
 * tr2_pipe_raise() makes it readable. If only the writing end is closed, it hung
 * up. All functions are async-signal-safe.
 */
#ifndef TR2_PMU_POLL_PIPE_H
#define TR2_PMU_POLL_PIPE_H

#include "base/fd.h"

/* Open the pipe if it is not. Return the descriptor to poll, or a negative
 * errno. */
int tr2_poll_pipe_fd(struct tr2_pipe *p);

/* Make the descriptor not readable. */
void tr2_poll_pipe_clear(struct tr2_pipe *p);

/* Make poll() return POLLHUP until tr2_poll_pipe_resume(), which returns 0 or a
 * negative errno. */
void tr2_poll_pipe_hang_up(struct tr2_pipe *p);
int tr2_poll_pipe_resume(struct tr2_pipe *p);

#endif
