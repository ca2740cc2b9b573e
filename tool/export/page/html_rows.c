/* SPDX-License-Identifier: MIT */
/* html_rows - strings by number, and rows of numbers: see
 * export/page/html_private.h. */
#include "export/page/html_private.h"

#include "common/memory.h"
#include "model/states.h"
#include "out/command_line.h"
#include "out/table.h"

/* Return the number of a redacted text. */
static uint32_t number_of_string(struct tr2_export *x, const char *s,
				 size_t len)
{
	struct tr2_html *h = x->state;
	tr2_str id = tr2_intern(x->m, s, len);
	uint32_t *slot;

	if (!id)
		return 0;
	slot = tr2_map_slot(&h->numbers, tr2_key(0, id));
	if (!*slot) {
		tr2_html_add_text(h, tr2_s(x->m, id), strlen(tr2_s(x->m, id)));
		*slot = h->nr_strings;
	}
	return *slot;
}

uint32_t tr2_html_string(struct tr2_export *x, const char *s)
{
	s = s ? tr2_export_text(x, s) : "";
	return number_of_string(x, s, strlen(s));
}

uint32_t tr2_html_text(struct tr2_export *x)
{
	return number_of_string(x, x->text.p, x->text.len);
}

uint32_t tr2_html_name(struct tr2_export *x, tr2_export_name_fn *add,
		       uint32_t i)
{
	tr2_export_name(x, add, i);
	return tr2_html_text(x);
}

uint32_t tr2_html_by(struct tr2_export *x, tr2_str by)
{
	static struct tr2_buf text; /* later calls reuse its memory */

	tr2_buf_reset(&text);
	tr2_by_add(&text, x->m, by);
	return tr2_html_string(x, tr2_buf_str(&text));
}

uint32_t tr2_html_place(struct tr2_export *x, tr2_str file, uint32_t line)
{
	if (!file)
		return 0;
	tr2_buf_reset(&x->text);
	tr2_addf(&x->text, "%s:%u", tr2_export_text(x, tr2_s(x->m, file)),
		 line);
	return tr2_html_text(x);
}

uint32_t tr2_html_command(struct tr2_export *x, const struct tr2_words *words)
{
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, words);
	return tr2_html_text(x);
}

uint32_t tr2_html_file(struct tr2_export *x, const struct tr2_words *words)
{
	const char *file;
	size_t len;

	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, words);
	file = tr2_command_line_file(tr2_buf_str(&x->text), x->text.len, &len);
	return file ? number_of_string(x, file, len) : 0;
}

void tr2_html_open_row(struct tr2_buf *b)
{
	tr2_buf_addstr(b, b->len ? ",\n[" : "[");
}

void tr2_html_trim(struct tr2_buf *b)
{
	if (!b->failed && b->len && b->p[b->len - 1] == ',')
		b->len--;
}

void tr2_html_close_row(struct tr2_buf *b)
{
	tr2_html_trim(b);
	tr2_buf_addch(b, ']');
}

void tr2_html_num(struct tr2_buf *b, int64_t value)
{
	tr2_buf_add_i64(b, value);
	tr2_buf_addch(b, ',');
}

uint32_t tr2_html_next_span(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	if (++h->nr_spans > h->nr_spans_before + 1)
		tr2_buf_addch(&h->json, ',');
	return h->nr_spans;
}

#define PIECE_BYTES 65536

static void write_data(struct tr2_export *x, const struct tr2_buf *b)
{
	size_t at, n;

	tr2_must(!b->failed);
	for (at = 0; at < b->len; at += n) {
		n = b->len - at < PIECE_BYTES ? b->len - at : PIECE_BYTES;
		tr2_html_add_data(&x->sink.buf, b->p + at, n);
		tr2_sink_step(&x->sink);
	}
}

void tr2_html_step(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	write_data(x, &h->json);
	tr2_buf_reset(&h->json);
}

void tr2_html_key(struct tr2_buf *b, const char *name)
{
	tr2_buf_addall(b, ",\n\"", name, "\":");
}

void tr2_html_array(struct tr2_export *x, const char *name,
		    struct tr2_buf *rows)
{
	struct tr2_html *h = x->state;

	tr2_html_key(&h->json, name);
	tr2_buf_addch(&h->json, '[');
	tr2_html_step(x);
	write_data(x, rows);
	tr2_buf_release(rows);
	tr2_buf_addch(&h->json, ']');
	tr2_html_step(x);
}

void tr2_html_strings(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	tr2_html_key(&h->json, "strings");
	tr2_buf_addlit(&h->json, "[\"\"");
	tr2_html_step(x);
	write_data(x, &h->strings);
	tr2_buf_addlit(&h->json, "]}");
	tr2_html_step(x);
}
