/* SPDX-License-Identifier: MIT */
/*
 * top_metrics - tables of the metrics of rings, and of the regions that are
 * open, by rings and streams.
 */
#include <time.h>

#include "base/clock.h"
#include "common/words.h"
#include "common/memory.h"
#include "model/model.h"
#include "out/table.h"
#include "top/top.h"

/* Columns of a process are empty in text if there is only one. */
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

static void cell_metric(struct tr2_table *t, const void *row)
{
	const struct metric_row *r = row;
	const struct tr2_ring_file *f = &r->p->ring->file;
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_cell_str(t, tr2_join(&b, tr2_ring_file_string(f, r->d->category),
				 tr2_ring_file_string(f, r->d->name)));
	tr2_buf_release(&b);
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return (uint64_t)((double)count * 1e9 / (double)ns + 0.5);
}

TR2_CELL(cell_pid, struct metric_row,
	 if (names_process(t, r->several)) tr2_cell_int(t, r->p->pid))
TR2_CELL(cell_count, struct metric_row, tr2_cell_uint(t, r->now->count))
TR2_CELL(cell_per_second, struct metric_row,
	 tr2_cell_uint(t, per_second(r->now->count - r->before->count,
				     r->period_ns)))

static const struct tr2_column counter_columns[] = {
	{ "pid", "PID", 0, cell_pid },
	{ "value", "VALUE", 0, cell_count },
	{ "per_second", "PER SECOND", 0, cell_per_second },
	{ "counter", "COUNTER", TR2_COL_FLEX, cell_metric },
};

static uint64_t busy_ns(const struct tr2_ring_value *v)
{
	return tr2_clock_sum(v->total_ns, v->running_ns);
}

static double busy_share(const struct metric_row *r)
{
	uint64_t now = busy_ns(r->now), was = busy_ns(r->before);

	return now > was ? (double)(now - was) / (double)r->period_ns : 0;
}

TR2_CELL(cell_total, struct metric_row,
	 tr2_cell_ns(t, (int64_t)busy_ns(r->now)))
TR2_CELL(cell_busy, struct metric_row, tr2_cell_share(t, busy_share(r)))
TR2_CELL(cell_mean, struct metric_row,
	 tr2_cell_ns(t, r->now->count ?
			(int64_t)(r->now->total_ns / r->now->count) : 0))
TR2_CELL(cell_min, struct metric_row, tr2_cell_ns(t, (int64_t)r->now->min_ns))
TR2_CELL(cell_max, struct metric_row, tr2_cell_ns(t, (int64_t)r->now->max_ns))
TR2_CELL(cell_running, struct metric_row,
	 if (r->now->running) tr2_cell_uint(t, r->now->running))

static const struct tr2_column timer_columns[] = {
	{ "pid", "PID", 0, cell_pid },
	{ "total_ns", "TOTAL", 0, cell_total },
	{ "busy", "BUSY", TR2_COL_HEAT, cell_busy },
	{ "intervals", "INTERVALS", 0, cell_count },
	{ "per_second", "PER SECOND", 0, cell_per_second },
	{ "mean_ns", "MEAN", 0, cell_mean },
	{ "min_ns", "", TR2_COL_DATA, cell_min },
	{ "max_ns", "MAX", 0, cell_max },
	{ "running", "RUNNING", 0, cell_running },
	{ "timer", "TIMER", TR2_COL_FLEX, cell_metric },
};

/* Of distributions, a value in place of ns. */
TR2_CELL(cell_mean_value, struct metric_row,
	 tr2_cell_uint(t, r->now->count ? r->now->total_ns / r->now->count : 0))
TR2_CELL(cell_sum, struct metric_row, tr2_cell_uint(t, r->now->total_ns))
TR2_CELL(cell_least, struct metric_row, tr2_cell_uint(t, r->now->min_ns))
TR2_CELL(cell_most, struct metric_row, tr2_cell_uint(t, r->now->max_ns))
TR2_CELL(cell_unit, struct metric_row,
	 tr2_cell_str(t, tr2_ring_file_string(&r->p->ring->file, r->d->unit)))

static const struct tr2_column distribution_columns[] = {
	{ "pid", "PID", 0, cell_pid },
	{ "count", "COUNT", 0, cell_count },
	{ "per_second", "PER SECOND", 0, cell_per_second },
	{ "sum", "", TR2_COL_DATA, cell_sum },
	{ "mean", "MEAN", 0, cell_mean_value },
	{ "min", "MIN", 0, cell_least },
	{ "max", "MAX", 0, cell_most },
	{ "unit", "UNIT", TR2_COL_LEFT, cell_unit },
	{ "distribution", "DISTRIBUTION", TR2_COL_FLEX, cell_metric },
};

TR2_CELL(cell_last, struct metric_row, tr2_cell_int(t, r->gauge->last))
TR2_CELL(cell_gauge_min, struct metric_row, tr2_cell_int(t, r->gauge->min))
TR2_CELL(cell_gauge_max, struct metric_row, tr2_cell_int(t, r->gauge->max))

static const struct tr2_column gauge_columns[] = {
	{ "pid", "PID", 0, cell_pid },
	{ "last", "NOW", 0, cell_last },
	{ "min", "MIN", 0, cell_gauge_min },
	{ "max", "MAX", 0, cell_gauge_max },
	{ "unit", "UNIT", TR2_COL_LEFT, cell_unit },
	{ "gauge", "GAUGE", TR2_COL_FLEX, cell_metric },
};

/* A timer or counter that was never used is not shown. */
static bool is_touched(const struct tr2_ring_value *v)
{
	return v->count || v->running || v->unpaired;
}

/* Return the time since the previous reading, or since the start. */
static uint64_t period_ns(const struct tr2_top_ring *ring)
{
	uint64_t ns = ring->before.values ?
			      ring->now.at_ns - ring->before.at_ns : 0;

	if (!ns)
		ns = (uint64_t)ring->ran_ns;
	return ns ? ns : 1;
}

/* Return the value of a definition at the previous reading; rows never
 * change. */
static const struct tr2_ring_value *before(const struct tr2_top_ring *ring,
					   uint32_t i)
{
	static const struct tr2_ring_value none;

	return ring->before.values && i < ring->before.nr ?
		       &ring->before.values[i] : &none;
}

/* Return the table of a row, by its kind; NULL: it is not shown. */
static struct tr2_table *table_of(const struct metric_row *row,
				  struct tr2_table *metrics)
{
	if (row->d->kind == TR2_DEFINITION_GAUGE)
		return row->gauge ? &metrics[TR2_TOP_GAUGES] : NULL;
	if (!is_touched(row->now))
		return NULL;
	switch (row->d->kind) {
	case TR2_DEFINITION_TIMER:
		return &metrics[TR2_TOP_TIMERS];
	case TR2_DEFINITION_DISTRIBUTION:
		return &metrics[TR2_TOP_DISTRIBUTIONS];
	case TR2_DEFINITION_COUNTER:
		return &metrics[TR2_TOP_COUNTERS];
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
		row.before = before(ring, i);
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

	tr2_table_init(&metrics[TR2_TOP_TIMERS], out, "timers",
		       TR2_COLUMNS(timer_columns));
	tr2_table_init(&metrics[TR2_TOP_DISTRIBUTIONS], out, "distributions",
		       TR2_COLUMNS(distribution_columns));
	tr2_table_init(&metrics[TR2_TOP_COUNTERS], out, "counters",
		       TR2_COLUMNS(counter_columns));
	tr2_table_init(&metrics[TR2_TOP_GAUGES], out, "gauges",
		       TR2_COLUMNS(gauge_columns));
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
	int64_t ran_ns; /* of its session */
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
	if (b->len)
		tr2_buf_addlit(b, " > ");
	tr2_buf_addstr(b, tr2_s(m, s->category));
	tr2_buf_addch(b, '/');
	tr2_buf_addstr(b, tr2_s(m, s->label));
}

static void cell_in(struct tr2_table *t, const void *row)
{
	const struct thread_row *r = row;
	int64_t start = r->m->spans[r->open].start_ns;

	if (r->open && r->ran_ns > start)
		tr2_cell_ns(t, r->ran_ns - start);
}

static void cell_regions(struct tr2_table *t, const void *row)
{
	const struct thread_row *r = row;
	struct tr2_buf b = TR2_BUF_INIT;

	if (!r->open)
		return;
	add_regions(&b, r->m, r->open);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

TR2_CELL(cell_thread_pid, struct thread_row,
	 if (names_process(t, r->several)) tr2_cell_int(t, r->p->pid))
TR2_CELL(cell_tid, struct thread_row, if (r->tid) tr2_cell_uint(t, r->tid))
TR2_CELL(cell_since, struct thread_row, tr2_cell_ns(t, r->since_ns))
TR2_CELL(cell_thread, struct thread_row, tr2_cell_str(t, r->name))

static const struct tr2_column thread_columns[] = {
	{ "pid", "PID", 0, cell_thread_pid },
	{ "tid", "TID", 0, cell_tid },
	{ "wall_ns", "SINCE", 0, cell_since },
	{ "thread", "THREAD", TR2_COL_LEFT, cell_thread },
	{ "in_ns", "FOR", 0, cell_in },
	{ "regions", "IN", TR2_COL_LEFT | TR2_COL_FLEX, cell_regions },
};

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

/* All threads that use the library, in a region or not. */
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

/* Those threads that are in a region. */
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
