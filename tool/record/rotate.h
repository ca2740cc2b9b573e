/* SPDX-License-Identifier: MIT */
/*
 * rotate - the directory of event streams is put aside when it has reached a
 * size, whole, and a new one takes its place: DIR/events becomes
 * DIR/events.000001 and is never changed from then on, so that another program
 * may ship and remove it. Of those, only so many may be kept: the oldest is
 * removed when a new one is put aside.
 *
 * It belongs to the thread of the sink, which is the only one that writes there.
 */
#ifndef TR2_RECORD_ROTATE_H
#define TR2_RECORD_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/tally.h"

struct tr2_rotate {
	int dir_fd;    /* of the recording */
	int events_fd; /* keeps its number when the directory is another */
	uint64_t max_bytes; /* 0: never */
	unsigned int keep;  /* directories put aside; 0: all */
	uint64_t bytes;     /* in the directory of now */
	unsigned int nr;    /* directories put aside */
	unsigned int oldest; /* the first that may still be there, less 1 */
	int error;           /* errno of the first time that it failed */
	struct tr2_tally done; /* what was in those put aside */
	/* Of those that were removed: streams, and bytes. */
	unsigned int removed;
	uint64_t removed_files, removed_bytes;
};

/* How many of the len bytes of whole lines may go into the directory of now:
 * whole lines; 0 when it is full. A line that is longer than a directory has one
 * of its own. */
size_t tr2_rotate_room(const struct tr2_rotate *rotate, const char *text,
		       size_t len);

/* Puts the directory aside; no file in it may be open for writing. Where that
 * fails the one of now is used for as much again. */
void tr2_rotate_now(struct tr2_rotate *rotate);

/* Whether `name` is that of a directory put aside. */
bool tr2_rotate_is_name(const char *name);

#endif
