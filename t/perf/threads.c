/* SPDX-License-Identifier: MIT */
/*
 * Does the cost in a thread grow with the number of threads? Measured as CPU
 * time, since there may be more threads than cores. The limit of a metric is
 * its cost in one thread; that of events into one file is what as many threads
 * take to write as many bytes there, as CPU time and until all have ended. And
 * does the cost of events grow with their number: the last ones compared with
 * the first.
 *
 * usage: threads FILE BARE (FILE is that of the event target in the
 * environment; a file BARE is made)
 */
#include "metrics.h"

#define MAX_THREADS 64
#define RUNS 15

static const char *event_path, *bare_path;
static int bare_fd;
static char line[4096];
static size_t line_bytes;

BENCH_LOOP(data, trace2_data_string("bench", NULL, "key", "0123456789"))

static void bare_write(size_t n)
{
	while (n--)
		if (write(bare_fd, line, line_bytes) < 0)
			abort();
}

static const struct work {
	const char *name;
	void (*run)(size_t n);
	size_t n; /* summed over all threads */
	void (*limit)(size_t n); /* NULL: the same in one thread */
} works[] = {
	{ "counter_add", add_counter, 20000000, NULL },
	{ "timer start + stop", timer, 1000000, NULL },
	{ "data of 10 bytes, event to a file", data, 64000, bare_write },
};

struct job {
	void (*run)(size_t n);
	size_t n;
	double cpu_ns;
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	double start;

	job->run(1); /* the thread's first call allocates its memory */
	start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	job->run(job->n);
	job->cpu_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	return NULL;
}

/* Return the time of one operation. */
struct cost {
	double cpu_ns, wall_ns;
};

static struct cost run_threads(void (*run)(size_t n), size_t sum, size_t nr)
{
	struct job job[MAX_THREADS];
	pthread_t thread[MAX_THREADS];
	double start = bench_clock_ns(CLOCK_MONOTONIC), cpu_ns = 0;
	double each = (double)(sum / nr * nr);
	size_t i;

	for (i = 0; i < nr; i++) {
		job[i] = (struct job){ run, sum / nr, 0 };
		if (pthread_create(&thread[i], NULL, run_job, &job[i]))
			abort();
	}
	for (i = 0; i < nr; i++) {
		pthread_join(thread[i], NULL);
		cpu_ns += job[i].cpu_ns;
	}
	return (struct cost){
		cpu_ns / each, (bench_clock_ns(CLOCK_MONOTONIC) - start) / each
	};
}

static void empty_files(void)
{
	if (truncate(event_path, 0) || truncate(bare_path, 0))
		abort();
}

static void tell(const struct work *work, size_t nr, const char *measure,
		 double *ours, double *limit)
{
	char name[128], limit_name[64];

	snprintf(name, sizeof(name), "%s, %zu threads%s", work->name, nr,
		 measure);
	if (work->limit)
		snprintf(limit_name, sizeof(limit_name),
			 "as many threads: write of %zu bytes", line_bytes);
	else
		snprintf(limit_name, sizeof(limit_name), "1 thread");
	bench_tell(name, limit_name, ours, limit, RUNS);
}

static void compare_threads(const struct work *work, size_t nr)
{
	double ours[RUNS], limit[RUNS], wall[RUNS], limit_wall[RUNS];
	struct cost cost;
	size_t i;

	for (i = 0; i < RUNS; i++) {
		cost = run_threads(work->run, work->n, nr);
		ours[i] = cost.cpu_ns;
		wall[i] = cost.wall_ns;
		cost = work->limit ? run_threads(work->limit, work->n, nr) :
				     run_threads(work->run, work->n, 1);
		limit[i] = cost.cpu_ns;
		limit_wall[i] = cost.wall_ns;
		empty_files();
	}
	tell(work, nr, "", ours, limit);
	if (work->limit)
		tell(work, nr, ", elapsed", wall, limit_wall);
}

static void measure_line(void)
{
	struct stat before, after;

	if (stat(event_path, &before))
		abort();
	data(1);
	if (stat(event_path, &after))
		abort();
	line_bytes = (size_t)(after.st_size - before.st_size);
	if (!line_bytes || line_bytes > sizeof(line))
		abort();
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
	char limit_name[128];
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
	snprintf(limit_name, sizeof(limit_name),
		 "one of the first 10 thousand; %ld pages more",
		 (long)after - (long)before);
	bench_tell("an event after 1 million", limit_name, last, first, 5);
}

int main(int argc, char **argv)
{
	static const size_t numbers[] = { 2, 8, 64 };
	size_t i, k;

	if (argc != 3)
		return 129;
	event_path = argv[1];
	bare_path = argv[2];
	memset(line, 'x', sizeof(line));
	bare_fd = open(bare_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	trace2_initialize();
	if (!trace2_is_enabled() || bare_fd < 0)
		return 1;
	measure_line();
	compare_first_and_last();
	for (i = 0; i < sizeof(works) / sizeof(*works); i++)
		for (k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			compare_threads(&works[i], numbers[k]);
	return 0;
}
