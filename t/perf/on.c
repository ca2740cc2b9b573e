/* SPDX-License-Identifier: MIT */
/*
 * What calls cost while one target is on, which the environment says. The
 * limit of an event is a write(2) of as many bytes to another file there.
 * usage: on FORMAT FILE OTHER-FILE (the stream goes to FILE)
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "bench.h"
#include "trace2.h"

#define EVENTS_A_ROUND 64

TRACE2_TIMER(bench_timer, "bench", "timer", 0);
TRACE2_COUNTER(bench_counter, "bench", "counter", 0);

static __thread volatile uint64_t thread_local_value;
static volatile uint64_t sink;
static int other_fd;
static size_t line_bytes;
static char line[65536];

static void add_local(size_t n)
{
	while (n--)
		thread_local_value++;
}

static void add_counter(size_t n)
{
	while (n--)
		trace2_counter_add(bench_counter, 1);
}

static uint64_t cheapest_clock(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_nsec;
#endif
}

static void two_clocks(size_t n)
{
	while (n--) {
		sink = cheapest_clock();
		sink = cheapest_clock();
	}
}

static void timer(size_t n)
{
	while (n--) {
		trace2_timer_start(bench_timer);
		trace2_timer_stop(bench_timer);
	}
}

static void bare_write(size_t n)
{
	while (n--)
		if (write(other_fd, line, line_bytes) < 0)
			abort();
}

/* Both kinds of line: the pair is one event each. */
static void region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter("bench", "region", NULL);
		trace2_region_leave("bench", "region", NULL);
	}
}

static void data(size_t n)
{
	while (n--)
		trace2_data_string("bench", NULL, "key", "0123456789");
}

static char kilobyte[1025];

static void long_data(size_t n)
{
	while (n--)
		trace2_data_string("bench", NULL, "key", kilobyte);
}

/* How long a line of this is, from how the file grows. */
static void measure_line(const char *path, void (*work)(size_t n))
{
	struct stat before, after;

	if (stat(path, &before))
		abort();
	work(100);
	if (stat(path, &after))
		abort();
	line_bytes = (size_t)(after.st_size - before.st_size) / 100;
	memset(line, 'x', line_bytes);
}

static void run_event(const char *format, const char *what, const char *path,
		      void (*work)(size_t n))
{
	char name[64], limit[64];
	struct bench_case c = { name, limit, work, bare_write, EVENTS_A_ROUND,
				1.25, 0 };

	measure_line(path, work);
	if (!line_bytes)
		return;
	snprintf(name, sizeof(name), "%s, %s to a file", what, format);
	snprintf(limit, sizeof(limit), "write of %zu bytes", line_bytes);
	bench_run(&c);
}

int main(int argc, char **argv)
{
	static const struct bench_case counter = {
		"counter_add, on", "add to a volatile thread-local",
		add_counter, add_local, 20000, 1, 2
	};
	static const struct bench_case timed = {
		"timer start + stop, on", "two reads of the cheapest clock",
		timer, two_clocks, 3000, 1.3, 0
	};

	if (argc != 4)
		return 129;
	bench_pin();
	memset(kilobyte, 'v', sizeof(kilobyte) - 1);
	other_fd = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0666);
	trace2_initialize();
	if (!trace2_is_enabled() || other_fd < 0)
		return 1;
	if (!strcmp(argv[1], "event")) {
		bench_run(&counter);
		bench_run(&timed);
	}
	run_event(argv[1], "region_enter or leave", argv[2], region);
	run_event(argv[1], "data of 10 bytes", argv[2], data);
	run_event(argv[1], "data of 1 KB", argv[2], long_data);
	return 0;
}
