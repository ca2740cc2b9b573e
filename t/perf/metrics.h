/* SPDX-License-Identifier: MIT */
/* metrics - a counter and a timer, their work, and the least that it could
 * cost. */
#ifndef TR2_PERF_METRICS_H
#define TR2_PERF_METRICS_H

#include "bench.h"
#include "trace2.h"

TRACE2_TIMER(bench_timer, "bench", "timer", 0);
TRACE2_COUNTER(bench_counter, "bench", "counter", 0);

static inline void add_counter(size_t n)
{
	while (n--)
		trace2_counter_add(bench_counter, 1);
}

static inline void add_local(size_t n)
{
	static __thread volatile uint64_t value;

	while (n--)
		value++;
}

static inline void timer(size_t n)
{
	while (n--) {
		trace2_timer_start(bench_timer);
		trace2_timer_stop(bench_timer);
	}
}

static inline void two_clocks(size_t n)
{
	while (n--) {
		bench_sink = bench_cheapest_clock();
		bench_sink = bench_cheapest_clock();
	}
}

#endif
