/* SPDX-License-Identifier: MIT */
/*
 * observed_memory - the memory of a process, as each look finds it.
 */
#pragma once

#include <stdint.h>

struct tr2_observer;
struct tr2_observed;

struct tr2_observed_memory {
	uint64_t rss_bytes; /* as last recorded; 0: not yet */
};

void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p);
/* After all processes. */
void tr2_observe_tree(struct tr2_observer *o);
void tr2_observed_memory_release(struct tr2_observed_memory *memory);
