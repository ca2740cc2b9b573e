/* SPDX-License-Identifier: MIT */
/*
 * table_private - what a cell is, and how what prints tables walks them.
 */
#ifndef TR2_OUT_TABLE_PRIVATE_H
#define TR2_OUT_TABLE_PRIVATE_H

#include "out/table.h"

struct tr2_cell {
	uint8_t kind;  /* enum tr2_cell_kind */
	uint8_t color; /* enum tr2_color */
	uint32_t len, nr_words;
	union {
		const char *s; /* in the table's memory for texts */
		int64_t i;
		uint64_t u;
		double d;
	};
};

/* What is done with a row, whose cells are there until it returns. */
typedef void tr2_row_fn(struct tr2_table *t, size_t row, void *data);

/* Does it with all rows: those that are kept, or those that come by. `flags`:
 * columns of these are left empty meanwhile. */
void tr2_table_each_row(struct tr2_table *t, unsigned int flags, tr2_row_fn *fn,
			void *data);

const struct tr2_cell *tr2_cell_at(const struct tr2_table *t, size_t row,
				   size_t column);

/* Writes what has gathered when it is much; all of it at the end. */
void tr2_table_flush(struct tr2_buf *out, bool end);

/* The words of a cell, shell-quoted. */
void tr2_cell_words_as_text(const struct tr2_cell *cell, struct tr2_buf *out);

/* As text has it, appended. */
void tr2_cell_as_text(const struct tr2_cell *cell, unsigned int flags,
		      struct tr2_buf *out);

/* The formats. `first`: nothing was printed before. */
void tr2_table_print_text(struct tr2_table *t);
/* Of a table whose rows are kept. */
void tr2_table_print_markdown(const struct tr2_table *t);
void tr2_table_print_json(struct tr2_table *t, bool first);
void tr2_table_print_csv(struct tr2_table *t, bool first);

#endif
