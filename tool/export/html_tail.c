/* SPDX-License-Identifier: MIT */
/*
 * html_tail - the data that follows the spans: rows collected during the walk,
 * states, the path, frames, samples, tables, and the strings.
 */
#include "common/memory.h"
#include "export/html_rows.h"
#include "model/filter.h"
#include "samples/symbols.h"

static void add_frames(struct tr2_export *x)
{
	struct tr2_html *h = x->state;
	struct tr2_buf *b = &h->json;
	uint32_t i;

	tr2_html_key(b, "frames");
	tr2_buf_addch(b, '[');
	for (i = 1; i < h->frames.nr; i++) {
		const struct tr2_frame *f = &h->frames.frames[i];

		tr2_html_num(b, f->parent);
		tr2_html_num(b, f->name ?
				tr2_html_string(x, tr2_s(x->m, f->name)) : 0);
		tr2_buf_add_i64(b, f->ns);
		tr2_buf_addstr(b, i + 1 < h->frames.nr ? "," : "");
		tr2_html_step(x);
		tr2_sink_step(&x->sink);
	}
	tr2_buf_addch(b, ']');
	tr2_html_step(x);
}

/* Add the functions of a call, the outermost first. */
static void add_call(struct tr2_export *x, struct tr2_symbols *symbols,
		     const struct tr2_model_sample *sample, uint64_t address,
		     struct tr2_buf *rows)
{
	uint32_t symbol[TR2_SYMBOLS_OF_CALL];
	unsigned int nr = tr2_symbols_of_call(symbols, sample, address, symbol);

	while (nr--)
		tr2_html_num(rows, tr2_html_string(x, tr2_s(x->m,
			tr2_symbol(symbols, symbol[nr]).name)));
}

/* Add event, count, and the call path, the outermost call first. */
static void add_sample(struct tr2_export *x, struct tr2_symbols *symbols,
		       const struct tr2_model_sample *sample,
		       struct tr2_buf *rows)
{
	uint32_t i;

	tr2_html_open_row(rows);
	tr2_html_num(rows, tr2_html_string(x, tr2_s(x->m, sample->event)));
	tr2_buf_add_u64(rows, sample->count);
	tr2_buf_addch(rows, ',');
	for (i = sample->nr_calls; i-- > 0;)
		add_call(x, symbols, sample,
			 x->m->calls[sample->first_call + i], rows);
	tr2_html_close_row(rows);
}

static void add_samples(struct tr2_export *x)
{
	struct tr2_symbols *symbols = tr2_symbols_new(x->m);
	struct tr2_buf rows = TR2_BUF_INIT;
	uint32_t i;

	for (i = 1; i < x->m->nr_samples; i++)
		if (tr2_filter_node(x->filter, x->m, x->m->samples[i].node))
			add_sample(x, symbols, &x->m->samples[i], &rows);
	tr2_html_array(x, "samples", &rows);
	tr2_buf_release(&rows);
	tr2_symbols_explain(symbols);
	tr2_symbols_free(symbols);
}

void tr2_html_add_tail(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	tr2_buf_addstr(&h->json, h->nr_threads ? "]]]" : "]");
	tr2_html_array(x, "processes", &h->processes);
	tr2_html_array(x, "points", &h->points);
	tr2_html_add_states(x);
	tr2_html_add_path(x);
	add_frames(x);
	add_samples(x);
	tr2_html_tables(x);
	tr2_html_key(&h->json, "strings");
	tr2_buf_addlit(&h->json, "[\"\"");
	tr2_html_step(x);
	tr2_must(!h->strings.failed);
	tr2_html_add_data(&x->sink.buf, h->strings.p, h->strings.len);
	tr2_buf_addlit(&h->json, "]}");
	tr2_html_step(x);
	tr2_html_close(x);
}
