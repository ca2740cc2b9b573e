/* SPDX-License-Identifier: MIT */
/*
 * tables_private - functions that append the next cell of a row, or the text of
 * a cell, for the rows of export/tables.def.
 */
#pragma once

#include "export/sql/tables.h"

void tr2_row_begin(struct tr2_row *r);
/* Return the input from which a row comes; 0: unknown. */
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
/* Add a cell with the text that was appended to r->text since `start`. */
void tr2_value_text_from(struct tr2_row *r, size_t start);
void tr2_value_text(struct tr2_export *x, struct tr2_row *r, const char *s);
/* Add a cell with a part of the row's text. A NUL must follow the part. If the
 * part is empty, the cell is NULL. */
void tr2_value_part(struct tr2_row *r, size_t from, size_t to);
const char *tr2_end_name(uint8_t end);

/* Append the host of a recording, the SID of the session above, or the name of
 * a session. */
void tr2_row_add_host(struct tr2_buf *b, const struct tr2_model_input *in);
void tr2_row_add_parent_sid(struct tr2_buf *b, const char *sid);
void tr2_row_add_session_name(struct tr2_export *x, struct tr2_buf *b,
			      const struct tr2_model_session *s);
/* Return the id of the session that started the session of this row; 0:
 * unknown. */
int64_t tr2_row_parent_id(const struct tr2_export *x,
			  const struct tr2_row_ids *ids, uint32_t session);
/* Return the child span that led to a process, either directly or through
 * processes without a session, such as shells. */
uint32_t tr2_row_child_above(const struct tr2_export *x, uint32_t node);
uint32_t tr2_row_node_of(const struct tr2_model *m, uint32_t task_thread);
