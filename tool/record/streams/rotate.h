/* SPDX-License-Identifier: MIT */
/*
 * rotate - rename the directory of event streams when it has reached a size,
 * and create a new one. DIR/events becomes DIR/events.000001 and is never
 * changed afterwards, so that another program may ship and remove it. The
 * number of rotated directories may be limited: the oldest is removed when a
 * new one is added.
 *
 * Only the sink's thread rotates: no other thread writes there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/streams/stream_totals.h"

struct tr2_rotate {
	int dir_fd;    /* descriptor of the recording */
	int events_fd; /* the descriptor's number is the same for each
			* directory */
	uint64_t max_bytes; /* 0: never rotate */
	unsigned int keep;  /* number of rotated directories to keep; 0: all */
	uint64_t bytes;     /* size of the current directory */
	unsigned int nr;    /* number of rotated directories so far */
	unsigned int oldest; /* one less than the number of the first directory
			      * that may still exist */
	int error;           /* errno of the first failure */
	struct tr2_stream_totals done; /* totals of the rotated directories */
	/* Number of removed directories, and of their streams and bytes. */
	unsigned int removed;
	uint64_t removed_files, removed_bytes;
};

/* Return how many of the len bytes at `text`, which are whole lines, fit into
 * the current directory. The returned bytes are whole lines, too; 0: the
 * directory is full. A line longer than max_bytes gets a directory of its
 * own. */
size_t tr2_rotate_room(const struct tr2_rotate *rotate, const char *text,
		       size_t len);

/* Rotate the directory. No file in it may be open for writing. On failure, the
 * current directory is used for another max_bytes. */
void tr2_rotate_now(struct tr2_rotate *rotate);
