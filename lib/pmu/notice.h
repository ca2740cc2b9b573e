/* SPDX-License-Identifier: MIT */
/*
 * notice - the reading end of a pipe, which the program polls for overflows.
 * All functions are async-signal-safe.
 */
#ifndef TR2_PMU_NOTICE_H
#define TR2_PMU_NOTICE_H

#include <stdbool.h>
#include <sys/types.h>

struct tr2_notice {
	int read_fd, write_fd; /* -1: not open; only write_fd is -1: hung up */
	/* of the pipe, to see whether the number is now another file */
	ino_t inode;
};

void tr2_notice_init(struct tr2_notice *notice);
void tr2_notice_release(struct tr2_notice *notice);

/* The descriptor to poll, or a negative errno. */
int tr2_notice_fd(struct tr2_notice *notice);

/*
 * Make the descriptor readable (POLLIN) until tr2_notice_clear(). Does nothing
 * before tr2_notice_fd().
 */
void tr2_notice_raise(struct tr2_notice *notice);
void tr2_notice_clear(struct tr2_notice *notice);

/*
 * Make poll() return POLLHUP until tr2_notice_resume(), which returns 0 or a
 * negative errno.
 */
void tr2_notice_hang_up(struct tr2_notice *notice);
int tr2_notice_resume(struct tr2_notice *notice);

#endif
