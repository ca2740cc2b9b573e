/* SPDX-License-Identifier: MIT */
/*
 * table - cells, and the three ways to print them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "options.h"
#include "out/table.h"
#include "out/table_private.h"
#include "out/term.h"

/* No column gives way to less than this. */
#define MIN_FLEX 16

void tr2_table_init(struct tr2_table *t, const char *name,
		    const struct tr2_column *columns, size_t nr_columns)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->columns = columns;
	t->nr_columns = nr_columns;
}

void tr2_table_release(struct tr2_table *t)
{
	size_t i;

	for (i = 0; i < t->nr_cells; i++)
		if (t->cells[i].kind == TR2_CELL_STR ||
		    t->cells[i].kind == TR2_CELL_WORDS)
			free(t->cells[i].s);
	free(t->cells);
	free(t->depths);
	memset(t, 0, sizeof(*t));
}

/* ---- filling ------------------------------------------------------------------- */

void tr2_table_row(struct tr2_table *t)
{
	int *depths;

	if (t->nr_rows >= t->alloc_rows) {
		t->alloc_rows = t->alloc_rows ? t->alloc_rows * 2 : 64;
		depths = realloc(t->depths, t->alloc_rows * sizeof(*depths));
		if (!depths) {
			t->failed = true;
			return;
		}
		t->depths = depths;
	}
	/* A row that was left short is filled up. */
	while (!t->failed && t->nr_cells < t->nr_rows * t->nr_columns)
		tr2_cell_none(t);
	t->depths[t->nr_rows++] = 0;
}

void tr2_table_depth(struct tr2_table *t, int depth)
{
	if (!t->failed && t->nr_rows)
		t->depths[t->nr_rows - 1] = depth;
}

static struct tr2_cell *new_cell(struct tr2_table *t, enum tr2_cell_kind kind)
{
	static struct tr2_cell lost;
	struct tr2_cell *cells;

	if (!t->failed && t->nr_cells >= t->alloc) {
		t->alloc = t->alloc ? t->alloc * 2 : 256;
		cells = realloc(t->cells, t->alloc * sizeof(*cells));
		if (cells)
			t->cells = cells;
		else
			t->failed = true;
	}
	if (t->failed)
		return &lost;
	t->cells[t->nr_cells] = (struct tr2_cell){ .kind = kind };
	return &t->cells[t->nr_cells++];
}

void tr2_cell_none(struct tr2_table *t)
{
	new_cell(t, TR2_CELL_NONE);
}

static void cell_text(struct tr2_table *t, enum tr2_cell_kind kind,
		      const char *s, size_t len, uint32_t nr_words)
{
	char *copy = s ? malloc(len + 1) : NULL;
	struct tr2_cell *cell = new_cell(t, copy ? kind : TR2_CELL_NONE);

	if (!copy)
		return;
	if (t->failed) {
		free(copy);
		return;
	}
	memcpy(copy, s, len);
	copy[len] = '\0';
	cell->s = copy;
	cell->len = len;
	cell->nr_words = nr_words;
}

void tr2_cell_str(struct tr2_table *t, const char *s)
{
	cell_text(t, TR2_CELL_STR, s, s ? strlen(s) : 0, 0);
}

void tr2_cell_words(struct tr2_table *t, const struct tr2_words *words)
{
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i)
		;
	cell_text(t, TR2_CELL_WORDS, words->text,
		  words->text ? (size_t)(w - words->text) : 0, words->nr);
}

void tr2_cell_int(struct tr2_table *t, int64_t value)
{
	new_cell(t, TR2_CELL_INT)->i = value;
}

void tr2_cell_uint(struct tr2_table *t, uint64_t value)
{
	new_cell(t, TR2_CELL_UINT)->u = value;
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

void tr2_cell_color(struct tr2_table *t, enum tr2_color color)
{
	if (!t->failed && t->nr_cells)
		t->cells[t->nr_cells - 1].color = color;
}

static const struct tr2_cell *cell_at(const struct tr2_table *t, size_t row,
				      size_t column)
{
	static const struct tr2_cell none = { .kind = TR2_CELL_NONE };
	size_t at = row * t->nr_columns + column;

	return at < t->nr_cells ? &t->cells[at] : &none;
}

/* ---- text ------------------------------------------------------------------------ */

static void words_as_text(const struct tr2_cell *cell, struct tr2_buf *out)
{
	struct tr2_words words = { cell->s, cell->nr_words };

	tr2_words_quote(&words, out);
}

static void cell_as_text(const struct tr2_cell *cell, unsigned int flags,
			 struct tr2_buf *out)
{
	char share[32];

	switch (cell->kind) {
	case TR2_CELL_NONE:
		break;
	case TR2_CELL_STR:
		tr2_text_add(out, cell->s, cell->len);
		break;
	case TR2_CELL_WORDS:
		words_as_text(cell, out);
		break;
	case TR2_CELL_INT:
		tr2_buf_add_i64(out, cell->i);
		break;
	case TR2_CELL_UINT:
		tr2_buf_add_u64(out, cell->u);
		break;
	case TR2_CELL_NS:
		if (flags & TR2_COL_SHORT)
			tr2_fmt_ns_short(out, cell->i);
		else
			tr2_fmt_ns(out, cell->i);
		break;
	case TR2_CELL_BYTES:
		tr2_fmt_bytes(out, cell->u);
		break;
	case TR2_CELL_SHARE:
		snprintf(share, sizeof(share), "%.1f%%", cell->d * 100);
		tr2_buf_addstr(out, share);
		break;
	case TR2_CELL_WALL:
		tr2_fmt_wall(out, cell->i);
		break;
	}
}

/* Columns that a terminal takes for it: characters, not bytes. */
static size_t display_width(const char *s, size_t len)
{
	size_t width = 0, i;

	for (i = 0; i < len; i++)
		width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

/* How many bytes of s fill at most `width` columns. */
static size_t bytes_of_width(const char *s, size_t len, size_t width)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 && !width--)
			break;
	return i;
}

/* Whether another row of this depth comes before the parent's end. */
static bool has_sibling_below(const struct tr2_table *t, size_t row, int depth)
{
	size_t i;

	for (i = row + 1; i < t->nr_rows && t->depths[i] >= depth; i++)
		if (t->depths[i] == depth)
			return true;
	return false;
}

/* Deeper trees are drawn as if no deeper. */
#define MAX_TREE_DEPTH 64

/* `open[d]`: a line goes on in column d of the tree. */
static void add_tree_lines(const struct tr2_table *t, size_t row, bool *open,
			   struct tr2_buf *out)
{
	int depth = t->depths[row], d;

	if (depth > MAX_TREE_DEPTH)
		depth = MAX_TREE_DEPTH;
	if (depth < 1)
		return;
	open[depth] = has_sibling_below(t, row, t->depths[row]);
	for (d = 1; d < depth; d++)
		tr2_buf_addstr(out, open[d] ? "│ " : "  ");
	tr2_buf_addstr(out, open[depth] ? "├ " : "└ ");
}

static bool shown(const struct tr2_column *column)
{
	return !(column->flags & TR2_COL_DATA);
}

/* A column in which nothing stands is left out. */
static bool is_empty(const struct tr2_table *t, size_t column)
{
	size_t row;

	for (row = 0; row < t->nr_rows; row++)
		if (cell_at(t, row, column)->kind != TR2_CELL_NONE)
			return false;
	return t->nr_rows;
}

/* The widths of all columns; 0: not shown. */
static void measure(const struct tr2_table *t, size_t *width)
{
	struct tr2_buf b = TR2_BUF_INIT;
	size_t row, c, w;

	for (c = 0; c < t->nr_columns; c++) {
		width[c] = 0;
		if (!shown(&t->columns[c]) || is_empty(t, c))
			continue;
		width[c] = strlen(t->columns[c].heading);
		for (row = 0; row < t->nr_rows; row++) {
			tr2_buf_reset(&b);
			cell_as_text(cell_at(t, row, c), t->columns[c].flags,
				     &b);
			w = display_width(b.p, b.len);
			if (t->columns[c].flags & TR2_COL_TREE)
				w += 2 * (size_t)(t->depths[row] > MAX_TREE_DEPTH ?
						  MAX_TREE_DEPTH : t->depths[row]);
			if (w > width[c])
				width[c] = w;
		}
	}
	tr2_buf_release(&b);
}

static size_t total_width(const struct tr2_table *t, const size_t *width)
{
	size_t total = 0, c;

	for (c = 0; c < t->nr_columns; c++)
		total += width[c] ? width[c] + 2 : 0;
	return total ? total - 2 : 0;
}

static void add_left_out(const struct tr2_table *t, const bool *left_out,
			 struct tr2_buf *out)
{
	bool any = false;
	size_t c;

	for (c = 0; c < t->nr_columns; c++) {
		if (!left_out[c])
			continue;
		tr2_buf_addstr(out, any ? ", " :
					  tr2_color_on(TR2_COLOR_DIM));
		tr2_buf_addstr(out, t->columns[c].heading);
		any = true;
	}
	if (!any)
		return;
	tr2_buf_addlit(out, " left out: this terminal is too narrow");
	tr2_buf_addstr(out, tr2_color_off(TR2_COLOR_DIM));
	tr2_buf_addch(out, '\n');
}

/* Names tell more than the last of many numbers. */
static void leave_out(const struct tr2_table *t, size_t *width, bool *left_out)
{
	size_t c;

	if (!tr2_term_width())
		return;
	for (c = t->nr_columns; c-- > 0;)
		if (width[c] && t->columns[c].flags & TR2_COL_SPARE &&
		    total_width(t, width) > tr2_term_width()) {
			width[c] = 0;
			left_out[c] = true;
		}
}

/* Narrows the flexible columns, the widest first, until lines fit a terminal.
 * What is piped is whole. */
static void fit_width(const struct tr2_table *t, size_t *width)
{
	size_t total = total_width(t, width), c, widest;

	if (!tr2_term_width())
		return;
	while (total > tr2_term_width()) {
		widest = t->nr_columns;
		for (c = 0; c < t->nr_columns; c++)
			if (t->columns[c].flags & TR2_COL_FLEX &&
			    width[c] > MIN_FLEX &&
			    (widest == t->nr_columns || width[c] > width[widest]))
				widest = c;
		if (widest == t->nr_columns)
			return;
		width[widest]--;
		total--;
	}
}

static enum tr2_color heat(const struct tr2_cell *cell)
{
	if (cell->kind != TR2_CELL_SHARE)
		return TR2_COLOR_NONE;
	return cell->d >= 0.5 ? TR2_COLOR_HOT :
	       cell->d >= 0.1 ? TR2_COLOR_WARM : TR2_COLOR_NONE;
}

/* The text, cut with an ellipsis where it is wider than its column. */
static size_t add_cut(struct tr2_buf *out, const char *s, size_t len,
		      size_t width)
{
	size_t w = display_width(s, len);

	if (w <= width) {
		tr2_buf_add(out, s, len);
		return w;
	}
	tr2_buf_add(out, s, bytes_of_width(s, len, width - 1));
	tr2_buf_addstr(out, "…");
	return width;
}

/* One cell in its column; `last`: nothing stands right of it. */
static void add_cell(const struct tr2_table *t, size_t row, size_t c,
		     size_t width, bool last, bool *open, struct tr2_buf *out)
{
	const struct tr2_cell *cell = cell_at(t, row, c);
	unsigned int flags = t->columns[c].flags;
	enum tr2_color color = flags & TR2_COL_HEAT ? heat(cell) : cell->color;
	static struct tr2_buf tree, text; /* kept: they are mapped memory */
	bool left = flags & (TR2_COL_LEFT | TR2_COL_TREE | TR2_COL_FLEX);
	size_t w, lines;

	tr2_buf_reset(&tree);
	tr2_buf_reset(&text);
	if (flags & TR2_COL_TREE)
		add_tree_lines(t, row, open, &tree);
	cell_as_text(cell, flags, &text);
	lines = display_width(tree.p, tree.len);
	w = lines + display_width(text.p, text.len);
	if (!left && w < width)
		tr2_buf_addchars(out, ' ', width - w);
	if (lines) {
		tr2_buf_addstr(out, tr2_color_on(TR2_COLOR_DIM));
		lines = add_cut(out, tree.p, tree.len, width);
		tr2_buf_addstr(out, tr2_color_off(TR2_COLOR_DIM));
	}
	tr2_buf_addstr(out, tr2_color_on(color));
	w = lines;
	if (text.len && lines < width)
		w += add_cut(out, text.p, text.len, width - lines);
	tr2_buf_addstr(out, tr2_color_off(color));
	if (left && !last && w < width)
		tr2_buf_addchars(out, ' ', width - w);
}

static size_t last_shown(const struct tr2_table *t, const size_t *width)
{
	size_t c = t->nr_columns;

	while (c && !width[c - 1])
		c--;
	return c;
}

static void add_headings(const struct tr2_table *t, const size_t *width,
			 size_t last, struct tr2_buf *out)
{
	size_t c, w;

	tr2_buf_addstr(out, tr2_color_on(TR2_COLOR_HEADING));
	for (c = 0; c < last; c++) {
		const char *heading = t->columns[c].heading;
		bool left = t->columns[c].flags &
			    (TR2_COL_LEFT | TR2_COL_TREE | TR2_COL_FLEX);

		if (!width[c])
			continue;
		w = display_width(heading, strlen(heading));
		if (!left)
			tr2_buf_addchars(out, ' ', width[c] - w);
		tr2_buf_addstr(out, heading);
		if (c + 1 < last)
			tr2_buf_addchars(out, ' ', (left ? width[c] - w : 0) + 2);
	}
	tr2_buf_addstr(out, tr2_color_off(TR2_COLOR_HEADING));
	tr2_buf_addch(out, '\n');
}

static void add_row(const struct tr2_table *t, size_t row, const size_t *width,
		    size_t last, bool *open, struct tr2_buf *out)
{
	size_t c, start = out->len;

	for (c = 0; c < last; c++) {
		if (!width[c])
			continue;
		add_cell(t, row, c, width[c], c + 1 == last, open, out);
		if (c + 1 < last)
			tr2_buf_addlit(out, "  ");
	}
	while (out->len > start && out->p[out->len - 1] == ' ')
		out->len--;
	tr2_buf_addch(out, '\n');
}

static void flush(struct tr2_buf *out)
{
	if (out->len)
		fwrite(out->p, 1, out->len, stdout);
	tr2_buf_reset(out);
}

static void print_text(const struct tr2_table *t)
{
	size_t *width = calloc(t->nr_columns + 1, sizeof(*width));
	bool *left_out = calloc(t->nr_columns + 1, sizeof(*left_out));
	bool open[MAX_TREE_DEPTH + 1] = { false };
	struct tr2_buf out = TR2_BUF_INIT;
	size_t row, last;

	if (!width || !left_out)
		goto done;
	measure(t, width);
	leave_out(t, width, left_out);
	fit_width(t, width);
	last = last_shown(t, width);
	if (t->title) {
		tr2_buf_addstr(&out, t->title);
		tr2_buf_addch(&out, '\n');
	}
	if (t->nr_rows)
		add_headings(t, width, last, &out);
	for (row = 0; row < t->nr_rows; row++) {
		add_row(t, row, width, last, open, &out);
		if (out.len > 60000)
			flush(&out);
	}
	add_left_out(t, left_out, &out);
	flush(&out);
done:
	tr2_buf_release(&out);
	free(left_out);
	free(width);
}

/* ---- JSON and CSV -------------------------------------------------------------------- */

static void words_as_json(const struct tr2_cell *cell, struct tr2_buf *out)
{
	struct tr2_words words = { cell->s, cell->nr_words };
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

/* The plain value: no units, no rounding. */
static void cell_as_data(const struct tr2_cell *cell, struct tr2_buf *out)
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
		snprintf(number, sizeof(number), "%.6g", cell->d);
		tr2_buf_addstr(out, number);
		break;
	case TR2_CELL_WALL:
		tr2_fmt_iso(out, cell->i);
		break;
	case TR2_CELL_STR:
		tr2_buf_add(out, cell->s, cell->len);
		break;
	case TR2_CELL_WORDS:
		words_as_text(cell, out);
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
		cell_as_data(cell, out);
		tr2_buf_addch(out, '"');
		break;
	default:
		cell_as_data(cell, out);
	}
}

static bool in_data(const struct tr2_column *column)
{
	return column->key && !(column->flags & TR2_COL_TEXT);
}

static bool has_tree(const struct tr2_table *t)
{
	size_t c;

	for (c = 0; c < t->nr_columns; c++)
		if (t->columns[c].flags & TR2_COL_TREE)
			return true;
	return false;
}

static void row_as_json(const struct tr2_table *t, size_t row,
			struct tr2_buf *out)
{
	bool first = true;
	size_t c;

	tr2_buf_addch(out, '{');
	if (has_tree(t)) {
		tr2_buf_addlit(out, "\"depth\":");
		tr2_buf_add_i64(out, t->depths[row]);
		first = false;
	}
	for (c = 0; c < t->nr_columns; c++) {
		if (!in_data(&t->columns[c]))
			continue;
		if (!first)
			tr2_buf_addch(out, ',');
		first = false;
		tr2_json_add_string(out, t->columns[c].key);
		tr2_buf_addch(out, ':');
		cell_as_json(cell_at(t, row, c), out);
	}
	tr2_buf_addch(out, '}');
}

static int nr_printed;

static void print_json(const struct tr2_table *t)
{
	struct tr2_buf out = TR2_BUF_INIT;
	size_t row;

	tr2_buf_addstr(&out, nr_printed ? ",\n" : "");
	tr2_json_add_string(&out, t->name);
	tr2_buf_addlit(&out, ":[");
	for (row = 0; row < t->nr_rows; row++) {
		tr2_buf_addstr(&out, row ? ",\n " : "\n ");
		row_as_json(t, row, &out);
		if (out.len > 60000)
			flush(&out);
	}
	tr2_buf_addch(&out, ']');
	flush(&out);
	tr2_buf_release(&out);
}

/* RFC 4180: quoted where it has to be, quotes doubled. */
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

	if (has_tree(t)) {
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

static void print_csv(const struct tr2_table *t)
{
	struct tr2_buf out = TR2_BUF_INIT, text = TR2_BUF_INIT;
	size_t row, c;
	bool first;

	if (nr_printed)
		tr2_buf_addch(&out, '\n');
	csv_headings(t, &out);
	for (row = 0; row < t->nr_rows; row++) {
		first = !has_tree(t);
		if (!first)
			tr2_buf_add_i64(&out, t->depths[row]);
		for (c = 0; c < t->nr_columns; c++) {
			if (!in_data(&t->columns[c]))
				continue;
			tr2_buf_addstr(&out, first ? "" : ",");
			first = false;
			tr2_buf_reset(&text);
			cell_as_data(cell_at(t, row, c), &text);
			tr2_csv_add(&out, text.p, text.len);
		}
		tr2_buf_addch(&out, '\n');
		if (out.len > 60000)
			flush(&out);
	}
	flush(&out);
	tr2_buf_release(&out);
	tr2_buf_release(&text);
}

void tr2_report_begin(void)
{
	nr_printed = 0;
	if (tr2_common.format == TR2_FORMAT_JSON)
		fputs("{", stdout);
}

void tr2_table_print(const struct tr2_table *t)
{
	if (tr2_common.format == TR2_FORMAT_JSON) {
		print_json(t);
	} else if (tr2_common.format == TR2_FORMAT_CSV) {
		print_csv(t);
	} else {
		if (nr_printed)
			fputc('\n', stdout);
		print_text(t);
	}
	nr_printed++;
}

void tr2_report_end(void)
{
	if (tr2_common.format == TR2_FORMAT_JSON)
		fputs("}\n", stdout);
}
