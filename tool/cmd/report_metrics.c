/* SPDX-License-Identifier: MIT */
/*
 * report_metrics - trace2 report --timers, --counters and --errors.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/measures.h"
#include "cmd/report.h"
#include "common/array.h"
#include "common/map.h"
#include "common/options.h"
#include "common/say.h"
#include "model/filter.h"
#include "model/model.h"
#include "stat/run_meta.h"

/* Timers or counters of one name put together. */
struct sum {
	tr2_str category, name;
	const char *by, *thread;
	uint64_t count, total_ns, min_ns, max_ns, unfinished, processes;
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

static struct sum *sum_of(struct sums *sums, const struct tr2_model *m,
			  const struct tr2_metric *metric)
{
	const char *by = tr2_report_group(m, metric->session);
	const char *thread = thread_name(m, metric);
	uint64_t key = tr2_mix(tr2_mix(metric->category, metric->name),
			       hash_text(by) ^ hash_text(thread) * 3) | 1;
	struct sum *s;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&sums->map, key ? key : 1);
		if (!slot)
			return NULL;
		if (!*slot)
			break;
		s = &sums->sum[*slot - 1];
		if (s->category == metric->category &&
		    s->name == metric->name && same_text(s->by, by) &&
		    same_text(s->thread, thread))
			return s;
	}
	if (sums->nr >= sums->alloc &&
	    !tr2_array_grow((void **)&sums->sum, &sums->alloc, sums->nr,
			    sizeof(*sums->sum)))
		return NULL;
	s = &sums->sum[sums->nr];
	*slot = ++sums->nr;
	*s = (struct sum){ .category = metric->category, .name = metric->name,
			   .by = by, .thread = thread, .min_ns = UINT64_MAX };
	return s;
}

static void gather(struct sums *sums, const struct tr2_model *m, int kind)
{
	struct sum *s;
	uint32_t i;

	for (i = 1; i < m->nr_metrics; i++) {
		const struct tr2_metric *metric = &m->metrics[i];

		if (metric->kind != kind ||
		    (metric->thread != 0) != tr2_report.per_thread ||
		    !tr2_filter_session(&tr2_common.filter, m, metric->session))
			continue;
		s = sum_of(sums, m, metric);
		if (!s)
			continue;
		s->processes++;
		s->count += metric->count;
		s->total_ns += metric->total_ns;
		s->unfinished += metric->unfinished;
		if (metric->min_ns < s->min_ns)
			s->min_ns = metric->min_ns;
		if (metric->max_ns > s->max_ns)
			s->max_ns = metric->max_ns;
	}
}

static void add_names(struct tr2_table *t, const struct tr2_model *m,
		      const struct sum *s)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_buf_addstr(&b, tr2_s(m, s->category));
	tr2_buf_addch(&b, '/');
	tr2_buf_addstr(&b, tr2_s(m, s->name));
	tr2_cell_str(t, s->by);
	tr2_cell_str(t, s->thread);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static const struct tr2_column timer_columns[] = {
	{ "total_ns", "TOTAL", 0 },
	{ "intervals", "INTERVALS", 0 },
	{ "mean_ns", "MEAN", 0 },
	{ "min_ns", "MIN", 0 },
	{ "max_ns", "MAX", 0 },
	{ "unfinished", "UNFINISHED", 0 },
	{ "group", "GROUP", TR2_COL_FLEX },
	{ "thread", "THREAD", TR2_COL_FLEX },
	{ "timer", "TIMER", TR2_COL_FLEX },
	{ "processes", "", TR2_COL_DATA },
};

static void add_timer(struct tr2_table *t, const struct tr2_model *m,
		      const struct sum *s)
{
	tr2_table_row(t);
	tr2_cell_ns(t, (int64_t)s->total_ns);
	tr2_cell_uint(t, s->count);
	tr2_cell_ns(t, s->count ? (int64_t)(s->total_ns / s->count) : 0);
	tr2_cell_ns(t, (int64_t)s->min_ns);
	tr2_cell_ns(t, (int64_t)s->max_ns);
	if (s->unfinished)
		tr2_cell_uint(t, s->unfinished);
	else
		tr2_cell_none(t);
	add_names(t, m, s);
	tr2_cell_uint(t, s->processes);
}

static const struct tr2_column counter_columns[] = {
	{ "value", "VALUE", 0 },
	{ "processes", "PROCESSES", 0 },
	{ "group", "GROUP", TR2_COL_FLEX },
	{ "thread", "THREAD", TR2_COL_FLEX },
	{ "counter", "COUNTER", TR2_COL_FLEX },
};

static void add_counter(struct tr2_table *t, const struct tr2_model *m,
			const struct sum *s)
{
	tr2_table_row(t);
	tr2_cell_uint(t, s->count);
	tr2_cell_uint(t, s->processes);
	add_names(t, m, s);
}

/* What the kernel counted over all processes (trace2 record -e). */
static void add_event(void *data, const struct tr2_run_counter *c)
{
	struct tr2_table *t = data;

	if (c->note) {
		tr2_warning("event '%s' was not counted: %s", c->name, c->note);
		return;
	}
	tr2_table_row(t);
	tr2_cell_measure(t, tr2_measure_unit_of(c->unit), c->value);
	tr2_cell_none(t);
	tr2_cell_none(t);
	tr2_cell_none(t);
	tr2_cell_str(t, c->name);
}

/* They belong to no process, and so to no choice of processes. */
static void add_events(struct tr2_table *t, const struct tr2_model *m)
{
	struct tr2_run_meta meta;

	if (!tr2_filter_on(&tr2_common.filter) && !tr2_report.per_thread && !tr2_report.group)
		tr2_run_meta_read(&meta, m, NULL, add_event, t);
}

static bool show(const struct tr2_model *m, int kind, struct tr2_table *t,
		 void (*add)(struct tr2_table *, const struct tr2_model *,
			     const struct sum *),
		 const char *sort)
{
	struct sums sums = { 0 };
	uint32_t i;
	bool ok;

	gather(&sums, m, kind);
	for (i = 0; i < sums.nr; i++)
		add(t, m, &sums.sum[i]);
	if (kind == TR2_METRIC_COUNTER)
		add_events(t, m);
	ok = tr2_report_finish(t, sort);
	if (ok && !t->nr_rows && tr2_common.format == TR2_FORMAT_TEXT)
		tr2_warning("no %s in this recording", t->name);
	else if (ok)
		tr2_table_print(t);
	tr2_table_release(t);
	tr2_map_release(&sums.map);
	free(sums.sum);
	return ok;
}

bool tr2_report_timers(const struct tr2_model *m)
{
	struct tr2_table t;

	tr2_table_init(&t, "timers", timer_columns,
		       sizeof(timer_columns) / sizeof(*timer_columns));
	return show(m, TR2_METRIC_TIMER, &t, add_timer, "total");
}

bool tr2_report_counters(const struct tr2_model *m)
{
	struct tr2_table t;

	tr2_table_init(&t, "counters", counter_columns,
		       sizeof(counter_columns) / sizeof(*counter_columns));
	return show(m, TR2_METRIC_COUNTER, &t, add_counter, "counter");
}

/* ---- errors ------------------------------------------------------------------------ */

static const struct tr2_column error_columns[] = {
	{ "time", "TIME", TR2_COL_LEFT },
	{ "pid", "PID", 0 },
	{ "process", "PROCESS", TR2_COL_LEFT },
	{ "message", "MESSAGE", TR2_COL_FLEX },
	{ "format", "", TR2_COL_DATA },
	{ "file", "", TR2_COL_DATA },
	{ "line", "", TR2_COL_DATA },
	{ "sid", "", TR2_COL_DATA },
};

static void add_error(struct tr2_table *t, const struct tr2_model *m,
		      uint32_t session, const struct tr2_point *p)
{
	const struct tr2_session *s = &m->sessions[session];

	tr2_table_row(t);
	tr2_cell_wall(t, s->wall_ns + p->at_ns);
	tr2_cell_int(t, s->pid);
	tr2_cell_str(t, s->node ? tr2_node_name(m, s->node) : NULL);
	tr2_cell_str(t, p->value ? p->value : "(no message)");
	tr2_cell_str(t, p->key ? tr2_s(m, p->key) : NULL);
	tr2_cell_str(t, p->file ? tr2_s(m, p->file) : NULL);
	tr2_cell_uint(t, p->line);
	tr2_cell_str(t, s->sid);
}

bool tr2_report_errors(const struct tr2_model *m)
{
	struct tr2_table t;
	uint32_t s, th, i;
	bool ok;

	tr2_table_init(&t, "errors", error_columns,
		       sizeof(error_columns) / sizeof(*error_columns));
	tr2_for_each_session(m, s) {
		if (!m->sessions[s].nr_errors || !tr2_filter_session(&tr2_common.filter, m, s))
			continue;
		tr2_for_each_thread(m, s, th)
			tr2_for_each_point(m, th, i)
				if (m->points[i].kind == TR2_POINT_ERROR)
					add_error(&t, m, s, &m->points[i]);
	}
	ok = tr2_report_finish(&t, "time");
	if (ok && !t.nr_rows && tr2_common.format == TR2_FORMAT_TEXT)
		tr2_warning("no errors in this recording");
	else if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	return ok;
}
