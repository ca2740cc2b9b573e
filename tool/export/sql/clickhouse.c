/* SPDX-License-Identifier: MIT */
/*
 * clickhouse - write sessions to a running ClickHouse, over HTTP, from any
 * number of machines.
 *
 * A session is stored only once, however often and from wherever it is
 * exported:
 * - Ids follow from the session's key (tr2_session_key()); day and host follow
 *   from its SID. So a session always has the same rows, in the same partition
 *   and on the same shard. The primary key is (host, unit, row), by which
 *   tables of the ReplacingMergeTree kind recognise duplicate rows. These
 *   tables remove duplicates later, when they merge; a query that must not see
 *   duplicates uses FINAL. ClickHouse's other deduplication works only for
 *   replicated tables or the last hundred inserts, and only for identical
 *   blocks: a timer that exports again after a failure sends other blocks.
 * - So the exporter queries first, and sends only missing sessions. A session
 *   is stored when its row in `sessions`, which is sent last, is stored. If an
 *   export is interrupted, each table has all rows of a session or none, since
 *   these rows are in one block. A session that has grown is sent again, with a
 *   greater revision. Two exporters of one file at the same time both send.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "export/sql/clickhouse.h"
#include "model/join/self_time.h"
#include "model/states.h"

struct clickhouse {
	struct tr2_clickhouse c;
	struct tr2_row row;
	struct tr2_row_ids ids;
	struct tr2_clickhouse_unit *units; /* by session of the model: its
					    * unit */
	uint32_t *near; /* by process: its own session, or a session near the
			 * process */
	int64_t *session_ids, *thread_ids, *span_ids;
	int64_t *process_ids, *kernel_thread_ids, *recording_ids;
	uint32_t *rows[TR2_TABLE_NR]; /* for each table: numbers of rows by
				       * index; NULL: rows of this table are not
				       * numbered by session */
	uint32_t *next_row; /* by session */
	/* Numbers of rows of the current process. */
	uint32_t state_row, memory_row, sample_row;
	int64_t *self;      /* by span */
	bool skip;          /* the current session is already stored */
	uint64_t nr_there; /* number of sessions that were already stored */
};

/* Return the number of objects of a kind. Their rows are numbered in the order
 * in which they were read, so that later events of a session do not change
 * earlier numbers. */
static uint32_t nr_of(const struct tr2_model *m, enum tr2_row_of of)
{
	const uint32_t nr[] = {
		[TR2_OF_thread] = m->nr_threads,
		[TR2_OF_span] = m->nr_spans,
		[TR2_OF_trace_span] = m->nr_trace_spans,
		[TR2_OF_point] = m->nr_points,
		[TR2_OF_metric] = m->nr_metrics,
		[TR2_OF_sample] = m->nr_samples,
	};

	return nr[of];
}

static void number_rows_of(struct tr2_export *x, enum tr2_table_id table)
{
	struct clickhouse *h = x->state;
	uint32_t nr = nr_of(x->m, tr2_table_defs[table].of), i;
	uint32_t *rows = tr2_calloc(nr, sizeof(*rows));

	memset(h->next_row, 0, x->m->nr_sessions * sizeof(*h->next_row));
	for (i = 1; i < nr; i++)
		rows[i] = ++h->next_row[tr2_row_session(x->m, table, i)];
	h->rows[table] = rows;
}

static void number_rows(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	const struct tr2_model *m = x->m;
	enum tr2_table_id table;
	uint32_t i, s;

	for (table = 0; table < TR2_TABLE_NR; table++)
		if (nr_of(m, tr2_table_defs[table].of))
			number_rows_of(x, table);
	for (i = 1; i < m->nr_threads; i++)
		h->thread_ids[i] = h->session_ids[m->threads[i].session] +
				   h->rows[TR2_TABLE_threads][i];
	for (i = 1; i < m->nr_spans; i++) {
		s = tr2_row_session(m, TR2_TABLE_spans, i);
		h->span_ids[i] = h->session_ids[s] +
				 h->rows[TR2_TABLE_spans][i];
	}
}

/* Find a session for each process: the process's own session, or the session of
 * the nearest process above it, or else any session, since all processes run on
 * one machine. */
static void find_near(struct clickhouse *h, const struct tr2_model *m)
{
	uint32_t i;

	h->near[0] = m->nr_sessions > 1 ? 1 : 0;
	for (i = m->first_root; i; i = tr2_node_after(m, i))
		h->near[i] = m->nodes[i].session ? m->nodes[i].session :
						   h->near[m->nodes[i].parent];
}

static void process_unit(struct tr2_export *x, struct tr2_clickhouse_unit *unit,
			 uint32_t node)
{
	const struct clickhouse *h = x->state;
	uint32_t near = h->near[node];

	tr2_clickhouse_process_unit(x, unit, near ? &h->units[near] : NULL,
				    node);
}

/* Give recordings and processes the ids of their units. The threads of a
 * process get the ids after the process's id. */
static void number_units(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	const struct tr2_model *m = x->m;
	struct tr2_clickhouse_unit unit;
	uint32_t i, t, nr;

	for (i = 1; i < m->nr_inputs; i++) {
		tr2_clickhouse_recording_unit(x, &unit, i);
		h->recording_ids[i] = unit.unit;
	}
	for (i = 1; i < m->nr_nodes; i++) {
		process_unit(x, &unit, i);
		h->process_ids[i] = unit.unit;
		nr = 0;
		tr2_for_each_task_thread(m, m->nodes[i].task, t)
			h->kernel_thread_ids[t] = unit.unit + ++nr;
	}
}

static void allocate_rows(struct clickhouse *h, const struct tr2_model *m)
{
	h->units = tr2_calloc(m->nr_sessions, sizeof(*h->units));
	h->near = tr2_calloc(m->nr_nodes, sizeof(*h->near));
	h->session_ids = tr2_calloc(m->nr_sessions, sizeof(*h->session_ids));
	h->next_row = tr2_calloc(m->nr_sessions, sizeof(*h->next_row));
	h->thread_ids = tr2_calloc(m->nr_threads, sizeof(*h->thread_ids));
	h->span_ids = tr2_calloc(m->nr_spans, sizeof(*h->span_ids));
	h->self = tr2_calloc(m->nr_spans, sizeof(*h->self));
	h->process_ids = tr2_calloc(m->nr_nodes, sizeof(*h->process_ids));
	h->kernel_thread_ids = tr2_calloc(m->nr_task_threads + 1,
					  sizeof(*h->kernel_thread_ids));
	h->recording_ids = tr2_calloc(m->nr_inputs + 1,
				      sizeof(*h->recording_ids));
	h->ids = (struct tr2_row_ids){ .session_ids = h->session_ids,
				       .thread_ids = h->thread_ids,
				       .span_ids = h->span_ids,
				       .process_ids = h->process_ids,
				       .kernel_thread_ids =
					       h->kernel_thread_ids,
				       .recording_ids = h->recording_ids,
				       .recording_keys = true,
				       .id_of_sid = tr2_clickhouse_id,
				       .self_ns = h->self };
}

/* Create the tables on every server that --url names. Rows are sent to the
 * first server. */
static bool prepare_servers(struct tr2_export *x)
{
	const struct tr2_export_options *opt = x->opt;
	struct clickhouse *h = x->state;
	size_t i = opt->urls.nr;
	bool ok = true;

	h->c.database = opt->database;
	while (ok && i-- > 0) {
		tr2_http_free(h->c.http);
		h->c.http = tr2_clickhouse_connect(opt->urls.item[i]);
		ok = h->c.http && tr2_clickhouse_schema(&h->c, opt->cluster);
	}
	return ok;
}

/* Find the sessions that are stored. If two sessions of the input are equal,
 * count the second session as stored. */
static bool find_loaded(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	uint32_t nr = x->m->nr_sessions, i;
	struct tr2_clickhouse_unit **list = tr2_calloc(nr, sizeof(*list));
	bool ok;

	for (i = 1; i < nr; i++)
		list[i] = &h->units[i];
	ok = tr2_clickhouse_ask(&h->c, TR2_TABLE_sessions, list + 1, nr - 1);
	for (i = 2; i < nr; i++)
		if (list[i]->unit == list[i - 1]->unit)
			list[i]->there = true;
	free(list);
	return ok;
}

static bool begin_clickhouse(struct tr2_export *x)
{
	struct clickhouse *h = tr2_calloc(1, sizeof(*h));
	uint32_t i;

	x->state = h;
	allocate_rows(h, x->m);
	if (!prepare_servers(x))
		return false;
	tr2_own_sums(x->m, h->self);
	tr2_for_each_session(x->m, i) {
		tr2_clickhouse_session_unit(x, &h->units[i], i);
		h->session_ids[i] = h->units[i].unit;
	}
	number_rows(x);
	find_near(h, x->m);
	number_units(x);
	return find_loaded(x);
}

static void insert_session(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;

	h->skip = h->units[i].there;
	if (h->skip) {
		h->nr_there++;
		return;
	}
	tr2_clickhouse_begin(&h->c, &h->units[i]);
}

/* Return the number of a row in its unit and table. */
static uint32_t row_number(const struct tr2_export *x, enum tr2_table_id table,
			   uint32_t i)
{
	const struct clickhouse *h = x->state;
	const struct tr2_model *m = x->m;

	if (h->rows[table] && tr2_row_session(m, table, i))
		return h->rows[table][i];
	switch (table) {
	case TR2_TABLE_samples:
		return h->sample_row;
	case TR2_TABLE_kernel_threads:
		return (uint32_t)(h->kernel_thread_ids[i] -
				  h->process_ids[m->tasks[m->task_threads[i].task]
							 .node]);
	case TR2_TABLE_states:
		return h->state_row;
	case TR2_TABLE_memory:
		return h->memory_row;
	default:
		return 0;
	}
}

/* If the row is a recording or a process, begin its unit: the row is the first
 * row of the unit. */
static void begin_unit(struct tr2_export *x, enum tr2_table_id table,
		       uint32_t i)
{
	struct clickhouse *h = x->state;
	struct tr2_clickhouse_unit unit;

	if (table == TR2_TABLE_recordings)
		tr2_clickhouse_recording_unit(x, &unit, i);
	else if (table == TR2_TABLE_processes)
		process_unit(x, &unit, i);
	else
		return;
	h->state_row = h->memory_row = h->sample_row = 0;
	h->skip = false;
	tr2_clickhouse_begin(&h->c, &unit);
}

static void end_unit(struct tr2_export *x)
{
	struct clickhouse *h = x->state;

	if (!tr2_clickhouse_end(&h->c))
		x->failed = true;
}

static void add_row(struct tr2_export *x, enum tr2_table_id table, uint32_t i)
{
	struct clickhouse *h = x->state;

	if (h->skip && tr2_clickhouse_of_session(table))
		return;
	/* Leave out a file without meta.json. Its day is unknown, and its row
	 * would contain only its key, which all other rows have, too. */
	if (table == TR2_TABLE_recordings && !x->m->inputs[i].meta_json)
		return;
	begin_unit(x, table, i);
	h->state_row += table == TR2_TABLE_states;
	h->memory_row += table == TR2_TABLE_memory;
	h->sample_row += table == TR2_TABLE_samples;
	tr2_row_fill(x, &h->row, &h->ids, table, i);
	tr2_clickhouse_row(&h->c, table, row_number(x, table, i), &h->row);
	if (table == TR2_TABLE_recordings)
		end_unit(x);
}

static void node_end(struct tr2_export *x, uint32_t i)
{
	(void)i;
	end_unit(x);
}

static void session_end(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;

	(void)i;
	if (!h->skip)
		end_unit(x);
}

static void print_result(const struct clickhouse *h)
{
	uint64_t nr_rows = 0;
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++)
		nr_rows += h->c.sent_rows[i];
	fprintf(stderr, "[ trace2 export: %" PRIu64 " processes, %" PRIu64
		" sessions, %" PRIu64 " rows -> %s, database %s; %" PRIu64
		" sessions were there ]\n",
		h->c.sent_rows[TR2_TABLE_processes],
		h->c.sent_rows[TR2_TABLE_sessions], nr_rows,
		tr2_http_shown(h->c.http), h->c.database, h->nr_there);
}

static void release_clickhouse(struct clickhouse *h)
{
	int i;

	tr2_clickhouse_release(&h->c);
	tr2_row_release(&h->row);
	free(h->units);
	free(h->near);
	free(h->session_ids);
	free(h->thread_ids);
	free(h->span_ids);
	free(h->process_ids);
	free(h->kernel_thread_ids);
	free(h->recording_ids);
	for (i = 0; i < TR2_TABLE_NR; i++)
		free(h->rows[i]);
	free(h->next_row);
	free(h->self);
	free(h);
}

static bool end_clickhouse(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	bool ok = !x->failed;

	if (ok)
		ok = tr2_clickhouse_flush(&h->c);
	if (ok)
		print_result(h);
	release_clickhouse(h);
	return ok;
}

const struct tr2_export_format tr2_export_clickhouse = {
	.flags = TR2_EXPORT_URL | TR2_EXPORT_DATABASE,
	.begin = begin_clickhouse,
	.end = end_clickhouse,
	.session = insert_session,
	.session_end = session_end,
	.node_end = node_end,
	.row = add_row,
};
