/* SPDX-License-Identifier: MIT */
/*
 * bench - compare the library with the least possible cost of the same
 * operation.
 *
 * A case and its limit run alternately in the same process, some 50 us per
 * round, so that both see the same noise and most rounds see none: other
 * processes on the machine disturb for milliseconds at a time. A result is the
 * median of the rounds; the spread is the distance of the quartiles of the
 * library's rounds, as a share of their median. For programs in t/perf;
 * t/perf/run prints the table, and t/perf/promises lists the promises.
 */
#pragma once

#include "../helper/system.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define BENCH_ROUNDS 801

struct bench_case {
	const char *name, *limit_name;
	/* Each runs its operation n times. */
	void (*ours)(size_t n);
	void (*limit)(size_t n);
	size_t n; /* operations per round */
	void (*after)(void); /* between rounds, not timed; may be NULL */
	size_t rounds; /* 0: BENCH_ROUNDS */
};

/* Keep the compiler from moving or merging code around it. */
#define bench_clobber() __asm__ volatile("" ::: "memory")

/* Use a value that nothing else uses. */
static volatile uint64_t bench_sink __attribute__((unused));

static inline uint64_t bench_cheapest_clock(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_nsec;
#endif
}

static inline double bench_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline double bench_time_ns(const struct bench_case *c,
				   void (*work)(size_t n))
{
	double start = bench_clock_ns(CLOCK_MONOTONIC), end;

	work(c->n);
	end = bench_clock_ns(CLOCK_MONOTONIC);
	if (c->after)
		c->after();
	return (end - start) / (double)c->n;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sort; return the median, and the distance of the quartiles. */
static inline double bench_median(double *sample, size_t n, double *distance)
{
	qsort(sample, n, sizeof(*sample), bench_compare);
	*distance = sample[n * 3 / 4] - sample[n / 4];
	return sample[n / 2];
}

/* Print one line per case: name, limit, ours, limit's ns, ratio, spread. */
static inline void bench_tell(const char *name, const char *limit_name,
			      double *ours, double *limit, size_t n)
{
	double ours_distance, limit_distance;
	double median = bench_median(ours, n, &ours_distance);
	double least = bench_median(limit, n, &limit_distance);

	printf("time\t%s\t%s\t%.2f\t%.2f\t%.3f\t%.3f\n", name, limit_name,
	       median, least, median / least, ours_distance / median);
	fflush(stdout);
}

static inline void bench_run(const struct bench_case *c)
{
	static double ours[BENCH_ROUNDS], limit[BENCH_ROUNDS];
	size_t n = c->rounds ? c->rounds : BENCH_ROUNDS, i;

	bench_time_ns(c, c->ours);
	bench_time_ns(c, c->limit);
	for (i = 0; i < n; i++) {
		ours[i] = bench_time_ns(c, c->ours);
		limit[i] = bench_time_ns(c, c->limit);
	}
	bench_tell(c->name, c->limit_name, ours, limit, n);
}

/* Pin to the last core that this process may use: the first is the busiest. */
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

/* A function that makes a call n times. */
#define BENCH_LOOP(name, call)            \
	static inline void name(size_t n) \
	{                                 \
		while (n--) {             \
			call;             \
		}                         \
	}
