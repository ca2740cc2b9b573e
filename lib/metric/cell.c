/* SPDX-License-Identifier: MIT */
/*
 * Cells: the owner writes them on the hot path, and the thread that folds them
 * reads them.
 *
 * The sequence lock of a timer cell: the owner makes `lock` odd; a release
 * fence keeps the following stores behind it; the store that makes it even
 * again is a release, too. A reader's acquire load of `lock` pairs with that
 * store, its acquire fence before the second load with the owner's fence.
 */
#include "metric/metric.h"

#include <stdatomic.h>

#define load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)

/* All accesses to a cell are atomic, so ThreadSanitizer misses nothing without
 * fences. */
#if TR2_TSAN
#define fence(order) atomic_signal_fence(order)
#else
#define fence(order) atomic_thread_fence(order)
#endif

/* The owner was killed or interrupted inside: use the present values. */
#define MAX_RETRIES 100000u

/* false: a signal handler interrupted this cell's owner. */
static bool cell_lock(struct tr2_timer_cell *cell)
{
	uint32_t lock = load(&cell->lock);

	if (lock & 1)
		return false;
	store(&cell->lock, lock + 1);
	fence(memory_order_release);
	return true;
}

static void cell_unlock(struct tr2_timer_cell *cell)
{
	__atomic_store_n(&cell->lock, load(&cell->lock) + 1, __ATOMIC_RELEASE);
}

enum tr2_cell_result tr2_timer_cell_start(struct tr2_timer_cell *cell,
					  uint64_t now_ns)
{
	uint32_t nest;

	if (!cell_lock(cell))
		return TR2_CELL_BUSY;
	nest = load(&cell->nest);
	if (!nest)
		store(&cell->start_ns, now_ns);
	store(&cell->nest, nest + 1);
	cell_unlock(cell);
	return TR2_CELL_DONE;
}

static void cell_record(struct tr2_timer_cell *cell, uint64_t ns)
{
	uint64_t count = load(&cell->count);

	store(&cell->total_ns, load(&cell->total_ns) + ns);
	if (!count || ns < load(&cell->min_ns))
		store(&cell->min_ns, ns);
	if (!count || ns > load(&cell->max_ns))
		store(&cell->max_ns, ns);
	store(&cell->count, count + 1);
}

/* The outermost stop: add the interval. */
static void cell_finish(struct tr2_timer_cell *cell, uint64_t now_ns,
			uint64_t *buckets)
{
	uint64_t start = load(&cell->start_ns);
	uint64_t ns = now_ns > start ? now_ns - start : 0;

	cell_record(cell, ns);
	if (buckets)
		tr2_counter_cell_add(&buckets[tr2_histogram_bucket(ns)], 1);
}

enum tr2_cell_result tr2_timer_cell_stop(struct tr2_timer_cell *cell,
					 uint64_t now_ns, uint64_t *buckets)
{
	uint32_t nest;

	if (!cell_lock(cell))
		return TR2_CELL_BUSY;
	nest = load(&cell->nest);
	if (nest) {
		store(&cell->nest, nest - 1);
		if (nest == 1)
			cell_finish(cell, now_ns, buckets);
	}
	cell_unlock(cell);
	return nest ? TR2_CELL_DONE : TR2_CELL_UNPAIRED;
}

void tr2_timer_cell_unpaired(struct tr2_timer_cell *cell)
{
	if (!cell_lock(cell))
		return;
	store(&cell->unpaired, load(&cell->unpaired) + 1);
	cell_unlock(cell);
}

uint64_t *tr2_timer_buckets(struct tr2_slot *slot, unsigned int index)
{
	unsigned int histogram =
		tr2_metric_def(TR2_METRIC_TIMER, index)->histogram;

	return histogram ? slot->histogram[histogram - 1].bucket : NULL;
}

uint64_t tr2_counter_read(const struct tr2_slot *slot, unsigned int index)
{
	return slot ? load(&slot->counter[index]) : 0;
}

static void copy_cell(struct tr2_timer_cell *to,
		      const struct tr2_timer_cell *from)
{
	to->nest = load(&from->nest);
	to->start_ns = load(&from->start_ns);
	to->total_ns = load(&from->total_ns);
	to->min_ns = load(&from->min_ns);
	to->max_ns = load(&from->max_ns);
	to->count = load(&from->count);
	to->unpaired = load(&from->unpaired);
}

static void read_cell(struct tr2_timer_cell *to,
		      const struct tr2_timer_cell *from)
{
	uint32_t before, tries = 0;

	do {
		before = __atomic_load_n(&from->lock, __ATOMIC_ACQUIRE);
		copy_cell(to, from);
		fence(memory_order_acquire);
	} while (((before & 1) || load(&from->lock) != before) &&
		 ++tries < MAX_RETRIES);
}

void tr2_timer_read(const struct tr2_slot *slot, unsigned int index,
		    uint64_t now_ns, struct tr2_timer_sum *out)
{
	struct tr2_timer_cell cell = { 0 };

	if (slot)
		read_cell(&cell, &slot->timer[index]);
	out->count = cell.count;
	out->total_ns = cell.total_ns;
	out->min_ns = cell.count ? cell.min_ns : 0;
	out->max_ns = cell.max_ns;
	out->unfinished = cell.unpaired;
	if (cell.nest) {
		out->unfinished++;
		if (now_ns > cell.start_ns)
			out->total_ns += now_ns - cell.start_ns;
	}
}

static void fold_timer(struct tr2_timer_cell *to,
		       const struct tr2_timer_sum *sum)
{
	if (sum->count) {
		if (!to->count || sum->min_ns < to->min_ns)
			to->min_ns = sum->min_ns;
		if (sum->max_ns > to->max_ns)
			to->max_ns = sum->max_ns;
	}
	to->count += sum->count;
	to->total_ns += sum->total_ns;
	to->unpaired += sum->unfinished;
}

void tr2_metric_fold(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns)
{
	unsigned int nr = tr2_metric_nr(TR2_METRIC_TIMER), i, bucket;
	struct tr2_timer_sum sum;
	uint64_t *counts, *more;

	if (!to || !from)
		return;
	for (i = 0; i < nr; i++) {
		tr2_timer_read(from, i, now_ns, &sum);
		if (!sum.count && !sum.unfinished)
			continue;
		fold_timer(&to->timer[i], &sum);
		counts = tr2_timer_buckets(to, i);
		more = tr2_timer_buckets(from, i);
		for (bucket = 0; counts && bucket < TR2_HISTOGRAM_BUCKETS;
		     bucket++)
			counts[bucket] += load(&more[bucket]);
	}
	nr = tr2_metric_nr(TR2_METRIC_COUNTER);
	for (i = 0; i < nr; i++)
		to->counter[i] += tr2_counter_read(from, i);
}

static void clear_timer(struct tr2_timer_cell *cell, uint64_t *buckets)
{
	unsigned int bucket;

	if (!load(&cell->lock))
		return; /* never used: do not touch its page */
	for (bucket = 0; buckets && bucket < TR2_HISTOGRAM_BUCKETS; bucket++)
		store(&buckets[bucket], 0);
	store(&cell->nest, 0);
	store(&cell->start_ns, 0);
	store(&cell->total_ns, 0);
	store(&cell->min_ns, 0);
	store(&cell->max_ns, 0);
	store(&cell->count, 0);
	store(&cell->unpaired, 0);
	/* Release a lock that a signal handler's jump left behind. */
	__atomic_store_n(&cell->lock, (load(&cell->lock) + 2) & ~1u,
			 __ATOMIC_RELEASE);
}

static void clear(struct tr2_slot *slot)
{
	unsigned int nr = tr2_metric_nr(TR2_METRIC_TIMER), i;

	for (i = 0; i < nr; i++)
		clear_timer(&slot->timer[i], tr2_timer_buckets(slot, i));
	nr = tr2_metric_nr(TR2_METRIC_COUNTER);
	for (i = 0; i < nr; i++)
		if (load(&slot->counter[i]))
			store(&slot->counter[i], 0);
}

void tr2_metric_move(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns)
{
	tr2_arena_fold_begin();
	tr2_metric_fold(to, from, now_ns);
	clear(from);
	tr2_arena_fold_end();
}
