/* SPDX-License-Identifier: MIT */
/*
 * tables_cells - functions that append the next cells to a row, for the files
 * that fill rows: tables.c and tables_session.c.
 */
#ifndef TR2_EXPORT_SQL_TABLES_CELLS_H
#define TR2_EXPORT_SQL_TABLES_CELLS_H

#include "export/sql/tables.h"

void tr2_row_begin(struct tr2_row *r);
/* Add the cells of a row but the last. */
void tr2_row_session(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t session);
void tr2_row_recording(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids, uint32_t input);
void tr2_row_process(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t node);
void tr2_row_kernel_thread(struct tr2_export *x, struct tr2_row *r,
			   const struct tr2_row_ids *ids, uint32_t task_thread);
void tr2_row_state(struct tr2_export *x, struct tr2_row *r,
		   const struct tr2_row_ids *ids, uint32_t state);

/* Return the input that a row is from; 0: unknown. */
uint32_t tr2_row_input(const struct tr2_export *x, enum tr2_table_id table,
		       uint32_t i);
void tr2_value_recording(struct tr2_export *x, struct tr2_row *r,
			 uint32_t input);

int64_t tr2_row_session_id(const struct tr2_row_ids *ids, uint32_t session);
int64_t tr2_row_thread_id(const struct tr2_row_ids *ids, uint32_t thread);
int64_t tr2_row_span_id(const struct tr2_row_ids *ids, uint32_t span);
int64_t tr2_row_process_id(const struct tr2_row_ids *ids, uint32_t node);
int64_t tr2_row_kernel_thread_id(const struct tr2_row_ids *ids,
				 uint32_t task_thread);

struct tr2_row_value *tr2_value_next(struct tr2_row *r,
				     enum tr2_value_kind kind);
void tr2_value_none(struct tr2_row *r);
void tr2_value_number(struct tr2_row *r, int64_t value);
void tr2_value_number_if(struct tr2_row *r, bool known, int64_t value);
void tr2_value_size(struct tr2_row *r, uint64_t value);
/* Add the text that was appended to r->text since `start`. */
void tr2_value_text_from(struct tr2_row *r, size_t start);
void tr2_value_text(struct tr2_export *x, struct tr2_row *r, const char *s);
void tr2_value_string(struct tr2_export *x, struct tr2_row *r, tr2_str s);
/* Add two cells: for people, and for programs. */
void tr2_value_words(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_words *w, bool quoted);
/* Add code and signal of an end, of which one is known at most. */
void tr2_value_code(struct tr2_row *r, uint8_t end, bool known, int32_t code);
const char *tr2_end_name(uint8_t end);
/* Add the id of a span; two cells: its trace and its id. NULL: none. */
void tr2_value_id(struct tr2_row *r, uint64_t id);
void tr2_value_trace(struct tr2_row *r, const struct tr2_context *self);
/* Add three cells: start, end, duration. */
void tr2_value_times(struct tr2_row *r, int64_t start_ns, int64_t end_ns);
/* Add two cells: the ids of the thread's session and of the thread. */
void tr2_value_thread_ids(struct tr2_export *x, struct tr2_row *r,
			  const struct tr2_row_ids *ids, uint32_t thread);
/* Add three cells: repo, file, line. */
void tr2_value_source(struct tr2_export *x, struct tr2_row *r, uint32_t repo,
		      tr2_str file, uint32_t line);

#endif
