/* SPDX-License-Identifier: MIT */
/*
 * table_data - print a table for programs: JSON and CSV, plain values.
 */
#include <stdio.h>

#include "base/text.h"
#include "common/words.h"
#include "out/table.h"
#include "out/table_private.h"

static void words_as_json(const struct tr2_cell *cell, struct tr2_buf *out)
{
	struct tr2_words words = { .text = cell->s, .nr = cell->nr_words };
	const char *w;
	uint32_t i;

	tr2_buf_addch(out, '[');
	tr2_for_each_word(&words, w, i) {
		if (i)
			tr2_buf_addch(out, ',');
		tr2_json_add_string(out, w);
	}
	tr2_buf_addch(out, ']');
}

void tr2_cell_as_data(const struct tr2_cell *cell, struct tr2_buf *out)
{
	char number[40];

	switch (cell->kind) {
	case TR2_CELL_INT:
	case TR2_CELL_NS:
		tr2_buf_add_i64(out, cell->i);
		break;
	case TR2_CELL_UINT:
	case TR2_CELL_BYTES:
		tr2_buf_add_u64(out, cell->u);
		break;
	case TR2_CELL_SHARE:
	case TR2_CELL_REAL:
		snprintf(number, sizeof(number),
			 cell->kind == TR2_CELL_REAL ? "%.12g" : "%.6g",
			 cell->d);
		tr2_buf_addstr(out, number);
		break;
	case TR2_CELL_WALL:
		tr2_fmt_iso(out, cell->i);
		break;
	case TR2_CELL_STR:
	case TR2_CELL_JSON:
		tr2_buf_add(out, cell->s, cell->len);
		break;
	case TR2_CELL_WORDS:
		tr2_cell_words_as_text(cell, out);
		break;
	case TR2_CELL_NONE:
		break;
	}
}

static void cell_as_json(const struct tr2_cell *cell, struct tr2_buf *out)
{
	switch (cell->kind) {
	case TR2_CELL_NONE:
		tr2_buf_addlit(out, "null");
		break;
	case TR2_CELL_STR:
		tr2_json_add_string(out, cell->s);
		break;
	case TR2_CELL_WORDS:
		words_as_json(cell, out);
		break;
	case TR2_CELL_WALL:
		tr2_buf_addch(out, '"');
		tr2_cell_as_data(cell, out);
		tr2_buf_addch(out, '"');
		break;
	default:
		tr2_cell_as_data(cell, out);
	}
}

static bool in_data(const struct tr2_column *column)
{
	return column->key && !(column->flags & TR2_COL_TEXT);
}

static void row_as_json(struct tr2_table *t, size_t row, void *data)
{
	struct tr2_buf *out = data;
	bool first = true;
	size_t c;

	tr2_buf_addstr(out, row ? ",\n {" : "\n {");
	if (t->is_tree) {
		tr2_buf_addlit(out, "\"depth\":");
		tr2_buf_add_i64(out, t->depths[row]);
		first = false;
	}
	for (c = 0; c < t->nr_columns; c++) {
		if (!in_data(&t->columns[c]))
			continue;
		/* Do not escape keys: they are identifiers. */
		tr2_buf_addstr(out, first ? "\"" : ",\"");
		first = false;
		tr2_buf_addstr(out, t->columns[c].key);
		tr2_buf_addlit(out, "\":");
		cell_as_json(tr2_cell_at(t, row, c), out);
	}
	tr2_buf_addch(out, '}');
	tr2_table_flush(out, false);
}

void tr2_table_print_json(struct tr2_table *t, bool first)
{
	struct tr2_buf out = TR2_BUF_INIT;

	tr2_buf_addstr(&out, first ? "" : ",\n");
	tr2_json_add_string(&out, t->name);
	tr2_buf_addlit(&out, ":[");
	tr2_table_each_row(t, TR2_COL_TEXT, row_as_json, &out);
	tr2_buf_addch(&out, ']');
	tr2_table_flush(&out, true);
	tr2_buf_release(&out);
}

/* Append a value as in RFC 4180: quoted if needed, with quotes doubled. */
void tr2_csv_add(struct tr2_buf *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] == '"' || s[i] == ',' || s[i] == '\n' || s[i] == '\r')
			break;
	if (i == len) {
		tr2_buf_add(out, s, len);
		return;
	}
	tr2_buf_addch(out, '"');
	for (i = 0; i < len; i++) {
		if (s[i] == '"')
			tr2_buf_addch(out, '"');
		tr2_buf_addch(out, s[i]);
	}
	tr2_buf_addch(out, '"');
}

static void csv_headings(const struct tr2_table *t, struct tr2_buf *out)
{
	bool first = true;
	size_t c;

	if (t->is_tree) {
		tr2_buf_addlit(out, "depth");
		first = false;
	}
	for (c = 0; c < t->nr_columns; c++) {
		if (!in_data(&t->columns[c]))
			continue;
		tr2_buf_addstr(out, first ? "" : ",");
		first = false;
		tr2_buf_addstr(out, t->columns[c].key);
	}
	tr2_buf_addch(out, '\n');
}

struct csv {
	struct tr2_buf out, text;
};

static void row_as_csv(struct tr2_table *t, size_t row, void *data)
{
	struct csv *csv = data;
	bool first = !t->is_tree;
	size_t c;

	if (!first)
		tr2_buf_add_i64(&csv->out, t->depths[row]);
	for (c = 0; c < t->nr_columns; c++) {
		if (!in_data(&t->columns[c]))
			continue;
		tr2_buf_addstr(&csv->out, first ? "" : ",");
		first = false;
		tr2_buf_reset(&csv->text);
		tr2_cell_as_data(tr2_cell_at(t, row, c), &csv->text);
		tr2_csv_add(&csv->out, tr2_buf_str(&csv->text),
			    csv->text.len);
	}
	tr2_buf_addch(&csv->out, '\n');
	tr2_table_flush(&csv->out, false);
}

void tr2_table_print_csv(struct tr2_table *t)
{
	struct csv csv = { TR2_BUF_INIT, TR2_BUF_INIT };

	csv_headings(t, &csv.out);
	tr2_table_each_row(t, TR2_COL_TEXT, row_as_csv, &csv);
	tr2_table_flush(&csv.out, true);
	tr2_buf_release(&csv.out);
	tr2_buf_release(&csv.text);
}
