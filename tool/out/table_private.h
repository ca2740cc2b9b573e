/* SPDX-License-Identifier: MIT */
/*
 * table_private - the struct of a cell, and functions that the printers of
 * tables share.
 */
#ifndef TR2_OUT_TABLE_PRIVATE_H
#define TR2_OUT_TABLE_PRIVATE_H

#include "out/table.h"

struct tr2_cell {
	uint8_t kind;  /* enum tr2_cell_kind */
	uint8_t color; /* enum tr2_color */
	uint8_t link;  /* enum tr2_link, and the number in the model */
	bool at_least;
	uint32_t linked, len, nr_words;
	union {
		const char *s; /* in the table's text blocks */
		int64_t i;
		uint64_t u;
		double d;
	};
};

/* Called for a row, whose cells are valid until it returns. */
typedef void tr2_row_fn(struct tr2_table *t, size_t row, void *data);

/* Call fn for all rows, stored or streamed. Columns with one of `flags` stay
 * empty meanwhile. */
void tr2_table_each_row(struct tr2_table *t, unsigned int flags, tr2_row_fn *fn,
			void *data);

const struct tr2_cell *tr2_cell_at(const struct tr2_table *t, size_t row,
				   size_t column);

/* Write the output if there is much of it, or if `end`. */
void tr2_table_flush(struct tr2_buf *out, bool end);

/* Append the words of a cell, shell-quoted. */
void tr2_cell_words_as_text(const struct tr2_cell *cell, struct tr2_buf *out);

/* Append the plain value of a cell: no unit, no rounding. */
void tr2_cell_as_data(const struct tr2_cell *cell, struct tr2_buf *out);

/* Append a cell as in text. */
void tr2_cell_as_text(const struct tr2_cell *cell, unsigned int flags,
		      struct tr2_buf *out);

/* One function per format. `first`: no table was printed before. */
void tr2_table_print_text(struct tr2_table *t);
/* Requires stored rows. */
void tr2_table_print_markdown(const struct tr2_table *t);
void tr2_table_print_json(struct tr2_table *t, bool first);
void tr2_table_print_csv(struct tr2_table *t);

#endif
