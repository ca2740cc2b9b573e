/* SPDX-License-Identifier: MIT */
/*
 * clickhouse - what the parts of the ClickHouse export share. How sessions
 * are never in there twice is told in export/clickhouse.c.
 */
#ifndef TR2_EXPORT_CLICKHOUSE_H
#define TR2_EXPORT_CLICKHOUSE_H

#include "export/http.h"
#include "export/tables.h"

/* In the table `schema`. Another meaning of what is there is a new number, and
 * so is a new table. */
#define TR2_CLICK_SCHEMA_VERSION 2
/* From this one on, all that is missing are tables: they are made. */
#define TR2_CLICK_SCHEMA_OLDEST 1

/* The columns that every table has before those of export/tables.def: the
 * day, the host, the tree (which shards go by), the unit, the row in the unit,
 * and the revision, of which the greatest wins. Ends with NULL. */
extern const struct tr2_column_def tr2_clickhouse_columns[];

/*
 * What is in a table wholly or not at all: a session, or a task. All that is
 * here but the revision follows from its id, so that it is the same in every
 * export.
 */
struct tr2_clickhouse_unit {
	int64_t unit, tree;
	uint64_t revision; /* grows as more of it becomes known */
	const char *host;  /* not terminated */
	size_t host_len;
	int32_t day;       /* since 1970 */
	bool there;        /* in this revision or a later one, when asked */
};

/* A piece of the rows of each table. */
struct tr2_clickhouse_piece {
	struct tr2_clickhouse_unit unit;
	bool suspect; /* some of it may be there */
	size_t end[TR2_TABLE_NR]; /* in the text of the table's rows */
};

struct tr2_clickhouse {
	struct tr2_export *x;
	struct tr2_http *http;
	const char *database;
	struct tr2_buf query, body;
	/* What was not sent yet. */
	struct tr2_buf rows[TR2_TABLE_NR];
	uint32_t nr_rows[TR2_TABLE_NR];
	struct tr2_clickhouse_piece *pieces;
	struct tr2_clickhouse_unit **list; /* room for as many */
	size_t nr_pieces, alloc_pieces;
	uint64_t sent_rows;
};

/* ---- the server ------------------------------------------------------------ */

/* NULL: an error was printed. */
struct tr2_http *tr2_clickhouse_connect(const char *url);

/* The text of the query in c->query; its answer is then that of c->http.
 * Asked again while the server is busy. false: an error was printed. */
bool tr2_clickhouse_query(struct tr2_clickhouse *c);
/* What the server said after a request that was not answered with 200; true:
 * it was busy. false: an error was printed. */
bool tr2_clickhouse_busy(struct tr2_clickhouse *c);
/* Waits, or says that it was busy for too long: true. tries: from 1. */
bool tr2_clickhouse_gave_up(struct tr2_clickhouse *c, int tries);

/* The database with its tables, of this version; made when it is not there.
 * cluster: NULL for a single server. false: an error was printed. */
bool tr2_clickhouse_schema(struct tr2_clickhouse *c, const char *cluster);

/* ---- rows ------------------------------------------------------------------ */

/* Which of these units are in a table? Sets .there; sorts the list. false: an
 * error was printed. */
bool tr2_clickhouse_ask(struct tr2_clickhouse *c, enum tr2_table_id table,
			struct tr2_clickhouse_unit **list, size_t nr);

/* Begins a piece; then its rows; then its end, which sends what has become
 * enough. false: an error was printed. */
bool tr2_clickhouse_begin(struct tr2_clickhouse *c,
			  const struct tr2_clickhouse_unit *unit);
void tr2_clickhouse_row(struct tr2_clickhouse *c, enum tr2_table_id table,
			uint32_t nr, const struct tr2_row *r);
bool tr2_clickhouse_end(struct tr2_clickhouse *c);
/* Sends all. */
bool tr2_clickhouse_flush(struct tr2_clickhouse *c);
void tr2_clickhouse_release(struct tr2_clickhouse *c);

#endif
