/* SPDX-License-Identifier: MIT */
/* anchor - read both clocks at once. */
#include "record/anchor.h"

#include <time.h>

#include "common/procfs.h"

#define NS_PER_S 1000000000u

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void tr2_anchor_take(struct tr2_anchor *a)
{
	uint64_t before, after, best = UINT64_MAX, wall;
	int i;

	/* Use the try in which both readings were closest. */
	for (i = 0; i < 5; i++) {
		before = read_clock(CLOCK_MONOTONIC);
		wall = read_clock(CLOCK_REALTIME);
		after = read_clock(CLOCK_MONOTONIC);
		if (after - before >= best)
			continue;
		best = after - before;
		a->monotonic_ns = before + best / 2;
		a->wall_ns = wall;
	}
	a->monotonic_ns -= (uint64_t)tr2_kernel_shift_ns();
}
