/* SPDX-License-Identifier: MIT */
/*
 * table - rows of cells, stored or streamed. table_text.c, table_data.c and
 * markdown.c print them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/time.h"
#include "common/words.h"
#include "event/redact.h"
#include "out/table.h"
#include "out/table_private.h"

#define TEXT_BYTES 16384

struct tr2_text_block {
	struct tr2_text_block *next;
	size_t len, alloc;
	char text[];
};

void tr2_table_init(struct tr2_table *t, struct tr2_output *output,
		    const char *name, const struct tr2_column *columns,
		    size_t nr_columns)
{
	*t = (struct tr2_table){ .output = output, .name = name,
				 .columns = columns,
				 .nr_columns = nr_columns };
}

static void free_texts(struct tr2_text_block *b)
{
	struct tr2_text_block *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

void tr2_table_release(struct tr2_table *t)
{
	free_texts(t->texts);
	free(t->cells);
	free(t->depths);
	memset(t, 0, sizeof(*t));
}

/* Return n bytes that live as long as the row. */
static char *text_room(struct tr2_table *t, size_t n)
{
	struct tr2_text_block *b = t->texts;
	size_t alloc = n > TEXT_BYTES / 4 ? n : TEXT_BYTES;

	if (!b || b->alloc - b->len < n) {
		b = tr2_realloc(NULL, 1, sizeof(*b) + alloc);
		b->len = 0;
		b->alloc = alloc;
		b->next = t->texts;
		t->texts = b;
	}
	b->len += n;
	return b->text + b->len - n;
}

/* Forget the cells of the current row, when rows are streamed. */
static void forget_cells(struct tr2_table *t)
{
	t->nr_cells = 0;
	t->first_row = t->nr_rows;
	if (t->texts) {
		free_texts(t->texts->next);
		t->texts->next = NULL;
		t->texts->len = 0;
	}
}

static struct tr2_cell *new_cell(struct tr2_table *t, enum tr2_cell_kind kind)
{
	tr2_grow(t->cells, t->nr_cells, t->alloc);
	t->cells[t->nr_cells] = (struct tr2_cell){ .kind = (uint8_t)kind };
	return &t->cells[t->nr_cells++];
}

void tr2_table_rows(struct tr2_table *t, tr2_rows_fn *rows, void *data)
{
	t->rows = rows;
	t->rows_data = data;
}

void tr2_table_add_at(struct tr2_table *t, const void *row, int depth)
{
	size_t c, end;

	tr2_grow(t->depths, t->nr_rows, t->alloc_rows);
	t->depths[t->nr_rows++] = depth;
	if (t->nr_depths < t->nr_rows)
		t->nr_depths = t->nr_rows;
	for (c = 0; c < t->nr_columns - t->nr_last_out; c++) {
		end = t->nr_cells + 1;
		if (!(t->columns[c].flags & t->left_out))
			t->columns[c].cell(t, row);
		if (t->nr_cells < end)
			new_cell(t, TR2_CELL_NONE);
	}
	if (!t->each)
		return;
	t->each(t, t->nr_rows - 1, t->each_data);
	forget_cells(t);
}

void tr2_table_add(struct tr2_table *t, const void *row)
{
	tr2_table_add_at(t, row, 0);
}

void tr2_table_each_row(struct tr2_table *t, unsigned int flags, tr2_row_fn *fn,
			void *data)
{
	size_t row;

	if (!t->rows) {
		for (row = 0; row < t->nr_rows; row++)
			fn(t, row, data);
		return;
	}
	t->each = fn;
	t->each_data = data;
	t->left_out = flags;
	while (t->nr_last_out < t->nr_columns &&
	       t->columns[t->nr_columns - t->nr_last_out - 1].flags & flags)
		t->nr_last_out++;
	t->rows(t, t->rows_data);
	t->each = NULL;
	t->left_out = 0;
	t->nr_last_out = 0;
}

static void cell_text(struct tr2_table *t, enum tr2_cell_kind kind,
		      const char *s, size_t len, uint32_t nr_words)
{
	char *copy = text_room(t, len + 1);
	struct tr2_cell *cell = new_cell(t, kind);

	memcpy(copy, s, len);
	copy[len] = '\0';
	cell->s = copy;
	cell->len = (uint32_t)len;
	cell->nr_words = nr_words;
}

static struct tr2_buf scratch; /* static, to be used again: each new buffer
				* would map memory */

/* Return the string, without its secrets if the output hides secrets. The
 * result is valid until the next call. */
static const char *without_secrets(const struct tr2_table *t, const char *s,
				   size_t *len)
{
	return t->output->redact ? tr2_redact(&scratch, s, len) : s;
}

void tr2_cell_str(struct tr2_table *t, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (s)
		s = without_secrets(t, s, &len);
	if (s)
		cell_text(t, TR2_CELL_STR, s, len, 0);
}

void tr2_cell_strf(struct tr2_table *t, const char *fmt, ...)
{
	static struct tr2_buf text; /* static, to be used again: each new buffer
				     * would map memory */
	va_list ap;

	tr2_buf_reset(&text);
	va_start(ap, fmt);
	tr2_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	tr2_cell_str(t, tr2_buf_str(&text));
}

void tr2_cell_value(struct tr2_table *t, const char *name, const char *s)
{
	if (s && *s && t->output->redact && tr2_redact_is_secret_name(name))
		s = TR2_REDACTED;
	tr2_cell_str(t, s);
}

void tr2_cell_words(struct tr2_table *t, const struct tr2_words *words)
{
	static struct tr2_buf safe; /* static, to be used again: each new buffer
				     * would map memory */
	const char *w, *word, *before = NULL;
	uint32_t i;
	size_t len;

	if (!words->text)
		return;
	tr2_buf_reset(&safe);
	tr2_for_each_word(words, w, i) {
		len = strlen(w);
		if (!t->output->redact)
			continue;
		word = tr2_redact_word(&scratch, before ? words->text : NULL,
				       before, w, &len);
		before = w;
		tr2_buf_add(&safe, word, len);
		tr2_buf_addch(&safe, '\0');
	}
	tr2_must(!safe.failed);
	cell_text(t, TR2_CELL_WORDS, t->output->redact ? safe.p : words->text,
		  t->output->redact ? safe.len : (size_t)(w - words->text),
		  words->nr);
}

void tr2_cell_json(struct tr2_table *t, const char *json)
{
	size_t len = strlen(json);
	const char *safe = without_secrets(t, json, &len);

	cell_text(t, TR2_CELL_JSON, safe, len, 0);
}

void tr2_cell_bool(struct tr2_table *t, bool value)
{
	if (tr2_output_is_text(t->output))
		tr2_cell_str(t, value ? "yes" : "no");
	else
		tr2_cell_json(t, value ? "true" : "false");
}

void tr2_cell_int(struct tr2_table *t, int64_t value)
{
	new_cell(t, TR2_CELL_INT)->i = value;
}

void tr2_cell_uint(struct tr2_table *t, uint64_t value)
{
	new_cell(t, TR2_CELL_UINT)->u = value;
}

void tr2_cell_real(struct tr2_table *t, double value)
{
	/* JSON has no infinite numbers: leave the cell empty. */
	new_cell(t, isfinite(value) ? TR2_CELL_REAL : TR2_CELL_NONE)->d = value;
}

void tr2_cell_ns(struct tr2_table *t, int64_t ns)
{
	new_cell(t, ns == TR2_NO_TIME ? TR2_CELL_NONE : TR2_CELL_NS)->i = ns;
}

void tr2_cell_bytes(struct tr2_table *t, uint64_t bytes)
{
	new_cell(t, TR2_CELL_BYTES)->u = bytes;
}

void tr2_cell_share(struct tr2_table *t, double ratio)
{
	new_cell(t, TR2_CELL_SHARE)->d = ratio;
}

void tr2_cell_wall(struct tr2_table *t, int64_t wall_ns)
{
	new_cell(t, wall_ns == TR2_NO_TIME ? TR2_CELL_NONE : TR2_CELL_WALL)->i =
		wall_ns;
}

void tr2_cell_at_least(struct tr2_table *t)
{
	if (t->nr_cells)
		t->cells[t->nr_cells - 1].at_least = true;
}

void tr2_cell_keep_count(struct tr2_table *t)
{
	if (t->nr_cells)
		t->cells[t->nr_cells - 1].keeps_count = true;
}

void tr2_cell_color(struct tr2_table *t, enum tr2_color color)
{
	if (t->nr_cells)
		t->cells[t->nr_cells - 1].color = (uint8_t)color;
}

void tr2_cell_link(struct tr2_table *t, enum tr2_link link, uint32_t number)
{
	if (!t->nr_cells)
		return;
	t->cells[t->nr_cells - 1].link = (uint8_t)link;
	t->cells[t->nr_cells - 1].linked = number;
}

uint64_t tr2_cell_number(const struct tr2_table *t, size_t row, size_t column)
{
	return tr2_cell_at(t, row, column)->u;
}

const struct tr2_cell *tr2_cell_at(const struct tr2_table *t, size_t row,
				   size_t column)
{
	static const struct tr2_cell none = { .kind = TR2_CELL_NONE };
	size_t at = (row - t->first_row) * t->nr_columns + column;

	return at < t->nr_cells ? &t->cells[at] : &none;
}

void tr2_cell_words_as_text(const struct tr2_cell *cell, struct tr2_buf *out)
{
	struct tr2_words words = { .text = cell->s, .nr = cell->nr_words };

	tr2_words_quote(&words, out);
}

void tr2_table_flush(struct tr2_buf *out, bool end)
{
	if (!end && out->len <= 60000)
		return;
	if (out->len)
		fwrite(out->p, 1, out->len, stdout);
	tr2_buf_reset(out);
}

void tr2_output_begin(struct tr2_output *o, enum tr2_format format)
{
	o->format = format;
	o->nr_tables = 0;
	o->wide = false;
	o->piped_width = 0;
	o->redact = false;
	o->csv_table = NULL;
	if (format == TR2_FORMAT_JSON)
		fputs("{", stdout);
}

void tr2_output_end(struct tr2_output *o)
{
	if (o->format == TR2_FORMAT_JSON)
		fputs("}\n", stdout);
}

static bool is_the_csv_table(const struct tr2_table *t)
{
	const struct tr2_output *o = t->output;

	return o->csv_table ? !strcmp(t->name, o->csv_table) : !o->nr_tables;
}

void tr2_table_print(struct tr2_table *t)
{
	struct tr2_output *o = t->output;
	bool first;
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		t->is_tree |= (t->columns[c].flags & TR2_COL_TREE) != 0;
	if (o->format == TR2_FORMAT_CSV && !is_the_csv_table(t))
		return;
	first = !o->nr_tables++;
	if (tr2_output_is_text(o) && !first)
		fputc('\n', stdout);
	switch (o->format) {
	case TR2_FORMAT_TEXT:
		tr2_table_print_text(t);
		break;
	case TR2_FORMAT_JSON:
		tr2_table_print_json(t, first);
		break;
	case TR2_FORMAT_CSV:
		tr2_table_print_csv(t);
		break;
	case TR2_FORMAT_MARKDOWN:
		tr2_table_print_markdown(t);
		break;
	case TR2_FORMAT_PAGE:
		o->print(t);
		break;
	}
}

void tr2_table_finish(struct tr2_table *t)
{
	tr2_table_print(t);
	tr2_table_release(t);
}

void tr2_table_print_row(struct tr2_output *output, const char *name,
			 const struct tr2_column *columns, size_t nr_columns,
			 const void *row)
{
	struct tr2_table t;

	tr2_table_init(&t, output, name, columns, nr_columns);
	tr2_table_add(&t, row);
	tr2_table_finish(&t);
}

void tr2_table_show(struct tr2_table *t)
{
	struct tr2_output *o = t->output;

	tr2_output_begin(o, o->format);
	tr2_table_finish(t);
	tr2_output_end(o);
}
