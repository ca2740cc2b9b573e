/* SPDX-License-Identifier: MIT */
/*
 * share - how many of the process's descriptors the events of the settings may
 * take: a quarter of what its soft limit permits. Each thread has some for each
 * of the kernel's events, and a host with many threads needs descriptors, too.
 * Those that the program opens itself are its own matter.
 *
 * The caller holds the process's lock, but for the texts.
 */
#ifndef TR2_PART_SHARE_H
#define TR2_PART_SHARE_H

#include <errno.h>
#include <stdbool.h>

#include "perfevent/perfevent.h"

/* The error of an event that finds none; the kernel has another
 * one, EMFILE, for a process that has none left. */
#define TR2_SHARE_ERROR (-EDQUOT)

/* false: so many more would be too many, and are not counted. */
bool tr2_share_take(unsigned int nr);
void tr2_share_give(unsigned int nr);

/* In a forked child: none is taken. */
void tr2_share_after_fork(void);

/* As tr2_perfevent_explain(), which does not know TR2_SHARE_ERROR; error is
 * negative here. */
void tr2_share_explain(const struct tr2_perfevent *event, int error, char *text,
		       size_t size_bytes);

/* A pending error: so many threads lack something. 0: none. */
void tr2_share_add_error(unsigned int nr_threads, const char *lack);

#endif
