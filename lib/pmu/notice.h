/* SPDX-License-Identifier: MIT */
/*
 * notice - a descriptor by which somebody who polls learns of overflows: the
 * reading end of a pipe. All of it is signal-safe.
 */
#ifndef TR2_PMU_NOTICE_H
#define TR2_PMU_NOTICE_H

#include <stdbool.h>
#include <sys/types.h>

struct tr2_notice {
	int read_fd, write_fd; /* -1: none; write_fd alone: hung up */
	ino_t inode; /* of the pipe: a number may be another file's by now */
};

void tr2_notice_init(struct tr2_notice *notice);
void tr2_notice_release(struct tr2_notice *notice);

/* The descriptor to poll, or a negative errno. */
int tr2_notice_fd(struct tr2_notice *notice);

/* POLLIN, until tr2_notice_clear(). Nothing where nobody polls. */
void tr2_notice_raise(struct tr2_notice *notice);
void tr2_notice_clear(struct tr2_notice *notice);

/* POLLHUP, until tr2_notice_resume(): 0, or a negative errno. */
void tr2_notice_hang_up(struct tr2_notice *notice);
int tr2_notice_resume(struct tr2_notice *notice);

#endif
