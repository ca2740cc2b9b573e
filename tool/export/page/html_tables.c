/* SPDX-License-Identifier: MIT */
/*
 * html_tables - the tables of the page, which are the tables of the report,
 * with the properties of their columns. tool/export/page/tables.js shows them.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/page/html_private.h"
#include "out/table_private.h"

static const char *const kinds[] = {
	[TR2_CELL_STR] = "str",	    [TR2_CELL_INT] = "int",
	[TR2_CELL_UINT] = "uint",   [TR2_CELL_REAL] = "real",
	[TR2_CELL_NS] = "ns",	    [TR2_CELL_BYTES] = "bytes",
	[TR2_CELL_SHARE] = "share", [TR2_CELL_WALL] = "ns",
	[TR2_CELL_WORDS] = "str",   [TR2_CELL_JSON] = "buckets",
};

struct page_table {
	struct tr2_export *x;
	struct tr2_buf rows;
	const char **kinds; /* by column: kind of the first cell; NULL: no cell
			     * yet */
};

/* Return the number of the item to which a cell links; -1: none. Numbers are
 * those of tool/export/page/data.js: processes, threads, spans, points. */
static int64_t item_of(const struct tr2_export *x, const struct tr2_cell *cell)
{
	const struct tr2_html *h = x->state;
	uint32_t first = 0, place = 0, i = cell->linked;
	const struct tr2_model_session *s;

	switch (cell->link) {
	case TR2_LINK_NODE:
		place = h->of_node[i];
		break;
	case TR2_LINK_THREAD:
		s = tr2_export_session_of(x, i);
		/* Link a main thread to its process: the page shows both as one
		 * bar. */
		if (s->first_thread == i) {
			place = h->of_node[s->node];
			break;
		}
		first = h->nr_processes;
		place = h->of_thread[i];
		break;
	case TR2_LINK_SPAN:
		first = h->nr_processes + h->nr_threads;
		place = h->of_span[i];
		break;
	case TR2_LINK_TRACE_SPAN:
		first = h->nr_processes + h->nr_threads;
		place = h->of_trace_span[i];
		break;
	case TR2_LINK_POINT:
		first = h->nr_processes + h->nr_threads + h->nr_spans;
		place = h->of_point[i];
		break;
	}
	return place ? (int64_t)first + place - 1 : -1;
}

static void add_value(struct page_table *p, const struct tr2_cell *cell)
{
	struct tr2_html *h = p->x->state;
	static struct tr2_buf text; /* later calls reuse its memory */

	if (cell->kind == TR2_CELL_STR || cell->kind == TR2_CELL_WORDS) {
		tr2_buf_reset(&text);
		tr2_cell_as_data(cell, &text);
		tr2_buf_add_u64(&p->rows,
				tr2_html_string(p->x, tr2_buf_str(&text)));
	} else if (cell->kind == TR2_CELL_WALL) {
		tr2_buf_add_i64(&p->rows, cell->i - h->origin_ns);
	} else {
		tr2_cell_as_data(cell, &p->rows);
	}
}

/* Append the value of a cell. If the cell has more than a value, append an
 * object. */
static void add_cell(struct page_table *p, const struct tr2_cell *cell,
		     size_t column)
{
	const char *kind = kinds[cell->kind];
	bool bad = cell->color == TR2_COLOR_BAD;
	int64_t item = item_of(p->x, cell);

	if (!p->kinds[column])
		p->kinds[column] = kind;
	if (!kind) {
		tr2_buf_addlit(&p->rows, "null");
	} else if (item < 0 && !bad && !cell->at_least &&
		   kind == p->kinds[column]) {
		add_value(p, cell);
	} else {
		tr2_buf_addlit(&p->rows, "{\"value\":");
		add_value(p, cell);
		if (item >= 0)
			tr2_export_json_int(&p->rows, "item", item);
		if (bad)
			tr2_buf_addlit(&p->rows, ",\"bad\":true");
		if (cell->at_least)
			tr2_buf_addlit(&p->rows, ",\"atLeast\":true");
		if (kind != p->kinds[column])
			tr2_export_json_str(p->x, &p->rows, "kind", kind);
		tr2_buf_addch(&p->rows, '}');
	}
	tr2_buf_addch(&p->rows, ',');
}

static bool is_shown(const struct tr2_column *column)
{
	return !(column->flags & TR2_COL_DATA) || column->flags & TR2_COL_PAGE;
}

static void add_row(struct tr2_table *t, size_t row, void *data)
{
	struct page_table *p = data;
	size_t c;

	tr2_html_open_row(&p->rows);
	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(&t->columns[c]))
			add_cell(p, tr2_cell_at(t, row, c), c);
	if (t->is_tree)
		tr2_html_num(&p->rows, t->depths[row]);
	tr2_html_close_row(&p->rows);
}

static void add_column(struct page_table *p, const struct tr2_table *t,
		       size_t c)
{
	const struct tr2_column *column = &t->columns[c];
	struct tr2_html *h = p->x->state;
	struct tr2_buf *b = &h->json;

	tr2_buf_addlit(b, "{\"title\":");
	tr2_json_add_string(b, column->heading);
	tr2_export_json_str(p->x, b, "kind", p->kinds[c]);
	if (column->flags & (TR2_COL_TREE | TR2_COL_FLEX))
		tr2_buf_addlit(b, ",\"name\":true");
	if (column->flags & TR2_COL_LEFT)
		tr2_buf_addlit(b, ",\"left\":true");
	if (column == t->sorted)
		tr2_buf_addlit(b, ",\"sorted\":true");
	tr2_buf_addlit(b, "},");
}

static void print_table(struct tr2_table *t)
{
	struct tr2_output *o = t->output;
	struct page_table p = {
		.x = o->data,
		.rows = TR2_BUF_INIT,
		.kinds = tr2_calloc(t->nr_columns, sizeof(*p.kinds)),
	};
	struct tr2_html *h = p.x->state;
	size_t c;

	tr2_table_each_row(t, 0, add_row, &p);
	tr2_buf_addstr(&h->json, o->nr_tables > 1 ? ",\n{\"name\":" :
						    "\n{\"name\":");
	tr2_json_add_string(&h->json, o->name ? o->name : t->name);
	tr2_export_json_str(p.x, &h->json, "caption", o->caption);
	tr2_html_key(&h->json, "columns");
	tr2_buf_addch(&h->json, '[');
	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(&t->columns[c]))
			add_column(&p, t, c);
	tr2_html_close_row(&h->json);
	tr2_html_array(p.x, "rows", &p.rows);
	tr2_buf_addch(&h->json, '}');
	free(p.kinds);
}

void tr2_html_tables(struct tr2_export *x)
{
	struct tr2_html *h = x->state;
	struct tr2_output out = {
		.format = TR2_FORMAT_PAGE,
		.print = print_table,
		.data = x,
	};

	tr2_html_key(&h->json, "tables");
	tr2_buf_addch(&h->json, '[');
	x->print_tables(x->m, &out);
	tr2_buf_addch(&h->json, ']');
	tr2_html_step(x);
}
