/* SPDX-License-Identifier: MIT */
/*
 * html_tail - the data that follows the spans: rows collected during the walk,
 * states, the path, frames, samples, tables, and the strings.
 */
#include "export/page/html_rows.h"

static void add_frames(struct tr2_export *x)
{
	struct tr2_html *h = x->state;
	struct tr2_buf *b = &h->json;
	uint32_t i;

	tr2_html_key(b, "frames");
	tr2_buf_addch(b, '[');
	for (i = 1; i < h->frames.nr; i++) {
		const struct tr2_frame *f = &h->frames.frames[i];

#define TR2_PAGE_FRAME(name, value) tr2_html_num(b, value);
#include "export/page/page.def"
		if (i + 1 == h->frames.nr)
			tr2_html_trim(b);
		tr2_html_step(x);
	}
	tr2_buf_addch(b, ']');
	tr2_html_step(x);
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
	tr2_html_add_samples(x);
	tr2_html_tables(x);
	tr2_html_strings(x);
	tr2_html_close(x);
}
