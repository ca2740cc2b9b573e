/* SPDX-License-Identifier: MIT */
/*
 * clickhouse - declarations that the files of the ClickHouse export share.
 * export/sql/clickhouse.c explains how sessions are never stored twice.
 */
#pragma once

#include "export/http.h"
#include "export/sql/tables.h"

/* The first columns of every table, before the columns of export/tables.def:
 * the day, the host, the tree (the sharding key), the unit, the row in the
 * unit, and the revision, the greatest of which wins. A NULL ends the list. */
extern const struct tr2_column_def tr2_clickhouse_columns[];

/*
 * A unit: a session, a process or a recording. A table has all rows of a unit
 * or none. All members except the revision follow from the unit's key, so that
 * they are the same in every export.
 */
struct tr2_clickhouse_unit {
	int64_t unit, tree;
	uint64_t revision; /* revision number, which grows when more becomes
			    * known of the unit */
	const char *host;  /* host, without a NUL at its end */
	size_t host_len;
	int32_t day;       /* since 1970 */
	/* the last query found the unit stored, in this revision or a later
	 * one */
	bool there;
};

/* Return an id that is not negative. The numbers after it are free for ids of
 * the unit's parts. */
int64_t tr2_clickhouse_id(const char *key, size_t len);
/* Set all members of a session's unit except .there. */
void tr2_clickhouse_session_unit(struct tr2_export *x,
				 struct tr2_clickhouse_unit *u,
				 uint32_t session);
/* Set the unit of a process by its key and its host. near: the unit of its own
 * session, or of a session near the process; NULL: no session. */
void tr2_clickhouse_process_unit(struct tr2_export *x,
				 struct tr2_clickhouse_unit *u,
				 const struct tr2_clickhouse_unit *near,
				 uint32_t node);
void tr2_clickhouse_recording_unit(struct tr2_export *x,
				   struct tr2_clickhouse_unit *u,
				   uint32_t input);
/* Do the rows of a table belong to sessions? */
static inline bool tr2_clickhouse_of_session(enum tr2_table_id table)
{
	return tr2_table_defs[table].of >= TR2_OF_session;
}

/* A unit with the places of its rows in the text of each table. */
struct tr2_clickhouse_piece {
	struct tr2_clickhouse_unit unit;
	bool suspect; /* some rows of the unit may already be stored */
	size_t end[TR2_TABLE_NR]; /* by table: end of the unit's rows in the
				   * table's text */
};

struct tr2_clickhouse {
	struct tr2_export *x;
	struct tr2_http *http;
	const char *database;
	struct tr2_buf query, body;
	struct tr2_buf head; /* the first columns of the current unit */
	/* Texts of the rows that are not sent yet. */
	struct tr2_buf rows[TR2_TABLE_NR];
	uint32_t nr_rows[TR2_TABLE_NR];
	struct tr2_clickhouse_piece *pieces;
	struct tr2_clickhouse_unit **list; /* memory for a list of all pieces */
	uint32_t nr_pieces, alloc_pieces;
	uint64_t sent_rows[TR2_TABLE_NR];
};

/* Connect to a server. Return NULL after an error message. */
struct tr2_http *tr2_clickhouse_connect(const char *url);

/* Send the query in c->query, and repeat it while the server is busy. The
 * answer is in c->http. Return false after an error message. */
bool tr2_clickhouse_query(struct tr2_clickhouse *c);
/* Handle a status other than 200. Return true if the server is busy; false
 * after an error message. */
bool tr2_clickhouse_busy(struct tr2_clickhouse *c);
/* Wait before the next try. Return true, after an error message, if the server
 * was busy for too long. tries counts from 1. */
bool tr2_clickhouse_gave_up(struct tr2_clickhouse *c, int tries);

/* Create the database and its tables, or check their version if they exist.
 * cluster: NULL for a single server. Return false after an error message. */
bool tr2_clickhouse_schema(struct tr2_clickhouse *c, const char *cluster);

/* Query whether the table has the rows of each unit, and set .there. This sorts
 * the list. Return false after an error message. */
bool tr2_clickhouse_ask(struct tr2_clickhouse *c, enum tr2_table_id table,
			struct tr2_clickhouse_unit **list, size_t nr);

/* Begin a piece, add its rows, and end it. _end() sends all rows if there are
 * enough of them, and returns false after an error message. */
void tr2_clickhouse_begin(struct tr2_clickhouse *c,
			  const struct tr2_clickhouse_unit *unit);
void tr2_clickhouse_row(struct tr2_clickhouse *c, enum tr2_table_id table,
			uint32_t nr, const struct tr2_row *r);
bool tr2_clickhouse_end(struct tr2_clickhouse *c);
/* Send all remaining rows. */
bool tr2_clickhouse_flush(struct tr2_clickhouse *c);
void tr2_clickhouse_release(struct tr2_clickhouse *c);
