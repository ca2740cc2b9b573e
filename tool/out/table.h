/* SPDX-License-Identifier: MIT */
/*
 * table - rows and columns, printed as aligned text, JSON, CSV, Markdown or a
 * part of a page. A number with a unit in text is a plain number in JSON and
 * CSV.
 *
 * A column is one row of a list, with the statements that set its cell:
 *
 *	#define REGION_COLUMNS(COLUMN, DATA, TEXT) \
 *		COLUMN(calls, "CALLS", 0, tr2_cell_uint(t, r->calls)) \
 *		…
 *
 *	TR2_COLUMN_LIST(columns, struct region, REGION_COLUMNS)
 *
 *	struct tr2_output out;
 *	struct tr2_table t = TR2_TABLE_OF(&out, "regions", columns);
 *
 *	tr2_output_begin(&out, TR2_FORMAT_TEXT);
 *	tr2_table_add(&t, &region);	…
 *	tr2_table_finish(&t);
 *	tr2_output_end(&out);
 *
 * A table of very many rows can be filled while it is printed:
 * tr2_table_rows().
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "common/options.h"
#include "out/term.h"
#include "out/units.h"

enum tr2_cell_kind {
	TR2_CELL_NONE,
	TR2_CELL_STR,
	TR2_CELL_INT,
	TR2_CELL_UINT,
	TR2_CELL_REAL, /* any number; text shows only its significant digits */
	TR2_CELL_NS,    /* a duration: text shows it in the unit of the table,
			 * which the heading names; other formats have
			 * nanoseconds */
	TR2_CELL_BYTES, /* 23.1 KiB in text, bytes elsewhere */
	TR2_CELL_SHARE, /* a ratio: 12.3% in text, 0.123 elsewhere */
	TR2_CELL_WALL,  /* a time in wall nanoseconds: HH:MM:SS.uuuuuu in text,
			 * ISO 8601 in UTC elsewhere */
	TR2_CELL_WORDS, /* a struct tr2_words: quoted for a shell; in JSON an
			 * array */
	TR2_CELL_JSON   /* JSON text, which other formats show unchanged */
};

/* Flags of a column. */
#define TR2_COL_LEFT (1u << 0)   /* align left; without this flag, numbers are
				  * aligned right */
#define TR2_COL_TREE (1u << 1)   /* draw the branches of a tree before the text,
				  * by the depth that tr2_table_add_at() got;
				  * cut text that is too wide in its middle */
#define TR2_COL_FLEX (1u << 2)   /* the column is narrowed if a line is too
				  * wide */
#define TR2_COL_MIDDLE (1u << 11) /* a text that is too wide is cut in its
				   * middle, as in a tree */
#define TR2_COL_DATA (1u << 3)   /* the column is only in JSON and CSV; it needs
				  * a key */
#define TR2_COL_TEXT (1u << 4)   /* the column is only in text */
#define TR2_COL_SINGLE (1u << 6) /* durations of single calls; they have a unit
				  * of their own, in which the smallest one is
				  * visible */
#define TR2_COL_SPARE (1u << 7)  /* columns with this flag are omitted, the last
				  * one first, if lines are too wide for a
				  * terminal */
#define TR2_COL_YIELDS (1u << 8) /* columns with this flag are omitted if lines
				  * are too wide even with the narrowest
				  * flexible columns; those with TR2_COL_HEAT
				  * are omitted last */
#define TR2_COL_HEAT (1u << 5)   /* the column has shares, coloured by their
				  * size */
#define TR2_COL_SIGNED (1u << 10) /* durations are shown with a sign: +1.000 */
#define TR2_COL_PAGE (1u << 9)   /* with TR2_COL_DATA: the column is also in a
				  * page */

/* A heading, which is shown as +- in a locale without UTF-8. */
#define TR2_PLUS_MINUS "±"
/* Return a heading as text shows it. */
const char *tr2_column_title(const char *heading);

struct tr2_cell;
struct tr2_words;
struct tr2_table;

struct tr2_column {
	const char *key;     /* the name in JSON and CSV, with its unit:
			      * wall_ns */
	const char *heading; /* text */
	unsigned int flags;
	/* A function that sets the cell of a row by one of tr2_cell_…().
	 * Without such a call, the cell stays empty. The function is not called
	 * for a column that is not printed. */
	void (*cell)(struct tr2_table *t, const void *row);
};

/* The element of the model that a cell names. In pages, the cell links to that
 * element. */
enum tr2_link {
	TR2_LINK_NONE,
	TR2_LINK_NODE,
	TR2_LINK_THREAD,
	TR2_LINK_SPAN,
	TR2_LINK_POINT,
	TR2_LINK_TRACE_SPAN
};

/*
 * Define an array of columns from a list, for rows of a type. In the statements
 * of a column, `t` is the table and `r` the row, a pointer to that type:
 *
 *	COLUMN(key, heading, flags, statements)
 *	DATA(key, statements)			only in JSON and CSV
 *	TEXT(name, heading, flags, statements)	only in text, or in pages
 */
#define TR2_COLUMN_LIST(name, type, LIST)                             \
	typedef type TR2_AT_LINE(tr2_row_);                           \
	LIST(TR2_DEFINE_CELL, TR2_DEFINE_DATA, TR2_DEFINE_CELL)       \
	static const struct tr2_column name[] = {                     \
		LIST(TR2_COLUMN_ROW, TR2_DATA_ROW, TR2_TEXT_ROW)      \
	};                                                            \
	static const struct tr2_column_list TR2_AT_LINE(tr2_list_)    \
		TR2_IN_COLUMN_LISTS = { __FILE__, name, ARRAY_SIZE(name) };

/* The lists of all files, in a section of the program. */
struct tr2_column_list {
	const char *file;
	const struct tr2_column *columns;
	size_t nr;
};
#define TR2_IN_COLUMN_LISTS \
	__attribute__((used, aligned(8), section("tr2_column_lists")))

/* Join `a` and `b`: names that end in a line number are unique for each
 * list. */
#define TR2_PASTE_NOW(a, b) a##b
#define TR2_PASTE(a, b) TR2_PASTE_NOW(a, b)
#define TR2_AT_LINE(name) TR2_PASTE(name, __LINE__)

#define TR2_DEFINE_CELL(key, heading, flags, ...)                     \
	static void TR2_AT_LINE(tr2_cell_##key##_)(                   \
		struct tr2_table *t, const void *row)                 \
	{                                                             \
		const TR2_AT_LINE(tr2_row_) *r = row;                 \
								      \
		__VA_ARGS__;                                          \
	}
#define TR2_DEFINE_DATA(key, ...) TR2_DEFINE_CELL(key, "", 0, __VA_ARGS__)
#define TR2_COLUMN_ROW(key, heading, flags, ...) \
	{ #key, heading, flags, TR2_AT_LINE(tr2_cell_##key##_) },
#define TR2_DATA_ROW(key, ...) \
	{ #key, "", TR2_COL_DATA, TR2_AT_LINE(tr2_cell_##key##_) },
#define TR2_TEXT_ROW(name, heading, flags, ...)       \
	{ NULL, heading, TR2_COL_TEXT | (flags),      \
	  TR2_AT_LINE(tr2_cell_##name##_) },

/* The destination of a command's tables. Several tables become one JSON object
 * with a member per table, or CSV with an empty line between them. */
struct tr2_output {
	enum tr2_format format;
	unsigned int nr_tables; /* number of tables printed so far */
	/* The name of the table that CSV prints, as a file of CSV has one
	 * table; NULL: the first table. Other formats have all tables. */
	const char *csv_table;
	/* For TR2_FORMAT_PAGE: the function that prints a table, and its data;
	 * the name and the caption of the next table. name NULL: the table's
	 * own name. */
	void (*print)(struct tr2_table *t);
	void *data;
	const char *name, *caption;
	/* For text. wide: do not cut lines. Without `wide`, cut lines to the
	 * width of the terminal, or to piped_width in a pipe (0: do not
	 * cut). */
	bool wide;
	unsigned int piped_width;
	bool redact; /* secrets are hidden in every string */
};

void tr2_output_begin(struct tr2_output *o, enum tr2_format format);
void tr2_output_end(struct tr2_output *o);
/* Return whether the output is for people, not for programs. */
static inline bool tr2_output_is_text(const struct tr2_output *o)
{
	return o->format == TR2_FORMAT_TEXT || o->format == TR2_FORMAT_MARKDOWN;
}

/* A function that adds all rows of a table. */
typedef void tr2_rows_fn(struct tr2_table *t, void *data);

struct tr2_table {
	struct tr2_output *output;
	const char *name;
	const struct tr2_column *columns;
	size_t nr_columns;
	struct tr2_cell *cells; /* cells of row `first_row` and of later rows */
	uint32_t nr_cells, alloc;
	size_t first_row;
	int *depths;     /* depth of each row, for TR2_COL_TREE */
	uint32_t nr_rows, nr_depths, alloc_rows;
	struct tr2_text_block *texts; /* texts of the cells */
	bool is_tree; /* true: a column has TR2_COL_TREE; set when the table is
		       * printed */
	const struct tr2_column *sorted; /* the column by which the rows are
					  * sorted; NULL: not sorted */

	/* For streamed rows: the function that adds them, and its data. */
	tr2_rows_fn *rows;
	void *rows_data;
	void (*each)(struct tr2_table *t, size_t row, void *data);
	void *each_data;
	unsigned int left_out; /* columns with these flags stay empty */
	/* this number of columns at the end get no cells */
	size_t nr_last_out;
};

/* An array of columns, and their number. */
#define TR2_COLUMNS(columns) (columns), ARRAY_SIZE(columns)

/* Initialize an empty table for this output. */
#define TR2_TABLE_OF(out, title, array)                                    \
	{ .output = (out), .name = (title), .columns = (array),            \
	  .nr_columns = ARRAY_SIZE(array) }
void tr2_table_init(struct tr2_table *t, struct tr2_output *output,
		    const char *name, const struct tr2_column *columns,
		    size_t nr_columns);
void tr2_table_release(struct tr2_table *t);

/* Let `rows` add the rows while the table is printed, without storing them.
 * Such a table cannot be sorted or limited. */
void tr2_table_rows(struct tr2_table *t, tr2_rows_fn *rows, void *data);

/* Add a row; the columns' functions interpret `row`. */
void tr2_table_add(struct tr2_table *t, const void *row);
/* Add a row of a tree. depth -N, for text only: the row continues the row above
 * at depth N, without a branch. */
void tr2_table_add_at(struct tr2_table *t, const void *row, int depth);

/* Set the current cell; call one of these in the function of a column. Strings
 * are copied. NULL, TR2_NO_TIME and NAN leave the cell empty (null in JSON). */
void tr2_cell_str(struct tr2_table *t, const char *s);
void tr2_cell_strf(struct tr2_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Set the current cell to the value of a setting or attribute with this name.
 * The name may show that the value is a secret. */
void tr2_cell_value(struct tr2_table *t, const char *name, const char *s);
void tr2_cell_int(struct tr2_table *t, int64_t value);
void tr2_cell_uint(struct tr2_table *t, uint64_t value);
void tr2_cell_real(struct tr2_table *t, double value);
void tr2_cell_ns(struct tr2_table *t, int64_t ns);
void tr2_cell_bytes(struct tr2_table *t, uint64_t bytes);
void tr2_cell_share(struct tr2_table *t, double ratio);
void tr2_cell_wall(struct tr2_table *t, int64_t wall_ns);
void tr2_cell_words(struct tr2_table *t, const struct tr2_words *words);
void tr2_cell_json(struct tr2_table *t, const char *json);
/* Show yes or no; true or false in JSON and CSV. */
void tr2_cell_bool(struct tr2_table *t, bool value);
/* Mark the value of the cell just set as a lower bound: `>= ` in text. */
void tr2_cell_at_least(struct tr2_table *t);
/* If the cell just set is cut when it is printed, keep its first ` x 214`, and
 * the text in brackets after it. */
void tr2_cell_keep_count(struct tr2_table *t);
/* Set the colour and the link of the cell just set. */
void tr2_cell_color(struct tr2_table *t, enum tr2_color color);
void tr2_cell_link(struct tr2_table *t, enum tr2_link link, uint32_t number);

/* Return the number in a cell of tr2_cell_uint(). */
uint64_t tr2_cell_number(const struct tr2_table *t, size_t row, size_t column);

/* Print the table, between tr2_output_begin() and tr2_output_end(). */
void tr2_table_print(struct tr2_table *t);
/* Print the table and release it. */
void tr2_table_finish(struct tr2_table *t);
/* Print a table of one row. */
void tr2_table_print_row(struct tr2_output *output, const char *name,
			 const struct tr2_column *columns, size_t nr_columns,
			 const void *row);
/* Print the table as the only one of the output, and release it. */
void tr2_table_show(struct tr2_table *t);

/*
 * Sort rows by the column with this key (with or without its unit) or heading
 * (in any case): numbers from large to small, text from A to Z. Rows of a tree
 * lose their depth. Return false if no column has this name.
 */
bool tr2_table_sort(struct tr2_table *t, const char *column);
/* Sort by all columns and remove duplicate rows. */
void tr2_table_unique(struct tr2_table *t);
/* Keep the first n rows. */
void tr2_table_limit(struct tr2_table *t, size_t n);
/* List the names that tr2_table_sort() accepts: `a, b, c`. */
void tr2_table_names(const struct tr2_table *t, struct tr2_buf *out);
/* Append the names by which the tables in the files of tool/ROOM/ can be
 * sorted, each once, with blanks between them. */
void tr2_table_names_in(const char *room, struct tr2_buf *out);

/* Append a value of CSV, quoted if needed. */
void tr2_csv_add(struct tr2_buf *out, const char *s, size_t len);
