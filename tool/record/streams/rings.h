/* SPDX-License-Identifier: MIT */
/*
 * rings - take records out of programs' rings while the programs run, so that
 * the rings never fill. The records are written to a file beside the ring
 * (format/ring/ring_spill.h), and then their space in the ring is released.
 *
 * If the recorder dies, no written record is lost: each is in one of the two
 * files.
 *
 * The ring of a process that ran already does not belong to the recording: no
 * space in it is released, and it is copied without its records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/loop.h"

/* The size of a thread's ring in recorded programs. */
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
	/* number of files, events and bytes that were taken so far */
	uint64_t files, events, bytes;
	uint64_t lost; /* number of lost events; set when all rings are
			* finished */
	bool over_size;
	int write_errno; /* errno of the first write that failed */
};

/* Start to take records. -1: errno. */
int tr2_rings_start(struct tr2_rings *r, struct tr2_loop *loop, int dir_fd,
		    uint64_t max_bytes);

/* Copy the ring at `path` of a process that ran already, and begin to take its
 * records. */
void tr2_rings_add(struct tr2_rings *r, const char *path);

/* Take the remaining records of all rings, and close them. */
void tr2_rings_finish(struct tr2_rings *r);
