/* SPDX-License-Identifier: MIT */
/*
 * table_text - print a table as aligned text. All cells are first formatted
 * into one buffer and measured. Then the widths of the columns are known, and
 * the texts are printed.
 */
#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "out/command_line.h"
#include "out/table.h"
#include "out/table_private.h"
#include "out/term.h"

/* The least width of a flexible column. A tree keeps at least half of the
 * terminal: other columns are omitted instead. */
#define MIN_FLEX 16

/* The greatest depth that is drawn; deeper rows are drawn at this depth. */
#define MAX_TREE_DEPTH 64

/* The state of printing a table. */
struct printing {
	size_t *width; /* the width of each column; 0: the column is not
			* shown */
	struct tr2_column_use *use; /* by column */
	struct tr2_units units;
	bool *left_out;
	size_t last;   /* 1 + the last column that is shown */
	size_t end;    /* 1 + the last column that text may show */
	bool open[MAX_TREE_DEPTH + 1]; /* for each depth: a vertical line passes
					* there */
	bool *siblings; /* for each row: a sibling follows */
	/* For each row and each column that text may show: a struct cell_head,
	 * then the text, or an int64_t of nanoseconds. */
	struct tr2_buf cells;
	size_t nr_rows;
	struct tr2_buf out, tree, text;
};

struct cell_head {
	uint32_t len;
	uint8_t color;
	bool is_ns, at_least, keeps_count;
};

void tr2_cell_as_text(const struct tr2_cell *cell, struct tr2_buf *out)
{
	if (cell->at_least)
		tr2_buf_addlit(out, ">= ");
	switch (cell->kind) {
	case TR2_CELL_NONE:
	case TR2_CELL_NS:
		break;
	case TR2_CELL_STR:
	case TR2_CELL_JSON:
		tr2_text_add(out, cell->s, cell->len);
		break;
	case TR2_CELL_WORDS:
		tr2_cell_words_as_text(cell, out);
		break;
	case TR2_CELL_INT:
		tr2_buf_add_i64(out, cell->i);
		break;
	case TR2_CELL_UINT:
		tr2_buf_add_u64(out, cell->u);
		break;
	case TR2_CELL_REAL:
		tr2_fmt_real(out, cell->d);
		break;
	case TR2_CELL_BYTES:
		tr2_fmt_bytes(out, cell->u);
		break;
	case TR2_CELL_SHARE:
		tr2_fmt_share(out, cell->d);
		break;
	case TR2_CELL_WALL:
		tr2_fmt_wall(out, cell->i);
		break;
	}
}

/* Return the number of columns that the text needs on a terminal: one for each
 * character, not for each byte. */
static size_t display_width(const char *s, size_t len)
{
	const uint64_t ones = 0x0101010101010101ull;
	size_t width = len, i;
	uint64_t x;

	/* Do not count the continuation bytes of UTF-8: 10xxxxxx. */
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&x, s + i, 8);
		width -= ((x >> 7 & ~(x >> 6) & ones) * ones) >> 56;
	}
	for (; i < len; i++)
		width -= ((unsigned char)s[i] & 0xc0) == 0x80;
	return width;
}

/* Return the number of bytes of s that fit in `width` columns. */
static size_t bytes_of_width(const char *s, size_t len, size_t width)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 && !width--)
			break;
	return i;
}

/* Find for each row whether a sibling follows: a row of the same depth below
 * the same parent. Walk from the last row backwards, and record at which depths
 * a row follows. */
static bool *find_siblings(const struct tr2_table *t)
{
	bool *found = tr2_calloc(t->nr_depths, sizeof(*found)), *follows;
	int depth, deepest = 0;
	size_t row;

	for (row = 0; row < t->nr_depths; row++)
		if (abs(t->depths[row]) > deepest)
			deepest = abs(t->depths[row]);
	follows = tr2_calloc((size_t)deepest + 1, sizeof(*follows));
	for (row = t->nr_depths; row-- > 0; deepest = depth) {
		for (depth = abs(t->depths[row]); deepest > depth; deepest--)
			follows[deepest] = false;
		if (t->depths[row] < 0)
			continue;
		found[row] = follows[depth];
		follows[depth] = true;
	}
	free(follows);
	return found;
}

static int drawn_depth(const struct tr2_table *t, size_t row)
{
	int depth = abs(t->depths[row]);

	return depth < MAX_TREE_DEPTH ? depth : MAX_TREE_DEPTH;
}

static void add_tree_lines(const struct tr2_table *t, size_t row,
			   struct printing *p)
{
	struct tr2_buf *out = &p->tree;
	bool *open = p->open;
	int depth = drawn_depth(t, row), d;
	bool goes_on = t->depths[row] < 0;

	if (depth < 1)
		return;
	if (!goes_on)
		open[depth] = p->siblings[row];
	for (d = 1; d < depth + goes_on; d++)
		tr2_buf_addstr(out, open[d] ? tr2_term_text("│ ", "| ") : "  ");
	if (!goes_on)
		tr2_buf_addstr(out, open[depth] ? tr2_term_text("├ ", "|-") :
						  tr2_term_text("└ ", "`-"));
}

static bool is_shown(const struct tr2_column *column)
{
	return !(column->flags & TR2_COL_DATA);
}

static enum tr2_color heat(const struct tr2_cell *cell)
{
	if (cell->kind != TR2_CELL_SHARE)
		return TR2_COLOR_NONE;
	return cell->d >= 0.5 ? TR2_COLOR_HOT :
	       cell->d >= 0.1 ? TR2_COLOR_WARM : TR2_COLOR_NONE;
}

/* Append a cell to p->cells and return its width. */
static size_t keep_cell(struct printing *p, const struct tr2_cell *cell,
			unsigned int flags)
{
	struct tr2_buf *b = &p->cells;
	size_t at = b->len;
	enum tr2_color hot = heat(cell);
	struct cell_head head = {
		.color = flags & TR2_COL_HEAT ? (uint8_t)hot : cell->color,
		.is_ns = cell->kind == TR2_CELL_NS,
		.at_least = cell->at_least,
		.keeps_count = cell->keeps_count,
	};

	tr2_buf_add(b, &head, sizeof(head));
	if (head.is_ns)
		tr2_buf_add(b, &cell->i, sizeof(cell->i));
	else
		tr2_cell_as_text(cell, b);
	tr2_must(!b->failed);
	head.len = (uint32_t)(b->len - at - sizeof(head));
	memcpy(b->p + at, &head, sizeof(head));
	return head.is_ns ? 0 : display_width(b->p + at + sizeof(head),
					      head.len);
}

static void keep_row(struct tr2_table *t, size_t row, void *data)
{
	struct printing *p = data;
	const struct tr2_cell *cell;
	size_t c, w;
	int depth = drawn_depth(t, row);

	for (c = 0; c < p->end; c++) {
		if (!is_shown(&t->columns[c]))
			continue;
		cell = tr2_cell_at(t, row, c);
		tr2_column_see(&p->use[c], t->columns[c].flags, cell);
		tr2_units_see(&p->units, t->columns[c].flags, cell);
		w = keep_cell(p, cell, t->columns[c].flags);
		if (t->columns[c].flags & TR2_COL_TREE)
			w += 2 * (size_t)depth;
		if (w > p->width[c])
			p->width[c] = w;
	}
	p->nr_rows++;
}

/* Set p->text to the heading of a column, and return the heading's width. */
static size_t heading_width(const struct tr2_table *t, struct printing *p,
			    size_t c)
{
	tr2_buf_reset(&p->text);
	tr2_column_add_heading(&t->columns[c], &p->use[c], &p->units, &p->text);
	return display_width(p->text.p, p->text.len);
}

/* Compute the widths of all columns. An empty column is omitted. */
static void measure_columns(struct tr2_table *t, struct printing *p)
{
	size_t c, w;

	for (c = 0; c < t->nr_columns; c++)
		if (is_shown(&t->columns[c]))
			p->end = c + 1;
	tr2_table_each_row(t, TR2_COL_DATA, keep_row, p);
	tr2_units_choose(&p->units);
	for (c = 0; c < t->nr_columns; c++) {
		if (!is_shown(&t->columns[c]) ||
		    (p->nr_rows && !p->use[c].filled)) {
			p->width[c] = 0;
			continue;
		}
		w = heading_width(t, p, c);
		if (w > p->width[c])
			p->width[c] = w;
		w = p->use[c].has_durations ?
			    tr2_column_width(&t->columns[c], &p->use[c],
					     &p->units) : 0;
		if (w > p->width[c])
			p->width[c] = w;
	}
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
		tr2_buf_addstr(out, tr2_column_title(t->columns[c].heading));
		any = true;
	}
	if (!any)
		return;
	tr2_buf_addlit(out, " left out: this terminal is too narrow");
	tr2_buf_addstr(out, tr2_color_off(TR2_COLOR_DIM));
	tr2_buf_addch(out, '\n');
}

static size_t least_flex(const struct tr2_column *column)
{
	size_t of_terminal = (size_t)tr2_term_width() / 2;

	return column->flags & TR2_COL_TREE && of_terminal > MIN_FLEX ?
		       of_terminal : MIN_FLEX;
}

/* Return the width of lines if flexible columns have their least widths. */
static size_t least_width(const struct tr2_table *t, const size_t *width)
{
	size_t total = total_width(t, width), c;

	for (c = 0; c < t->nr_columns; c++)
		if (t->columns[c].flags & TR2_COL_FLEX &&
		    width[c] > least_flex(&t->columns[c]))
			total -= width[c] - least_flex(&t->columns[c]);
	return total;
}

/* Omit columns that have `flag` but not `other`, the last one first, until
 * lines fit a terminal. */
static void leave_out(const struct tr2_table *t, struct printing *p,
		      unsigned int flag, unsigned int other,
		      size_t (*measured)(const struct tr2_table *t,
					 const size_t *width))
{
	size_t c;

	if (!tr2_term_width() || t->output->wide)
		return;
	for (c = t->nr_columns; c-- > 0;)
		if (p->width[c] &&
		    (t->columns[c].flags & (flag | other)) == flag &&
		    measured(t, p->width) > tr2_term_width()) {
			p->width[c] = 0;
			p->left_out[c] = true;
		}
}

/* Return the width to which lines are cut; 0: lines are not cut. */
static size_t line_width(const struct tr2_table *t)
{
	return t->output->wide	? 0 :
	       tr2_term_width() ? tr2_term_width() : t->output->piped_width;
}

/* Narrow the flexible columns, the widest first, until lines fit. */
static void fit_width(const struct tr2_table *t, size_t *width)
{
	size_t total = total_width(t, width), c, widest;

	if (!line_width(t))
		return;
	while (total > line_width(t)) {
		widest = t->nr_columns;
		for (c = 0; c < t->nr_columns; c++)
			if (t->columns[c].flags & TR2_COL_FLEX &&
			    width[c] > MIN_FLEX &&
			    (widest == t->nr_columns ||
			     width[c] > width[widest]))
				widest = c;
		if (widest == t->nr_columns)
			return;
		width[widest]--;
		total--;
	}
}

/* Add a text of width w. If its column is narrower, cut the text with an
 * ellipsis, and keep its last `tail` columns. Return the width of the added
 * text. */
static size_t add_cut(struct tr2_buf *out, const char *text, size_t len,
		      size_t w, size_t width, size_t tail, enum tr2_color color)
{
	const char *dots = tr2_term_text("…", "~");
	size_t from;

	if (color != TR2_COLOR_NONE)
		tr2_buf_addstr(out, tr2_color_on(color));
	if (w <= width) {
		tr2_buf_add(out, text, len);
	} else {
		from = bytes_of_width(text, len, w - tail);
		tr2_buf_add(out, text,
			    bytes_of_width(text, len, width - 1 - tail));
		tr2_buf_addstr(out, dots);
		tr2_buf_add(out, text + from, len - from);
		w = width;
	}
	if (color != TR2_COLOR_NONE)
		tr2_buf_addstr(out, tr2_color_off(color));
	return w;
}

/* Return the width that the end of a text keeps when its middle is cut. The end
 * of a command line or of a C++ function says more than the middle. */
static size_t tail_of(size_t width)
{
	return width > 8 ? width / 2 : 0;
}

/* Add a command line that is too wide. Cut it so that it shows the file on
 * which the command works, or at least the end of the file's name. Return false
 * if there is no such file, or if a cut in the middle shows the file. */
static bool add_cut_to_file(struct tr2_buf *out, const char *text, size_t len,
			    size_t width, enum tr2_color color)
{
	size_t file_len, half = tail_of(width), room = width, shown, end;
	const char *file = tr2_command_line_file(text, len, &file_len);
	size_t close = len; /* offset of the quotes and brackets at the end */
	bool more;

	if (!file || !half)
		return false;
	end = (size_t)(file - text) + file_len;
	while (close > end &&
	       (text[close - 1] == ']' || text[close - 1] == '\''))
		close--;
	if (end <= bytes_of_width(text, len, width - 1 - half) ||
	    display_width(file, (size_t)(text + len - file)) <= half)
		return false;
	more = end < close;
	room -= more + (len - close);
	shown = display_width(file, file_len);
	if (shown > room * 2 / 3)
		shown = room * 2 / 3;
	tr2_buf_addstr(out, tr2_color_on(color));
	add_cut(out, text, end, display_width(text, end), room, shown,
		TR2_COLOR_NONE);
	tr2_buf_addstr(out, more ? tr2_term_text("…", "~") : "");
	tr2_buf_add(out, text + close, len - close);
	tr2_buf_addstr(out, tr2_color_off(color));
	return true;
}

/* Return the offset of the first ` x 214` or ` x 214 (…)`, and set its length.
 * Return len if the text has none. */
static size_t find_count(const char *text, size_t len, size_t *count_len)
{
	const char *close;
	size_t i, end;

	for (i = 0; i + 3 < len; i++) {
		if (memcmp(text + i, " x ", 3) != 0 || text[i + 3] < '0' ||
		    text[i + 3] > '9')
			continue;
		for (end = i + 3; end < len && text[end] >= '0' &&
				  text[end] <= '9'; end++)
			;
		close = end + 1 < len && text[end + 1] == '(' ?
				memchr(text + end, ')', len - end) : NULL;
		if (close)
			end = (size_t)(close - text) + 1;
		*count_len = end - i;
		return i;
	}
	return len;
}

/* The least widths of the name before a count, and of the text after the
 * count. */
#define MIN_NAME 2
#define MIN_REST 12

/* Add a text that has a count, such as `cc x 3 in make`, and is too wide. First
 * cut what follows the count, then the name before the count. Return false if
 * the count does not fit. */
static bool add_cut_around(struct tr2_buf *out, const char *text, size_t len,
			   size_t width, enum tr2_color color)
{
	size_t count_len = 0, at = find_count(text, len, &count_len);
	const char *rest = text + at + count_len;
	size_t name = display_width(text, at), rest_len, after, room;
	size_t least, fits;

	if (at == len || count_len + MIN_NAME > width)
		return false;
	rest_len = len - at - count_len;
	after = display_width(rest, rest_len);
	room = width - count_len;
	least = after < MIN_REST ? after : MIN_REST;
	fits = room > name + least ? room - name : least;
	if (room < fits + MIN_NAME)
		return false;
	add_cut(out, text, at, name, room - fits, tail_of(room - fits), color);
	add_cut(out, text + at, count_len, count_len, count_len, 0, color);
	add_cut(out, rest, rest_len, after, fits, tail_of(fits), color);
	return true;
}

/* Return the text of a duration of a cell in p->cells. */
static const char *duration_text(const struct tr2_table *t, struct printing *p,
				 size_t c, const struct cell_head *head,
				 const char *kept, size_t *len)
{
	int64_t ns;

	memcpy(&ns, kept, sizeof(ns));
	tr2_buf_reset(&p->text);
	tr2_column_add_duration(&t->columns[c], &p->use[c], &p->units, ns,
				head->at_least, &p->text);
	*len = p->text.len;
	return p->text.p;
}

/* Add one cell in its column. */
static void add_cell(const struct tr2_table *t, size_t row, size_t c,
		     struct printing *p, const struct cell_head *head,
		     const char *text)
{
	unsigned int flags = t->columns[c].flags;
	bool left = flags & (TR2_COL_LEFT | TR2_COL_TREE | TR2_COL_FLEX);
	size_t len = head->len, w, width = p->width[c], lines = 0;
	struct tr2_buf *out = &p->out;

	if (head->is_ns)
		text = duration_text(t, p, c, head, text, &len);
	w = display_width(text, len);
	if (flags & TR2_COL_TREE && t->depths[row]) {
		tr2_buf_reset(&p->tree);
		add_tree_lines(t, row, p);
		lines = display_width(p->tree.p, p->tree.len);
		lines = add_cut(out, p->tree.p, p->tree.len, lines, width, 0,
				TR2_COLOR_DIM);
	} else if (!left && w < width) {
		tr2_buf_addchars(out, ' ', width - w);
	}
	if (head->keeps_count && w + lines > width && lines < width &&
	    add_cut_around(out, text, len, width - lines,
			   (enum tr2_color)head->color))
		lines = width;
	else if (flags & TR2_COL_TREE && w + lines > width && lines < width &&
		 add_cut_to_file(out, text, len, width - lines,
				 (enum tr2_color)head->color))
		lines = width;
	else if (len && lines < width)
		lines += add_cut(out, text, len, w, width - lines,
				 flags & (TR2_COL_TREE | TR2_COL_MIDDLE) ?
					 tail_of(width - lines) : 0,
				 (enum tr2_color)head->color);
	/* The last column needs no padding. */
	if (c + 1 == p->last)
		return;
	if (left && lines < width)
		tr2_buf_addchars(out, ' ', width - lines);
	tr2_buf_addlit(out, "  ");
}

static size_t last_shown(const struct tr2_table *t, const size_t *width)
{
	size_t c = t->nr_columns;

	while (c && !width[c - 1])
		c--;
	return c;
}

static void add_headings(const struct tr2_table *t, struct printing *p)
{
	const size_t *width = p->width;
	struct tr2_buf *out = &p->out;
	size_t c, w;

	tr2_buf_addstr(out, tr2_color_on(TR2_COLOR_HEADING));
	for (c = 0; c < p->last; c++) {
		bool left = t->columns[c].flags &
			    (TR2_COL_LEFT | TR2_COL_TREE | TR2_COL_FLEX);

		if (!width[c])
			continue;
		w = heading_width(t, p, c);
		if (!left)
			tr2_buf_addchars(out, ' ', width[c] - w);
		w = add_cut(out, p->text.p, p->text.len, w, width[c], 0,
			    TR2_COLOR_NONE);
		if (c + 1 < p->last)
			tr2_buf_addchars(out, ' ',
					 (left ? width[c] - w : 0) + 2);
	}
	tr2_buf_addstr(out, tr2_color_off(TR2_COLOR_HEADING));
	tr2_buf_addch(out, '\n');
}

/* Print the row whose cells begin at `at` in p->cells. Return where the next
 * row's cells begin. */
static size_t print_row(const struct tr2_table *t, size_t row,
			struct printing *p, size_t at)
{
	struct tr2_buf *out = &p->out;
	size_t c, start = out->len;
	struct cell_head head;

	for (c = 0; c < p->end; c++) {
		if (!is_shown(&t->columns[c]))
			continue;
		memcpy(&head, p->cells.p + at, sizeof(head));
		at += sizeof(head);
		if (p->width[c])
			add_cell(t, row, c, p, &head, p->cells.p + at);
		at += head.len;
	}
	while (out->len > start && out->p[out->len - 1] == ' ')
		out->len--;
	tr2_buf_addch(out, '\n');
	tr2_table_flush(out, false);
	return at;
}

static void print_lines(struct tr2_table *t, struct printing *p)
{
	size_t row, at = 0;

	measure_columns(t, p);
	/* Omit spare columns before names are cut, since a name says more than
	 * the last of many numbers. Omit shares last: they say more than other
	 * numbers. */
	leave_out(t, p, TR2_COL_SPARE, 0, total_width);
	leave_out(t, p, TR2_COL_YIELDS, TR2_COL_HEAT, least_width);
	leave_out(t, p, TR2_COL_YIELDS | TR2_COL_HEAT, 0, least_width);
	fit_width(t, p->width);
	p->last = last_shown(t, p->width);
	if (p->nr_rows)
		add_headings(t, p);
	p->siblings = find_siblings(t);
	for (row = 0; row < p->nr_rows; row++)
		at = print_row(t, row, p, at);
	add_left_out(t, p->left_out, &p->out);
	tr2_table_flush(&p->out, true);
}

void tr2_table_print_text(struct tr2_table *t)
{
	struct printing p = {
		.width = tr2_calloc(t->nr_columns + 1, sizeof(*p.width)),
		.use = tr2_calloc(t->nr_columns + 1, sizeof(*p.use)),
		.left_out = tr2_calloc(t->nr_columns + 1, sizeof(*p.left_out)),
		.cells = TR2_BUF_INIT,
		.out = TR2_BUF_INIT,
		.tree = TR2_BUF_INIT,
		.text = TR2_BUF_INIT,
	};

	print_lines(t, &p);
	tr2_buf_release(&p.out);
	tr2_buf_release(&p.tree);
	tr2_buf_release(&p.text);
	tr2_buf_release(&p.cells);
	free(p.siblings);
	free(p.left_out);
	free(p.use);
	free(p.width);
}
