/* SPDX-License-Identifier: MIT */
/* A module with the counter and timer that t/perf/shared-metrics.c measures. */
#include <stddef.h>

#include "trace2.h"

TRACE2_TIMER(module_timer, "module", "timer", 0);
TRACE2_COUNTER(module_counter, "module", "counter", 0);

TRACE2_API void module_add(size_t n);
TRACE2_API void module_time(size_t n);

void module_add(size_t n)
{
	while (n--)
		trace2_counter_add(module_counter, 1);
}

void module_time(size_t n)
{
	while (n--) {
		trace2_timer_start(module_timer);
		trace2_timer_stop(module_timer);
	}
}
