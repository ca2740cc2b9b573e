/* SPDX-License-Identifier: MIT */
/*
 * clickhouse_schema - requests to a ClickHouse server, and its tables,
 * generated from export/tables.def. On a cluster, each server has its own rows
 * in NAME_local; NAME is the Distributed table over all of these.
 */
#include <stdlib.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"
#include "export/sql/clickhouse.h"

#define MAX_WORDS 300 /* print at most this much of a response in a message */

const struct tr2_column_def tr2_clickhouse_columns[] = {
	{ "day", "Date" },   { "host", "String" }, { "tree", "Int64" },
	{ "unit", "Int64" }, { "row", "UInt32" },  { "revision", "UInt64" },
	{ NULL, NULL },
};

static void add_login(struct tr2_http *http, const char *header,
		      const char *variable)
{
	const char *value = getenv(variable);
	char *line;

	if (!value || !*value || strpbrk(value, "\r\n"))
		return;
	line = tr2_strf("%s%s", header, value);
	tr2_http_header(http, line);
	free(line);
}

struct tr2_http *tr2_clickhouse_connect(const char *url)
{
	static const struct tr2_http_server server = {
		.kind = "a ClickHouse server",
		.request_seconds = 300,
	};
	struct tr2_http *http = tr2_http_new(url, &server);

	if (!http)
		return NULL;
	add_login(http, "X-ClickHouse-User: ", "CLICKHOUSE_USER");
	add_login(http, "X-ClickHouse-Key: ", "CLICKHOUSE_PASSWORD");
	return http;
}

/* Does the answer report a temporary error: too many queries, or too many parts
 * to be merged? Such an answer begins with "Code: 202, …" or "Code: 202. …". */
static bool passes(const char *answer)
{
	static const char code[] = "Code: ";
	long nr;

	if (strncmp(answer, code, sizeof(code) - 1))
		return false;
	nr = strtol(answer + sizeof(code) - 1, NULL, 10);
	return nr == 202 || nr == 252;
}

bool tr2_clickhouse_busy(struct tr2_clickhouse *c)
{
	struct tr2_buf words = TR2_BUF_INIT;
	const char *answer = tr2_buf_str(tr2_http_answer(c->http));
	size_t len = strcspn(answer, "\r\n");

	if (tr2_http_is_busy(c->http) || passes(answer))
		return true;
	tr2_text_add(&words, answer, tr2_utf8_cut(answer, len, MAX_WORDS));
	tr2_error("'%s' answered %ld%s%s", tr2_http_shown(c->http),
		  tr2_http_status(c->http), words.len ? ": " : "",
		  tr2_buf_str(&words));
	tr2_buf_release(&words);
	return false;
}

bool tr2_clickhouse_gave_up(struct tr2_clickhouse *c, int tries)
{
	if (tries < TR2_HTTP_TRIES)
		return tr2_http_wait(c->http, tries), false;
	tr2_error("'%s' is too busy: try again later",
		  tr2_http_shown(c->http));
	return true;
}

bool tr2_clickhouse_query(struct tr2_clickhouse *c)
{
	int tries = 0;

	tr2_http_no_params(c->http);
	/* Let the server wait for the end of the query before it answers, so
	 * that the status reports late errors, too. */
	tr2_http_param(c->http, "wait_end_of_query=1");
	tr2_http_param(c->http, "max_query_size=16777216");
	tr2_http_param(c->http, "max_ast_elements=1000000");
	tr2_must(!c->query.failed);
	do {
		if (!tr2_http_post(c->http, c->query.p, c->query.len))
			return false;
		if (tr2_http_status(c->http) == 200)
			return true;
	} while (tr2_clickhouse_busy(c) && !tr2_clickhouse_gave_up(c, ++tries));
	return false;
}

/* Execute `text`, with % replaced by the database, followed by `more`. */
static bool execute_query(struct tr2_clickhouse *c, const char *text,
			  const char *more)
{
	const char *p;

	tr2_buf_reset(&c->query);
	for (p = text; *p; p++) {
		if (*p == '%')
			tr2_buf_addall(&c->query, "`", c->database, "`");
		else
			tr2_buf_addch(&c->query, *p);
	}
	tr2_buf_addstr(&c->query, more);
	return tr2_clickhouse_query(c);
}

/* Is this the column `recording`, which has the recording's key? */
static bool is_recording(const struct tr2_column_def *col)
{
	return !strcmp(col->name, "recording");
}

static void add_column(struct tr2_buf *b, const struct tr2_column_def *col)
{
	bool required = tr2_column_is_required(col);

	tr2_buf_addall(b, "`", col->name, required ? "` " : "` Nullable(",
		       tr2_column_is_text(col) || is_recording(col) ? "String" :
		       tr2_column_is_unsigned(col) ? "UInt64" :
						     "Int64",
		       required ? "" : ")");
	/* Add the time as a DateTime, too, for people. */
	if (!strcmp(col->name, "start_ns") && required)
		tr2_buf_addlit(b, ", `start` DateTime ALIAS "
			       "toDateTime(intDiv(start_ns, 1000000000))");
	if (!strcmp(col->name, "time_ns"))
		tr2_buf_addlit(b, ", `time` DateTime ALIAS "
			       "toDateTime(intDiv(time_ns, 1000000000))");
}

static bool create_rows(struct tr2_clickhouse *c, const struct tr2_table_def *t,
			const char *suffix)
{
	const struct tr2_column_def *col;

	tr2_buf_reset(&c->query);
	tr2_addf(&c->query, "CREATE TABLE IF NOT EXISTS `%s`.`%s%s`",
		 c->database, t->name, suffix);
	for (col = tr2_clickhouse_columns; col->name; col++)
		tr2_buf_addall(&c->query,
			       col == tr2_clickhouse_columns ? " (`" : ", `",
			       col->name, "` ", col->sql);
	for (col = t->column; col->name; col++) {
		tr2_buf_addlit(&c->query, ", ");
		add_column(&c->query, col);
	}
	tr2_buf_addlit(&c->query, ") ENGINE = ReplacingMergeTree(revision) "
		       "PARTITION BY day ORDER BY (host, unit, row)");
	return tr2_clickhouse_query(c);
}

static bool create_distributed(struct tr2_clickhouse *c, const char *name,
			       const char *cluster)
{
	tr2_buf_reset(&c->query);
	tr2_addf(&c->query,
		 "CREATE TABLE IF NOT EXISTS `%s`.`%s` AS `%s`.`%s_local` "
		 "ENGINE = Distributed(`%s`, `%s`, `%s_local`, tree)",
		 c->database, name, c->database, name, cluster, c->database,
		 name);
	return tr2_clickhouse_query(c);
}

static bool create_table(struct tr2_clickhouse *c,
			 const struct tr2_table_def *t, const char *cluster)
{
	const char *suffix = cluster ? "_local" : "";

	return create_rows(c, t, suffix) &&
	       (!cluster || create_distributed(c, t->name, cluster));
}

static bool create_views(struct tr2_clickhouse *c)
{
	static const struct {
		const char *name, *query;
	} views[] = {
#define TR2_VIEW(name, query) { #name, query },
#include "export/sql/clickhouse_views.def"
#undef TR2_VIEW
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		if (!execute_query(c, "DROP TABLE IF EXISTS %.",
				   views[i].name) ||
		    !execute_query(c, views[i].query, ""))
			return false;
	return true;
}

/* Create the tables. Write the version last: if it exists, all tables exist. */
static bool create_tables(struct tr2_clickhouse *c, const char *cluster)
{
	struct tr2_buf b = TR2_BUF_INIT;
	bool ok = execute_query(c, "CREATE DATABASE IF NOT EXISTS %", "");
	int i;

	for (i = 0; ok && i < TR2_TABLE_NR; i++)
		ok = create_table(c, &tr2_table_defs[i], cluster);
	ok = ok && create_views(c);
	tr2_addf(&b, "%d, '%s')", TR2_TABLES_VERSION, cluster ? cluster : "");
	ok = ok &&
	     execute_query(c,
			   "CREATE TABLE IF NOT EXISTS %.schema "
			   "(version UInt32, cluster String) "
			   "ENGINE = MergeTree ORDER BY version",
			   "") &&
	     execute_query(c,
			   "INSERT INTO %.schema (version, cluster) VALUES (",
			   tr2_buf_str(&b));
	tr2_buf_release(&b);
	return ok;
}

/* Return the version of the tables in the database; 0: no tables yet; -1: an
 * error was printed. */
static int version_of(struct tr2_clickhouse *c)
{
	tr2_buf_reset(&c->query);
	tr2_addf(&c->query, "SELECT count() FROM system.tables WHERE name = "
		 "'schema' AND database = '%s'", c->database);
	if (!tr2_clickhouse_query(c))
		return -1;
	if (!atoi(tr2_buf_str(tr2_http_answer(c->http))))
		return 0;
	if (!execute_query(c, "SELECT version, cluster FROM %.schema "
				    "ORDER BY version DESC LIMIT 1", ""))
		return -1;
	return atoi(tr2_buf_str(tr2_http_answer(c->http)));
}

static bool is_cluster(struct tr2_clickhouse *c, const char *cluster)
{
	const char *name = tr2_buf_str(tr2_http_answer(c->http));
	size_t len;

	if (!cluster)
		return true;
	name += strcspn(name, "\t");
	name += *name == '\t';
	len = strcspn(name, "\n");
	if (strlen(cluster) == len && !memcmp(cluster, name, len))
		return true;
	tr2_error("the tables of '%s' at '%s' were not made for the cluster "
		  "'%s': choose another --database", c->database,
		  tr2_http_shown(c->http), cluster);
	return false;
}

bool tr2_clickhouse_schema(struct tr2_clickhouse *c, const char *cluster)
{
	int version = version_of(c);

	if (version < 0)
		return false;
	if (!version)
		return create_tables(c, cluster);
	if (version == TR2_TABLES_VERSION)
		return is_cluster(c, cluster);
	tr2_error("the database '%s' at '%s' has schema version %d, and this "
		  "trace2 writes %d: choose another --database", c->database,
		  tr2_http_shown(c->http), version, TR2_TABLES_VERSION);
	return false;
}
