/* SPDX-License-Identifier: MIT */
/*
 * report_metrics - trace2 report --timers, --distributions, --counters and
 * --gauges.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena/layout.h"
#include "base/clock.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/measures.h"
#include "compare/run_meta.h"
#include "model/stats.h"
#include "model/model.h"
#include "report/report.h"

/* The sum of the metrics of one kind, name and unit. Times are in ns, values of
 * distributions in their unit. */
struct sum {
	tr2_str category, name, unit;
	const char *by, *thread;
	uint64_t count, last, total_ns, min_ns, max_ns, unfinished, processes;
	uint64_t *buckets; /* the sums of the metrics' buckets; NULL: no metric
			    * has buckets */
	bool some_without; /* some metrics have no buckets */
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

/* Return whether two texts are equal. NULL is equal only to NULL. */
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
			   .unit = metric->unit, .by = by, .thread = thread };
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

/* Add a metric to a sum. `last` of the sum is the value of the process that
 * began last. */
static void add_metric(struct sum *s, const struct tr2_metric *metric)
{
	s->last = metric->count;
	s->count += metric->count;
	s->total_ns = tr2_clock_sum(s->total_ns, metric->total_ns);
	s->unfinished += metric->unfinished;
	if (!s->processes || (int64_t)metric->min_ns < (int64_t)s->min_ns)
		s->min_ns = metric->min_ns;
	if (!s->processes || (int64_t)metric->max_ns > (int64_t)s->max_ns)
		s->max_ns = metric->max_ns;
	add_buckets(s, metric);
	s->processes++;
}

/* A row: a sum, or an event that the kernel counted over all processes (trace2
 * record -e). */
struct sum_row {
	const struct tr2_model *m;
	const struct sum *sum; /* the sum of the program's metrics; NULL: the
				* row is an event of the kernel */
	const struct tr2_run_counter *counted;
};

static void cell_name(struct tr2_table *t, const struct sum_row *r)
{
	if (r->sum)
		tr2_cell_strf(t, "%s/%s", tr2_s(r->m, r->sum->category),
			      tr2_s(r->m, r->sum->name));
	else
		tr2_cell_str(t, r->counted->name);
}

static uint64_t mean_of(const struct sum *sum)
{
	return sum->count ? sum->total_ns / sum->count : 0;
}

/* Leave percentiles empty if some metrics have no buckets. Else readers would
 * take the percentiles of some metrics for the percentiles of all. */
#define PERCENTILE(cell, type, p) \
	if (r->sum->buckets && !r->sum->some_without) \
		cell(t, (type)tr2_histogram_percentile(r->sum->buckets, p, \
						       r->sum->max_ns))

/* Show the buckets that are not empty: [[upper bound, count], ...]. */
static void cell_buckets(struct tr2_table *t, const struct sum_row *r)
{
	struct tr2_buf b = TR2_BUF_INIT;
	unsigned int i;

	for (i = 0; r->sum->buckets && i < TR2_HISTOGRAM_BUCKETS; i++) {
		if (!r->sum->buckets[i])
			continue;
		tr2_addf(&b, "%s[%" PRIu64 ",%" PRIu64 "]", b.len ? "," : "[",
			 tr2_histogram_upper(i), r->sum->buckets[i]);
	}
	if (b.len) {
		tr2_buf_addch(&b, ']');
		tr2_cell_json(t, tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

#define PROCESSES if (r->sum) tr2_cell_uint(t, r->sum->processes)
#define GROUP(COLUMN) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->sum ? r->sum->by : NULL))
#define THREAD(COLUMN) \
	COLUMN(thread, "THREAD", TR2_COL_FLEX, \
	       tr2_cell_str(t, r->sum ? r->sum->thread : NULL))
#define UNIT(COLUMN) \
	COLUMN(unit, "UNIT", TR2_COL_LEFT, if (r->sum->unit) \
	       tr2_cell_str(t, tr2_s(r->m, r->sum->unit)))

#define TIMER_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(total_ns, "SUM", 0, tr2_cell_ns(t, (int64_t)r->sum->total_ns)) \
	COLUMN(intervals, "INTERVALS", 0, tr2_cell_uint(t, r->sum->count)) \
	COLUMN(mean_ns, "MEAN", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, (int64_t)mean_of(r->sum))) \
	COLUMN(min_ns, "MIN", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       tr2_cell_ns(t, (int64_t)r->sum->min_ns)) \
	COLUMN(p50_ns, "P50", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       PERCENTILE(tr2_cell_ns, int64_t, 0.5)) \
	COLUMN(p90_ns, "P90", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       PERCENTILE(tr2_cell_ns, int64_t, 0.9)) \
	COLUMN(p99_ns, "P99", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       PERCENTILE(tr2_cell_ns, int64_t, 0.99)) \
	COLUMN(max_ns, "MAX", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, (int64_t)r->sum->max_ns)) \
	COLUMN(unfinished, "UNFINISHED", 0, \
	       if (r->sum->unfinished) tr2_cell_uint(t, r->sum->unfinished)) \
	GROUP(COLUMN) \
	THREAD(COLUMN) \
	COLUMN(timer, "TIMER", TR2_COL_FLEX, cell_name(t, r)) \
	TEXT(buckets, "DISTRIBUTION", TR2_COL_DATA | TR2_COL_PAGE, \
	     cell_buckets(t, r)) \
	DATA(processes, PROCESSES)

TR2_COLUMN_LIST(timer_columns, struct sum_row, TIMER_COLUMNS)
#define TIMER_SORT "total"

#define DISTRIBUTION_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->sum->count)) \
	COLUMN(sum, "SUM", TR2_COL_SPARE, tr2_cell_uint(t, r->sum->total_ns)) \
	COLUMN(mean, "MEAN", 0, tr2_cell_uint(t, mean_of(r->sum))) \
	COLUMN(min, "MIN", 0, tr2_cell_uint(t, r->sum->min_ns)) \
	COLUMN(p50, "P50", TR2_COL_YIELDS, \
	       PERCENTILE(tr2_cell_uint, uint64_t, 0.5)) \
	COLUMN(p90, "P90", TR2_COL_SPARE, \
	       PERCENTILE(tr2_cell_uint, uint64_t, 0.9)) \
	COLUMN(p99, "P99", TR2_COL_YIELDS, \
	       PERCENTILE(tr2_cell_uint, uint64_t, 0.99)) \
	COLUMN(max, "MAX", 0, tr2_cell_uint(t, r->sum->max_ns)) \
	UNIT(COLUMN) \
	GROUP(COLUMN) \
	COLUMN(distribution, "DISTRIBUTION", TR2_COL_FLEX, cell_name(t, r)) \
	TEXT(buckets, "VALUES", TR2_COL_DATA | TR2_COL_PAGE, \
	     cell_buckets(t, r)) \
	DATA(processes, PROCESSES)

TR2_COLUMN_LIST(distribution_columns, struct sum_row, DISTRIBUTION_COLUMNS)
#define DISTRIBUTION_SORT "count"

#define GAUGE_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(last, "LAST", 0, tr2_cell_int(t, (int64_t)r->sum->last)) \
	COLUMN(min, "MIN", 0, tr2_cell_int(t, (int64_t)r->sum->min_ns)) \
	COLUMN(max, "MAX", 0, tr2_cell_int(t, (int64_t)r->sum->max_ns)) \
	UNIT(COLUMN) \
	COLUMN(processes, "PROCESSES", 0, PROCESSES) \
	GROUP(COLUMN) \
	COLUMN(gauge, "GAUGE", TR2_COL_FLEX, cell_name(t, r))

TR2_COLUMN_LIST(gauge_columns, struct sum_row, GAUGE_COLUMNS)
#define GAUGE_SORT "max"

static void cell_value(struct tr2_table *t, const struct sum_row *r)
{
	if (r->sum)
		tr2_cell_uint(t, r->sum->count);
	else
		tr2_cell_measure(t, tr2_measure_unit_of(r->counted->unit),
				 r->counted->value);
}

#define COUNTER_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(value, "VALUE", 0, cell_value(t, r)) \
	COLUMN(processes, "PROCESSES", 0, PROCESSES) \
	GROUP(COLUMN) \
	THREAD(COLUMN) \
	COLUMN(counter, "COUNTER", TR2_COL_FLEX, cell_name(t, r))

TR2_COLUMN_LIST(counter_columns, struct sum_row, COUNTER_COLUMNS)
#define COUNTER_SORT "counter"

static void add_event(void *data, const struct tr2_run_counter *c)
{
	const struct sum_row row = { NULL, NULL, c };

	if (c->note)
		tr2_warning("event '%s' was not counted: %s", c->name, c->note);
	else
		tr2_table_add(data, &row);
}

/* Add the events that the kernel counted. They belong to no process, so a
 * selection of processes does not contain them. */
static void add_events(struct tr2_table *t, const struct tr2_report *r)
{
	struct tr2_run_meta meta;

	if (!tr2_filter_on(r->filter) && !r->per_thread && !r->group)
		tr2_run_meta_read(&meta, r->m, NULL, add_event, t);
}

static void add_sums(struct tr2_table *t, const struct tr2_report *r, int kind)
{
	const struct tr2_model *m = r->m;
	struct sum_row row = { m, NULL, NULL };
	struct sums sums = { 0 };
	uint32_t i;

	for (i = 1; i < m->nr_metrics; i++) {
		const struct tr2_metric *metric = &m->metrics[i];

		if (metric->kind == kind &&
		    (metric->thread != 0) == r->per_thread &&
		    tr2_filter_session(r->filter, m, metric->session))
			add_metric(sum_of(&sums, r, metric), metric);
	}
	for (i = 0; i < sums.nr; i++) {
		row.sum = &sums.sum[i];
		tr2_table_add(t, &row);
		free(row.sum->buckets);
	}
	tr2_map_release(&sums.map);
	free(sums.sum);
}

static bool report_kind(const struct tr2_report *r, int kind,
			struct tr2_table *t, const char *sort)
{
	add_sums(t, r, kind);
	if (kind == TR2_DEFINITION_COUNTER)
		add_events(t, r);
	return tr2_report_table_if_any(r, t, sort);
}

#define TR2_METRIC_KIND(KIND, kind, ...)                                    \
	bool tr2_report_##kind##s(const struct tr2_report *r)               \
	{                                                                   \
		struct tr2_table t =                                        \
			TR2_TABLE_OF(r->out, #kind "s", kind##_columns);    \
									    \
		return report_kind(r, TR2_DEFINITION_##KIND, &t, KIND##_SORT);   \
	}
#include "arena/kinds.def"
