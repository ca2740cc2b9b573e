/* SPDX-License-Identifier: MIT */
/*
 * html_samples - write samples of CPU time and of waits for the page. Call
 * paths are a tree, since most samples share their callers: each function
 * refers to its caller.
 *
 * A thread may wait a million times: waits of one path that begin within one
 * GRAINS-th of the recording, about a pixel, are one row. Sums stay exact.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/page/html_private.h"
#include "model/filter.h"
#include "samples/symbols.h"

#define GRAINS 4000

struct row {
	uint32_t sample, stack;
	uint64_t count;
};

struct samples {
	struct tr2_export *x;
	struct tr2_symbols *symbols;
	struct tr2_map known; /* maps (caller, function) to a stack */
	uint32_t nr_stacks;
	struct row *row;
	uint32_t nr_rows, alloc_rows;
	int64_t grain_ns;
	struct tr2_map last; /* maps (thread, stack) to 1 + the last row of
			      * waits of this thread with this stack */
	struct tr2_buf rows, stacks;
};

/* Return the number of the stack that has `function` on top of the stack
 * `caller`; caller 0: an empty stack. */
static uint32_t stack_of(struct samples *w, uint32_t caller, uint32_t function)
{
	uint32_t *slot = tr2_map_slot(&w->known,
				      tr2_key(caller + 1, function));

	if (!*slot) {
		*slot = ++w->nr_stacks;
#define TR2_PAGE_STACK(name, value) tr2_html_num(&w->stacks, value);
#include "export/page/page.def"
	}
	return *slot;
}

/* Return the stack of a call and its inlined functions, which end with the
 * outermost. */
static uint32_t add_call(struct samples *w, const struct tr2_model_sample *s,
			 uint32_t call, uint32_t stack)
{
	const struct tr2_model *m = w->x->m;
	uint32_t symbol[TR2_SYMBOLS_OF_CALL];
	unsigned int nr = tr2_symbols_of_call(w->symbols, s, call, symbol);
	const char *name;

	while (nr--) {
		name = tr2_s(m, tr2_symbol(w->symbols, symbol[nr]).name);
		stack = stack_of(w, stack, tr2_html_string(w->x, name));
	}
	return stack;
}

/* Does a wait begin in the same grain as the first wait of a row? */
static bool joins_row(const struct samples *w, const struct row *row,
		      const struct tr2_model_sample *s)
{
	const struct tr2_model_sample *first =
		&w->x->m->samples[row->sample];

	return first->span == s->span && s->at_ns - first->at_ns < w->grain_ns;
}

static void add_sample(struct samples *w, uint32_t sample)
{
	const struct tr2_model_sample *s = &w->x->m->samples[sample];
	uint32_t i, stack = 0, *last = NULL;

	for (i = s->nr_calls; i-- > 0;)
		stack = add_call(w, s, i, stack);
	if (s->is_wait)
		last = tr2_map_slot(&w->last, tr2_key(s->task_thread, stack));
	if (last && *last && joins_row(w, &w->row[*last - 1], s)) {
		w->row[*last - 1].count += s->count;
		return;
	}
	tr2_grow(w->row, w->nr_rows, w->alloc_rows);
	w->row[w->nr_rows++] = (struct row){ sample, stack, s->count };
	if (last)
		*last = w->nr_rows;
}

static void write_rows(struct samples *w)
{
	struct tr2_export *x = w->x;
	const struct tr2_html *h = x->state;
	const struct tr2_model_sample *s;
	const struct row *row;
	uint32_t i;

	for (i = 0; i < w->nr_rows; i++) {
		row = &w->row[i];
		s = &x->m->samples[row->sample];
		tr2_html_open_row(&w->rows);
#define TR2_PAGE_SAMPLE(name, value) tr2_html_num(&w->rows, value);
#include "export/page/page.def"
		tr2_html_close_row(&w->rows);
	}
}

static int64_t grain_of(const struct tr2_model *m)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, at_ns;
	uint32_t i;

	for (i = 1; i < m->nr_samples; i++) {
		at_ns = m->samples[i].at_ns;
		if (!m->samples[i].task_thread)
			continue;
		first_ns = at_ns < first_ns ? at_ns : first_ns;
		last_ns = at_ns > last_ns ? at_ns : last_ns;
	}
	return last_ns > first_ns ? (last_ns - first_ns) / GRAINS : 0;
}

void tr2_html_add_samples(struct tr2_export *x)
{
	struct samples w = { .x = x, .symbols = tr2_symbols_new(x->m),
			     .grain_ns = grain_of(x->m) };
	uint32_t i;

	for (i = 0; tr2_symbols_next(w.symbols, &i);)
		if (tr2_filter_node(x->filter, x->m, x->m->samples[i].node))
			add_sample(&w, i);
	write_rows(&w);
	tr2_html_array(x, "samples", &w.rows);
	tr2_html_trim(&w.stacks);
	tr2_html_array(x, "stacks", &w.stacks);
	tr2_map_release(&w.known);
	tr2_map_release(&w.last);
	free(w.row);
	tr2_symbols_explain(w.symbols);
	tr2_symbols_free(w.symbols);
}
