/* SPDX-License-Identifier: MIT */
/*
 * table_private - the struct of a cell, and functions that the printers of
 * tables share.
 */
#pragma once

#include "out/table.h"

struct tr2_cell {
	uint8_t kind;  /* enum tr2_cell_kind */
	uint8_t color; /* enum tr2_color */
	uint8_t link;  /* enum tr2_link; `linked` is the number of the linked
			* element in the model */
	bool at_least, keeps_count;
	uint32_t linked, len, nr_words;
	union {
		const char *s; /* a text in the table's text blocks */
		int64_t i;
		uint64_t u;
		double d;
	};
};

/* A function that is called for each row. The row's cells are valid until it
 * returns. */
typedef void tr2_row_fn(struct tr2_table *t, size_t row, void *data);

/* Call fn for all rows, stored or streamed. Columns with one of `flags` stay
 * empty during the call. */
void tr2_table_each_row(struct tr2_table *t, unsigned int flags, tr2_row_fn *fn,
			void *data);

const struct tr2_cell *tr2_cell_at(const struct tr2_table *t, size_t row,
				   size_t column);

/* Write the output if it is long, or if `end`. */
void tr2_table_flush(struct tr2_buf *out, bool end);

/* Append the words of a cell, shell-quoted. */
void tr2_cell_words_as_text(const struct tr2_cell *cell, struct tr2_buf *out);

/* Append the plain value of a cell: no unit, no rounding. */
void tr2_cell_as_data(const struct tr2_cell *cell, struct tr2_buf *out);

/* Append a cell as text shows it. The kind of the cell must not be
 * TR2_CELL_NS. */
void tr2_cell_as_text(const struct tr2_cell *cell, struct tr2_buf *out);

/* The durations of a table. of[1] is for columns with TR2_COL_SINGLE, of[0] for
 * all other columns. */
struct tr2_units {
	struct tr2_durations {
		uint64_t largest, smallest; /* smallest: the smallest duration
					     * other than 0 */
		bool has_ns; /* some durations are not whole microseconds */
	} of[2];
	struct tr2_unit unit[2];
};

/* Pass every printed cell to tr2_units_see(), then call tr2_units_choose(). */
void tr2_units_see(struct tr2_units *u, unsigned int flags,
		   const struct tr2_cell *cell);
void tr2_units_choose(struct tr2_units *u);
const struct tr2_unit *tr2_units_of(const struct tr2_units *u,
				    unsigned int flags);

/* The properties of all cells of a column together. */
struct tr2_column_use {
	bool filled; /* at least one cell is not empty */
	bool has_durations, has_others; /* others: numbers without the unit of
					 * durations */
	bool negative, has_bounds;
	uint64_t largest, largest_bound; /* largest duration, and largest lower
					  * bound */
};

void tr2_column_see(struct tr2_column_use *c, unsigned int flags,
		    const struct tr2_cell *cell);
/* Return whether the column's heading shows the unit. */
bool tr2_column_has_unit(const struct tr2_column_use *c);
void tr2_column_add_heading(const struct tr2_column *column,
			    const struct tr2_column_use *use,
			    const struct tr2_units *u, struct tr2_buf *out);
void tr2_column_add_duration(const struct tr2_column *column,
			     const struct tr2_column_use *use,
			     const struct tr2_units *u, int64_t ns,
			     bool at_least, struct tr2_buf *out);
/* Return the width of the widest duration in the column. */
size_t tr2_column_width(const struct tr2_column *column,
			const struct tr2_column_use *use,
			const struct tr2_units *u);

/* Print a table in a format. `first`: no table was printed before. */
void tr2_table_print_text(struct tr2_table *t);
/* Print a table as Markdown. The rows must be stored, not streamed. */
void tr2_table_print_markdown(const struct tr2_table *t);
void tr2_table_print_json(struct tr2_table *t, bool first);
void tr2_table_print_csv(struct tr2_table *t);
