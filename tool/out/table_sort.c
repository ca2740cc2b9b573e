/* SPDX-License-Identifier: MIT */
/*
 * table_sort - sort and shorten tables.
 */
#include <stdlib.h>
#include <strings.h>

#include "base/macros.h"
#include "common/memory.h"
#include "out/table.h"
#include "out/table_private.h"

/* Return whether `name` is the column's key, the key without its unit, or the
 * column's heading. */
static bool is_called(const struct tr2_column *column, const char *name)
{
	size_t len = strlen(name);

	if (!(column->flags & TR2_COL_DATA) && *column->heading &&
	    !strcasecmp(column->heading, name))
		return true;
	if (!column->key || strncasecmp(column->key, name, len) != 0)
		return false;
	return !column->key[len] || !strcmp(column->key + len, "_ns") ||
	       !strcmp(column->key + len, "_bytes");
}

static int compare_doubles(double a, double b)
{
	return a < b ? -1 : a > b;
}

static double number_of(const struct tr2_cell *cell)
{
	switch (cell->kind) {
	case TR2_CELL_UINT:
	case TR2_CELL_BYTES:
		return (double)cell->u;
	case TR2_CELL_SHARE:
	case TR2_CELL_REAL:
		return cell->d;
	default:
		return (double)cell->i;
	}
}

static bool is_text(const struct tr2_cell *cell)
{
	return cell->kind == TR2_CELL_STR || cell->kind == TR2_CELL_WORDS ||
	       cell->kind == TR2_CELL_JSON;
}

/* Order text from A to Z, times from early to late, other numbers from large to
 * small. In a column with both, numbers precede text. Empty cells are last. */
static int compare_cells(const struct tr2_cell *a, const struct tr2_cell *b)
{
	if (a->kind == TR2_CELL_NONE || b->kind == TR2_CELL_NONE)
		return (a->kind == TR2_CELL_NONE) - (b->kind == TR2_CELL_NONE);
	if (is_text(a) && is_text(b))
		return strcmp(a->s, b->s);
	if (is_text(a) || is_text(b))
		return is_text(a) - is_text(b);
	if (a->kind == TR2_CELL_WALL)
		return compare_doubles(number_of(a), number_of(b));
	return compare_doubles(number_of(b), number_of(a));
}

struct order {
	const struct tr2_table *t;
	size_t row, column, nr_columns;
};

static int compare_rows(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;
	const struct tr2_table *t = a->t;
	size_t c;
	int d;

	for (c = a->column; c < a->column + a->nr_columns; c++) {
		d = compare_cells(&t->cells[a->row * t->nr_columns + c],
				  &t->cells[b->row * t->nr_columns + c]);
		if (d)
			return d;
	}
	return a->row < b->row ? -1 : a->row > b->row;
}

static void sort_rows(struct tr2_table *t, size_t column, size_t nr_columns)
{
	size_t row_bytes = t->nr_columns * sizeof(*t->cells), i;
	struct order *order;
	struct tr2_cell *cells;

	if (!t->nr_rows)
		return;
	order = tr2_calloc(t->nr_rows, sizeof(*order));
	cells = tr2_realloc(NULL, t->nr_rows, row_bytes);
	for (i = 0; i < t->nr_rows; i++)
		order[i] = (struct order){ t, i, column, nr_columns };
	qsort(order, t->nr_rows, sizeof(*order), compare_rows);
	for (i = 0; i < t->nr_rows; i++)
		memcpy(cells + i * t->nr_columns,
		       t->cells + order[i].row * t->nr_columns, row_bytes);
	memcpy(t->cells, cells, t->nr_rows * row_bytes);
	memset(t->depths, 0, t->nr_rows * sizeof(*t->depths));
	free(order);
	free(cells);
}

bool tr2_table_sort(struct tr2_table *t, const char *column)
{
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		if (is_called(&t->columns[c], column))
			break;
	if (c == t->nr_columns)
		return false;
	sort_rows(t, c, 1);
	t->sorted = &t->columns[c];
	return true;
}

void tr2_table_limit(struct tr2_table *t, size_t n)
{
	if (t->nr_rows > n) {
		t->nr_rows = t->nr_depths = (uint32_t)n;
		t->nr_cells = (uint32_t)(n * t->nr_columns);
	}
}

static bool equal_rows(const struct tr2_table *t, size_t a, size_t b)
{
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		if (compare_cells(&t->cells[a * t->nr_columns + c],
				  &t->cells[b * t->nr_columns + c]))
			return false;
	return true;
}

void tr2_table_unique(struct tr2_table *t)
{
	uint32_t row, kept = 0;

	sort_rows(t, 0, t->nr_columns);
	for (row = 0; row < t->nr_rows; row++) {
		if (kept && equal_rows(t, kept - 1, row))
			continue;
		if (kept != row)
			memcpy(t->cells + kept * t->nr_columns,
			       t->cells + row * t->nr_columns,
			       t->nr_columns * sizeof(*t->cells));
		kept++;
	}
	t->nr_rows = t->nr_depths = kept;
	t->nr_cells = kept * (uint32_t)t->nr_columns;
}

/* Return the length of a column's key without its unit. */
static size_t name_length(const char *key)
{
	static const char *const units[] = { "_ns", "_bytes" };
	size_t len = strlen(key), i, n;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		n = strlen(units[i]);
		if (len > n && !strcmp(key + len - n, units[i]))
			return len - n;
	}
	return len;
}

void tr2_table_names(const struct tr2_table *t, struct tr2_buf *out)
{
	size_t c, start = out->len;
	const char *key;

	for (c = 0; c < t->nr_columns; c++) {
		key = t->columns[c].key;
		if (!key)
			continue;
		if (out->len > start)
			tr2_buf_addlit(out, ", ");
		tr2_buf_add(out, key, name_length(key));
	}
}

extern const struct tr2_column_list lists_begin[]
	__asm__("__start_tr2_column_lists");
extern const struct tr2_column_list lists_end[]
	__asm__("__stop_tr2_column_lists");

/* Is `file` in the folder `room`? */
static bool is_in_room(const char *file, const char *room)
{
	const char *end = strrchr(file, '/');
	size_t len = strlen(room);

	return end && (size_t)(end - file) > len && *(end - len - 1) == '/' &&
	       !memcmp(end - len, room, len);
}

/* Append the name of each column that `out` does not have from `start` on. */
static void add_new_names(struct tr2_buf *out, size_t start,
			  const struct tr2_column_list *list)
{
	const char *key;
	size_t c, n, at;

	for (c = 0; c < list->nr; c++) {
		key = list->columns[c].key;
		if (!key)
			continue;
		at = out->len;
		n = name_length(key);
		tr2_buf_addlit(out, " ");
		tr2_buf_add(out, key, n);
		tr2_buf_addlit(out, " ");
		if (!memmem(out->p + start, at + 1 - start, out->p + at, n + 2))
			out->len--;
		else
			out->len = at;
	}
}

void tr2_table_names_in(const char *room, struct tr2_buf *out)
{
	const struct tr2_column_list *list;
	size_t start = out->len;

	for (list = lists_begin; list != lists_end; list++)
		if (is_in_room(list->file, room))
			add_new_names(out, start, list);
}
