/* SPDX-License-Identifier: MIT */
/*
 * rings - takes what programs write into their rings while they run, so that
 * the rings never fill: each ring's records go to a file beside it
 * (read/ring_spill.h), and what is in that file is given back to the ring.
 *
 * If the recorder dies, nothing that was written is lost: it is in either file.
 */
#ifndef TR2_RECORD_RINGS_H
#define TR2_RECORD_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/loop.h"

/* What recorded programs are told to have, for each thread. */
#define TR2_RINGS_SIZE "1m"

struct tr2_ring_client;

struct tr2_rings {
	struct tr2_source timer;  /* looks at all of them; fd -1: not started */
	struct tr2_source watch;  /* inotify: new files */
	struct tr2_loop *loop;
	int dir_fd;
	uint64_t max_bytes; /* 0: any number */
	uint64_t pace_ns;
	struct tr2_ring_client *first;
	/* What was taken so far. */
	uint64_t files, events, bytes;
	uint64_t lost; /* once they are all finished */
	bool over_size;
	int write_errno; /* of the first write that failed */
};

/* -1: errno. */
int tr2_rings_start(struct tr2_rings *r, struct tr2_loop *loop, int dir_fd,
		    uint64_t max_bytes);

/* Takes what is left in all of them, and closes them. */
void tr2_rings_finish(struct tr2_rings *r);

#endif
