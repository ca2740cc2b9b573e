/* SPDX-License-Identifier: MIT */
/*
 * clickhouse_batch - collect rows for each table, leave out rows that are
 * stored, and send the rest in one INSERT for each table.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"
#include "export/sql/clickhouse.h"

#define BATCH_BYTES (32u << 20)
#define BATCH_UNITS 100000
#define ASK_UNITS 10000 /* ask for this many units in one query */
#define DAY_SECONDS 86400

static void add_day(struct tr2_buf *b, int32_t day)
{
	struct tr2_civil date;

	tr2_clock_civil(&date, (uint64_t)day * DAY_SECONDS);
	tr2_buf_add_digits(b, date.year, 4);
	tr2_buf_addch(b, '-');
	tr2_buf_add_digits(b, date.month, 2);
	tr2_buf_addch(b, '-');
	tr2_buf_add_digits(b, date.day, 2);
}

/* Append text, escaped as in TabSeparated, which is also valid between single
 * quotes. */
static void add_text(struct tr2_buf *b, const char *s, size_t len)
{
	size_t i, from = 0;
	char c;

	for (i = 0; i < len; i++) {
		c = s[i];
		if (c != '\t' && c != '\n' && c != '\r' && c != '\\' &&
		    c != '\'')
			continue;
		tr2_buf_add(b, s + from, i - from);
		tr2_buf_addch(b, '\\');
		tr2_buf_addch(b, c == '\t' ? 't' : c == '\n' ? 'n' :
				 c == '\r' ? 'r' : c);
		from = i + 1;
	}
	tr2_buf_add(b, s + from, len - from);
}

static int by_unit(const void *a, const void *b)
{
	const struct tr2_clickhouse_unit *p =
		*(struct tr2_clickhouse_unit *const *)a;
	const struct tr2_clickhouse_unit *q =
		*(struct tr2_clickhouse_unit *const *)b;

	return p->unit < q->unit ? -1 : p->unit > q->unit;
}

/* Append a query for units. Its conditions on days select partitions; its
 * conditions on host and unit use the primary key. */
static void add_question(struct tr2_clickhouse *c, const char *table,
			 struct tr2_clickhouse_unit *const *u, size_t nr)
{
	int32_t first = INT32_MAX, last = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		first = u[i]->day < first ? u[i]->day : first;
		last = u[i]->day > last ? u[i]->day : last;
	}
	tr2_buf_reset(&c->query);
	tr2_buf_addall(&c->query, "SELECT unit, max(revision) FROM `",
		       c->database, "`.`", table, "` WHERE day >= '");
	add_day(&c->query, first);
	tr2_buf_addlit(&c->query, "' AND day <= '");
	add_day(&c->query, last);
	tr2_buf_addlit(&c->query, "' AND (host, unit) IN (");
	for (i = 0; i < nr; i++) {
		tr2_buf_addstr(&c->query, i ? ",('" : "('");
		add_text(&c->query, u[i]->host, u[i]->host_len);
		tr2_buf_addlit(&c->query, "',");
		tr2_buf_add_i64(&c->query, u[i]->unit);
		tr2_buf_addch(&c->query, ')');
	}
	tr2_buf_addlit(&c->query, ") GROUP BY unit FORMAT TabSeparated");
}

/* Read an answer of lines "unit<TAB>revision", and mark all units of these
 * lines as stored. */
static bool read_answer(struct tr2_clickhouse *c,
			struct tr2_clickhouse_unit **u, size_t nr)
{
	struct tr2_buf *answer = tr2_http_answer(c->http);
	struct tr2_clickhouse_unit wanted, *key = &wanted, **found;
	const char *p = tr2_buf_str(answer);
	uint64_t revision;
	char *rest;

	tr2_must(!answer->failed);
	for (; *p; p = rest + (*rest == '\n')) {
		wanted.unit = strtoll(p, &rest, 10);
		if (rest == p || *rest != '\t')
			break;
		p = rest + 1;
		revision = strtoull(p, &rest, 10);
		if (rest == p || (*rest && *rest != '\n'))
			break;
		found = bsearch(&key, u, nr, sizeof(*u), by_unit);
		for (; found && found > u && found[-1]->unit == wanted.unit;)
			found--;
		for (; found && found < u + nr && (*found)->unit == wanted.unit;
		     found++)
			(*found)->there = revision >= (*found)->revision;
	}
	if (!*p)
		return true;
	tr2_error("'%s' did not answer like a ClickHouse server",
		  tr2_http_shown(c->http));
	return false;
}

bool tr2_clickhouse_ask(struct tr2_clickhouse *c, enum tr2_table_id table,
			struct tr2_clickhouse_unit **list, size_t nr)
{
	size_t i, some;

	for (i = 0; i < nr; i++)
		list[i]->there = false;
	if (nr)
		qsort(list, nr, sizeof(*list), by_unit);
	for (; nr; list += some, nr -= some) {
		some = nr < ASK_UNITS ? nr : ASK_UNITS;
		/* Query equal units together. */
		while (some < nr && list[some]->unit == list[some - 1]->unit)
			some++;
		add_question(c, tr2_table_defs[table].name, list, some);
		if (!tr2_clickhouse_query(c) || !read_answer(c, list, some))
			return false;
	}
	return true;
}

/* Return the offset of a piece's rows in the text of a table. */
static size_t rows_from(const struct tr2_clickhouse *c, size_t piece, int table)
{
	return piece ? c->pieces[piece - 1].end[table] : 0;
}

static bool has_rows(const struct tr2_clickhouse *c, size_t piece, int table)
{
	return c->pieces[piece].end[table] > rows_from(c, piece, table);
}

/* Set .there of all pieces. Threads are sent first, and each session has
 * threads. So, if the table `threads` lacks a session, do not query other
 * tables for this session. all: query for all pieces. */
static bool look_up_units(struct tr2_clickhouse *c, enum tr2_table_id table,
			  bool all)
{
	bool each = all || table == TR2_TABLE_threads ||
		    !tr2_clickhouse_of_session(table);
	size_t i, nr = 0;

	for (i = 0; i < c->nr_pieces; i++) {
		c->pieces[i].unit.there = false;
		if ((each || c->pieces[i].suspect) && has_rows(c, i, table))
			c->list[nr++] = &c->pieces[i].unit;
	}
	if (!tr2_clickhouse_ask(c, table, c->list, nr))
		return false;
	for (i = 0; i < c->nr_pieces && table == TR2_TABLE_threads; i++)
		c->pieces[i].suspect |= c->pieces[i].unit.there ||
					!has_rows(c, i, table);
	return true;
}

/* Return the rows of the pieces that are not stored: the table's text if no
 * piece is stored, else a copy of a part. */
static const struct tr2_buf *collect(struct tr2_clickhouse *c,
				     enum tr2_table_id table)
{
	size_t i = 0, from;

	while (i < c->nr_pieces && !c->pieces[i].unit.there)
		i++;
	if (i == c->nr_pieces)
		return &c->rows[table];
	tr2_buf_reset(&c->body);
	for (i = 0; i < c->nr_pieces; i++) {
		from = rows_from(c, i, table);
		if (!c->pieces[i].unit.there)
			tr2_buf_add(&c->body, c->rows[table].p + from,
				    c->pieces[i].end[table] - from);
	}
	return &c->body;
}

static void add_insert(struct tr2_clickhouse *c, enum tr2_table_id table)
{
	const struct tr2_column_def *col = tr2_table_defs[table].column, *own;

	tr2_buf_reset(&c->query);
	tr2_buf_addall(&c->query, "query=INSERT INTO `", c->database, "`.`",
		       tr2_table_defs[table].name, "` (`");
	for (own = tr2_clickhouse_columns; own->name; own++)
		tr2_buf_addall(&c->query, own->name, "`, `");
	for (; col->name; col++)
		tr2_buf_addall(&c->query, col->name,
			       col[1].name ? "`, `" : "`)");
	tr2_buf_addlit(&c->query, " FORMAT TabSeparated");
}

/* Set parameters: all rows are one block, and the server answers when the
 * shards have the block. For each shard and day, the server stores a block
 * wholly or not at all. A unit belongs to one shard and one day. */
static void set_params(struct tr2_clickhouse *c, enum tr2_table_id table)
{
	static const char *const sizes[] = { "max_insert_block_size=",
					     "min_insert_block_size_rows=" };
	struct tr2_buf b = TR2_BUF_INIT;
	size_t i;

	tr2_http_no_params(c->http);
	add_insert(c, table);
	tr2_must(!c->query.failed);
	tr2_http_param(c->http, tr2_buf_str(&c->query));
	tr2_http_param(c->http, "insert_distributed_sync=1");
	tr2_http_param(c->http, "min_insert_block_size_bytes=0");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		tr2_buf_reset(&b);
		tr2_buf_addstr(&b, sizes[i]);
		tr2_buf_add_u64(&b, (uint64_t)c->nr_rows[table] + 1);
		tr2_must(!b.failed);
		tr2_http_param(c->http, tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

static uint64_t count_rows(const struct tr2_buf *rows)
{
	const char *p = rows->p, *end = p + rows->len;
	uint64_t nr = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		nr++;
		p++;
	}
	return nr;
}

/* Send one INSERT. Return 1: the rows are stored; 0: the server is busy; -1: an
 * error was printed. */
static int insert_batch(struct tr2_clickhouse *c, enum tr2_table_id table,
			const struct tr2_buf *rows)
{
	tr2_must(!rows->failed);
	set_params(c, table);
	if (!tr2_http_post_once(c->http, rows->p, rows->len))
		return -1;
	if (tr2_http_status(c->http) != 200)
		return tr2_clickhouse_busy(c) ? 0 : -1;
	c->sent_rows[table] += count_rows(rows);
	return 1;
}

/* Send the rows of a table. After a failure, ask the server whether it has
 * stored the rows nevertheless. */
static bool send_table(struct tr2_clickhouse *c, enum tr2_table_id table)
{
	const struct tr2_buf *rows;
	int tries = 0, done = 0;

	tr2_must(!c->rows[table].failed);
	while (c->rows[table].len && !done) {
		if (!look_up_units(c, table, tries > 0))
			return false;
		rows = collect(c, table);
		if (!rows->len)
			break;
		done = insert_batch(c, table, rows);
		if (!done && tr2_clickhouse_gave_up(c, ++tries))
			return false;
	}
	return done >= 0;
}

static bool send_tables(struct tr2_clickhouse *c)
{
	int i;

	if (!send_table(c, TR2_TABLE_threads))
		return false;
	for (i = 0; i < TR2_TABLE_NR; i++)
		if (i != TR2_TABLE_threads && i != TR2_TABLE_sessions &&
		    !send_table(c, (enum tr2_table_id)i))
			return false;
	/* Send the table `sessions` last: if it has a session, all rows of that
	 * session are stored. */
	return send_table(c, TR2_TABLE_sessions);
}

bool tr2_clickhouse_flush(struct tr2_clickhouse *c)
{
	bool ok = send_tables(c);
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++) {
		tr2_buf_reset(&c->rows[i]);
		c->nr_rows[i] = 0;
	}
	c->nr_pieces = 0;
	return ok;
}

/* Set the first columns of all rows of a unit. */
static void set_head(struct tr2_clickhouse *c,
		     const struct tr2_clickhouse_unit *u)
{
	struct tr2_buf *b = &c->head;

	tr2_buf_reset(b);
	add_day(b, u->day);
	tr2_buf_addch(b, '\t');
	add_text(b, u->host, u->host_len);
	tr2_buf_addch(b, '\t');
	tr2_buf_add_i64(b, u->tree);
	tr2_buf_addch(b, '\t');
	tr2_buf_add_i64(b, u->unit);
	tr2_buf_addch(b, '\t');
	tr2_must(!b->failed);
}

void tr2_clickhouse_begin(struct tr2_clickhouse *c,
			  const struct tr2_clickhouse_unit *unit)
{
	uint32_t before = c->alloc_pieces;

	tr2_grow(c->pieces, c->nr_pieces, c->alloc_pieces);
	if (c->alloc_pieces > before)
		c->list = tr2_realloc(c->list, c->alloc_pieces,
				      sizeof(struct tr2_clickhouse_unit *));
	c->pieces[c->nr_pieces++] =
		(struct tr2_clickhouse_piece){ .unit = *unit };
	set_head(c, unit);
}

static void add_value(struct tr2_buf *b, const struct tr2_column_def *col,
		      const struct tr2_row *r, const struct tr2_row_value *v)
{
	if (v->kind == TR2_VALUE_INT)
		tr2_buf_add_i64(b, v->i);
	else if (v->kind == TR2_VALUE_UINT)
		tr2_buf_add_u64(b, v->u);
	else if (v->kind == TR2_VALUE_TEXT)
		add_text(b, r->text.p + v->at, v->len);
	else if (!tr2_column_is_required(col))
		tr2_buf_addlit(b, "\\N");
	else if (!tr2_column_is_text(col))
		tr2_buf_addch(b, '0');
}

void tr2_clickhouse_row(struct tr2_clickhouse *c, enum tr2_table_id table,
			uint32_t nr, const struct tr2_row *r)
{
	const struct tr2_column_def *col = tr2_table_defs[table].column;
	const struct tr2_clickhouse_unit *u = &c->pieces[c->nr_pieces - 1].unit;
	struct tr2_buf *b = &c->rows[table];
	unsigned int i;

	tr2_buf_add(b, c->head.p, c->head.len);
	tr2_buf_add_u64(b, nr);
	tr2_buf_addch(b, '\t');
	tr2_buf_add_u64(b, u->revision);
	tr2_must(!r->text.failed);
	for (i = 0; i < r->nr; i++) {
		tr2_buf_addch(b, '\t');
		add_value(b, &col[i], r, &r->value[i]);
	}
	tr2_buf_addch(b, '\n');
	c->nr_rows[table]++;
}

bool tr2_clickhouse_end(struct tr2_clickhouse *c)
{
	struct tr2_clickhouse_piece *p = &c->pieces[c->nr_pieces - 1];
	size_t total = 0;
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++) {
		p->end[i] = c->rows[i].len;
		total += c->rows[i].len;
	}
	if (total < BATCH_BYTES && c->nr_pieces < BATCH_UNITS)
		return true;
	return tr2_clickhouse_flush(c);
}

void tr2_clickhouse_release(struct tr2_clickhouse *c)
{
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++)
		tr2_buf_release(&c->rows[i]);
	tr2_buf_release(&c->query);
	tr2_buf_release(&c->body);
	tr2_buf_release(&c->head);
	free(c->pieces);
	free(c->list);
	tr2_http_free(c->http);
}
