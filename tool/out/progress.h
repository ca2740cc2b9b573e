/* SPDX-License-Identifier: MIT */
/*
 * progress - draw a bar on stderr, if stderr is a terminal and the work takes
 * more than half a second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tr2_progress {
	const char *verb;
	uint64_t total; /* 0: unknown */
	uint64_t start_ns;
	uint64_t next_ns; /* the time of the next drawing; 0: draw at the first
			   * step */
	bool on, shown;
};

void tr2_progress_start(struct tr2_progress *p, const char *verb);
void tr2_progress_at(struct tr2_progress *p, uint64_t done_bytes);
/* Report that `done` of p->total steps are done. */
void tr2_progress_step(struct tr2_progress *p, uint64_t done);
void tr2_progress_end(struct tr2_progress *p);
