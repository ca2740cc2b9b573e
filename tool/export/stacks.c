/* SPDX-License-Identifier: MIT */
/* stacks - turn the return addresses of samples into names. */
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/stacks.h"
#include "model/model.h"
#include "samples/symbols.h"

struct tr2_stacks {
	struct tr2_symbols *symbols;
	tr2_str *names; /* by symbol: its redacted name; 0: not looked up yet */
	uint32_t nr_names, alloc_names;
};

struct tr2_stacks *tr2_stacks(struct tr2_export *x)
{
	struct tr2_stacks *s = x->stacks;

	if (s)
		return s;
	x->stacks = s = tr2_calloc(1, sizeof(*s));
	s->symbols = tr2_symbols_new(x->m);
	return s;
}

void tr2_stacks_end(struct tr2_stacks *s)
{
	if (!s)
		return;
	tr2_symbols_explain(s->symbols);
	tr2_symbols_free(s->symbols);
	free(s->names);
	free(s);
}

/* Replace characters in a name that would separate functions or lines. */
static tr2_str clean_name(struct tr2_export *x, const char *name)
{
	size_t i;

	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, name));
	for (i = 0; i < x->text.len; i++)
		if (x->text.p[i] == ';' || (unsigned char)x->text.p[i] < ' ')
			x->text.p[i] = x->text.p[i] == ';' ? ':' : ' ';
	tr2_must(!x->text.failed);
	return tr2_intern(x->m, x->text.p, x->text.len);
}

static const char *name_of(struct tr2_export *x, uint32_t symbol)
{
	struct tr2_stacks *s = x->stacks;

	while (symbol >= s->nr_names) {
		tr2_grow(s->names, s->nr_names, s->alloc_names);
		s->names[s->nr_names++] = 0;
	}
	if (!s->names[symbol])
		s->names[symbol] = clean_name(x,
			tr2_s(x->m, tr2_symbol(s->symbols, symbol).name));
	return tr2_s(x->m, s->names[symbol]);
}

static void add_call(struct tr2_export *x, struct tr2_buf *b,
		     const struct tr2_model_sample *sample, uint32_t call,
		     size_t *innermost)
{
	uint32_t symbol[TR2_SYMBOLS_OF_CALL];
	unsigned int nr = tr2_symbols_of_call(x->stacks->symbols, sample, call,
					      symbol);

	while (nr--) {
		if (*innermost != SIZE_MAX)
			tr2_buf_addch(b, ';');
		*innermost = b->len;
		tr2_buf_addstr(b, name_of(x, symbol[nr]));
	}
}

void tr2_stacks_add(struct tr2_export *x, struct tr2_buf *b,
		    const struct tr2_model_sample *sample, size_t *innermost)
{
	uint32_t i;

	*innermost = SIZE_MAX;
	/* Create the lookups now: this also finds the calls in copies of
	 * stacks. */
	tr2_stacks(x);
	for (i = sample->nr_calls; i--;)
		add_call(x, b, sample, i, innermost);
}
