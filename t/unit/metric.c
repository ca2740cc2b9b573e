/* SPDX-License-Identifier: MIT */
/* Cells: buckets, folding, and slots. How often a cell is read is counted. */
static unsigned int nr_reads;
#define TR2_ON_READ() (nr_reads++)
#include "../../lib/metric/cell.c"

#include "tap.h"

TRACE2_TIMER(timed, "unit", "timed", TRACE2_HISTOGRAM);
TRACE2_TIMER(again, "unit", "timed", TRACE2_HISTOGRAM);
TRACE2_COUNTER(counted, "unit", "counted", 0);

static void test_definitions(void)
{
	ok((timed.index & ~TR2_METRIC_MARKS) < TR2_MAX_TIMERS,
	   "a timer is registered");
	ok(timed.index & TR2_METRIC_HISTOGRAM, "and marked for its histogram");
	is_u64(again.index, timed.index, "the same name is the same timer");
	ok(counted.index < TR2_MAX_COUNTERS, "a counter is registered");
	ok(!strcmp(tr2_metric_def(TR2_METRIC_COUNTER, counted.index)->name,
		   "counted"), "under its name");
}

static void test_buckets(void)
{
	unsigned int index = timed.index & ~TR2_METRIC_MARKS;
	struct tr2_slot *slot = tr2_arena_claim();
	struct tr2_timer_cell *cell = &slot->timer[index];
	uint64_t *buckets = tr2_timer_buckets(slot, index);
	unsigned int i, wrong = 0, nr = 0;
	uint64_t ns, lower;

	for (ns = 0; ns < UINT64_MAX / 3; ns += 1 + ns / 7, nr++) {
		memset(buckets, 0, TR2_HISTOGRAM_BUCKETS * sizeof(*buckets));
		tr2_timer_cell_start(cell, 5, TR2_NEST_NS);
		tr2_timer_cell_stop(cell, ns, buckets);
		for (i = 0; i < TR2_HISTOGRAM_BUCKETS && !buckets[i]; i++)
			;
		lower = i ? tr2_histogram_upper(i - 1) + 1 : 0;
		wrong += ns < lower || ns > tr2_histogram_upper(i) ||
			 (tr2_histogram_upper(i) - lower) * 16 > lower;
	}
	is_u64(wrong, 0, "each value is in its bucket, at most 6.25 % wide");
	ok(nr > 200, "values over the whole range");
	is_u64(tr2_histogram_upper(TR2_HISTOGRAM_BUCKETS - 1), UINT64_MAX,
	       "the last bucket ends with the range");
	tr2_arena_free(slot);
}

static void test_fold(void)
{
	unsigned int index = timed.index & ~TR2_METRIC_MARKS;
	struct tr2_slot *a = tr2_arena_claim(), *b = tr2_arena_claim();
	struct tr2_timer_sum sum;

	tr2_timer_cell_start(&a->timer[index], 100, TR2_NEST_NS);
	tr2_timer_cell_start(&a->timer[index], 150, TR2_NEST_NS);
	tr2_timer_cell_stop(&a->timer[index], 10, NULL);
	tr2_timer_cell_stop(&a->timer[index], 100, NULL);
	tr2_timer_cell_start(&b->timer[index], 0, TR2_NEST_NS);
	tr2_timer_cell_stop(&b->timer[index], 7, NULL);
	tr2_timer_cell_start(&b->timer[index], 1000, TR2_NEST_NS);
	ok(tr2_timer_cell_stop(&b->timer[index + 1], 3, NULL) ==
		   TR2_CELL_UNPAIRED,
	   "a stop without a start is reported");
	tr2_counter_cell_add(&a->counter[counted.index], 40);
	tr2_counter_cell_add(&b->counter[counted.index], UINT64_MAX - 38);
	tr2_metric_fold(a, b, 1010);
	tr2_timer_read(a, index, 5000, &sum);
	is_u64(sum.count, 2, "intervals add up; nested starts are one");
	is_u64(sum.total_ns, 117, "a running interval adds its time so far");
	is_u64(sum.min_ns, 7, "minimum");
	is_u64(sum.max_ns, 100, "maximum");
	is_u64(sum.unfinished, 1, "the running interval is unfinished");
	is_u64(tr2_counter_read(a, counted.index), 1, "counters wrap at 2^64");
	tr2_metric_fold(a, NULL, 0);
	tr2_metric_fold(NULL, b, 0);
	tr2_arena_free(a);
	tr2_arena_free(b);
}

static void test_sums(void)
{
	unsigned int index = timed.index & ~TR2_METRIC_MARKS, i;
	struct tr2_slot *a = tr2_arena_claim(), *b = tr2_arena_claim();
	struct tr2_timer_cell *cell = &b->timer[index];
	struct tr2_timer_sum sum;

	for (i = 0; i < 3; i++)
		tr2_timer_cell_add(cell, INT64_MAX, NULL);
	tr2_timer_read(b, index, 0, &sum);
	is_u64(sum.total_ns, INT64_MAX, "a total stops at 2^63 - 1");
	is_u64(sum.count, 3, "but the number of intervals is right");
	cell->total_ns += 5; /* a short interval, added in line */
	tr2_timer_cell_start(cell, 1, TR2_NEST_NS);
	tr2_metric_fold(a, b, 1000);
	tr2_metric_fold(a, b, 1000);
	tr2_timer_read(a, index, 0, &sum);
	is_u64(sum.total_ns, INT64_MAX, "so does that of several threads");
	tr2_arena_free(a);
	tr2_arena_free(b);
}

static void read_cells(const struct tr2_slot *slot, unsigned int index,
		       unsigned int nr)
{
	struct tr2_timer_sum sum;

	while (nr--)
		tr2_timer_read(slot, index, 0, &sum);
}

/*
 * Test cells whose owner seems to have been killed while it wrote, or to which
 * another program wrote.
 */
static void test_stuck_cells(void)
{
	unsigned int index = timed.index & ~TR2_METRIC_MARKS;
	struct tr2_slot *whole = tr2_arena_claim(), *stuck = tr2_arena_claim();
	struct tr2_timer_sum sum;

	tr2_timer_cell_add(&stuck->timer[index], 7, NULL);
	stuck->timer[index].lock |= 1;
	nr_reads = 0;
	tr2_timer_read(stuck, index, 0, &sum);
	is_u64(sum.total_ns, 7, "a cell whose owner is inside has its values");
	ok(nr_reads >= 100000, "but its owner is given time");
	read_cells(stuck, index, 100000);
	ok(nr_reads < 12000000, "very many such cells are read a few times");
	read_cells(whole, index, 10000);
	nr_reads = 0;
	read_cells(stuck, index, 1);
	ok(nr_reads >= 100000, "then a single one is given time again");
	tr2_arena_free(whole);
	tr2_arena_free(stuck);
}

static void test_slots(void)
{
	struct tr2_slot *slot[TR2_MAX_SLOTS + 20];
	unsigned int i, dirty = 0, nr = TR2_MAX_SLOTS + 20;

	for (i = 0; i < nr; i++) {
		slot[i] = tr2_arena_claim();
		dirty += slot[i]->counter[3] != 0;
		slot[i]->counter[3] = i + 1;
	}
	is_u64(dirty, 0, "more threads than slots have memory of their own");
	for (i = 0; i < nr; i++)
		tr2_arena_free(slot[i]);
	slot[0] = tr2_arena_claim();
	is_u64(slot[0]->counter[3], 0, "a slot that is used again is zero");
	tr2_arena_forget(NULL);
	slot[0] = tr2_arena_claim();
	is_u64(slot[0]->counter[3], 0, "a forked child starts at zero");
}

int main(void)
{
	test_definitions();
	test_buckets();
	test_fold();
	test_sums();
	test_stuck_cells();
	test_slots();
	return done_testing();
}
