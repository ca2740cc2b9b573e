/* SPDX-License-Identifier: MIT */
/*
 * clickhouse - write sessions to a running ClickHouse, over HTTP, from any
 * number of machines.
 *
 * Nothing is stored twice, however often and from wherever it is exported:
 * - Ids follow from the session's key (tr2_session_key()), the day and the host
 *   from its SID: a session always has the same rows, in the same partition and
 *   on the same shard, and the primary key is (host, unit, row). So tables of
 *   the ReplacingMergeTree kind recognise duplicate rows. They remove them when
 *   they merge, later; a query that must not see both uses FINAL. ClickHouse's
 *   other deduplication works for replicated tables or the last hundred inserts
 *   only, and only for identical blocks; a timer that exports again after a
 *   failure has other blocks.
 * - So the exporter first queries, and sends only missing sessions. A session
 *   is stored when its row in `sessions` is, which is sent last. If a load was
 *   interrupted, a table has all rows of a session or none: they are in one
 *   block. A session is sent again, with a greater revision, only if it went on
 *   after it was loaded; and two exporters of the same file at the same time
 *   both send.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory.h"
#include "export/clickhouse.h"
#include "export/sha256.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define LAST_DAY 49708 /* 2106-02-05: the last of ClickHouse's Date */

struct clickhouse {
	struct tr2_clickhouse c;
	struct tr2_row row;
	struct tr2_row_ids ids;
	struct tr2_clickhouse_unit *units; /* by session of the model */
	int64_t *session_ids, *thread_ids, *span_ids;
	uint32_t *point_rows, *metric_rows, *sample_rows;
	uint32_t *next_row; /* by session */
	int64_t *self;      /* by span */
	bool skip;          /* the current session is stored already */
	uint64_t nr_sent, nr_there;
};

/* ---- values derived from a session id ------------------------------------ */

/* Return an id that is not negative, with room for the ids of its parts. */
static int64_t id_of(const char *key, size_t len)
{
	uint8_t digest[32];
	uint64_t id = 0;
	int i;

	tr2_sha256(key, len, digest);
	for (i = 0; i < 8; i++)
		id = id << 8 | digest[i];
	return (int64_t)(id >> 2) + 1;
}

/* Return the day of a SID that begins with its eight digits; -1: none. */
static int32_t day_of_sid(const char *own)
{
	const char *rest = own + strspn(own, "0123456789");
	unsigned int date, month, day;

	if (rest - own != 8 || *rest != 'T')
		return -1;
	date = (unsigned int)atoi(own);
	month = date / 100 % 100;
	day = date % 100;
	if (date < 19700000 || month < 1 || month > 12 || day < 1 || day > 31)
		return -1;
	return (int32_t)tr2_days_until(date / 10000, month, day);
}

static int32_t day_of(const char *own, int64_t wall_ns)
{
	int64_t day = day_of_sid(own);

	if (day < 0)
		day = wall_ns / DAY_NS;
	return day >= 0 && day <= LAST_DAY ? (int32_t)day : 0;
}

/* Set host from a SID of the form TIME-HOST-PID, or to "". */
static void set_host(struct tr2_clickhouse_unit *u, const char *own)
{
	const char *host = strchr(own, '-');
	const char *pid = strrchr(own, '-');

	u->host = own;
	if (!host || host == pid)
		return;
	u->host = host + 1;
	u->host_len = (size_t)(pid - host - 1);
}

/* Return a number that grows as more becomes known: events and samples, the
 * end, the parent. */
static uint64_t revision_of(const struct tr2_model *m, uint32_t session)
{
	const struct tr2_model_session *s = &m->sessions[session];
	const struct tr2_node *n = &m->nodes[s->node];
	bool last = s->node && !s->next_of_node;
	uint8_t end = last ? n->end : s->end;
	uint64_t nr = s->nr_events;
	uint32_t i;

	tr2_for_each_sample(m, session, i)
		nr++;
	return (nr << 2) |
	       (end != TR2_END_OPEN ? 2u : 0u) | (n->parent ? 1u : 0u);
}

static void make_unit(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	const struct tr2_model_session *s = &x->m->sessions[i];
	struct tr2_clickhouse_unit *u = &h->units[i];
	const char *slash = strrchr(s->sid, '/');
	const char *own = slash ? slash + 1 : s->sid;

	tr2_buf_reset(&x->text);
	tr2_session_key(x, &x->text, i);
	u->unit = id_of(tr2_buf_str(&x->text), x->text.len);
	u->tree = id_of(s->sid, strcspn(s->sid, "/"));
	u->revision = revision_of(x->m, i);
	u->day = day_of(own, s->wall_ns + s->start_ns);
	set_host(u, own);
	h->session_ids[i] = u->unit;
}

/* ---- ids and rows --------------------------------------------------------------- */

/* Number rows in the order in which they were read: later events of a session
 * do not change earlier numbers. */
static void number_rows(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	const struct tr2_model *m = x->m;
	uint32_t i, s;

	for (i = 1; i < m->nr_threads; i++) {
		s = m->threads[i].session;
		h->thread_ids[i] = h->session_ids[s] + ++h->next_row[s];
	}
	memset(h->next_row, 0, m->nr_sessions * sizeof(*h->next_row));
	for (i = 1; i < m->nr_spans; i++) {
		s = m->threads[m->spans[i].thread].session;
		h->span_ids[i] = h->session_ids[s] + ++h->next_row[s];
	}
	memset(h->next_row, 0, m->nr_sessions * sizeof(*h->next_row));
	for (i = 1; i < m->nr_points; i++) {
		s = m->threads[m->points[i].thread].session;
		h->point_rows[i] = ++h->next_row[s];
	}
	memset(h->next_row, 0, m->nr_sessions * sizeof(*h->next_row));
	for (i = 1; i < m->nr_metrics; i++)
		h->metric_rows[i] = ++h->next_row[m->metrics[i].session];
	memset(h->next_row, 0, m->nr_sessions * sizeof(*h->next_row));
	for (i = 1; i < m->nr_samples; i++)
		h->sample_rows[i] = ++h->next_row[m->samples[i].session];
}

static void allocate(struct clickhouse *h, const struct tr2_model *m)
{
	h->units = tr2_calloc(m->nr_sessions, sizeof(*h->units));
	h->session_ids = tr2_calloc(m->nr_sessions, sizeof(*h->session_ids));
	h->next_row = tr2_calloc(m->nr_sessions, sizeof(*h->next_row));
	h->thread_ids = tr2_calloc(m->nr_threads, sizeof(*h->thread_ids));
	h->span_ids = tr2_calloc(m->nr_spans, sizeof(*h->span_ids));
	h->self = tr2_calloc(m->nr_spans, sizeof(*h->self));
	h->point_rows = tr2_calloc(m->nr_points, sizeof(*h->point_rows));
	h->metric_rows = tr2_calloc(m->nr_metrics, sizeof(*h->metric_rows));
	h->sample_rows = tr2_calloc(m->nr_samples, sizeof(*h->sample_rows));
	h->ids = (struct tr2_row_ids){ .session_ids = h->session_ids,
				       .thread_ids = h->thread_ids,
				       .span_ids = h->span_ids,
				       .id_of_sid = id_of };
}

/* ---- begin --------------------------------------------------------------- */

/* Create the tables on every server that --url names; rows go to the first. */
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

/* Find sessions that are stored. Of two equal sessions, the second counts as
 * stored. */
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

static bool begin(struct tr2_export *x)
{
	struct clickhouse *h = tr2_calloc(1, sizeof(*h));
	uint32_t i;

	x->state = h;
	allocate(h, x->m);
	if (!prepare_servers(x))
		return false;
	tr2_model_self_times(x->m, h->self);
	tr2_for_each_session(x->m, i)
		make_unit(x, i);
	number_rows(x);
	return find_loaded(x);
}

/* ---- rows -------------------------------------------------------------------------- */

static void session(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;

	h->skip = h->units[i].there;
	if (h->skip) {
		h->nr_there++;
		return;
	}
	tr2_clickhouse_begin(&h->c, &h->units[i]);
	tr2_row_session(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, TR2_TABLE_sessions, 0, &h->row);
	h->nr_sent++;
}

static void thread(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	uint32_t s = x->m->threads[i].session;

	if (h->skip)
		return;
	tr2_row_thread(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, TR2_TABLE_threads,
			   (uint32_t)(h->thread_ids[i] - h->session_ids[s]),
			   &h->row);
}

static void span(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	uint32_t s = x->m->threads[x->m->spans[i].thread].session;

	if (h->skip)
		return;
	tr2_row_span(x, &h->row, &h->ids, i, h->self[i]);
	tr2_clickhouse_row(&h->c, TR2_TABLE_spans,
			   (uint32_t)(h->span_ids[i] - h->session_ids[s]),
			   &h->row);
}

static void point(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	enum tr2_table_id table;

	if (h->skip)
		return;
	table = tr2_row_point(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, table, h->point_rows[i], &h->row);
}

static void metric(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	enum tr2_table_id table;

	if (h->skip)
		return;
	table = tr2_row_metric(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, table, h->metric_rows[i], &h->row);
}

static void sample(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;

	if (h->skip)
		return;
	tr2_row_sample(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, TR2_TABLE_samples, h->sample_rows[i],
			   &h->row);
}

static void session_end(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;

	(void)i;
	if (!h->skip && !tr2_clickhouse_end(&h->c))
		x->failed = true;
}

/* Return the session of a process or of the nearest one above it; else any,
 * since all are of one machine. 0: there is none. */
static uint32_t session_near(const struct tr2_model *m, uint32_t node)
{
	for (; node; node = m->nodes[node].parent)
		if (m->nodes[node].session)
			return m->nodes[node].session;
	return m->nr_sessions > 1 ? 1 : 0;
}

/* Identify a process of the kernel's by its host, its pid and its start. */
static void task_unit(struct tr2_export *x, struct tr2_clickhouse_unit *u,
		      uint32_t i)
{
	const struct clickhouse *h = x->state;
	const struct tr2_model_task *t = &x->m->tasks[i];
	uint32_t near = session_near(x->m, t->node);
	int64_t when = t->start_ns != TR2_NO_TIME && t->start_ns ? t->start_ns :
		       t->exec_ns != TR2_NO_TIME && t->exec_ns	 ? t->exec_ns :
								   t->end_ns;

	*u = (struct tr2_clickhouse_unit){ .host = "" };
	if (near)
		*u = h->units[near];
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, u->host, u->host_len);
	tr2_buf_addch(&x->text, '/');
	tr2_buf_add_i64(&x->text, t->pid);
	tr2_buf_addch(&x->text, '/');
	tr2_buf_add_i64(&x->text, when);
	u->unit = id_of(tr2_buf_str(&x->text), x->text.len);
	if (!near)
		u->tree = u->unit;
	u->day = day_of("", when);
	u->revision = (t->end_ns != TR2_NO_TIME && t->end_ns ? 2u : 0u) |
		      (x->m->nodes[t->node].session ? 1u : 0u);
}

static void task(struct tr2_export *x, uint32_t i)
{
	struct clickhouse *h = x->state;
	struct tr2_clickhouse_unit unit;

	task_unit(x, &unit, i);
	tr2_clickhouse_begin(&h->c, &unit);
	tr2_row_task(x, &h->row, &h->ids, i);
	tr2_clickhouse_row(&h->c, TR2_TABLE_tasks, 0, &h->row);
	if (!tr2_clickhouse_end(&h->c))
		x->failed = true;
}

/* ---- the end ------------------------------------------------------------------------ */

static void print_result(const struct clickhouse *h)
{
	fprintf(stderr, "[ trace2 export: %" PRIu64 " sessions, %" PRIu64
		" rows -> %s, database %s; %" PRIu64 " sessions were there ]\n",
		h->nr_sent, h->c.sent_rows, tr2_http_shown(h->c.http),
		h->c.database, h->nr_there);
}

static void release(struct clickhouse *h)
{
	tr2_clickhouse_release(&h->c);
	tr2_row_release(&h->row);
	free(h->units);
	free(h->session_ids);
	free(h->thread_ids);
	free(h->span_ids);
	free(h->point_rows);
	free(h->metric_rows);
	free(h->sample_rows);
	free(h->next_row);
	free(h->self);
	free(h);
}

static bool end(struct tr2_export *x)
{
	struct clickhouse *h = x->state;
	bool ok = !x->failed;

	if (ok)
		ok = tr2_clickhouse_flush(&h->c);
	if (ok)
		print_result(h);
	release(h);
	return ok;
}

const struct tr2_export_format tr2_export_clickhouse = {
	.flags = TR2_EXPORT_URL | TR2_EXPORT_DATABASE,
	.begin = begin,
	.end = end,
	.session = session,
	.thread = thread,
	.span = span,
	.point = point,
	.metric = metric,
	.sample = sample,
	.session_end = session_end,
	.task = task,
};
