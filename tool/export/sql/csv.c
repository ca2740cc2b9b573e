/* SPDX-License-Identifier: MIT */
/*
 * csv - one table (--table): a line of column names, then rows, with quotes
 * where necessary. This is RFC 4180, except that lines end with a newline only,
 * as with --format=csv: CSV readers accept both, line readers do not. An
 * unknown value is an empty field; a known text is never empty.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/sql/tables.h"
#include "model/join/self_time.h"
#include "out/table.h"

struct csv {
	enum tr2_table_id table;
	struct tr2_row row;
	struct tr2_row_ids ids;
	int64_t *self; /* by span */
};

static bool begin_csv(struct tr2_export *x)
{
	struct csv *c = tr2_calloc(1, sizeof(*c));
	const struct tr2_column_def *column;
	struct tr2_buf *b = &x->sink.buf;

	x->state = c;
	c->self = tr2_calloc(x->m->nr_spans, sizeof(*c->self));
	c->ids.self_ns = c->self;
	c->ids.recording_keys = true;
	while (strcmp(tr2_table_defs[c->table].name, x->opt->table))
		c->table++;
	if (c->table == TR2_TABLE_spans)
		tr2_own_sums(x->m, c->self);
	column = tr2_table_defs[c->table].column;
	for (; column->name; column++) {
		tr2_buf_addstr(b, column->name);
		tr2_buf_addstr(b, column[1].name ? "," : "\n");
	}
	return true;
}

static void add_value(struct tr2_buf *b, const struct tr2_row *r,
		      const struct tr2_row_value *v)
{
	if (v->kind == TR2_VALUE_INT)
		tr2_buf_add_i64(b, v->i);
	else if (v->kind == TR2_VALUE_UINT)
		tr2_buf_add_u64(b, v->u);
	else if (v->kind == TR2_VALUE_TEXT)
		tr2_csv_add(b, r->text.p + v->at, v->len);
}

static void add_row(struct tr2_export *x, enum tr2_table_id table,
		    uint32_t index)
{
	struct csv *c = x->state;
	struct tr2_buf *b = &x->sink.buf;
	unsigned int i;

	if (table != c->table)
		return;
	tr2_row_fill(x, &c->row, &c->ids, table, index);
	tr2_must(!c->row.text.failed);
	for (i = 0; i < c->row.nr; i++) {
		if (i)
			tr2_buf_addch(b, ',');
		add_value(b, &c->row, &c->row.value[i]);
	}
	tr2_buf_addch(b, '\n');
}

static bool end_csv(struct tr2_export *x)
{
	struct csv *c = x->state;

	if (!c)
		return true;
	tr2_row_release(&c->row);
	free(c->self);
	free(c);
	return true;
}

const struct tr2_export_format tr2_export_csv = {
	.flags = TR2_EXPORT_TABLE,
	.begin = begin_csv,
	.end = end_csv,
	.row = add_row,
};
