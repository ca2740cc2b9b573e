/* SPDX-License-Identifier: MIT */
/* Metrics for tests: linked into programs that name one of them. */
#include "trace2.h"

TRACE2_TIMER_SHARED(trace2_timer_test1, "test", "test1", 0);
TRACE2_TIMER_SHARED(trace2_timer_test2, "test", "test2", TRACE2_PER_THREAD);
TRACE2_COUNTER_SHARED(trace2_counter_test1, "test", "test1", 0);
TRACE2_COUNTER_SHARED(trace2_counter_test2, "test", "test2", TRACE2_PER_THREAD);
