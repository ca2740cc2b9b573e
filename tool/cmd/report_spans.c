/* SPDX-License-Identifier: MIT */
/*
 * report_spans - trace2 report --spans: how long spans took, by name, and the
 * slowest of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node.h"
#include "cmd/report.h"
#include "common/join.h"
#include "common/memory.h"
#include "model/trace_span.h"

/* The slowest spans that text shows; -n sets another number. */
#define MOST_SLOWEST 10

struct entry {
	const struct tr2_trace_span *span;
	const struct tr2_model_session *session;
	struct tr2_trace_span_times times;
	bool has_times;
	const char *by;
};

struct entries {
	struct entry *entry;
	uint32_t nr, alloc;
};

static int64_t took(const struct entry *e)
{
	return e->span->end_ns - e->span->start_ns;
}

static void gather(struct entries *all, const struct tr2_report *r,
		   uint32_t session)
{
	struct entry *e;
	uint32_t i;

	tr2_for_each_trace_span(r->m, session, i) {
		if (!tr2_filter_trace_span(r->filter, r->m, i))
			continue;
		tr2_grow(all->entry, all->nr, all->alloc);
		e = &all->entry[all->nr++];
		e->span = &r->m->trace_spans[i];
		e->session = &r->m->sessions[session];
		e->has_times = tr2_trace_span_times(r->m, i, &e->times);
		e->by = tr2_report_group(r, session);
	}
}

static bool is_unfinished(const struct entry *e)
{
	return e->span->flags & TR2_TRACE_SPAN_UNFINISHED;
}

static int compare_groups(const struct entry *a, const struct entry *b)
{
	if (a->span->category != b->span->category)
		return a->span->category < b->span->category ? -1 : 1;
	if (a->span->name != b->span->name)
		return a->span->name < b->span->name ? -1 : 1;
	return strcmp(a->by ? a->by : "", b->by ? b->by : "");
}

static int compare(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;
	int order = compare_groups(a, b);

	if (order)
		return order;
	return took(a) < took(b) ? -1 : took(a) > took(b);
}

/* The spans of one name, by the time that they took. */
struct name_row {
	const struct tr2_model *m;
	const struct entry *first;
	uint32_t nr;
	uint64_t stands_for;
	uint32_t nr_failed, nr_unfinished, nr_worked;
	int64_t total_ns, worked_ns, of_worked_ns;
};

/* By nearest rank. */
static int64_t percentile(const struct name_row *r, unsigned int percent)
{
	uint64_t rank = ((uint64_t)r->nr * percent + 99) / 100;

	return took(&r->first[rank ? rank - 1 : 0]);
}

static void cell_name(struct tr2_table *t, const void *row)
{
	const struct name_row *r = row;
	static struct tr2_buf b; /* kept: it is mapped memory */

	tr2_cell_str(t, tr2_join(&b, tr2_s(r->m, r->first->span->category),
				 tr2_s(r->m, r->first->span->name)));
}

TR2_CELL(cell_count, struct name_row, tr2_cell_uint(t, r->stands_for))
TR2_CELL(cell_total, struct name_row, tr2_cell_ns(t, r->total_ns))
TR2_CELL(cell_mean, struct name_row, tr2_cell_ns(t, r->total_ns / r->nr))
TR2_CELL(cell_p50, struct name_row, tr2_cell_ns(t, percentile(r, 50)))
TR2_CELL(cell_p90, struct name_row, tr2_cell_ns(t, percentile(r, 90)))
TR2_CELL(cell_p99, struct name_row, tr2_cell_ns(t, percentile(r, 99)))
TR2_CELL(cell_max, struct name_row, tr2_cell_ns(t, percentile(r, 100)))
TR2_CELL(cell_worked, struct name_row,
	 if (r->nr_worked)
		 tr2_cell_share(t, tr2_report_share(r->worked_ns,
						    r->of_worked_ns)))
TR2_CELL(cell_failed, struct name_row,
	 if (r->nr_failed) tr2_cell_uint(t, r->nr_failed))
TR2_CELL(cell_unfinished, struct name_row,
	 if (r->nr_unfinished) tr2_cell_uint(t, r->nr_unfinished))
TR2_CELL(cell_group, struct name_row, tr2_cell_str(t, r->first->by))
TR2_CELL(cell_recorded, struct name_row, tr2_cell_uint(t, r->nr))

static const struct tr2_column name_columns[] = {
	{ "total_ns", "SUM", 0, cell_total },
	{ "count", "COUNT", 0, cell_count },
	{ "mean_ns", "MEAN", TR2_COL_SINGLE | TR2_COL_SPARE, cell_mean },
	{ "p50_ns", "P50", TR2_COL_SINGLE, cell_p50 },
	{ "p90_ns", "P90", TR2_COL_SINGLE | TR2_COL_SPARE, cell_p90 },
	{ "p99_ns", "P99", TR2_COL_SINGLE, cell_p99 },
	{ "max_ns", "MAX", TR2_COL_SINGLE, cell_max },
	{ "worked", "WORKED", 0, cell_worked },
	{ "failed", "FAILED", 0, cell_failed },
	{ "unfinished", "UNFINISHED", 0, cell_unfinished },
	{ "group", "GROUP", TR2_COL_FLEX, cell_group },
	{ "span", "SPAN", TR2_COL_FLEX, cell_name },
	{ "recorded", "", TR2_COL_DATA, cell_recorded },
};

static void add_to_name(struct name_row *row, const struct entry *e)
{
	row->nr++;
	row->stands_for += e->span->one_in;
	tr2_ns_add(&row->total_ns, took(e));
	row->nr_failed += e->span->failed != NULL;
	row->nr_unfinished += is_unfinished(e);
	if (!e->has_times)
		return;
	row->nr_worked++;
	tr2_ns_add(&row->worked_ns, e->times.worked_ns);
	tr2_ns_add(&row->of_worked_ns, took(e));
}

static bool print_names(const struct tr2_report *r, const struct entries *all)
{
	struct name_row row;
	struct tr2_table t;
	uint32_t i, end;

	tr2_table_init(&t, r->out, "spans", TR2_COLUMNS(name_columns));
	for (i = 0; i < all->nr; i = end) {
		row = (struct name_row){ .m = r->m, .first = &all->entry[i] };
		for (end = i; end < all->nr &&
			      !compare_groups(row.first, &all->entry[end]);)
			add_to_name(&row, &all->entry[end++]);
		tr2_table_add(&t, &row);
	}
	return tr2_report_table_if_any(r, &t, "total");
}

/* One of the slowest. */
struct slow_row {
	struct tr2_session_row of;
	const struct entry *e;
};

static void cell_slow_name(struct tr2_table *t, const void *row)
{
	const struct slow_row *r = row;
	static struct tr2_buf b; /* kept: it is mapped memory */

	tr2_cell_str(t, tr2_join(&b, tr2_s(r->of.m, r->e->span->category),
				 tr2_s(r->of.m, r->e->span->name)));
	tr2_cell_link(t, TR2_LINK_TRACE_SPAN,
		      (uint32_t)(r->e->span - r->of.m->trace_spans));
}

static void cell_trace_id(struct tr2_table *t, const void *row)
{
	const struct slow_row *r = row;
	char text[40];

	snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64,
		 r->e->span->self.trace[0], r->e->span->self.trace[1]);
	tr2_cell_str(t, text);
}

static void cell_id(struct tr2_table *t, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	if (id)
		tr2_cell_str(t, text);
}

TR2_CELL(cell_took, struct slow_row, tr2_cell_ns(t, took(r->e)))
TR2_CELL(cell_time, struct slow_row,
	 tr2_cell_wall(t, r->of.session->wall_ns + r->e->span->start_ns))
TR2_CELL(cell_queue, struct slow_row,
	 if (r->e->has_times) tr2_cell_ns(t, r->e->times.queue_ns))
TR2_CELL(cell_own_worked, struct slow_row,
	 if (r->e->has_times) tr2_cell_ns(t, r->e->times.worked_ns))
TR2_CELL(cell_end, struct slow_row,
	 tr2_cell_str(t, is_unfinished(r->e)	  ? "unfinished" :
			 !r->e->span->failed	  ? NULL :
			 *r->e->span->failed	  ? r->e->span->failed :
						    "failed"))
TR2_CELL(cell_attributes, struct slow_row,
	 tr2_cell_str(t, r->e->span->attributes))
TR2_CELL(cell_span_id, struct slow_row, cell_id(t, r->e->span->self.id))
TR2_CELL(cell_parent_id, struct slow_row, cell_id(t, r->e->span->parent))

static const struct tr2_column slow_columns[] = {
	{ "took_ns", "TOOK", TR2_COL_SINGLE, cell_took },
	{ "queue_ns", "QUEUE", TR2_COL_SINGLE | TR2_COL_YIELDS, cell_queue },
	{ "worked_ns", "WORKED", TR2_COL_SINGLE, cell_own_worked },
	{ "time", "TIME", TR2_COL_LEFT, cell_time },
	{ "pid", "PID", TR2_COL_SPARE, tr2_session_cell_pid },
	{ "process", "PROCESS", TR2_COL_LEFT, tr2_session_cell_process },
	{ "span", "SPAN", TR2_COL_LEFT, cell_slow_name },
	{ "end", "END", TR2_COL_FLEX, cell_end },
	{ "attributes", "ATTRIBUTES", TR2_COL_FLEX, cell_attributes },
	{ "trace_id", "", TR2_COL_DATA, cell_trace_id },
	{ "span_id", "", TR2_COL_DATA, cell_span_id },
	{ "parent_id", "", TR2_COL_DATA, cell_parent_id },
	{ "sid", "", TR2_COL_DATA, tr2_session_cell_sid },
};

static int compare_took(const void *va, const void *vb)
{
	return took(va) > took(vb) ? -1 : took(va) < took(vb);
}

static void print_slowest(const struct tr2_report *r, struct entries *all)
{
	struct slow_row row = { .of.m = r->m };
	uint32_t i, most = tr2_report_is_text(r) && r->limit < 0 ?
				   MOST_SLOWEST : all->nr;
	struct tr2_report own = *r;
	struct tr2_table t;

	if (!all->nr)
		return;
	qsort(all->entry, all->nr, sizeof(*all->entry), compare_took);
	tr2_table_init(&t, r->out, "slowest_spans", TR2_COLUMNS(slow_columns));
	for (i = 0; i < all->nr && i < most; i++) {
		row.e = &all->entry[i];
		row.of.session = row.e->session;
		tr2_table_add(&t, &row);
	}
	own.sort = NULL; /* -s names a column of the other table */
	tr2_report_table(&own, &t, "took");
}

bool tr2_report_spans(const struct tr2_report *r)
{
	struct entries all = { NULL, 0, 0 };
	uint32_t session;
	bool ok;

	tr2_report_for_each_session(r, session)
		gather(&all, r, session);
	if (all.nr)
		qsort(all.entry, all.nr, sizeof(*all.entry), compare);
	ok = print_names(r, &all);
	if (ok) {
		tr2_report_span_parts(r);
		print_slowest(r, &all);
	}
	free(all.entry);
	return ok;
}
