/* SPDX-License-Identifier: MIT */
/* ring_cells - read and sum the cells of slots while threads end. */
#include "format/ring/ring_cells.h"

#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "format/ring/ring_event.h"

/* Try at most this often to sum while threads end, or to read a cell while it
 * changes. */
#define TRIES 100

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The cells of one slot that are in the file and fit into this struct. Starts
 * are in ns. */
struct cells {
	uint64_t counter[TR2_MAX_COUNTERS];
	struct tr2_timer_cell timer[TR2_MAX_TIMERS];
};

/* The clock by which a slot's ticks are converted to ns. */
struct clock {
	uint32_t lock, reserved;
	uint64_t ticks, ns, rate;
};
_Static_assert(sizeof(struct clock) ==
		       offsetof(struct tr2_control, unreported) -
			       offsetof(struct tr2_control, clock_lock),
	       "layout");

/* Return the kind of the cells in which a definition's values are, named by a
 * kind of metrics: a distribution has the cells of a timer. */
static unsigned int cell_kind(const struct tr2_definition *d)
{
	static const uint8_t cells[] = {
#define TR2_METRIC_KIND(KIND, kind, number, CELL, ...) \
	[TR2_DEFINITION_##KIND] = TR2_DEFINITION_##CELL,
#include "arena/kinds.def"
	};

	return d->kind < ARRAY_SIZE(cells) ? cells[d->kind] :
					     TR2_DEFINITION_NONE;
}

/* Return 1 + the largest used index of a kind of cells. */
static uint32_t nr_used(const struct tr2_ring_file *f, unsigned int kind,
			uint32_t max)
{
	uint32_t i, nr = 0;

	for (i = 0; i < f->nr_definitions; i++)
		if (cell_kind(&f->definitions[i]) == kind &&
		    f->definitions[i].index < max &&
		    f->definitions[i].index >= nr)
			nr = f->definitions[i].index + 1;
	return nr;
}

/*
 * Read a timer under its lock. A busy timer may change during each try: then
 * use the last reading, which may be off by the interval that just ended. A
 * change of `nest` does not change the lock, so read the start after `nest`.
 */
static void read_timer(const struct tr2_ring_file *f, uint64_t at,
		       struct tr2_timer_cell *cell)
{
	uint64_t start_at = at + offsetof(struct tr2_timer_cell, start);
	uint32_t after;
	int i;

	for (i = 0; i < TRIES; i++)
		if (!tr2_ring_file_read(f, at, cell, sizeof(*cell)) ||
		    !tr2_ring_file_read(f, start_at, &cell->start,
					sizeof(cell->start)) ||
		    !tr2_ring_file_read(f, at, &after, sizeof(after)) ||
		    (cell->lock == after && !(after & 1)))
			return;
}

/* Read the clock under its lock, like read_timer(). */
static void read_clock(const struct tr2_ring_file *f, uint32_t slot,
		       struct clock *clock)
{
	uint64_t at = tr2_ring_file_slot(f, slot) +
		      offsetof(struct tr2_control, clock_lock);
	uint32_t after;
	int i;

	for (i = 0; i < TRIES; i++)
		if (!tr2_ring_file_read(f, at, clock, sizeof(*clock)) ||
		    !tr2_ring_file_read(f, at, &after, sizeof(after)) ||
		    (clock->lock == after && !(after & 1)))
			return;
}

/*
 * Convert ticks to ns. If the process was suspended after this moment, the
 * result may be too early: return at least the start of the process.
 */
static uint64_t ns_of(const struct tr2_ring_file *f, const struct clock *clock,
		      uint64_t ticks)
{
	__int128 ns = (__int128)clock->ns +
		      ((__int128)(int64_t)(ticks - clock->ticks) *
			       clock->rate >> 32);

	if (ns < (__int128)f->header.start_ns)
		return f->header.start_ns;
	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* Convert the start of an interval to ns. The start is in ticks, or marked as
 * ns. */
static void convert_start(const struct tr2_ring_file *f, uint32_t slot,
			  struct tr2_timer_cell *cell)
{
	struct clock clock = { 0 };

	if (!cell->nest)
		return;
	if (cell->nest == TR2_NEST_BUSY) { /* the thread was killed while it
					    * added the interval */
		cell->nest = 0;
	} else if (cell->nest & TR2_NEST_NS) {
		cell->nest &= ~TR2_NEST_NS;
	} else {
		read_clock(f, slot, &clock);
		cell->start = ns_of(f, &clock, cell->start);
	}
}

static void read_cells(const struct tr2_ring_file *f, uint32_t slot,
		       struct cells *cells)
{
	const struct tr2_arena_header *h = &f->header;
	uint64_t at = tr2_ring_file_slot(f, slot);
	uint32_t i, nr;

	nr = nr_used(f, TR2_DEFINITION_COUNTER,
		     (uint32_t)smaller_of(h->max_counters, TR2_MAX_COUNTERS));
	memset(cells, 0, sizeof(*cells));
	if (nr)
		tr2_ring_file_read(f, at + h->counters_offset, cells->counter,
				   nr * sizeof(uint64_t));
	nr = nr_used(f, TR2_DEFINITION_TIMER,
		     (uint32_t)smaller_of(h->max_timers, TR2_MAX_TIMERS));
	for (i = 0; i < nr; i++) {
		read_timer(f, at + h->timers_offset +
				      (uint64_t)i * h->timer_size,
			   &cells->timer[i]);
		convert_start(f, slot, &cells->timer[i]);
	}
}

static void add_timer(struct tr2_ring_value *v, const struct tr2_timer_cell *t,
		      uint64_t now_ns)
{
	if (t->count) {
		if (!v->count || t->min_ns < v->min_ns)
			v->min_ns = t->min_ns;
		if (t->max_ns > v->max_ns)
			v->max_ns = t->max_ns;
	}
	v->count += t->count;
	v->total_ns = tr2_clock_sum(v->total_ns, t->total_ns);
	v->unpaired += t->unpaired;
	if (t->nest) {
		v->running++;
		v->running_ns = tr2_clock_sum(v->running_ns,
					      tr2_clock_since(t->start,
							      now_ns));
	}
}

static void add_cells(const struct tr2_ring_file *f, const struct cells *cells,
		      uint64_t now_ns, struct tr2_ring_value *out)
{
	const struct tr2_definition *d = f->definitions;
	uint32_t i;

	for (i = 0; i < f->nr_definitions; i++) {
		if (cell_kind(&d[i]) == TR2_DEFINITION_COUNTER &&
		    d[i].index < TR2_MAX_COUNTERS)
			out[i].count += cells->counter[d[i].index];
		else if (cell_kind(&d[i]) == TR2_DEFINITION_TIMER &&
			 d[i].index < TR2_MAX_TIMERS)
			add_timer(&out[i], &cells->timer[d[i].index], now_ns);
	}
}

void tr2_ring_cells_of(struct tr2_ring_file *f, uint32_t slot, uint64_t now_ns,
		       struct tr2_ring_value *out)
{
	struct cells cells;

	memset(out, 0, f->nr_definitions * sizeof(*out));
	if (slot >= f->nr_slots)
		return;
	read_cells(f, slot, &cells);
	add_cells(f, &cells, now_ns, out);
}

/* Does the slot count? Slot 0 counts, since ended threads are added to it;
 * slots of live threads count, too. */
static bool is_counted(struct tr2_ring_file *f, uint32_t slot)
{
	struct tr2_control c;

	return !slot || (tr2_ring_file_control(f, slot, &c) &&
			 c.state == TR2_SLOT_LIVE);
}

static uint32_t fold_lock(const struct tr2_ring_file *f)
{
	uint32_t lock = 0;

	tr2_ring_file_read(f, offsetof(struct tr2_arena_header, fold_lock),
			   &lock, sizeof(lock));
	return lock;
}

static void sum_once(struct tr2_ring_file *f, uint64_t now_ns,
		     struct tr2_ring_value *out)
{
	struct cells cells;
	uint32_t slot;

	memset(out, 0, f->nr_definitions * sizeof(*out));
	for (slot = 0; slot < f->nr_slots; slot++) {
		if (!is_counted(f, slot))
			continue;
		read_cells(f, slot, &cells);
		add_cells(f, &cells, now_ns, out);
	}
}

bool tr2_ring_cells_sum(struct tr2_ring_file *f, uint64_t now_ns,
			struct tr2_ring_value *out)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint32_t before;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = fold_lock(f);
		sum_once(f, now_ns, out);
		if (!(before & 1) && before == fold_lock(f))
			return true;
		if (!(before & 1))
			continue;
		/* Pause, and try again: another thread adds the cells of an
		 * ended thread. The adding thread may have no CPU at present,
		 * or may be dead. */
		if (!tr2_ring_file_is_alive(f))
			break;
		nanosleep(&pause, NULL);
	}
	return false;
}

bool tr2_ring_cells_gauge(const struct tr2_ring_file *f,
			  const struct tr2_definition *d,
			  struct tr2_ring_gauge *out)
{
	const struct tr2_arena_header *h = &f->header;
	struct tr2_gauge_cell cell;

	if (d->kind != TR2_DEFINITION_GAUGE || d->index >= h->max_gauges ||
	    h->gauge_size < sizeof(cell) || h->gauges_offset > f->size ||
	    !tr2_ring_file_read(f, h->gauges_offset +
					   (uint64_t)d->index * h->gauge_size,
				&cell, sizeof(cell)) ||
	    (!cell.high && !cell.low))
		return false;
	out->last = cell.last;
	out->min = tr2_gauge_value(~cell.low);
	out->max = tr2_gauge_value(cell.high);
	return true;
}

static void add_buckets(struct tr2_ring_file *f, const struct tr2_definition *d,
			uint32_t slot, uint64_t sum[TR2_HISTOGRAM_BUCKETS])
{
	uint64_t one[TR2_HISTOGRAM_BUCKETS];
	uint64_t at = tr2_ring_file_slot(f, slot) +
		      f->header.histograms_offset +
		      (uint64_t)(d->histogram - 1) * f->header.histogram_size;
	unsigned int i;

	if (!tr2_ring_file_read(f, at, one, sizeof(one)))
		return;
	for (i = 0; i < TR2_HISTOGRAM_BUCKETS; i++)
		sum[i] += one[i];
}

void tr2_ring_cells_histogram(struct tr2_ring_file *f,
			      const struct tr2_definition *d, uint32_t slot,
			      struct tr2_buf *out)
{
	const struct tr2_arena_header *h = &f->header;
	uint64_t sum[TR2_HISTOGRAM_BUCKETS] = { 0 };
	unsigned int i;
	uint32_t one;

	if (!d->histogram || d->histogram > h->max_histograms ||
	    h->histogram_buckets != TR2_HISTOGRAM_BUCKETS)
		return;
	for (one = 0; one < f->nr_slots; one++)
		if (slot == one ||
		    (slot == TR2_RING_ALL_SLOTS && is_counted(f, one)))
			add_buckets(f, d, one, sum);
	for (i = 0; i < TR2_HISTOGRAM_BUCKETS; i++)
		if (sum[i])
			tr2_ring_add_bucket(out, tr2_histogram_upper(i), sum[i],
					    d->kind == TR2_DEFINITION_TIMER);
	if (out->len)
		tr2_buf_addch(out, ']');
}
