/* SPDX-License-Identifier: MIT */
/*
 * Cells: the owner writes them on the hot path, and the thread that adds them
 * up reads them.
 *
 * A timer cell has a sequence lock. The owner makes `lock` odd; a release fence
 * keeps the following stores after this store. The store that makes `lock` even
 * again is a release, too. A reader's acquire load of `lock` pairs with that
 * store. The reader's acquire fence before its second load pairs with the
 * owner's fence.
 *
 * A signal handler may use the same timer between two of these instructions.
 * Before `nest` is set, the handler's interval is counted, and the interrupted
 * interval begins at the latest with the handler's. While an interval is added,
 * TR2_NEST_BUSY rejects the handler's call.
 */
#include "metric/metric.h"

#define load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)

/* In a build for ThreadSanitizer, a fence orders only against signal handlers.
 * All accesses to a cell are atomic, so ThreadSanitizer finds races without
 * fences. */
#if TR2_TSAN
#define fence(order) atomic_signal_fence(order)
#else
#define fence(order) atomic_thread_fence(order)
#endif

/* After this many retries, use the present values: the owner was probably
 * killed or interrupted during a write. */
#define MAX_RETRIES 100000u
/* Every consistent cell adds this many retries to a reserve, and retries for
 * inconsistent cells are taken from the reserve. So the time of reading stays
 * proportional to the number of cells, even if another program writes to a ring
 * and makes very many cells inconsistent. */
#define FEW_RETRIES 100u
static uint32_t spare_retries = 10 * MAX_RETRIES;
#ifndef TR2_ON_READ /* a test defines this macro to count the reads */
#define TR2_ON_READ() ((void)0)
#endif

enum tr2_cell_result tr2_timer_cell_start(struct tr2_timer_cell *cell,
					  uint64_t start, uint32_t unit)
{
	uint32_t nest = load(&cell->nest);

	if (nest == TR2_NEST_BUSY)
		return TR2_CELL_BUSY;
	if (!nest) {
		store(&cell->start, start);
		nest = unit;
	}
	/* Release: a reader that sees `nest` finds the start. */
	__atomic_store_n(&cell->nest, nest + 1, __ATOMIC_RELEASE);
	return TR2_CELL_DONE;
}

/* The product below cannot overflow. Longer intervals are computed from the
 * kernel's clock. */
_Static_assert(TRACE2_INLINE_TICKS_ <= UINT32_MAX, "no overflow below");

uint64_t tr2_timer_cell_elapsed(const struct tr2_timer_cell *cell)
{
	uint64_t start = load(&cell->start), ticks, now_ns;
	uint32_t nest = load(&cell->nest);
	struct tr2_ticks now;

	if (!nest)
		return 0;
	if (nest & TR2_NEST_NS)
		return tr2_clock_since(start, tr2_clock_now_ns());
	ticks = tr2_clock_ticks() - start;
	if (ticks < TRACE2_INLINE_TICKS_)
		return ticks * tr2_mine.rate >> 32;
	now_ns = tr2_clock_now_ns();
	/* The library's clock may be ahead of the counter for a while: convert
	 * both ends of the interval in the same way. */
	if (tr2_clock_ticks_now(&now))
		now_ns = tr2_clock_past_ns(now.now);
	return tr2_clock_since(tr2_clock_past_ns(start), now_ns);
}

void tr2_timer_set_clock(struct tr2_slot *slot,
			 const struct tr2_clock_line *line)
{
	struct tr2_control *control = &slot->control;
	uint32_t lock = load(&control->clock_lock);

	if (lock & 1)
		return; /* a signal handler interrupted an update */
	store(&control->clock_lock, lock + 1);
	fence(memory_order_release);
	store(&control->clock_ticks, line->ticks);
	store(&control->clock_ns, line->ns);
	store(&control->clock_rate, line->rate);
	__atomic_store_n(&control->clock_lock, lock + 2, __ATOMIC_RELEASE);
}

static void cell_record(struct tr2_timer_cell *cell, uint64_t ns)
{
	uint64_t count = load(&cell->count);

	store(&cell->total_ns, tr2_clock_sum(load(&cell->total_ns), ns));
	if (!count || ns < load(&cell->min_ns))
		store(&cell->min_ns, ns);
	if (!count || ns > load(&cell->max_ns))
		store(&cell->max_ns, ns);
	store(&cell->count, count + 1);
}

/* Store lock and nest, two neighbours of 32 bits, by one store of 64 bits. */
static void store_both(struct tr2_timer_cell *cell, uint32_t lock,
		       uint32_t nest)
{
	union both {
		uint64_t both;
		uint32_t each[2];
	} to = { .each = { lock, nest } };

	__atomic_store_n(&((union both *)(void *)cell)->both, to.both,
			 __ATOMIC_RELEASE);
}

/* Add an interval, and set `nest` in the cell. */
static inline void add_interval(struct tr2_timer_cell *cell, uint64_t ns,
				uint64_t *buckets, uint32_t nest)
{
	uint32_t lock = load(&cell->lock);

	store_both(cell, lock | 1, TR2_NEST_BUSY);
	fence(memory_order_release);
	cell_record(cell, ns);
	if (buckets)
		tr2_counter_cell_add(&buckets[tr2_histogram_bucket(ns)], 1);
	store_both(cell, (lock | 1) + 1, nest);
}

enum tr2_cell_result tr2_timer_cell_stop(struct tr2_timer_cell *cell,
					 uint64_t ns, uint64_t *buckets)
{
	uint32_t nest = load(&cell->nest);

	if (nest == TR2_NEST_BUSY)
		return TR2_CELL_BUSY;
	if (!nest)
		return TR2_CELL_UNPAIRED;
	if ((nest & ~TR2_NEST_NS) > 1) {
		store(&cell->nest, nest - 1);
		return TR2_CELL_DONE;
	}
	add_interval(cell, ns, buckets, 0);
	return TR2_CELL_DONE;
}

enum tr2_cell_result tr2_timer_cell_add(struct tr2_timer_cell *cell,
					uint64_t ns, uint64_t *buckets)
{
	uint32_t nest = load(&cell->nest);

	if (nest == TR2_NEST_BUSY)
		return TR2_CELL_BUSY;
	add_interval(cell, ns, buckets, nest);
	return TR2_CELL_DONE;
}

void tr2_timer_cell_unpaired(struct tr2_timer_cell *cell)
{
	store(&cell->unpaired, load(&cell->unpaired) + 1);
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
	/* Acquire: pairs with the release in tr2_timer_cell_start(). */
	to->nest = __atomic_load_n(&from->nest, __ATOMIC_ACQUIRE);
	to->start = load(&from->start);
	to->total_ns = load(&from->total_ns);
	to->min_ns = load(&from->min_ns);
	to->max_ns = load(&from->max_ns);
	to->count = load(&from->count);
	to->unpaired = load(&from->unpaired);
}

/* Update the reserve of retries. Several threads may do so at the same time:
 * the reserve need not be exact. */
static void account_retries(uint32_t spare, uint32_t tries)
{
	if (tries)
		store(&spare_retries, spare > tries ? spare - tries : 0);
	else if (spare < MAX_RETRIES)
		store(&spare_retries, spare + FEW_RETRIES);
}

static void read_cell(struct tr2_timer_cell *to,
		      const struct tr2_timer_cell *from)
{
	uint32_t spare = load(&spare_retries), before, tries = 0;
	uint32_t most = spare < MAX_RETRIES ? spare : MAX_RETRIES;

	do {
		TR2_ON_READ();
		before = __atomic_load_n(&from->lock, __ATOMIC_ACQUIRE);
		copy_cell(to, from);
		fence(memory_order_acquire);
	} while (((before & 1) || load(&from->lock) != before) &&
		 ++tries < most + FEW_RETRIES);
	account_retries(spare, tries);
}

void tr2_timer_read(const struct tr2_slot *slot, unsigned int index,
		    uint64_t now_ns, struct tr2_timer_sum *out)
{
	struct tr2_timer_cell cell = { 0 };
	uint64_t start_ns;

	if (slot)
		read_cell(&cell, &slot->timer[index]);
	out->count = cell.count;
	out->total_ns = tr2_clock_sum(cell.total_ns, 0);
	out->min_ns = cell.count ? cell.min_ns : 0;
	out->max_ns = cell.max_ns;
	out->unfinished = cell.unpaired;
	if (cell.nest && cell.nest != TR2_NEST_BUSY) {
		start_ns = cell.nest & TR2_NEST_NS ?
				   cell.start :
				   tr2_clock_past_ns(cell.start);
		out->unfinished++;
		out->total_ns = tr2_clock_sum(out->total_ns,
					      tr2_clock_since(start_ns,
							      now_ns));
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
	to->total_ns = tr2_clock_sum(to->total_ns, sum->total_ns);
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

	if (!load(&cell->lock) && !load(&cell->nest) && !load(&cell->unpaired))
		return; /* the cell was never used: do not touch its page */
	for (bucket = 0; buckets && bucket < TR2_HISTOGRAM_BUCKETS; bucket++)
		store(&buckets[bucket], 0);
	store(&cell->nest, 0);
	store(&cell->start, 0);
	store(&cell->total_ns, 0);
	store(&cell->min_ns, 0);
	store(&cell->max_ns, 0);
	store(&cell->count, 0);
	store(&cell->unpaired, 0);
	/* Release a lock that a signal handler left held when it jumped. */
	__atomic_store_n(&cell->lock, (load(&cell->lock) + 2) & ~1u,
			 __ATOMIC_RELEASE);
}

static void clear_slot(struct tr2_slot *slot)
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
	clear_slot(from);
	tr2_arena_fold_end();
}
