/* SPDX-License-Identifier: MIT */
/* Add up the CPU time that the observer earns, and subtract the CPU time that
 * it takes. */
#include "record/observer/pace.h"

#include <time.h>

#include "common/procfs.h"

uint64_t tr2_thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t tr2_pace_update(struct tr2_pace *pace)
{
	uint64_t now = tr2_kernel_now_ns(), cpu = tr2_thread_cpu_ns();

	pace->saved_ns += (int64_t)((now - pace->at_ns) / TR2_EARN_PART) -
			  (int64_t)(cpu - pace->cpu_ns);
	if (pace->saved_ns > TR2_MOST_SAVED_NS)
		pace->saved_ns = TR2_MOST_SAVED_NS;
	pace->at_ns = now;
	pace->cpu_ns = cpu;
	return pace->saved_ns;
}

uint64_t tr2_pace_until(const struct tr2_pace *pace, int64_t saved_ns)
{
	int64_t lacks = saved_ns - pace->saved_ns;

	return pace->at_ns + (lacks > 0 ? (uint64_t)lacks * TR2_EARN_PART : 0);
}
