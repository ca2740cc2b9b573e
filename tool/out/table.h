/* SPDX-License-Identifier: MIT */
/*
 * table - rows and columns that come out as aligned text, as JSON, as CSV or as
 * Markdown: whatever is shown as a number in text is there as a plain number in
 * JSON and CSV.
 *
 * A column is one row of an array, with the function that gives its cell:
 *
 *	TR2_CELL(cell_calls, struct region, tr2_cell_uint(t, r->calls))
 *	static const struct tr2_column columns[] = {
 *		{ "calls", "CALLS", 0, cell_calls },
 *		…
 *	};
 *	struct tr2_output out;
 *	struct tr2_table t;
 *
 *	tr2_output_begin(&out, TR2_FORMAT_TEXT);
 *	tr2_table_init(&t, &out, "regions", columns, nr);
 *	tr2_table_add(&t, &region);  …
 *	tr2_table_print(&t);  tr2_table_release(&t);
 *	tr2_output_end(&out);
 *
 * A table of very many rows is filled while it is printed: tr2_table_rows().
 */
#ifndef TR2_OUT_TABLE_H
#define TR2_OUT_TABLE_H

#include "base/buf.h"
#include "common/format.h"
#include "out/term.h"

enum tr2_cell_kind {
	TR2_CELL_NONE,
	TR2_CELL_STR,
	TR2_CELL_INT,
	TR2_CELL_UINT,
	TR2_CELL_REAL, /* any number: not more digits than it is worth in text */
	TR2_CELL_NS,    /* a duration: 1.234 ms in text, nanoseconds elsewhere */
	TR2_CELL_BYTES, /* 23.1 KiB in text, bytes elsewhere */
	TR2_CELL_SHARE, /* a ratio: 12.3% in text, 0.123 elsewhere */
	TR2_CELL_WALL,  /* a moment, wall nanoseconds: HH:MM:SS.uuuuuu in text,
			   ISO 8601 in UTC elsewhere */
	TR2_CELL_WORDS  /* struct tr2_words: shell-quoted; JSON: an array */
};

/* Flags of a column. */
#define TR2_COL_LEFT (1u << 0)   /* numbers are right-aligned by default */
#define TR2_COL_TREE (1u << 1)   /* lines of a tree before the text, from the
				    depth given to tr2_table_depth() */
#define TR2_COL_FLEX (1u << 2)   /* gives way first when a line is too wide */
#define TR2_COL_DATA (1u << 3)   /* only in JSON and CSV */
#define TR2_COL_TEXT (1u << 4)   /* only in text */
#define TR2_COL_SHORT (1u << 6)  /* durations with three digits */
#define TR2_COL_SPARE (1u << 7)  /* left out, the last first, of lines that are
				    too wide for a terminal */
#define TR2_COL_YIELDS (1u << 8) /* the same, where a line is too wide even with
				    flexible columns as narrow as they get */
#define TR2_COL_HEAT (1u << 5)   /* a share, coloured by how large it is */

struct tr2_cell;
struct tr2_words;
struct tr2_table;

struct tr2_column {
	const char *key;     /* JSON and CSV: with its unit, wall_ns */
	const char *heading; /* text */
	unsigned int flags;
	/* Gives the cell of a row by one of tr2_cell_…(); by none: it is empty.
	 * Not called where nobody looks at the column. */
	void (*cell)(struct tr2_table *t, const void *row);
};

/* Defines such a function: in GIVE, `t` is the table and `r` the row, a const
 * TYPE *. */
#define TR2_CELL(name, type, give)                              \
	static void name(struct tr2_table *t, const void *row)  \
	{                                                       \
		const type *r = row;                            \
								\
		give;                                           \
	}

/* Where the tables of one command go. Several of them become one JSON object
 * with a member a table, or CSV with an empty line between them. */
struct tr2_output {
	enum tr2_format format;
	unsigned int nr_tables; /* printed so far */
};

void tr2_output_begin(struct tr2_output *o, enum tr2_format format);
void tr2_output_end(struct tr2_output *o);
/* Whether it is for people, not for programs. */
static inline bool tr2_output_is_text(const struct tr2_output *o)
{
	return o->format == TR2_FORMAT_TEXT || o->format == TR2_FORMAT_MARKDOWN;
}

/* Gives all rows. */
typedef void tr2_rows_fn(struct tr2_table *t, void *data);

struct tr2_table {
	struct tr2_output *output;
	const char *name;
	const struct tr2_column *columns;
	size_t nr_columns;
	struct tr2_cell *cells; /* from row `first_row` on */
	size_t nr_cells, alloc;
	size_t first_row;
	int *depths;     /* of each row, for TR2_COL_TREE */
	size_t nr_rows, nr_depths, alloc_rows;
	struct tr2_text_block *texts; /* of the cells */
	bool is_tree;    /* has a column of TR2_COL_TREE */
	bool failed;     /* memory was short: rows are missing */
	/* Rows that come by. */
	tr2_rows_fn *rows;
	void *rows_data;
	void (*each)(struct tr2_table *t, size_t row, void *data);
	void *each_data;
	unsigned int left_out; /* columns with these flags stay empty */
	size_t nr_last_out;    /* so many of the last, which have no cells */
};

void tr2_table_init(struct tr2_table *t, struct tr2_output *output,
		    const char *name, const struct tr2_column *columns,
		    size_t nr_columns);
void tr2_table_release(struct tr2_table *t);

/* Instead of filling it: `rows` does, when the table is printed, and no row is
 * kept. It cannot be sorted or limited. */
void tr2_table_rows(struct tr2_table *t, tr2_rows_fn *rows, void *data);

/* Adds a row: what `row` points to is the columns' affair. */
void tr2_table_add(struct tr2_table *t, const void *row);
/* The same in a tree. A depth below 0, for text only: as deep, but no branch of
 * its own: it goes on with what the row above begins. */
void tr2_table_add_at(struct tr2_table *t, const void *row, int depth);

/* The cell, in a column's function. Strings are copied; NULL, TR2_NO_TIME and
 * NAN leave it empty (null in JSON). */
void tr2_cell_str(struct tr2_table *t, const char *s);
void tr2_cell_int(struct tr2_table *t, int64_t value);
void tr2_cell_uint(struct tr2_table *t, uint64_t value);
void tr2_cell_real(struct tr2_table *t, double value);
void tr2_cell_ns(struct tr2_table *t, int64_t ns);
void tr2_cell_bytes(struct tr2_table *t, uint64_t bytes);
void tr2_cell_share(struct tr2_table *t, double ratio);
void tr2_cell_wall(struct tr2_table *t, int64_t wall_ns);
void tr2_cell_words(struct tr2_table *t, const struct tr2_words *words);
void tr2_cell_color(struct tr2_table *t, enum tr2_color color); /* given */

/* Prints it, between tr2_output_begin() and tr2_output_end(). */
void tr2_table_print(struct tr2_table *t);
/* Prints it as all there is, and releases it. */
void tr2_table_show(struct tr2_table *t);

/*
 * Sorts rows by the column that is called so (its key, that without its unit,
 * or its heading in any case): numbers from large to small, text from A to Z.
 * Rows of a tree lose their depth. false: there is no such column.
 */
bool tr2_table_sort(struct tr2_table *t, const char *column);
/* Sorts by all columns and leaves one of equal rows. */
void tr2_table_unique(struct tr2_table *t);
/* Leaves the first n rows. */
void tr2_table_limit(struct tr2_table *t, size_t n);
/* The names that tr2_table_sort() takes, `a, b, c`. */
void tr2_table_names(const struct tr2_table *t, struct tr2_buf *out);

/* A value of CSV: quoted where it has to be. */
void tr2_csv_add(struct tr2_buf *out, const char *s, size_t len);

/* Units, as text has them. */
void tr2_fmt_ns(struct tr2_buf *b, int64_t ns);         /* 1.234 ms */
void tr2_fmt_ns_short(struct tr2_buf *b, int64_t ns);   /* 1.23ms */
void tr2_fmt_real(struct tr2_buf *b, double value);     /* 12.5, 0.125 */
void tr2_fmt_bytes(struct tr2_buf *b, uint64_t bytes);  /* 23.1 KiB */
void tr2_fmt_share(struct tr2_buf *b, double ratio);    /* 12.3% */
void tr2_fmt_wall(struct tr2_buf *b, int64_t wall_ns);  /* HH:MM:SS.uuuuuu */
void tr2_fmt_iso(struct tr2_buf *b, int64_t wall_ns);   /* 2026-…T…Z */

#endif
