/* SPDX-License-Identifier: MIT */
/*
 * pace - limit the observer's CPU time to a hundredth of one CPU in any 10
 * seconds.
 *
 * The observer's thread begins with TR2_MOST_SAVED_NS saved. It earns 1 /
 * TR2_EARN_PART of the elapsed time, pays for the CPU time that it takes, and
 * saves at most TR2_MOST_SAVED_NS. Only measuring a process with much memory
 * may cost more than is saved. The observer is then in debt, and asks no thread
 * until the debt is paid.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TR2_EARN_PART 118u
/* The most CPU time that can be saved. 10 s earn 85 ms, which makes 94 ms with
 * the savings. The remaining 6 ms are for a look that takes longer than
 * expected. */
#define TR2_MOST_SAVED_NS 9000000

struct tr2_pace {
	uint64_t at_ns, cpu_ns; /* times of the last update: elapsed time, and
				 * CPU time of the thread */
	int64_t saved_ns;       /* CPU time that is saved; below 0: a debt */
};

/* Return the CPU time that this thread has taken. */
uint64_t tr2_thread_cpu_ns(void);
/* Called by the observer's thread. Return the CPU time that the thread may take
 * now. */
int64_t tr2_pace_update(struct tr2_pace *pace);
/* Return the time at which saved_ns will be saved, if no CPU time is taken
 * until then. */
uint64_t tr2_pace_until(const struct tr2_pace *pace, int64_t saved_ns);
