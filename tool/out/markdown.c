/* SPDX-License-Identifier: MIT */
/*
 * markdown - print a table in the Markdown of GitHub, GitLab and others. Its
 * cells have the same texts as on a terminal, but are not cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
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

struct printing {
	struct tr2_column_use *use; /* by column */
	struct tr2_units units;
};

/* Return whether the column is shown. Empty columns are left out. */
static bool is_shown(const struct tr2_table *t, const struct printing *p,
		     size_t c)
{
	return !(t->columns[c].flags & TR2_COL_DATA) &&
	       (p->use[c].filled || !t->nr_rows);
}

static void measure_columns(const struct tr2_table *t, struct printing *p)
{
	size_t row, c;

	for (row = 0; row < t->nr_rows; row++)
		for (c = 0; c < t->nr_columns; c++) {
			if (t->columns[c].flags & TR2_COL_DATA)
				continue;
			tr2_column_see(&p->use[c], t->columns[c].flags,
				       tr2_cell_at(t, row, c));
			tr2_units_see(&p->units, t->columns[c].flags,
				      tr2_cell_at(t, row, c));
		}
	tr2_units_choose(&p->units);
}

static void add_heads(const struct tr2_table *t, const struct printing *p,
		      struct tr2_buf *out)
{
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(t, p, c)) {
			tr2_buf_addlit(out, "| ");
			tr2_column_add_heading(&t->columns[c], &p->use[c],
					       &p->units, out);
			tr2_buf_addch(out, ' ');
		}
	tr2_buf_addlit(out, "|\n");
	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(t, p, c))
			tr2_buf_addstr(out, is_left(&t->columns[c]) ? "|:--" :
								      "|--:");
	tr2_buf_addlit(out, "|\n");
}

/* Append a cell of the column as text, not escaped. */
static void add_cell(const struct tr2_table *t, const struct printing *p,
		     const struct tr2_cell *cell, size_t c,
		     struct tr2_buf *text)
{
	if (cell->kind == TR2_CELL_NS)
		tr2_column_add_duration(&t->columns[c], &p->use[c], &p->units,
					cell->i, cell->at_least, text);
	else
		tr2_cell_as_text(cell, text);
}

void tr2_table_print_markdown(const struct tr2_table *t)
{
	struct printing p = {
		.use = tr2_calloc(t->nr_columns + 1, sizeof(*p.use)),
	};
	struct tr2_buf out = TR2_BUF_INIT, text = TR2_BUF_INIT;
	size_t row, c;

	measure_columns(t, &p);
	add_heads(t, &p, &out);
	for (row = 0; row < t->nr_rows; row++) {
		for (c = 0; c < t->nr_columns; c++) {
			if (!is_shown(t, &p, c))
				continue;
			tr2_buf_reset(&text);
			add_cell(t, &p, tr2_cell_at(t, row, c), c, &text);
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
	free(p.use);
}
