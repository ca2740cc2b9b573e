/* SPDX-License-Identifier: MIT */
/*
 * A signal handler that writes a record at each single instruction of another
 * write to the same ring: after the first, then the second, and so on to the
 * last. The reader's view is checked after every instruction, also after each
 * one following the handler. Six records, in two places of the ring, are
 * interrupted: each at every sixth instruction, so that together they have all,
 * or each at all with GIT_TEST_LONG. The test needs an x86-64 processor, and
 * does not work under valgrind.
 */
#include "../helper/breakpoint.h"
#include "ring/ring.h"
#include "tap.h"

#define DATA_SIZE 4096u
#define END (UINT64_C(0x100000000)) /* also the end of a lap */
#define RECORDS 3 /* of the interrupted writer, in each run */
#define RECORD_BYTES 48u

static struct {
	struct tr2_slot slot;
	char data[DATA_SIZE];
} memory;

static struct tr2_control *const ring = &memory.slot.control;

struct test_record {
	struct tr2_record head;
	uint64_t number, fill[4];
};
_Static_assert(sizeof(struct test_record) == RECORD_BYTES, "no gaps");

static volatile bool complete[RECORDS + 2];
static volatile unsigned int next_number;
static struct path *path;
static volatile bool is_writing, has_interrupted;
static unsigned int nr_wrong;

static void look(void)
{
	uint64_t head = ring->data_head, at = ring->data_tail;
	const struct test_record *record;
	unsigned int i;

	for (; at < head; at += record->head.size) {
		record = (const void *)(memory.data + (at & (DATA_SIZE - 1)));
		if (record->head.size < 8 || record->head.size > head - at) {
			nr_wrong++;
			return;
		}
		if (record->head.type == TR2_RECORD_FILLER)
			continue;
		nr_wrong += record->head.type != TR2_RECORD_SAMPLE ||
			    record->number >= next_number ||
			    !complete[record->number];
		for (i = 0; i < 4; i++)
			nr_wrong += record->fill[i] != record->number + i;
	}
}

static __attribute__((noinline)) void write_one(void)
{
	unsigned int number = next_number++;
	struct test_record record = {
		{ TR2_RECORD_SAMPLE, 0, RECORD_BYTES }, number,
		{ number, number + 1, number + 2, number + 3 }
	};
	struct tr2_ring_write w;
	struct tr2_call_mark in;

	if (!tr2_ring_begin(&w, &memory.slot, RECORD_BYTES, &in)) {
		nr_wrong++;
		return;
	}
	memcpy(w.p, &record, sizeof(record));
	complete[number] = true;
	tr2_ring_end(&w);
}

static void on_step(int signo, siginfo_t *info, void *context)
{
	bool is_there = breakpoint_is_hit(path, context, is_writing);

	if (is_there) {
		look();
		write_one();
		has_interrupted = true;
	}
	if (path->is_recording || has_interrupted)
		look();
	if (has_interrupted && is_writing)
		stop_after_handler(context);
}

/* No stop: the path is recorded without an interruption. */
#define NEVER -1

/* Run the same instructions, recorded or not. */
static __attribute__((noinline)) void write_stepped(void)
{
	is_writing = true;
	write_one();
	is_writing = false;
}

static void write_interrupted(long at)
{
	if (at == NEVER)
		breakpoint_record(path, true);
	else
		breakpoint_set(path, at);
	write_stepped();
	if (at == NEVER)
		breakpoint_record(path, false);
	stop_after_each(false);
}

/* The handler writes after instruction `at` of record `which`. */
static void run_once(unsigned int which, long at, uint64_t start)
{
	unsigned int i;

	memset(&memory, 0, sizeof(memory));
	for (i = 0; i < RECORDS + 2; i++)
		complete[i] = false;
	next_number = 0;
	has_interrupted = false;
	tr2_arena_rings.data_offset = offsetof(__typeof__(memory), data);
	tr2_arena_rings.data_size = ring->data_size = ring->backed = DATA_SIZE;
	ring->data_head = ring->data_tail = ring->reserved = ring->wake_head =
		ring->room_until = start;
	for (i = 0; i < RECORDS; i++) {
		if (i == which)
			write_interrupted(at);
		else
			write_one();
	}
	look();
	nr_wrong += has_interrupted != (at != NEVER) || ring->nest ||
		    ring->reserved > ring->data_head || ring->pending ||
		    ring->unreported;
	for (i = 0; i < next_number; i++)
		nr_wrong += !complete[i];
	/* None is missing: the ring has the handler's record and the
	 * writer's. */
	nr_wrong += ring->data_head - start < next_number * RECORD_BYTES;
}

/* first: of the instructions, if not all of them are to be interrupted */
static void run_all(uint64_t start, long first, const char *where)
{
	const long stride = getenv("GIT_TEST_LONG") ? 1 : 2 * RECORDS;
	char what[128];
	unsigned int which;
	long at = 0, nr = 0;

	nr_wrong = 0;
	for (which = 0; which < RECORDS && !nr_wrong; which++) {
		path_begin(path);
		do
			run_once(which, NEVER, start);
		while (!path->is_whole);
		for (at = 0; at < path->nr && !nr_wrong; at++) {
			if (!path->counts[at] ||
			    (at + first + which) % stride)
				continue;
			run_once(which, at, start);
			nr++;
		}
	}
	snprintf(what, sizeof(what), "a handler at %ld instructions, %s", nr,
		 where);
	if (!ok(!nr_wrong && nr > 100, what))
		printf("# %u looks found something wrong, behind %ld of %u\n",
		       nr_wrong, at, which);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_step,
				    .sa_flags = SA_SIGINFO };

	if (TR2_TSAN) {
		puts("1..0 # SKIP ThreadSanitizer watches writes to the code");
		return 0;
	}
	path = path_new();
	sigaction(SIGTRAP, &action, NULL);
	run_once(0, NEVER, END);
	if (!path->nr) {
		puts("1..0 # SKIP nothing stops behind each instruction here");
		return 0;
	}
	run_all(END - 2 * RECORD_BYTES, 0, "across 2^32");
	run_all(END - 2 * RECORD_BYTES + 8, RECORDS,
		"across the end of the buffer");
	return done_testing();
}
