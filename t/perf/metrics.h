/* SPDX-License-Identifier: MIT */
/* metrics - a counter and a timer, their work, and the least that it could
 * cost. */
#pragma once

#include "bench.h"
#include "trace2.h"

TRACE2_TIMER(bench_timer, "bench", "timer", 0);
TRACE2_COUNTER(bench_counter, "bench", "counter", 0);
TRACE2_DISTRIBUTION(bench_distribution, "bench", "sizes", "bytes");
TRACE2_GAUGE(bench_gauge, "bench", "busy", "workers");

BENCH_LOOP(add_counter, trace2_counter_add(bench_counter, 1))

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

BENCH_LOOP(add_interval, trace2_timer_add(bench_timer, n))
BENCH_LOOP(add_value, trace2_distribution_add(bench_distribution, n))

/* Count, sum, least, greatest, and a bucket for each power of two. */
static inline void add_to_histogram(size_t n)
{
	static __thread volatile uint64_t sums[4], buckets[64];

	while (n--) {
		sums[0]++;
		sums[1] += n;
		if (n < sums[2])
			sums[2] = n;
		if (n > sums[3])
			sums[3] = n;
		buckets[63 - __builtin_clzll(n | 1)]++;
	}
}

BENCH_LOOP(add_to_gauge, trace2_gauge_add(bench_gauge, 1))

static inline void add_atomically(size_t n)
{
	static uint64_t value;

	while (n--)
		__atomic_fetch_add(&value, 1, __ATOMIC_RELAXED);
}
