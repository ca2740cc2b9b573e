/* SPDX-License-Identifier: MIT */
/*
 * rings - take records out of programs' rings while they run, so that the rings
 * never fill. The records go to a file beside the ring
 * (format/ring/ring_spill.h), and then their space in the ring is released.
 *
 * If the recorder dies, no written record is lost: it is in one of the two
 * files.
 *
 * The ring of a process that ran already does not belong to the recording:
 * nothing is released in it, and it is copied without its records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/loop.h"

/* The size of rings in recorded programs, per thread. */
#define TR2_RINGS_SIZE "1m"

struct tr2_ring_client;

struct tr2_rings {
	struct tr2_source timer;  /* timer that checks all rings; fd -1: not
				   * started */
	struct tr2_source watch;  /* inotify: new files */
	struct tr2_loop *loop;
	int dir_fd;
	uint64_t max_bytes; /* 0: no limit */
	uint64_t pace_ns;
	struct tr2_ring_client *first;
	/* Taken so far. */
	uint64_t files, events, bytes;
	uint64_t lost; /* set after all are finished */
	bool over_size;
	int write_errno; /* of the first write that failed */
};

/* -1: errno. */
int tr2_rings_start(struct tr2_rings *r, struct tr2_loop *loop, int dir_fd,
		    uint64_t max_bytes);

/* Copy the ring at `path`, of a process that runs already, and its records. */
void tr2_rings_add(struct tr2_rings *r, const char *path);

/* Take the remaining records of all rings, and close them. */
void tr2_rings_finish(struct tr2_rings *r);
