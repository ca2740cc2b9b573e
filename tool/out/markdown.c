/* SPDX-License-Identifier: MIT */
/*
 * markdown - print a table in the Markdown of GitHub, GitLab and others, with
 * the texts of the terminal, uncut.
 */
#include <stdio.h>
#include <string.h>

#include "out/table_private.h"

/* Escape all markup in a cell. */
static void add_escaped(struct tr2_buf *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (strchr("\\`*_<|[]", s[i]) && s[i])
			tr2_buf_addch(out, '\\');
		tr2_buf_addch(out, s[i]);
	}
}

static bool is_left(const struct tr2_column *c)
{
	return c->flags & (TR2_COL_LEFT | TR2_COL_TREE | TR2_COL_FLEX);
}

/* Empty columns are not shown. */
static bool is_shown(const struct tr2_table *t, size_t c)
{
	size_t row;

	if (t->columns[c].flags & TR2_COL_DATA)
		return false;
	for (row = 0; row < t->nr_rows; row++)
		if (tr2_cell_at(t, row, c)->kind != TR2_CELL_NONE)
			return true;
	return !t->nr_rows;
}

static void add_heads(const struct tr2_table *t, struct tr2_buf *out)
{
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(t, c)) {
			tr2_buf_addlit(out, "| ");
			tr2_buf_addstr(out, t->columns[c].heading);
			tr2_buf_addch(out, ' ');
		}
	tr2_buf_addlit(out, "|\n");
	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(t, c))
			tr2_buf_addstr(out, is_left(&t->columns[c]) ? "|:--" :
								      "|--:");
	tr2_buf_addlit(out, "|\n");
}

void tr2_table_print_markdown(const struct tr2_table *t)
{
	struct tr2_buf out = TR2_BUF_INIT, text = TR2_BUF_INIT;
	size_t row, c;

	add_heads(t, &out);
	for (row = 0; row < t->nr_rows; row++) {
		for (c = 0; c < t->nr_columns; c++) {
			if (!is_shown(t, c))
				continue;
			tr2_buf_reset(&text);
			tr2_cell_as_text(tr2_cell_at(t, row, c),
					 t->columns[c].flags, &text);
			tr2_buf_addlit(&out, "| ");
			add_escaped(&out, text.p, text.len);
			tr2_buf_addch(&out, ' ');
		}
		tr2_buf_addlit(&out, "|\n");
	}
	if (out.len)
		fwrite(out.p, 1, out.len, stdout);
	tr2_buf_release(&out);
	tr2_buf_release(&text);
}
