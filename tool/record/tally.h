/* SPDX-License-Identifier: MIT */
/*
 * tally - how much was recorded: files, lines and bytes of a directory of
 * event streams, and the events that their writers admit to have dropped.
 */
#ifndef TR2_RECORD_TALLY_H
#define TR2_RECORD_TALLY_H

#include <stdint.h>

struct tr2_tally {
	uint64_t files, events, bytes;
	uint64_t lost; /* sum of "lost" in atexit events */
};

/* Reads every stream below events_fd. -1: the directory could not be read. */
int tr2_tally_read(struct tr2_tally *tally, int events_fd);

/* Only adds up sizes (tally->files, tally->bytes). */
int tr2_tally_sizes(struct tr2_tally *tally, int events_fd);

#endif
