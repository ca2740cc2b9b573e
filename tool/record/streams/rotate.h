/* SPDX-License-Identifier: MIT */
/*
 * rotate - rename the directory of event streams when it has reached a size,
 * and create a new one: DIR/events becomes DIR/events.000001 and is never
 * changed from then on, so that another program may ship and remove it. The
 * number of rotated directories may be limited: the oldest is removed when a
 * new one is added.
 *
 * Only the sink's thread uses it: no other thread writes there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/streams/stream_totals.h"

struct tr2_rotate {
	int dir_fd;    /* of the recording */
	int events_fd; /* the number stays the same for each directory */
	uint64_t max_bytes; /* 0: never rotate */
	unsigned int keep;  /* rotated directories; 0: all */
	uint64_t bytes;     /* in the current directory */
	unsigned int nr;    /* rotated directories */
	unsigned int oldest; /* one less than the first number that may still
			      * exist */
	int error;           /* errno of the first failure */
	struct tr2_stream_totals done; /* content of the rotated directories */
	/* Number of removed directories; their streams and bytes. */
	unsigned int removed;
	uint64_t removed_files, removed_bytes;
};

/* Return how many of the len bytes of whole lines fit into the current
 * directory: whole lines; 0 if it is full. A line longer than max_bytes gets a
 * directory of its own. */
size_t tr2_rotate_room(const struct tr2_rotate *rotate, const char *text,
		       size_t len);

/* Rotate the directory; no file in it may be open for writing. If that fails,
 * the current one is used for max_bytes more. */
void tr2_rotate_now(struct tr2_rotate *rotate);
