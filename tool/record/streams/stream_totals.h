/* SPDX-License-Identifier: MIT */
/*
 * stream_totals - count the recorded data: files, lines and bytes of a
 * directory of event streams, and the losses that programs reported in these
 * streams.
 */
#pragma once

#include <stdint.h>

struct tr2_stream_totals {
	uint64_t files, events, bytes;
	/* number of files that do not begin with `version`: after a rotation,
	 * they continue another file */
	uint64_t continued;
	uint64_t lost; /* sum of "lost" in atexit events */
};

/* Read every stream below events_fd. -1: the directory could not be read. */
int tr2_stream_totals_read(struct tr2_stream_totals *totals, int events_fd);

/* Add up only numbers and sizes of files (totals->files, totals->bytes). */
int tr2_stream_totals_sizes(struct tr2_stream_totals *totals, int events_fd);
