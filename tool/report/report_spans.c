/* SPDX-License-Identifier: MIT */
/*
 * report_spans - trace2 report --spans: how long spans took, by name and by -g,
 * and the slowest of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/order.h"
#include "model/build/trace_span.h"
#include "report/node.h"
#include "report/report.h"

/* The number of slowest spans in text; -n sets another number. */
#define MOST_SLOWEST 10
/* Text has this many rows of names, and one more row that sums up all
 * others. */
#define MOST_NAMES 20

struct entry {
	const struct tr2_trace_span *span;
	const struct tr2_model_session *session;
	struct tr2_trace_span_times times;
	bool has_times;
	const char *by; /* the group of the span by -g; NULL: none */
};

struct entries {
	struct entry *entry;
	uint32_t nr, alloc;
};

static int64_t took(const struct entry *e)
{
	return e->span->end_ns - e->span->start_ns;
}

static void gather_spans(struct entries *all, const struct tr2_report *r,
			 uint32_t session)
{
	const char *key = tr2_report_attribute(r);
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
		e->by = key ? tr2_trace_span_attribute(r->m, i, key) :
			      tr2_report_group(r, session);
	}
}

static bool is_unfinished(const struct entry *e)
{
	return e->span->flags & TR2_TRACE_SPAN_UNFINISHED;
}

static int compare_times(const void *va, const void *vb)
{
	return took(va) < took(vb) ? -1 : took(va) > took(vb);
}

static int compare_groups(const struct entry *a, const struct entry *b)
{
	return TR2_UP(span->category) ?: TR2_UP(span->name) ?:
	       a->by && b->by ? strcmp(a->by, b->by) : !b->by - !a->by;
}

TR2_ORDER(compare, struct entry, compare_groups(a, b) ?: compare_times(a, b))

/* The spans of one name and group, ordered by the time that they took; or all
 * spans without a row of their own. */
struct name_row {
	const struct tr2_report *r;
	const struct entry *first;
	uint32_t nr;
	uint32_t number;    /* number of the row */
	uint32_t nr_others; /* number of rows for which this row stands; 0:
			     * one */
	uint64_t stands_for;
	uint32_t nr_failed, nr_unfinished, nr_worked;
	int64_t total_ns, worked_ns, of_worked_ns;
};

/* Return the percentile by nearest rank. */
static int64_t percentile(const struct name_row *r, unsigned int percent)
{
	uint64_t rank = ((uint64_t)r->nr * percent + 99) / 100;

	return took(&r->first[rank ? rank - 1 : 0]);
}

static void cell_name(struct tr2_table *t, const struct name_row *r)
{
	const struct tr2_trace_span *span = r->first->span;
	const struct tr2_model *m = r->r->m;

	if (r->nr_others)
		tr2_cell_strf(t, "(%u more)", r->nr_others);
	else
		tr2_cell_strf(t, "%s/%s", tr2_s(m, span->category),
			      tr2_s(m, span->name));
}

/* Show the group: the value of an attribute, which is hidden if the key says
 * that it is a secret. */
static void cell_group(struct tr2_table *t, const struct name_row *r)
{
	const char *key = tr2_report_attribute(r->r);

	if (!r->r->group || r->nr_others)
		return;
	tr2_cell_value(t, key ? key : "",
		       r->first->by ? r->first->by : "(none)");
}

/* The column `number` is not printed: fold_others() uses it. */
#define NAME_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(total_ns, "SUM", 0, tr2_cell_ns(t, r->total_ns)) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->stands_for)) \
	COLUMN(mean_ns, "MEAN", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       tr2_cell_ns(t, r->total_ns / r->nr)) \
	COLUMN(p50_ns, "P50", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, percentile(r, 50))) \
	COLUMN(p90_ns, "P90", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       tr2_cell_ns(t, percentile(r, 90))) \
	COLUMN(p99_ns, "P99", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, percentile(r, 99))) \
	COLUMN(max_ns, "MAX", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, percentile(r, 100))) \
	COLUMN(worked, "WORKED", 0, \
	       if (r->nr_worked) \
		       tr2_cell_share(t, tr2_report_share(r->worked_ns, \
							  r->of_worked_ns))) \
	COLUMN(failed, "FAILED", 0, \
	       if (r->nr_failed) tr2_cell_uint(t, r->nr_failed)) \
	COLUMN(unfinished, "UNFINISHED", 0, \
	       if (r->nr_unfinished) tr2_cell_uint(t, r->nr_unfinished)) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, cell_group(t, r)) \
	COLUMN(span, "SPAN", TR2_COL_FLEX, cell_name(t, r)) \
	DATA(recorded, tr2_cell_uint(t, r->nr)) \
	TEXT(number, "", TR2_COL_DATA, tr2_cell_uint(t, r->number))

TR2_COLUMN_LIST(name_columns, struct name_row, NAME_COLUMNS)

struct name_rows {
	struct name_row *row;
	uint32_t nr, alloc;
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

static void find_names(const struct tr2_report *r, const struct entries *all,
		       struct name_rows *rows)
{
	struct name_row *row;
	uint32_t i, end;

	for (i = 0; i < all->nr; i = end) {
		tr2_grow(rows->row, rows->nr, rows->alloc);
		row = &rows->row[rows->nr];
		*row = (struct name_row){ .r = r, .first = &all->entry[i],
					  .number = rows->nr++ };
		for (end = i; end < all->nr &&
			      !compare_groups(row->first, &all->entry[end]);)
			add_to_name(row, &all->entry[end++]);
	}
}

/* Merge all rows after the first MOST_NAMES, in the order of the table, into
 * one row. */
static void fold_others(struct tr2_table *t, const struct name_rows *rows)
{
	struct name_row others = { .r = rows->row->r }, *row;
	const struct entry *e;
	struct entries of = { NULL, 0, 0 };
	uint32_t i;

	for (i = MOST_NAMES; i < rows->nr; i++) {
		row = &rows->row[tr2_cell_number(t, i, t->nr_columns - 1)];
		others.nr_others++;
		for (e = row->first; e < row->first + row->nr; e++) {
			add_to_name(&others, e);
			tr2_grow(of.entry, of.nr, of.alloc);
			of.entry[of.nr++] = *e;
		}
	}
	if (of.nr)
		qsort(of.entry, of.nr, sizeof(*of.entry), compare_times);
	others.first = of.entry;
	tr2_table_limit(t, MOST_NAMES);
	tr2_table_add(t, &others);
	free(of.entry);
}

static bool print_names(const struct tr2_report *r, const struct entries *all)
{
	struct name_rows rows = { NULL, 0, 0 };
	struct tr2_table t = TR2_TABLE_OF(r->out, "spans", name_columns);
	uint32_t i;
	bool ok;

	if (!all->nr)
		return tr2_report_table_if_any(r, &t, "total");
	find_names(r, all, &rows);
	for (i = 0; i < rows.nr; i++)
		tr2_table_add(&t, &rows.row[i]);
	ok = tr2_report_sort(r, &t, "total");
	if (ok && tr2_report_is_text(r) && !r->all && r->limit < 0 &&
	    rows.nr > MOST_NAMES + 1)
		fold_others(&t, &rows);
	r->out->piped_width = tr2_report_attribute(r) ? TR2_REPORT_WIDTH : 0;
	if (ok)
		tr2_table_print(&t);
	r->out->piped_width = 0;
	tr2_table_release(&t);
	free(rows.row);
	return ok;
}

/* One of the slowest spans. */
struct slow_row {
	struct tr2_session_row of;
	const struct entry *e;
};

static void cell_slow_name(struct tr2_table *t, const struct slow_row *r)
{
	tr2_cell_strf(t, "%s/%s", tr2_s(r->of.m, r->e->span->category),
		      tr2_s(r->of.m, r->e->span->name));
	tr2_cell_link(t, TR2_LINK_TRACE_SPAN,
		      (uint32_t)(r->e->span - r->of.m->trace_spans));
}

static void cell_id(struct tr2_table *t, uint64_t id)
{
	if (id)
		tr2_cell_strf(t, "%016" PRIx64, id);
}

#define SLOW_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(took_ns, "TOOK", TR2_COL_SINGLE, tr2_cell_ns(t, took(r->e))) \
	COLUMN(queue_ns, "QUEUE", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       if (r->e->has_times) tr2_cell_ns(t, r->e->times.queue_ns)) \
	COLUMN(worked_ns, "WORKED", TR2_COL_SINGLE, \
	       if (r->e->has_times) tr2_cell_ns(t, r->e->times.worked_ns)) \
	COLUMN(time, "TIME", TR2_COL_LEFT, \
	       tr2_cell_wall(t, r->of.session->wall_ns + \
				r->e->span->start_ns)) \
	COLUMN(pid, "PID", TR2_COL_SPARE, tr2_session_cell_pid(t, &r->of)) \
	COLUMN(process, "PROCESS", TR2_COL_LEFT, \
	       tr2_session_cell_process(t, &r->of)) \
	COLUMN(span, "SPAN", TR2_COL_LEFT, cell_slow_name(t, r)) \
	COLUMN(end, "END", TR2_COL_FLEX, \
	       tr2_cell_str(t, is_unfinished(r->e)    ? "unfinished" : \
			       !r->e->span->failed    ? NULL : \
			       *r->e->span->failed    ? r->e->span->failed : \
							"failed")) \
	COLUMN(attributes, "ATTRIBUTES", TR2_COL_FLEX, \
	       tr2_cell_str(t, r->e->span->attributes)) \
	DATA(trace_id, tr2_cell_strf(t, "%016" PRIx64 "%016" PRIx64, \
		r->e->span->self.trace[0], r->e->span->self.trace[1])) \
	DATA(span_id, cell_id(t, r->e->span->self.id)) \
	DATA(parent_id, cell_id(t, r->e->span->parent)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

TR2_COLUMN_LIST(slow_columns, struct slow_row, SLOW_COLUMNS)

static int compare_took(const void *va, const void *vb)
{
	return compare_times(vb, va);
}

static void print_slowest(const struct tr2_report *r, struct entries *all)
{
	struct slow_row row = { .of.m = r->m };
	uint32_t i, most = tr2_report_is_text(r) && r->limit < 0 ?
				   MOST_SLOWEST : all->nr;
	struct tr2_report own = *r;
	struct tr2_table t =
		TR2_TABLE_OF(r->out, "slowest_spans", slow_columns);

	if (!all->nr)
		return;
	qsort(all->entry, all->nr, sizeof(*all->entry), compare_took);
	for (i = 0; i < all->nr && i < most; i++) {
		row.e = &all->entry[i];
		row.of.session = row.e->session;
		tr2_table_add(&t, &row);
	}
	own.sort = NULL; /* Ignore -s: it names a column of the other table, not
			  * of this table. */
	tr2_report_table(&own, &t, "took");
}

bool tr2_report_spans(const struct tr2_report *r)
{
	struct entries all = { NULL, 0, 0 };
	uint32_t session;
	bool ok;

	tr2_report_for_each_session(r, session)
		gather_spans(&all, r, session);
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
