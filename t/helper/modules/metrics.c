/* SPDX-License-Identifier: MIT */
/*
 * A module that defines a timer and counters of its own, one of which the
 * library has, too. After its dlclose() only the values remain.
 */
#include "trace2.h"

TRACE2_TIMER(module_timer, "module", "work",
	     TRACE2_PER_THREAD | TRACE2_HISTOGRAM);
TRACE2_COUNTER(module_calls, "module", "calls", TRACE2_PER_THREAD);
TRACE2_COUNTER(module_items, "module", "items", 0);
/* This metric is the same as the library's test1. */
TRACE2_COUNTER(module_test1, "test", "test1", 0);

__attribute__((visibility("default"))) void module_use(void);

void module_use(void)
{
	trace2_timer_start(module_timer);
	trace2_counter_add(module_calls, 1);
	trace2_counter_add(module_items, 10);
	trace2_counter_add(module_test1, 100);
	trace2_data_string("module", NULL, "in", "module_use");
	trace2_timer_stop(module_timer);
}
