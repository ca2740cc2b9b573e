/* SPDX-License-Identifier: MIT */
/*
 * html_samples - samples of the page. Call paths are a tree: each function
 * refers to the one that called it, since most samples share their callers.
 */
#include "common/memory.h"
#include "export/page/html_private.h"
#include "model/filter.h"
#include "samples/symbols.h"

struct samples {
	struct tr2_export *x;
	struct tr2_symbols *symbols;
	struct tr2_map known; /* (caller, function) to stack */
	uint32_t nr_stacks;
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

/* Return the stack of a call. Its functions end with the outermost. */
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

static void add_sample(struct samples *w, const struct tr2_model_sample *s)
{
	struct tr2_export *x = w->x;
	const struct tr2_html *h = x->state;
	uint32_t i, stack = 0;

	for (i = s->nr_calls; i-- > 0;)
		stack = add_call(w, s, i, stack);
	tr2_html_open_row(&w->rows);
#define TR2_PAGE_SAMPLE(name, value) tr2_html_num(&w->rows, value);
#include "export/page/page.def"
	tr2_html_close_row(&w->rows);
}

void tr2_html_add_samples(struct tr2_export *x)
{
	struct samples w = { .x = x, .symbols = tr2_symbols_new(x->m) };
	uint32_t i;

	for (i = 0; tr2_symbols_next(w.symbols, &i);)
		if (tr2_filter_node(x->filter, x->m, x->m->samples[i].node))
			add_sample(&w, &x->m->samples[i]);
	tr2_html_array(x, "samples", &w.rows);
	tr2_html_trim(&w.stacks);
	tr2_html_array(x, "stacks", &w.stacks);
	tr2_map_release(&w.known);
	tr2_symbols_explain(w.symbols);
	tr2_symbols_free(w.symbols);
}
