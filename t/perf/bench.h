/* SPDX-License-Identifier: MIT */
/*
 * bench - compares what the library does with the least that it could cost.
 *
 * A case and its limit run alternately in the same process, some thousand
 * operations a round, so that both see the same noise. A result is the median
 * of the rounds; the spread is the distance of the quartiles of ours, as a part
 * of its median. For programs in t/perf; t/perf/run makes the table.
 */
#ifndef TR2_PERF_BENCH_H
#define TR2_PERF_BENCH_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_ROUNDS 801

struct bench_case {
	const char *name, *limit_name;
	/* Each does its thing n times. */
	void (*ours)(size_t n);
	void (*limit)(size_t n);
	size_t n; /* operations a round */
	/* The promise: at most ratio * limit + plus_ns. */
	double ratio, plus_ns;
};

/* Keeps the compiler from moving or merging what stands around it. */
#define bench_clobber() __asm__ volatile("" ::: "memory")

static inline double bench_time_ns(void (*work)(size_t n), size_t n)
{
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	work(n);
	clock_gettime(CLOCK_MONOTONIC, &after);
	return ((double)(after.tv_sec - before.tv_sec) * 1e9 +
		(double)(after.tv_nsec - before.tv_nsec)) /
	       (double)n;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One line a case: name, limit, ours, limit's ns, ratio, spread, promise. */
static inline void bench_run(const struct bench_case *c)
{
	double ours[BENCH_ROUNDS], limit[BENCH_ROUNDS], median, least;
	size_t i;

	bench_time_ns(c->ours, c->n);
	bench_time_ns(c->limit, c->n);
	for (i = 0; i < BENCH_ROUNDS; i++) {
		ours[i] = bench_time_ns(c->ours, c->n);
		limit[i] = bench_time_ns(c->limit, c->n);
	}
	qsort(ours, BENCH_ROUNDS, sizeof(*ours), bench_compare);
	qsort(limit, BENCH_ROUNDS, sizeof(*limit), bench_compare);
	median = ours[BENCH_ROUNDS / 2];
	least = limit[BENCH_ROUNDS / 2];
	printf("%s\t%s\t%.2f\t%.2f\t%.3f\t%.3f\t%.2f\t%.2f\n", c->name,
	       c->limit_name, median, least, median / least,
	       (ours[BENCH_ROUNDS * 3 / 4] - ours[BENCH_ROUNDS / 4]) / median,
	       c->ratio, c->plus_ns);
}

/* To the last core that this process may use: the first is busiest. */
static inline void bench_pin(void)
{
	cpu_set_t all, one;
	int cpu;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET(cpu, &all);)
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif
