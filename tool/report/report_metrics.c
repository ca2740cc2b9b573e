/* SPDX-License-Identifier: MIT */
/*
 * report_metrics - trace2 report --timers, --distributions, --counters and
 * --gauges.
 */
#include <stdlib.h>
#include <string.h>

#include "arena/layout.h"
#include "base/clock.h"
#include "common/words.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/measures.h"
#include "compare/run_meta.h"
#include "model/stats.h"
#include "model/model.h"
#include "report/report.h"

/* The sum of the metrics of one kind and name, and of one unit. Times are in ns,
 * values of distributions in their unit. */
struct sum {
	tr2_str category, name, unit;
	const char *by, *thread;
	uint64_t count, total_ns, min_ns, max_ns, unfinished, processes;
	uint64_t *buckets; /* NULL: none of them has any */
	bool some_without; /* some have none */
};

struct sums {
	struct sum *sum;
	uint32_t nr, alloc;
	struct tr2_map map;
};

static const char *thread_name(const struct tr2_model *m,
			       const struct tr2_metric *metric)
{
	return metric->thread ? tr2_s(m, m->threads[metric->thread].name) :
				NULL;
}

/* Whether two texts are equal; NULL is equal to itself only. */
static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static uint64_t hash_text(const char *s)
{
	return s ? tr2_hash(s, strlen(s)) : 0;
}

static struct sum *sum_of(struct sums *sums, const struct tr2_report *r,
			  const struct tr2_metric *metric)
{
	const char *by = tr2_report_group(r, metric->session);
	const char *thread = thread_name(r->m, metric);
	uint64_t key = tr2_mix(tr2_mix(metric->category,
				       tr2_mix(metric->name, metric->unit)),
			       hash_text(by) ^ hash_text(thread) * 3) | 1;
	struct sum *s;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&sums->map, key ? key : 1);
		if (!*slot)
			break;
		s = &sums->sum[*slot - 1];
		if (s->category == metric->category &&
		    s->name == metric->name && s->unit == metric->unit &&
		    same_text(s->by, by) &&
		    same_text(s->thread, thread))
			return s;
	}
	tr2_grow(sums->sum, sums->nr, sums->alloc);
	s = &sums->sum[sums->nr];
	*slot = ++sums->nr;
	*s = (struct sum){ .category = metric->category, .name = metric->name,
			   .unit = metric->unit, .by = by, .thread = thread, .min_ns = UINT64_MAX };
	return s;
}

static void add_buckets(struct sum *s, const struct tr2_metric *metric)
{
	if (metric->histogram && !s->buckets)
		s->buckets = tr2_calloc(TR2_HISTOGRAM_BUCKETS,
					sizeof(*s->buckets));
	if (metric->histogram)
		tr2_histogram_add(s->buckets, metric);
	else if (metric->count)
		s->some_without = true;
}

/* A gauge's last value is that of the process that began last. */
static void add_gauge(struct sum *s, const struct tr2_metric *metric)
{
	int64_t min = (int64_t)metric->min_ns, max = (int64_t)metric->max_ns;

	s->total_ns = metric->total_ns;
	if (!s->processes || min < (int64_t)s->min_ns)
		s->min_ns = metric->min_ns;
	if (!s->processes || max > (int64_t)s->max_ns)
		s->max_ns = metric->max_ns;
}

static void add_metric(struct sum *s, const struct tr2_metric *metric)
{
	s->count += metric->count;
	s->total_ns = tr2_clock_sum(s->total_ns, metric->total_ns);
	s->unfinished += metric->unfinished;
	if (metric->min_ns < s->min_ns)
		s->min_ns = metric->min_ns;
	if (metric->max_ns > s->max_ns)
		s->max_ns = metric->max_ns;
	add_buckets(s, metric);
}

static void gather(struct sums *sums, const struct tr2_report *r, int kind)
{
	const struct tr2_model *m = r->m;
	struct sum *s;
	uint32_t i;

	for (i = 1; i < m->nr_metrics; i++) {
		const struct tr2_metric *metric = &m->metrics[i];

		if (metric->kind != kind ||
		    (metric->thread != 0) != r->per_thread ||
		    !tr2_filter_session(r->filter, m, metric->session))
			continue;
		s = sum_of(sums, r, metric);
		if (kind == TR2_METRIC_GAUGE)
			add_gauge(s, metric);
		else
			add_metric(s, metric);
		s->processes++;
	}
}

/* A sum, or an event that the kernel counted over all processes (trace2 record
 * -e). */
struct sum_row {
	const struct tr2_model *m;
	const struct sum *sum; /* NULL: the kernel's */
	const struct tr2_run_counter *counted;
};

static void cell_name(struct tr2_table *t, const void *row)
{
	const struct sum_row *r = row;
	struct tr2_buf b = TR2_BUF_INIT;

	if (!r->sum) {
		tr2_cell_str(t, r->counted->name);
		return;
	}
	tr2_cell_str(t, tr2_join(&b, tr2_s(r->m, r->sum->category),
				 tr2_s(r->m, r->sum->name)));
	tr2_buf_release(&b);
}

TR2_CELL(cell_group, struct sum_row, tr2_cell_str(t, r->sum ? r->sum->by : NULL))
TR2_CELL(cell_thread, struct sum_row,
	 tr2_cell_str(t, r->sum ? r->sum->thread : NULL))
TR2_CELL(cell_processes, struct sum_row,
	 if (r->sum) tr2_cell_uint(t, r->sum->processes))
static uint64_t mean(const struct sum *sum)
{
	return sum->count ? sum->total_ns / sum->count : 0;
}

TR2_CELL(cell_total, struct sum_row, tr2_cell_ns(t, (int64_t)r->sum->total_ns))
TR2_CELL(cell_intervals, struct sum_row, tr2_cell_uint(t, r->sum->count))
TR2_CELL(cell_mean, struct sum_row,
	 tr2_cell_ns(t, (int64_t)mean(r->sum)))
/* No percentiles from a part of the intervals: they would pass for those of
 * all. */
static void give_percentile(struct tr2_table *t, const struct sum *sum, double p)
{
	if (sum->buckets && !sum->some_without)
		tr2_cell_ns(t, tr2_histogram_percentile(sum->buckets, p,
							sum->max_ns));
}

TR2_CELL(cell_p50, struct sum_row, give_percentile(t, r->sum, 0.5))
TR2_CELL(cell_p90, struct sum_row, give_percentile(t, r->sum, 0.9))
TR2_CELL(cell_p99, struct sum_row, give_percentile(t, r->sum, 0.99))
/* The buckets that are not empty: [[upper bound, count], ...]. */
static void cell_buckets(struct tr2_table *t, const void *row)
{
	const struct sum_row *r = row;
	struct tr2_buf b = TR2_BUF_INIT;
	unsigned int i;

	for (i = 0; r->sum->buckets && i < TR2_HISTOGRAM_BUCKETS; i++) {
		if (!r->sum->buckets[i])
			continue;
		tr2_buf_addstr(&b, b.len ? ",[" : "[[");
		tr2_buf_add_u64(&b, tr2_histogram_upper(i));
		tr2_buf_addch(&b, ',');
		tr2_buf_add_u64(&b, r->sum->buckets[i]);
		tr2_buf_addch(&b, ']');
	}
	if (b.len) {
		tr2_buf_addch(&b, ']');
		tr2_cell_json(t, tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

TR2_CELL(cell_min, struct sum_row, tr2_cell_ns(t, (int64_t)r->sum->min_ns))
TR2_CELL(cell_max, struct sum_row, tr2_cell_ns(t, (int64_t)r->sum->max_ns))
TR2_CELL(cell_unfinished, struct sum_row,
	 if (r->sum->unfinished) tr2_cell_uint(t, r->sum->unfinished))

static const struct tr2_column timer_columns[] = {
	{ "total_ns", "SUM", 0, cell_total },
	{ "intervals", "INTERVALS", 0, cell_intervals },
	{ "mean_ns", "MEAN", TR2_COL_SINGLE, cell_mean },
	{ "min_ns", "MIN", TR2_COL_SINGLE | TR2_COL_SPARE, cell_min },
	{ "p50_ns", "P50", TR2_COL_SINGLE | TR2_COL_YIELDS, cell_p50 },
	{ "p90_ns", "P90", TR2_COL_SINGLE | TR2_COL_SPARE, cell_p90 },
	{ "p99_ns", "P99", TR2_COL_SINGLE | TR2_COL_YIELDS, cell_p99 },
	{ "max_ns", "MAX", TR2_COL_SINGLE, cell_max },
	{ "unfinished", "UNFINISHED", 0, cell_unfinished },
	{ "group", "GROUP", TR2_COL_FLEX, cell_group },
	{ "thread", "THREAD", TR2_COL_FLEX, cell_thread },
	{ "timer", "TIMER", TR2_COL_FLEX, cell_name },
	{ NULL, "DISTRIBUTION", TR2_COL_DATA | TR2_COL_PAGE, cell_buckets },
	{ "processes", "", TR2_COL_DATA, cell_processes },
};

static void give_percentile_value(struct tr2_table *t, const struct sum *sum,
				  double p)
{
	if (sum->buckets && !sum->some_without)
		tr2_cell_uint(t, (uint64_t)tr2_histogram_percentile(
					 sum->buckets, p, sum->max_ns));
}

TR2_CELL(cell_sum, struct sum_row, tr2_cell_uint(t, r->sum->total_ns))
TR2_CELL(cell_mean_value, struct sum_row, tr2_cell_uint(t, mean(r->sum)))
TR2_CELL(cell_least, struct sum_row, tr2_cell_uint(t, r->sum->min_ns))
TR2_CELL(cell_most, struct sum_row, tr2_cell_uint(t, r->sum->max_ns))
TR2_CELL(cell_p50_value, struct sum_row, give_percentile_value(t, r->sum, 0.5))
TR2_CELL(cell_p90_value, struct sum_row, give_percentile_value(t, r->sum, 0.9))
TR2_CELL(cell_p99_value, struct sum_row, give_percentile_value(t, r->sum, 0.99))
TR2_CELL(cell_unit, struct sum_row,
	 if (r->sum->unit) tr2_cell_str(t, tr2_s(r->m, r->sum->unit)))

static const struct tr2_column distribution_columns[] = {
	{ "count", "COUNT", 0, cell_intervals },
	{ "sum", "SUM", TR2_COL_SPARE, cell_sum },
	{ "mean", "MEAN", 0, cell_mean_value },
	{ "min", "MIN", 0, cell_least },
	{ "p50", "P50", TR2_COL_YIELDS, cell_p50_value },
	{ "p90", "P90", TR2_COL_SPARE, cell_p90_value },
	{ "p99", "P99", TR2_COL_YIELDS, cell_p99_value },
	{ "max", "MAX", 0, cell_most },
	{ "unit", "UNIT", TR2_COL_LEFT, cell_unit },
	{ "group", "GROUP", TR2_COL_FLEX, cell_group },
	{ "distribution", "DISTRIBUTION", TR2_COL_FLEX, cell_name },
	{ NULL, "VALUES", TR2_COL_DATA | TR2_COL_PAGE, cell_buckets },
	{ "processes", "", TR2_COL_DATA, cell_processes },
};

TR2_CELL(cell_last, struct sum_row, tr2_cell_int(t, (int64_t)r->sum->total_ns))
TR2_CELL(cell_gauge_min, struct sum_row,
	 tr2_cell_int(t, (int64_t)r->sum->min_ns))
TR2_CELL(cell_gauge_max, struct sum_row,
	 tr2_cell_int(t, (int64_t)r->sum->max_ns))

static const struct tr2_column gauge_columns[] = {
	{ "last", "LAST", 0, cell_last },
	{ "min", "MIN", 0, cell_gauge_min },
	{ "max", "MAX", 0, cell_gauge_max },
	{ "unit", "UNIT", TR2_COL_LEFT, cell_unit },
	{ "processes", "PROCESSES", 0, cell_processes },
	{ "group", "GROUP", TR2_COL_FLEX, cell_group },
	{ "gauge", "GAUGE", TR2_COL_FLEX, cell_name },
};

static void cell_value(struct tr2_table *t, const void *row)
{
	const struct sum_row *r = row;

	if (r->sum)
		tr2_cell_uint(t, r->sum->count);
	else
		tr2_cell_measure(t, tr2_measure_unit_of(r->counted->unit),
				 r->counted->value);
}

static const struct tr2_column counter_columns[] = {
	{ "value", "VALUE", 0, cell_value },
	{ "processes", "PROCESSES", 0, cell_processes },
	{ "group", "GROUP", TR2_COL_FLEX, cell_group },
	{ "thread", "THREAD", TR2_COL_FLEX, cell_thread },
	{ "counter", "COUNTER", TR2_COL_FLEX, cell_name },
};

static void add_event(void *data, const struct tr2_run_counter *c)
{
	const struct sum_row row = { NULL, NULL, c };

	if (c->note)
		tr2_warning("event '%s' was not counted: %s", c->name, c->note);
	else
		tr2_table_add(data, &row);
}

/* The events belong to no process, and hence to no selection of processes. */
static void add_events(struct tr2_table *t, const struct tr2_report *r)
{
	struct tr2_run_meta meta;

	if (!tr2_filter_on(r->filter) && !r->per_thread && !r->group)
		tr2_run_meta_read(&meta, r->m, NULL, add_event, t);
}

static void add_sums(struct tr2_table *t, const struct tr2_report *r, int kind)
{
	struct sum_row row = { r->m, NULL, NULL };
	struct sums sums = { 0 };
	uint32_t i;

	gather(&sums, r, kind);
	for (i = 0; i < sums.nr; i++) {
		row.sum = &sums.sum[i];
		tr2_table_add(t, &row);
		free(row.sum->buckets);
	}
	tr2_map_release(&sums.map);
	free(sums.sum);
}

bool tr2_report_timers(const struct tr2_report *r)
{
	struct tr2_table t;

	tr2_table_init(&t, r->out, "timers", TR2_COLUMNS(timer_columns));
	add_sums(&t, r, TR2_METRIC_TIMER);
	return tr2_report_table_if_any(r, &t, "total");
}

bool tr2_report_distributions(const struct tr2_report *r)
{
	struct tr2_table t;

	tr2_table_init(&t, r->out, "distributions",
		       TR2_COLUMNS(distribution_columns));
	add_sums(&t, r, TR2_METRIC_DISTRIBUTION);
	return tr2_report_table_if_any(r, &t, "count");
}

bool tr2_report_counters(const struct tr2_report *r)
{
	struct tr2_table t;

	tr2_table_init(&t, r->out, "counters", TR2_COLUMNS(counter_columns));
	add_sums(&t, r, TR2_METRIC_COUNTER);
	add_events(&t, r);
	return tr2_report_table_if_any(r, &t, "counter");
}

bool tr2_report_gauges(const struct tr2_report *r)
{
	struct tr2_table t;

	tr2_table_init(&t, r->out, "gauges", TR2_COLUMNS(gauge_columns));
	add_sums(&t, r, TR2_METRIC_GAUGE);
	return tr2_report_table_if_any(r, &t, "max");
}
