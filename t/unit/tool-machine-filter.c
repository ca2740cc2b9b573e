/* SPDX-License-Identifier: MIT */
/*
 * tool-machine-filter - the switches and wake-ups that a recording keeps, of
 * all threads of a machine: its own, and the threads that have the CPUs while
 * one of its threads is ready.
 */
#include <linux/perf_event.h>

#include "record/kernel/machine_filter.h"
#include "tap.h"

#define SWITCHES 71
#define WAKINGS 72
/* Tids: of the recording, and of strangers. */
#define OWN 10
#define CHILD 11
#define X 900
#define Y 901

enum { RUNS = 0, WAITS = 1, DEAD = 0x20, PREEMPTED = 0x100 };

static const struct tr2_kernel_formats formats = {
	.switch_id = 1, .waking_id = 2,
	.prev_pid = { 0, 4 }, .prev_state = { 8, 8 }, .next_pid = { 4, 4 },
	.pid = { 0, 4 },
};

static struct tr2_machine_filter filter;
static unsigned int nr_added;
static char kept[64]; /* of the last pass, a letter for each sample */

struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns, cpu, period;
	union {
		struct {
			uint64_t nr_calls, call;
			uint32_t size, prev, next;
			uint32_t state[2];
		} sw;
		struct {
			uint32_t size, pid;
		} waking;
	};
} __attribute__((packed));

static void add(struct sample *s, uint64_t id, uint64_t time_ns, uint32_t tid)
{
	s->header.type = PERF_RECORD_SAMPLE;
	s->header.size = sizeof(*s);
	s->id = id;
	s->time_ns = time_ns;
	s->tid = tid;
	tr2_machine_filter_add(&filter, (const unsigned char *)s, sizeof(*s));
	nr_added++;
}

static void switched(uint64_t time_ns, uint32_t from, uint32_t state,
		     uint32_t to)
{
	struct sample s = { .sw = { 1, 0xffff, 16, from, to, { state, 0 } } };

	add(&s, SWITCHES, time_ns, from);
}

static void woken(uint64_t time_ns, uint32_t by, uint32_t tid)
{
	struct sample s = { .waking = { 4, tid } };

	add(&s, WAKINGS, time_ns, by);
}

/* want: a letter of "-kow" for each sample: dropped, kept, of an own thread, of
 * an own thread that another one wakes. */
static void is_kept(const char *want, const char *what)
{
	unsigned int i;
	const char *comm;
	int32_t tid;

	tr2_machine_filter_decide(&filter);
	for (i = 0; i < nr_added; i++)
		kept[i] = "-kow"[tr2_machine_filter_next(&filter, &tid,
							&comm)];
	kept[i] = '\0';
	nr_added = 0;
	tr2_machine_filter_end_pass(&filter);
	is_text(kept, strlen(kept), want, what);
}

static void begin(void)
{
	tr2_machine_filter_release(&filter);
	filter.formats = &formats;
	*tr2_map_slot(&filter.ids, SWITCHES + 1) = TR2_MACHINE_SWITCHES;
	*tr2_map_slot(&filter.ids, WAKINGS + 1) = TR2_MACHINE_WAKINGS;
	tr2_machine_filter_exec(&filter, OWN, 100);
}

static void test_own(void)
{
	begin();
	switched(50, X, WAITS, OWN);
	switched(90, OWN, RUNS, X);
	switched(200, OWN, WAITS, X);
	switched(210, X, WAITS, Y);
	woken(300, Y, OWN);
	woken(301, Y, X);
	switched(310, Y, RUNS, OWN);
	is_kept("--o-w-k", "kept from the exec on: switches to and from it, "
			   "and what wakes it");
}

static void test_ready(void)
{
	begin();
	switched(200, OWN, PREEMPTED, X);
	switched(210, X, WAITS, Y);
	switched(215, 0, RUNS, Y); /* on another CPU */
	switched(220, Y, RUNS, OWN);
	switched(230, X, RUNS, Y);
	is_kept("okkk-",
		"kept while it is ready for a CPU: who has which");
	switched(300, OWN, WAITS, X);
	switched(310, X, WAITS, Y);
	is_kept("o-", "dropped while it waits: others");
	woken(400, X, OWN);
	switched(410, X, WAITS, Y);
	is_kept("wk", "kept after it is woken");
	switched(420, X, WAITS, Y);
	is_kept("k", "it is ready in the next pass, too");
}

/* The samples of one CPU come after those of another one. */
static void test_order(void)
{
	begin();
	switched(210, X, WAITS, Y);
	switched(240, X, WAITS, Y);
	switched(200, OWN, PREEMPTED, X);
	switched(230, X, WAITS, OWN);
	is_kept("k-ok", "decided in the order of time, not of rings");
}

static void test_threads(void)
{
	begin();
	tr2_machine_filter_begin_thread(&filter, CHILD, 200);
	switched(150, CHILD, WAITS, X);
	switched(210, X, WAITS, Y);
	switched(220, Y, WAITS, CHILD);
	switched(230, Y, WAITS, X);
	switched(240, CHILD, DEAD, X);
	switched(250, X, WAITS, CHILD);
	is_kept("-kk-o-",
		"a thread: ready from its fork on, until it never runs again");
	tr2_machine_filter_exec(&filter, CHILD, 300);
	switched(310, CHILD, WAITS, X);
	is_kept("o", "an exec takes over the tid of a thread that ended");
	tr2_machine_filter_begin_thread(&filter, X, 400);
	switched(390, X, WAITS, Y);
	switched(410, Y, WAITS, X);
	is_kept("-k", "a tid is a stranger's until the fork");
}

static void test_damaged(void)
{
	struct sample s = { .header = { PERF_RECORD_SAMPLE, 0, 0 } };

	begin();
	s.id = SWITCHES;
	s.sw.nr_calls = UINT64_MAX;
	tr2_machine_filter_add(&filter, (unsigned char *)&s, sizeof(s));
	tr2_machine_filter_add(&filter, (unsigned char *)&s, 20);
	nr_added = 2;
	is_kept("kk", "kept for readers to judge: damaged samples");
}

int main(void)
{
	test_own();
	test_ready();
	test_order();
	test_threads();
	test_damaged();
	tr2_machine_filter_release(&filter);
	return done_testing();
}
