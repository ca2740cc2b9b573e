/* SPDX-License-Identifier: MIT */
/*
 * A signal handler that writes a record at each single instruction of another
 * write to the same ring: the processor stops behind every one of them, and the
 * handler runs behind the first, then the second, and so on to the last. What a
 * reader sees is looked at behind every instruction, too. Other processors
 * than x86-64, and valgrind, cannot be stopped so.
 */
#include <signal.h>
#include <stdlib.h>

#include "ring/ring.h"
#include "tap.h"
#include "../helper/single-step.h"

#define DATA_SIZE 4096u
#define START (UINT64_C(0x100000000) - 512) /* of positions */
#define RECORDS 3 /* of the one that is interrupted, in each run */
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
static volatile long steps, interrupt_at;
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
	struct tr2_inside in;

	if (!tr2_ring_begin(&w, &memory.slot, RECORD_BYTES, &in)) {
		nr_wrong++;
		return;
	}
	memcpy(w.p, &record, sizeof(record));
	complete[number] = true;
	tr2_ring_end(&w);
}

static void on_step(int signo)
{
	(void)signo;
	look();
	if (steps++ == interrupt_at)
		write_one();
}

/* The handler's write comes behind instruction `at`; false: there are less. */
static bool run_once(long at, uint64_t start)
{
	unsigned int i;

	memset(&memory, 0, sizeof(memory));
	for (i = 0; i < RECORDS + 2; i++)
		complete[i] = false;
	next_number = 0;
	steps = 0;
	interrupt_at = at;
	tr2_arena_rings.data_offset = offsetof(__typeof__(memory), data);
	tr2_arena_rings.data_size = ring->data_size = ring->backed = DATA_SIZE;
	ring->data_head = ring->data_tail = ring->reserved = ring->wake_head =
		ring->room_until = start;
	stop_behind_each(true);
	for (i = 0; i < RECORDS; i++)
		write_one();
	stop_behind_each(false);
	look();
	nr_wrong += ring->nest || ring->reserved != ring->data_head ||
		    ring->pending || ring->untold;
	for (i = 0; i < next_number; i++)
		nr_wrong += !complete[i];
	/* All are there: what the ring holds is one handler's and ours. */
	nr_wrong += ring->data_head - start < next_number * RECORD_BYTES;
	return steps > at;
}

static void run_all(uint64_t start, const char *where)
{
	char what[128];
	long at = 0;

	nr_wrong = 0;
	while (run_once(at, start) && !nr_wrong)
		at++;
	snprintf(what, sizeof(what), "a handler at each of %ld instructions, %s",
		 at, where);
	if (!ok(!nr_wrong && at > 100, what))
		printf("# %u looks found something wrong, behind %ld\n", nr_wrong,
		       at);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_step };

	sigaction(SIGTRAP, &action, NULL);
	run_once(0, START);
	if (!steps || TR2_TSAN) {
		puts("1..0 # SKIP nothing stops behind each instruction here");
		return 0;
	}
	run_all(START, "across 2^32");
	run_all(START - 64, "across the end of the buffer");
	return done_testing();
}
