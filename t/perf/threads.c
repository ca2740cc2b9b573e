/* SPDX-License-Identifier: MIT */
/*
 * Does the cost in a thread grow with the number of threads? Measured as CPU
 * time, since there may be more threads than cores; the limit is the cost in
 * one thread. And does the cost of events grow with their number: the last ones
 * compared with the first.
 *
 * usage: threads (with an event target in the environment)
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"

#define MAX_THREADS 64
#define RUNS 9

static int bare_fd;
static char line[256];

static void data(size_t n)
{
	while (n--)
		trace2_data_string("bench", NULL, "key", "0123456789");
}

static void bare_write(size_t n)
{
	while (n--)
		if (write(bare_fd, line, sizeof(line)) < 0)
			abort();
}

static const struct work {
	const char *name;
	void (*run)(size_t n);
	size_t n; /* summed over all threads */
	/* up to which it counts as constant, with noise; 0: not checked */
	double ratio;
} works[] = {
	{ "counter_add", add_counter, 2000000, 1.25 },
	{ "timer start + stop", timer, 1000000, 1.25 },
	{ "data of 10 bytes, event to a file", data, 6400, 0 },
	{ "write of 256 bytes to a file", bare_write, 6400, 0 },
};

struct job {
	const struct work *work;
	size_t n;
	double cpu_ns;
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	double start;

	job->work->run(1); /* the thread's first call allocates its memory */
	start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	job->work->run(job->n);
	job->cpu_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	return NULL;
}

/* Return the CPU time of one operation; *wall_ns: wall time per operation. */
static double run_threads(const struct work *work, size_t nr, double *wall_ns)
{
	struct job job[MAX_THREADS];
	pthread_t thread[MAX_THREADS];
	double start = bench_clock_ns(CLOCK_MONOTONIC), sum = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		job[i] = (struct job){ work, work->n / nr, 0 };
		if (pthread_create(&thread[i], NULL, run_job, &job[i]))
			abort();
	}
	for (i = 0; i < nr; i++) {
		pthread_join(thread[i], NULL);
		sum += job[i].cpu_ns;
	}
	*wall_ns = (bench_clock_ns(CLOCK_MONOTONIC) - start) / (double)work->n;
	return sum / (double)(work->n / nr * nr);
}

static void compare_threads(const struct work *work, size_t nr)
{
	double ours[RUNS], limit[RUNS], wall[RUNS], distance, ignored;
	char name[128], limit_name[64];
	struct bench_case c = { name, limit_name, NULL, NULL, 0, work->ratio,
				0, NULL, 0 };
	size_t i;

	for (i = 0; i < RUNS; i++) {
		ours[i] = run_threads(work, nr, &wall[i]);
		limit[i] = run_threads(work, 1, &ignored);
	}
	snprintf(name, sizeof(name), "%s, %zu threads", work->name, nr);
	snprintf(limit_name, sizeof(limit_name), "1 thread; all: %.1f M/s",
		 1e3 / bench_median(wall, RUNS, &distance));
	bench_tell(&c, ours, limit, RUNS);
}

/* Return the number of private pages of the process. */
static size_t memory_pages(void)
{
	unsigned long total, resident = 0, shared = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu %lu", &total, &resident, &shared) != 3)
		abort();
	fclose(f);
	return resident - shared;
}

#define FEW 2000
#define MANY 1000000

static void compare_first_and_last(void)
{
	char name[128];
	struct bench_case c = { name, "one of the first 10 thousand", NULL,
				NULL, 0, 0, 0, NULL, 0 };
	double first[5], last[5], start;
	size_t i, before, after;

	for (i = 0; i < 5; i++) {
		start = bench_clock_ns(CLOCK_MONOTONIC);
		data(FEW);
		first[i] = (bench_clock_ns(CLOCK_MONOTONIC) - start) / FEW;
	}
	before = memory_pages();
	data(MANY);
	after = memory_pages();
	for (i = 0; i < 5; i++) {
		start = bench_clock_ns(CLOCK_MONOTONIC);
		data(FEW);
		last[i] = (bench_clock_ns(CLOCK_MONOTONIC) - start) / FEW;
	}
	snprintf(name, sizeof(name), "event after 1 million, %ld pages more",
		 (long)after - (long)before);
	bench_tell(&c, last, first, 5);
}

int main(int argc, char **argv)
{
	static const size_t numbers[] = { 2, 8, 64 };
	size_t i, k;

	memset(line, 'x', sizeof(line));
	bare_fd = open(argc == 2 ? argv[1] : "/dev/null",
		       O_WRONLY | O_CREAT | O_APPEND, 0666);
	trace2_initialize();
	if (!trace2_is_enabled() || bare_fd < 0)
		return 1;
	compare_first_and_last();
	for (i = 0; i < sizeof(works) / sizeof(*works); i++)
		for (k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			compare_threads(&works[i], numbers[k]);
	return 0;
}
