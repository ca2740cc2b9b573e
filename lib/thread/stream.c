/* SPDX-License-Identifier: MIT */
/* The stream, and the number of its lost events. */
#include "thread/stream.h"

int trace2_enabled_ = TR2_ENABLED_EARLY;

struct tr2_stream tr2_stream = { .sid = "", .enabled = { 0, 1 } };

void tr2_stream_lost(void)
{
	atomic_fetch_add_explicit(&tr2_stream.lost, 1, memory_order_relaxed);
}

/* Include the losses of all targets: a target that is off, or whose reader
 * stalls, cannot report its own losses. */
uint64_t tr2_stream_nr_lost(void)
{
	uint64_t lost = atomic_load_explicit(&tr2_stream.lost,
					     memory_order_relaxed);
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		lost += tr2_dest_lost(tr2_stream_dest(i));
	return lost;
}

void tr2_stream_abandon(uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_abandon(tr2_stream_dest(i), tid);
}
