/* SPDX-License-Identifier: MIT */
/*
 * sqlite - write sessions to an SQLite database, beside the sessions of other
 * exports. An export is one transaction: the database has it wholly or not at
 * all.
 *
 * A session with the same key as a stored session replaces it. So exporting
 * twice duplicates nothing, and completes a session that was still running.
 */
#include "export/sql/tables.h"

#ifdef HAVE_SQLITE3

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "model/join/self_time.h"

#define BUSY_MS 10000

/* A table whose rows have keys: a row keeps its id if a later export has a row
 * with the same key. */
struct keyed {
	sqlite3_stmt *find;
	int64_t next;
	/* Statements that delete, in each other table, the rows that belong to
	 * the row with a given id. */
	sqlite3_stmt *forget[TR2_TABLE_NR + 1];
	int nr_forget;
};

struct database {
	sqlite3 *db;
	const char *path;
	bool existed, open;
	/* this process created the file, and removes the file after a
	 * failure */
	bool made;
	sqlite3_stmt *insert[TR2_TABLE_NR];
	struct tr2_row row;
	struct tr2_row_ids ids;
	/* ids of the model's sessions, processes and inputs; 0: not in the
	 * database */
	int64_t *session_ids, *process_ids, *recording_ids;
	struct keyed sessions, processes, recordings;
	int64_t *self; /* by span */
};

static bool fail_statement(struct tr2_export *x)
{
	struct database *d = x->state;

	if (!x->failed)
		tr2_error("cannot write '%s': %s", d->path,
			  d->db ? sqlite3_errmsg(d->db) : strerror(ENOMEM));
	x->failed = true;
	return false;
}

static bool execute_sql(struct tr2_export *x, const char *sql)
{
	struct database *d = x->state;

	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       fail_statement(x);
}

static bool compile_statement(struct tr2_export *x, const char *sql,
			      sqlite3_stmt **stmt)
{
	struct database *d = x->state;

	return sqlite3_prepare_v2(d->db, sql, -1, stmt, NULL) == SQLITE_OK ||
	       fail_statement(x);
}

/* Return the number that a query yields; -1: the query failed. */
static int64_t query(struct tr2_export *x, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value = -1;

	if (!compile_statement(x, sql, &stmt))
		return -1;
	if (sqlite3_step(stmt) != SQLITE_ROW)
		fail_statement(x);
	else
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* Check that the database is empty, or was made by an export of a known
 * version. */
static bool check_schema(struct tr2_export *x)
{
	struct database *d = x->state;
	int64_t version = query(x, "PRAGMA user_version");
	int64_t application = query(x, "PRAGMA application_id");
	int64_t tables = query(x, "SELECT count(*) FROM sqlite_master");

	if (version < 0 || tables < 0)
		return false;
	d->existed = tables > 0;
	if (!tables)
		return true;
	if (application != TR2_SCHEMA_APPLICATION)
		tr2_error("'%s' is a database of another program: choose "
			  "another file", d->path);
	else if (version != TR2_TABLES_VERSION)
		tr2_error("'%s' has schema version %" PRId64 ", and this "
			  "trace2 writes %d: choose another file",
			  d->path, version,
			  TR2_TABLES_VERSION);
	else
		return true;
	x->failed = true;
	return false;
}

static void add_columns(struct tr2_buf *b, const struct tr2_table_def *t,
			bool types)
{
	const struct tr2_column_def *c;

	for (c = t->column; c->name; c++)
		tr2_buf_addall(b, c == t->column ? "(\"" : ", \"", c->name,
			       types ? "\" " : "\"", types ? c->sql : "");
	tr2_buf_addch(b, ')');
}

static bool create_table(struct tr2_export *x, const struct tr2_table_def *t)
{
	tr2_buf_reset(&x->text);
	tr2_buf_addall(&x->text, "CREATE TABLE IF NOT EXISTS ", t->name);
	add_columns(&x->text, t, true);
	return execute_sql(x, tr2_buf_str(&x->text));
}

static bool create_schema(struct tr2_export *x)
{
	char sql[400];
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++)
		if (!create_table(x, &tr2_table_defs[i]))
			return false;
	snprintf(sql, sizeof(sql),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "CREATE TABLE IF NOT EXISTS schema(version INTEGER NOT NULL);"
		 "DELETE FROM schema; INSERT INTO schema VALUES (%d)",
		 TR2_SCHEMA_APPLICATION, TR2_TABLES_VERSION,
		 TR2_TABLES_VERSION);
	return execute_sql(x, sql);
}

static bool prepare_insert(struct tr2_export *x, int table)
{
	struct database *d = x->state;
	const struct tr2_column_def *c = tr2_table_defs[table].column;

	tr2_buf_reset(&x->text);
	tr2_buf_addall(&x->text, "INSERT OR REPLACE INTO ",
		       tr2_table_defs[table].name, " ");
	add_columns(&x->text, &tr2_table_defs[table], false);
	tr2_buf_addlit(&x->text, " VALUES (?");
	while ((++c)->name)
		tr2_buf_addlit(&x->text, ",?");
	tr2_buf_addch(&x->text, ')');
	return compile_statement(x, tr2_buf_str(&x->text), &d->insert[table]);
}

static bool prepare_keyed(struct tr2_export *x, struct keyed *k,
			  const char *table)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "SELECT coalesce(max(id), 0) + 1 FROM %s",
		 table);
	k->next = query(x, sql);
	snprintf(sql, sizeof(sql), "SELECT id FROM %s WHERE key = ?", table);
	return compile_statement(x, sql, &k->find);
}

static bool prepare_forget(struct tr2_export *x, struct keyed *k,
			   const char *sql)
{
	return compile_statement(x, sql, &k->forget[k->nr_forget++]);
}

/* Does each row of the table belong to one session? */
static bool is_of_session(const struct tr2_table_def *t)
{
	const struct tr2_column_def *c = t->column;

	while (c->name && strcmp(c->name, "session_id"))
		c++;
	return c->name && tr2_column_is_required(c);
}

/* Prepare to delete the data that an earlier export stored for sessions and
 * processes. The sessions and processes keep their ids. */
static bool prepare_forgets(struct tr2_export *x)
{
	struct database *d = x->state;
	char sql[120];
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++) {
		if (!is_of_session(&tr2_table_defs[i]))
			continue;
		snprintf(sql, sizeof(sql),
			 "DELETE FROM %s WHERE session_id = ?",
			 tr2_table_defs[i].name);
		if (!prepare_forget(x, &d->sessions, sql))
			return false;
	}
	/* Spans get new ids: remove references to the old ones. */
	return prepare_forget(x, &d->sessions,
			      "UPDATE sessions SET parent_span_id = NULL"
			      " WHERE parent_id = ?") &&
	       prepare_forget(x, &d->processes,
			      "DELETE FROM samples WHERE session_id = 0 AND"
			      " process_id = ?") &&
	       prepare_forget(x, &d->processes,
			      "DELETE FROM memory WHERE process_id = ?") &&
	       prepare_forget(x, &d->processes,
			      "DELETE FROM states WHERE kernel_thread_id IN"
			      " (SELECT id FROM kernel_threads"
			      " WHERE process_id = ?)") &&
	       prepare_forget(x, &d->processes,
			      "DELETE FROM kernel_threads WHERE process_id = ?");
}

static bool prepare_database(struct tr2_export *x)
{
	struct database *d = x->state;
	int i;

	for (i = 0; i < TR2_TABLE_NR; i++)
		if (!prepare_insert(x, i))
			return false;
	d->ids.thread = query(x, "SELECT coalesce(max(id), 0) FROM threads");
	d->ids.span = query(x, "SELECT coalesce(max(id), 0) FROM spans");
	d->ids.kernel_thread =
		query(x, "SELECT coalesce(max(id), 0) FROM kernel_threads");
	return prepare_keyed(x, &d->sessions, "sessions") &&
	       prepare_keyed(x, &d->processes, "processes") &&
	       prepare_keyed(x, &d->recordings, "recordings") &&
	       prepare_forgets(x);
}

/* Refuse a file that is not regular: SQLite would open a device, and a failed
 * export would remove it. */
static bool check_file(struct tr2_export *x)
{
	struct database *d = x->state;
	struct stat st;

	d->made = lstat(d->path, &st) < 0 && errno == ENOENT;
	if (d->made || stat(d->path, &st) < 0 || S_ISREG(st.st_mode))
		return true;
	tr2_error("cannot write '%s': not a regular file", d->path);
	x->failed = true;
	return false;
}

static bool open_database(struct tr2_export *x)
{
	struct database *d = x->state;

	if (!check_file(x))
		return false;
	/* Turn off SQLite's locks, which would take a tenth of the time: only
	 * one thread uses SQLite. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (sqlite3_open_v2(d->path, &d->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    NULL) != SQLITE_OK)
		return fail_statement(x);
	sqlite3_busy_timeout(d->db, BUSY_MS);
	if (!execute_sql(x, "BEGIN IMMEDIATE"))
		return false;
	d->open = true;
	if (!check_schema(x))
		return false;
	return (d->existed || create_schema(x)) && prepare_database(x);
}

static bool begin_sqlite(struct tr2_export *x)
{
	struct database *d = tr2_calloc(1, sizeof(*d));

	x->state = d;
	d->session_ids = tr2_calloc(x->m->nr_sessions, sizeof(*d->session_ids));
	d->process_ids = tr2_calloc(x->m->nr_nodes, sizeof(*d->process_ids));
	d->recording_ids = tr2_calloc(x->m->nr_inputs + 1,
				      sizeof(*d->recording_ids));
	d->self = tr2_calloc(x->m->nr_spans, sizeof(*d->self));
	d->ids.self_ns = d->self;
	d->path = x->output;
	d->ids.session_ids = d->session_ids;
	d->ids.process_ids = d->process_ids;
	d->ids.recording_ids = d->recording_ids;
	tr2_own_sums(x->m, d->self);
	return open_database(x);
}

static int bind(sqlite3_stmt *stmt, int column, const struct tr2_row *r,
		const struct tr2_row_value *v)
{
	char number[24];

	switch (v->kind) {
	case TR2_VALUE_INT:
		return sqlite3_bind_int64(stmt, column, v->i);
	case TR2_VALUE_UINT: /* stored as text: SQLite's integers are too
			      * small */
		snprintf(number, sizeof(number), "%" PRIu64, v->u);
		return sqlite3_bind_text(stmt, column, number, -1,
					 SQLITE_TRANSIENT);
	case TR2_VALUE_TEXT:
		return sqlite3_bind_text64(stmt, column, r->text.p + v->at,
					   v->len, SQLITE_STATIC, SQLITE_UTF8);
	default:
		return sqlite3_bind_null(stmt, column);
	}
}

static void insert_row(struct tr2_export *x, enum tr2_table_id table)
{
	struct database *d = x->state;
	sqlite3_stmt *stmt = d->insert[table];
	int ok = SQLITE_OK;
	unsigned int i;

	tr2_must(!d->row.text.failed);
	for (i = 0; i < d->row.nr && ok == SQLITE_OK; i++)
		ok = bind(stmt, (int)i + 1, &d->row, &d->row.value[i]);
	if (ok != SQLITE_OK || sqlite3_step(stmt) != SQLITE_DONE)
		fail_statement(x);
	sqlite3_reset(stmt);
}

static bool forget_rows(struct tr2_export *x, const struct keyed *k, int64_t id)
{
	int i, result;

	for (i = 0; i < k->nr_forget; i++) {
		sqlite3_bind_int64(k->forget[i], 1, id);
		result = sqlite3_step(k->forget[i]);
		sqlite3_reset(k->forget[i]);
		if (result != SQLITE_DONE)
			return fail_statement(x);
	}
	return true;
}

/* Return the id of the row with the key in x->text; 0: no such row. */
static int64_t find_key(struct tr2_export *x, struct keyed *k)
{
	int64_t id = 0;

	sqlite3_bind_text64(k->find, 1, x->text.p, x->text.len, SQLITE_STATIC,
			    SQLITE_UTF8);
	if (sqlite3_step(k->find) == SQLITE_ROW)
		id = sqlite3_column_int64(k->find, 0);
	sqlite3_reset(k->find);
	return id;
}

/* Set the id of a row by its key. A row of an earlier export keeps its id, and
 * the data that belongs to that row is deleted. */
static void identify(struct tr2_export *x, struct keyed *k, int64_t *ids,
		     tr2_export_name_fn *add_key, uint32_t i)
{
	int64_t id;

	tr2_export_name(x, add_key, i);
	id = find_key(x, k);
	if (!id || forget_rows(x, k, id))
		ids[i] = id ? id : k->next++;
}

static void insert_session(struct tr2_export *x, uint32_t i)
{
	struct database *d = x->state;

	identify(x, &d->sessions, d->session_ids, tr2_session_key, i);
}

static void insert_node(struct tr2_export *x, uint32_t i)
{
	struct database *d = x->state;

	identify(x, &d->processes, d->process_ids, tr2_process_key, i);
}

static void add_row(struct tr2_export *x, enum tr2_table_id table, uint32_t i)
{
	struct database *d = x->state;

	if (table == TR2_TABLE_recordings)
		identify(x, &d->recordings, d->recording_ids,
			 tr2_recording_key, i);
	tr2_row_fill(x, &d->row, &d->ids, table, i);
	insert_row(x, table);
}

/* Set the parents of sessions whose parents were exported separately, earlier
 * or later. */
static const char join_parents[] =
	"UPDATE sessions SET parent_id = (SELECT p.id FROM sessions p"
	" WHERE p.sid = sessions.parent_sid AND p.id <> sessions.id"
	" ORDER BY p.id LIMIT 1)"
	" WHERE parent_id IS NULL AND parent_sid IS NOT NULL";

static bool finish_database(struct tr2_export *x)
{
	return execute_sql(x, tr2_schema_indexes) &&
	       execute_sql(x, join_parents) &&
	       execute_sql(x, tr2_schema_views) && execute_sql(x, "COMMIT");
}

static void finalize(const struct keyed *k)
{
	int i;

	sqlite3_finalize(k->find);
	for (i = 0; i < k->nr_forget; i++)
		sqlite3_finalize(k->forget[i]);
}

static bool end_sqlite(struct tr2_export *x)
{
	struct database *d = x->state;
	int i;

	if (d->open && !x->failed)
		finish_database(x);
	for (i = 0; i < TR2_TABLE_NR; i++)
		sqlite3_finalize(d->insert[i]);
	finalize(&d->sessions);
	finalize(&d->processes);
	finalize(&d->recordings);
	/* Close the database, which rolls back an uncommitted transaction. */
	sqlite3_close(d->db);
	if (x->failed && d->open && d->made)
		unlink(d->path);
	tr2_row_release(&d->row);
	free(d->session_ids);
	free(d->process_ids);
	free(d->recording_ids);
	free(d->self);
	free(d);
	return !x->failed;
}

const struct tr2_export_format tr2_export_sqlite = {
	.flags = TR2_EXPORT_OWN_FILE,
	.begin = begin_sqlite,
	.end = end_sqlite,
	.node = insert_node,
	.session = insert_session,
	.row = add_row,
};

#else

const struct tr2_export_format tr2_export_sqlite = {
	.flags = TR2_EXPORT_OWN_FILE,
	.missing_library = "SQLite",
	.missing_package = "libsqlite3-dev",
};

#endif
