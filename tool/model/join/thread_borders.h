/* SPDX-License-Identifier: MIT */
/* thread_borders - list the region and the program in which a task thread was,
 * by time. */
#pragma once

#include "model/model.h"

/* From at_ns on, the thread was in this region or segment; 0: outside of
 * all. */
struct tr2_border {
	int64_t at_ns; /* wall */
	uint32_t in;
};

/* Borders, sorted by time. */
struct tr2_borders {
	struct tr2_border *border;
	uint32_t nr, alloc;
};

/* The borders of a task thread. The segment is 0 in the last program of a
 * process. A program that is not notable (tr2_segment_is_notable()) counts as a
 * part of the next program. */
struct tr2_places {
	struct tr2_borders regions, segments;
};

/* List the borders of a task thread. The first thread of a process has the
 * regions of each program that the process ran. */
void tr2_places_list(const struct tr2_model *m, uint32_t task_thread,
		     struct tr2_places *p);
void tr2_places_release(struct tr2_places *p);
