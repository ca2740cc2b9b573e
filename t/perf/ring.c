/* SPDX-License-Identifier: MIT */
/*
 * The cost of events that are written to the ring only, and of counters that
 * another process reads. usage: ring FILE (also named by GIT_TRACE2_RING)
 */
#include "arena/arena.h"
#include "bench.h"
#include "trace2.h"

#define EVENTS_A_ROUND 2400
#define SPANS_A_ROUND 400
#define ADDS_A_ROUND 2000000

TRACE2_COUNTER(bench_counter, "bench", "counter", 0);

static size_t record_bytes;
static char record[4096], copies[4096];

static void region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter("bench", "region", NULL);
		trace2_region_leave("bench", "region", NULL);
	}
}

BENCH_LOOP(data, trace2_data_string("bench", NULL, "key", "0123456789"))

static void span(size_t n)
{
	trace2_span_t s;

	while (n--) {
		s = trace2_span_start("bench", "span", TRACE2_SPAN_NONE);
		trace2_span_set_intmax(s, "status", 200);
		trace2_span_set_string(s, "path", "0123456789");
		trace2_span_end(s);
	}
}

static void clock_and_copy(size_t n)
{
	while (n--) {
		bench_sink = bench_cheapest_clock();
		memcpy(copies, record, record_bytes);
		bench_clobber();
	}
}

/* least_bytes: the bytes of a record that differ from call to call. */
static void run_event(const char *what, void (*work)(size_t n),
		      size_t a_round, size_t least_bytes)
{
	char limit[64];
	const struct bench_case c = { what, limit, work, clock_and_copy,
				      a_round, NULL, 0 };
	uint64_t before;

	work(2); /* its thread has no ring yet */
	before = tr2_my_slot->control.data_head;
	work(100);
	record_bytes = least_bytes;
	snprintf(limit, sizeof(limit),
		 "clock read + memcpy of %zu bytes (of %zu)", record_bytes,
		 (size_t)(tr2_my_slot->control.data_head - before) / 100);
	bench_run(&c);
}

/* Run the watcher while this is not 0. */
static volatile int *watching;

static void watch(const char *path)
{
	const struct timespec pause = { 0, 1000000 };
	int fd = open(path, O_RDONLY);
	const struct tr2_arena_header *h;
	const char *file;
	uint64_t offset;

	file = mmap(NULL, 4u << 20, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || file == MAP_FAILED)
		_exit(1);
	h = (const void *)file;
	while (true) {
		offset = h->slots_offset + h->slot_size + h->counters_offset;
		if (*watching)
			bench_sink = *(const volatile uint64_t *)(const void *)
				(file + offset);
		nanosleep(&pause, NULL);
	}
}

static void add(size_t n, int watched)
{
	*watching = watched;
	while (n--)
		trace2_counter_add(bench_counter, 1);
}

static void add_watched(size_t n)
{
	add(n, 1);
}

static void add_unwatched(size_t n)
{
	add(n, 0);
}

static void run_watched(const char *path)
{
	static const struct bench_case watched = {
		"counter_add, watched live", "the same unwatched",
		add_watched, add_unwatched, ADDS_A_ROUND, NULL, 0
	};
	pid_t pid;

	trace2_counter_add(bench_counter, 1);
	watching = mmap(NULL, sizeof(*watching), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = watching == MAP_FAILED ? -1 : fork();
	if (pid < 0)
		abort();
	if (!pid)
		watch(path);
	bench_pin();
	bench_run(&watched);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 129;
	trace2_initialize();
	if (!trace2_is_enabled() || !tr2_arena_header())
		return 1;
	/* Before this process is pinned, so that the watcher has another
	 * core. */
	run_watched(argv[1]);
	run_event("region_enter or leave, ring", region, EVENTS_A_ROUND, 24);
	run_event("data of 10 bytes, ring", data, EVENTS_A_ROUND, 40);
	run_event("span with 2 attributes, ring", span, SPANS_A_ROUND, 200);
	return 0;
}
