/* SPDX-License-Identifier: MIT */
/*
 * tables - the model as rows of tables (export/tables.def), for csv, sqlite and
 * ClickHouse.
 */
#pragma once

#include <string.h>

#include "export/export.h"

#define TR2_MAX_COLUMNS 32

/* The version of the tables, in `PRAGMA user_version` of SQLite and in the
 * table `schema`. The version grows with each released change of
 * export/tables.def. A database of another version is refused. */
#define TR2_TABLES_VERSION 1

struct tr2_column_def {
	const char *name, *sql;
};

/* Kinds of objects that rows describe. Rows of the kinds from TR2_OF_session on
 * belong to a session. */
enum tr2_row_of {
	TR2_OF_input,
	TR2_OF_node,
	TR2_OF_task_thread,
	TR2_OF_state,
	TR2_OF_memory,
	TR2_OF_session,
	TR2_OF_thread,
	TR2_OF_span,
	TR2_OF_trace_span,
	TR2_OF_point,
	TR2_OF_metric,
	TR2_OF_sample,
};

struct tr2_table_def {
	const char *name;
	enum tr2_row_of of;
	/* columns; NULL ends the list */
	struct tr2_column_def column[TR2_MAX_COLUMNS + 1];
};

extern const struct tr2_table_def tr2_table_defs[TR2_TABLE_NR];

enum tr2_value_kind {
	TR2_VALUE_NULL,
	TR2_VALUE_INT,
	TR2_VALUE_UINT, /* a number that may exceed INT64_MAX */
	TR2_VALUE_TEXT
};

struct tr2_row_value {
	enum tr2_value_kind kind;
	union {
		int64_t i;
		uint64_t u;
		struct {
			size_t at, len; /* position and length in tr2_row.text;
					 * a NUL follows */
		};
	};
};

/* Does a column contain text (_is_text)? Is it never NULL (_is_required)? May
 * its values exceed INT64_MAX (_is_unsigned)? */
static inline bool tr2_column_is_text(const struct tr2_column_def *c)
{
	return strstr(c->sql, "TEXT") != NULL;
}
static inline bool tr2_column_is_required(const struct tr2_column_def *c)
{
	return strstr(c->sql, "NOT NULL") || strstr(c->sql, "PRIMARY KEY");
}
static inline bool tr2_column_is_unsigned(const struct tr2_column_def *c)
{
	return strstr(c->sql, "UNSIGNED") != NULL;
}

/* One row. Initialise it with zeros. */
struct tr2_row {
	struct tr2_row_value value[TR2_MAX_COLUMNS];
	unsigned int nr;
	struct tr2_buf text;
};

/* The ids for indexes of the model, and other data for rows. If all members are
 * 0, the id is the index. */
struct tr2_row_ids {
	int64_t thread, span, kernel_thread; /* an id is the index plus this
					      * number */
	/* ids by index; NULL: an id is the index plus the number above */
	const int64_t *session_ids, *thread_ids, *span_ids;
	const int64_t *process_ids, *kernel_thread_ids;
	const int64_t *recording_ids; /* by input */
	bool recording_keys; /* a row has the key of its recording instead of
			      * the id */
	/* Returns the id of a session that is not in the model. Every export
	 * gives a session the same id. NULL: such ids are unknown. */
	int64_t (*id_of_sid)(const char *sid, size_t len);
	const int64_t *self_ns; /* by span: own time of the span */
};

/* Fill the row for the object with this index. */
void tr2_row_fill(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, enum tr2_table_id table,
		  uint32_t i);
void tr2_row_release(struct tr2_row *r);

/* Return the session of a row; 0: none. */
uint32_t tr2_row_session(const struct tr2_model *m, enum tr2_table_id table,
			 uint32_t i);

/* Append the redacted key that identifies a session in all exports: its SID
 * and, if several sessions have this SID, the time. */
void tr2_session_key(struct tr2_export *x, struct tr2_buf *b,
		     uint32_t session);
/* Append the key of a process: the key of its first session, or else its pid
 * and its start. Append the key of a recording: when and where it was made, or
 * else its path. */
void tr2_process_key(struct tr2_export *x, struct tr2_buf *b, uint32_t node);
void tr2_recording_key(struct tr2_export *x, struct tr2_buf *b, uint32_t input);

/* The indexes and views of an SQLite database, and its `PRAGMA application_id`:
 * "tr2d". */
#define TR2_SCHEMA_APPLICATION 0x74723264
extern const char tr2_schema_indexes[], tr2_schema_views[];
