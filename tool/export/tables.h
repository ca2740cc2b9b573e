/* SPDX-License-Identifier: MIT */
/*
 * tables - the model as rows of tables (export/tables.def): what csv prints,
 * sqlite holds and ClickHouse is sent.
 */
#ifndef TR2_EXPORT_TABLES_H
#define TR2_EXPORT_TABLES_H

#include <string.h>

#include "export/export.h"

enum tr2_table_id {
#define TR2_TABLE(name, columns) TR2_TABLE_##name,
#include "export/tables.def"
#undef TR2_TABLE
	TR2_TABLE_NR
};

#define TR2_MAX_COLUMNS 28

struct tr2_column_def {
	const char *name, *sql;
};

struct tr2_table_def {
	const char *name;
	struct tr2_column_def column[TR2_MAX_COLUMNS + 1]; /* ends with NULL */
};

extern const struct tr2_table_def tr2_table_defs[TR2_TABLE_NR];

enum tr2_value_kind {
	TR2_VALUE_NULL,
	TR2_VALUE_INT,
	TR2_VALUE_UINT, /* more than INT64_MAX */
	TR2_VALUE_TEXT
};

struct tr2_row_value {
	enum tr2_value_kind kind;
	union {
		int64_t i;
		uint64_t u;
		struct {
			size_t at, len; /* in tr2_row.text, with a NUL behind */
		};
	};
};

/* Whether a column holds text, is never NULL, may be above INT64_MAX. */
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

/* One row. Zeroed is initialised. */
struct tr2_row {
	struct tr2_row_value value[TR2_MAX_COLUMNS];
	unsigned int nr;
	struct tr2_buf text;
};

/* How model indexes become ids: zeroed, each is its index. */
struct tr2_row_ids {
	int64_t thread, span; /* what is added to the index */
	/* Of each, by its index; NULL: as above. */
	const int64_t *session_ids, *thread_ids, *span_ids;
	/* The id that a session that is not in the model has wherever it was
	 * exported; NULL: not known. */
	int64_t (*id_of_sid)(const char *sid, size_t len);
};

/* Each fills a row: the one thing that it is about is given by its index. */
void tr2_row_session(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t session);
void tr2_row_thread(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t thread);
/* self_ns: of the span. */
void tr2_row_span(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, uint32_t span,
		  int64_t self_ns);
/* Of TR2_TABLE_data or TR2_TABLE_events: which, is returned. */
enum tr2_table_id tr2_row_point(struct tr2_export *x, struct tr2_row *r,
				const struct tr2_row_ids *ids, uint32_t point);
/* Of TR2_TABLE_timers or TR2_TABLE_counters. */
enum tr2_table_id tr2_row_metric(struct tr2_export *x, struct tr2_row *r,
				 const struct tr2_row_ids *ids,
				 uint32_t metric);
void tr2_row_sample(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t sample);
void tr2_row_task(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, uint32_t task);
void tr2_row_release(struct tr2_row *r);

/* What makes a session the same in two exports: its SID, and where that was
 * used again, the time. Appended, redacted. */
void tr2_session_key(struct tr2_export *x, struct tr2_buf *b,
		     uint32_t session);

#endif
