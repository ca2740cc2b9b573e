/* SPDX-License-Identifier: MIT */
/*
 * top_metrics - the tables of metrics, which are read from rings, and of open
 * regions, which are read from rings and streams.
 */
#include <time.h>

#include "base/clock.h"
#include "common/memory.h"
#include "model/model.h"
#include "out/table.h"
#include "top/top.h"

static bool names_process(const struct tr2_table *t, bool several)
{
	return several || !tr2_output_is_text(t->output);
}

struct metric_row {
	const struct tr2_top_process *p;
	const struct tr2_definition *d;
	const struct tr2_ring_value *now, *before;
	const struct tr2_ring_gauge *gauge;
	uint64_t period_ns;
	bool several;
};

static void cell_metric(struct tr2_table *t, const struct metric_row *r)
{
	const struct tr2_ring_file *f = &r->p->ring->file;

	tr2_cell_strf(t, "%s/%s", tr2_ring_file_string(f, r->d->category),
		      tr2_ring_file_string(f, r->d->name));
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return (uint64_t)((double)count * 1e9 / (double)ns + 0.5);
}

/* In text, show the process only if there are several processes. */
#define PID(COLUMN) \
	COLUMN(pid, "PID", 0, \
	       if (names_process(t, r->several)) tr2_cell_int(t, r->p->pid))
#define PER_SECOND(COLUMN) \
	COLUMN(per_second, "PER SECOND", 0, \
	       tr2_cell_uint(t, per_second(r->now->count - r->before->count, \
					   r->period_ns)))
#define UNIT(COLUMN) \
	COLUMN(unit, "UNIT", TR2_COL_LEFT, \
	       tr2_cell_str(t, tr2_ring_file_string(&r->p->ring->file, \
						    r->d->unit)))

#define COUNTER_COLUMNS(COLUMN, DATA, TEXT) \
	PID(COLUMN) \
	COLUMN(value, "VALUE", 0, tr2_cell_uint(t, r->now->count)) \
	PER_SECOND(COLUMN) \
	COLUMN(counter, "COUNTER", TR2_COL_FLEX, cell_metric(t, r))

TR2_COLUMN_LIST(counter_columns, struct metric_row, COUNTER_COLUMNS)

static uint64_t mean_of(const struct tr2_ring_value *v)
{
	return v->count ? v->total_ns / v->count : 0;
}

static uint64_t busy_ns(const struct tr2_ring_value *v)
{
	return tr2_clock_sum(v->total_ns, v->running_ns);
}

static double busy_share(const struct metric_row *r)
{
	uint64_t now = busy_ns(r->now), was = busy_ns(r->before);

	return now > was ? (double)(now - was) / (double)r->period_ns : 0;
}

#define TIMER_COLUMNS(COLUMN, DATA, TEXT) \
	PID(COLUMN) \
	COLUMN(total_ns, "TOTAL", 0, tr2_cell_ns(t, (int64_t)busy_ns(r->now))) \
	COLUMN(busy, "BUSY", TR2_COL_HEAT, tr2_cell_share(t, busy_share(r))) \
	COLUMN(intervals, "INTERVALS", 0, tr2_cell_uint(t, r->now->count)) \
	PER_SECOND(COLUMN) \
	COLUMN(mean_ns, "MEAN", 0, tr2_cell_ns(t, (int64_t)mean_of(r->now))) \
	DATA(min_ns, tr2_cell_ns(t, (int64_t)r->now->min_ns)) \
	COLUMN(max_ns, "MAX", 0, tr2_cell_ns(t, (int64_t)r->now->max_ns)) \
	COLUMN(running, "RUNNING", 0, \
	       if (r->now->running) tr2_cell_uint(t, r->now->running)) \
	COLUMN(timer, "TIMER", TR2_COL_FLEX, cell_metric(t, r))

TR2_COLUMN_LIST(timer_columns, struct metric_row, TIMER_COLUMNS)

/* The columns of distributions, which have values in place of times. */
#define DISTRIBUTION_COLUMNS(COLUMN, DATA, TEXT) \
	PID(COLUMN) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->now->count)) \
	PER_SECOND(COLUMN) \
	DATA(sum, tr2_cell_uint(t, r->now->total_ns)) \
	COLUMN(mean, "MEAN", 0, tr2_cell_uint(t, mean_of(r->now))) \
	COLUMN(min, "MIN", 0, tr2_cell_uint(t, r->now->min_ns)) \
	COLUMN(max, "MAX", 0, tr2_cell_uint(t, r->now->max_ns)) \
	UNIT(COLUMN) \
	COLUMN(distribution, "DISTRIBUTION", TR2_COL_FLEX, cell_metric(t, r))

TR2_COLUMN_LIST(distribution_columns, struct metric_row, DISTRIBUTION_COLUMNS)

#define GAUGE_COLUMNS(COLUMN, DATA, TEXT) \
	PID(COLUMN) \
	COLUMN(last, "NOW", 0, tr2_cell_int(t, r->gauge->last)) \
	COLUMN(min, "MIN", 0, tr2_cell_int(t, r->gauge->min)) \
	COLUMN(max, "MAX", 0, tr2_cell_int(t, r->gauge->max)) \
	UNIT(COLUMN) \
	COLUMN(gauge, "GAUGE", TR2_COL_FLEX, cell_metric(t, r))

TR2_COLUMN_LIST(gauge_columns, struct metric_row, GAUGE_COLUMNS)

/* Return whether the metric was ever used. Timers and counters that were not
 * used are left out. */
static bool is_touched(const struct tr2_ring_value *v)
{
	return v->count || v->running || v->unpaired;
}

/* Return the time between the last two readings; at the first reading, the time
 * since the start. */
static uint64_t period_ns(const struct tr2_top_ring *ring)
{
	uint64_t ns = ring->before.values ?
			      ring->now.at_ns - ring->before.at_ns : 0;

	if (!ns)
		ns = (uint64_t)ring->ran_ns;
	return ns ? ns : 1;
}

/* Return the value of a definition at the previous reading, in which the
 * definition had the same row. */
static const struct tr2_ring_value *
value_before(const struct tr2_top_ring *ring, uint32_t i)
{
	static const struct tr2_ring_value none;

	return ring->before.values && i < ring->before.nr ?
		       &ring->before.values[i] : &none;
}

/* Return the table for a row, by its kind; NULL: the row is not shown. */
static struct tr2_table *table_of(const struct metric_row *row,
				  struct tr2_table *metrics)
{
	if (row->d->kind == TR2_DEFINITION_GAUGE ? !row->gauge :
						   !is_touched(row->now))
		return NULL;
	switch (row->d->kind) {
#define TR2_METRIC_KIND(KIND, ...) \
	case TR2_DEFINITION_##KIND: \
		return &metrics[TR2_TOP_##KIND];
#include "arena/kinds.def"
	default:
		return NULL;
	}
}

static void add_metrics(const struct tr2_top_process *p, bool several,
			struct tr2_table *metrics)
{
	const struct tr2_top_ring *ring = p->ring;
	struct metric_row row = { .p = p, .several = several,
				  .period_ns = period_ns(ring) };
	struct tr2_ring_gauge gauge;
	struct tr2_table *table;
	uint32_t i;

	for (i = 0; i < ring->now.nr; i++) {
		row.d = &ring->file.definitions[i];
		row.now = &ring->now.values[i];
		row.before = value_before(ring, i);
		row.gauge = row.d->kind == TR2_DEFINITION_GAUGE &&
			    tr2_ring_cells_gauge(&ring->file, row.d, &gauge) ?
			&gauge : NULL;
		table = table_of(&row, metrics);
		if (table)
			tr2_table_add(table, &row);
	}
}

void tr2_top_add_metrics(const struct tr2_top *top, struct tr2_output *out,
			 struct tr2_table *metrics)
{
	uint32_t i;

#define TR2_METRIC_KIND(KIND, kind, ...) \
	tr2_table_init(&metrics[TR2_TOP_##KIND], out, #kind "s", \
		       TR2_COLUMNS(kind##_columns));
#include "arena/kinds.def"
	for (i = 1; i < top->nr; i++)
		if (top->process[i].ring)
			add_metrics(&top->process[i], top->nr_live > 1,
				    metrics);
}

struct thread_row {
	const struct tr2_top_process *p;
	uint32_t tid; /* 0: unknown */
	const char *name;
	int64_t since_ns;
	const struct tr2_model *m;
	uint32_t open; /* the innermost open region; 0: none */
	int64_t ran_ns; /* time since the start of the thread's session */
	bool several;
};

/* Append the open regions around a span, the outermost first. */
static void add_regions(struct tr2_buf *b, const struct tr2_model *m,
			uint32_t span)
{
	const struct tr2_span *s = &m->spans[span];

	if (!span)
		return;
	add_regions(b, m, s->depth < 100 ? s->parent : 0);
	tr2_buf_addall(b, b->len ? " > " : "", tr2_s(m, s->category), "/",
		       tr2_s(m, s->label));
}

static void cell_in(struct tr2_table *t, const struct thread_row *r)
{
	int64_t start = r->m->spans[r->open].start_ns;

	if (r->open && r->ran_ns > start)
		tr2_cell_ns(t, r->ran_ns - start);
}

static void cell_regions(struct tr2_table *t, const struct thread_row *r)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (!r->open)
		return;
	add_regions(&b, r->m, r->open);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

#define THREAD_COLUMNS(COLUMN, DATA, TEXT) \
	PID(COLUMN) \
	COLUMN(tid, "TID", 0, if (r->tid) tr2_cell_uint(t, r->tid)) \
	COLUMN(wall_ns, "SINCE", 0, tr2_cell_ns(t, r->since_ns)) \
	COLUMN(thread, "THREAD", TR2_COL_LEFT, tr2_cell_str(t, r->name)) \
	COLUMN(in_ns, "FOR", 0, cell_in(t, r)) \
	COLUMN(regions, "IN", TR2_COL_LEFT | TR2_COL_FLEX, cell_regions(t, r))

TR2_COLUMN_LIST(thread_columns, struct thread_row, THREAD_COLUMNS)

static uint32_t find_thread(const struct tr2_model *m, const char *name)
{
	uint32_t i;

	if (m->nr_sessions > 1)
		tr2_for_each_thread(m, 1, i)
			if (!strcmp(tr2_s(m, m->threads[i].name), name))
				return i;
	return 0;
}

static bool is_full(const struct tr2_table *t, uint32_t max)
{
	return max && t->nr_rows >= max;
}

/* Add all threads that use the library, even those outside of regions. */
static void add_of_ring(struct tr2_table *t, const struct tr2_top_process *p,
			bool several, uint32_t max)
{
	struct tr2_top_ring *ring = p->ring;
	struct tr2_model *m = tr2_top_ring_model(ring);
	struct thread_row row = { .p = p, .m = m, .several = several,
				  .ran_ns = ring->ran_ns };
	struct tr2_control c;
	uint32_t slot, thread;

	for (slot = 1; slot < ring->file.nr_slots && !is_full(t, max); slot++) {
		if (!tr2_ring_file_control(&ring->file, slot, &c) ||
		    c.state != TR2_SLOT_LIVE)
			continue;
		thread = find_thread(m, c.name);
		row.open = thread ? m->threads[thread].open : 0;
		row.tid = c.tid;
		row.name = c.name;
		row.since_ns = ring->now.at_ns > c.start_ns ?
			(int64_t)(ring->now.at_ns - c.start_ns) : 0;
		tr2_table_add(t, &row);
	}
	tr2_model_free(m);
}

static int64_t wall_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Add the threads that are in a region. */
static void add_of_stream(struct tr2_table *t, const struct tr2_top_process *p,
			  bool several, uint32_t max)
{
	const struct tr2_model *m = p->stream->m;
	const struct tr2_model_session *s = &m->sessions[m->nr_sessions - 1];
	struct thread_row row = { .p = p, .m = m, .several = several };
	uint32_t i;

	if (m->nr_sessions < 2)
		return;
	row.ran_ns = wall_now_ns() - s->wall_ns;
	tr2_for_each_thread(m, m->nr_sessions - 1, i) {
		row.open = m->threads[i].open;
		row.name = tr2_s(m, m->threads[i].name);
		row.since_ns = row.ran_ns - m->threads[i].start_ns;
		if (row.open && !is_full(t, max))
			tr2_table_add(t, &row);
	}
}

void tr2_top_add_threads(const struct tr2_top *top, struct tr2_output *out,
			 struct tr2_table *threads, uint32_t max)
{
	const struct tr2_top_process *p;
	uint32_t i;

	tr2_table_init(threads, out, "threads", TR2_COLUMNS(thread_columns));
	for (i = 1; i < top->nr && !is_full(threads, max); i++) {
		p = &top->process[i];
		if (p->ring && p->ring->alive)
			add_of_ring(threads, p, top->nr_live > 1, max);
		else if (p->stream && p->stream->m && p->state < TR2_TOP_ZOMBIE)
			add_of_stream(threads, p, top->nr_live > 1, max);
	}
}
