/* SPDX-License-Identifier: MIT */
/*
 * pace - how much CPU time the observer may take: at most a hundredth of one
 * CPU in any 10 seconds. It begins with the most that can be saved.
 *
 * Its thread earns 1 / TR2_EARN_PART of the elapsed time, pays all that it
 * takes, and can save little. Only to measure a process with much memory may
 * cost more than that. Then it is in debt, and asks no thread until it has
 * earned that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TR2_EARN_PART 118u
/* The most that can be saved: 10 s earn 85 ms, and with this 94 ms. The rest is
 * for a look that takes longer than expected. */
#define TR2_MOST_SAVED_NS 9000000

struct tr2_pace {
	uint64_t at_ns, cpu_ns; /* when it was last updated */
	int64_t saved_ns;       /* below 0: a debt */
};

/* Return the CPU time that this thread has taken. */
uint64_t tr2_thread_cpu_ns(void);
/* Called by the observer's thread: return what it may take now. */
int64_t tr2_pace_update(struct tr2_pace *pace);
/* Return when this much will be saved, if no more is taken. */
uint64_t tr2_pace_until(const struct tr2_pace *pace, int64_t saved_ns);
