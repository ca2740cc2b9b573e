/* SPDX-License-Identifier: MIT */
/*
 * report_samples - trace2 report --samples: which calls led to what was
 * counted, from the function that counted outwards, and from outside inwards.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "model/filter.h"
#include "model/private.h"
#include "samples/symbols.h"

/* An event, or a function on a path to it. Lists are by index; 0: none. */
struct call {
	uint32_t parent, child, next;
	struct tr2_symbol symbol; /* of an event: its name */
	tr2_str event;
	uint64_t count, samples;
};

struct tree {
	struct tr2_model *m;
	struct tr2_symbols *symbols;
	struct call *calls;
	uint32_t nr, alloc;
	bool inwards;
};

static struct call *new_call(struct tree *t)
{
	if (t->nr >= t->alloc &&
	    !tr2_array_grow((void **)&t->calls, &t->alloc, t->nr,
			    sizeof(*t->calls)))
		return NULL;
	memset(&t->calls[t->nr], 0, sizeof(*t->calls));
	return &t->calls[t->nr++];
}

/* The one below `parent` for this function, with what is to be added to it.
 * 0: no memory. */
static uint32_t add(struct tree *t, uint32_t parent, struct tr2_symbol symbol,
		    const struct tr2_sample *sample)
{
	uint32_t i = t->calls[parent].child;
	struct call *call;

	while (i && (t->calls[i].symbol.name != symbol.name ||
		     t->calls[i].symbol.module != symbol.module))
		i = t->calls[i].next;
	if (!i) {
		call = new_call(t);
		if (!call)
			return 0;
		i = t->nr - 1;
		call->parent = parent;
		call->symbol = symbol;
		call->event = sample->event;
		call->next = t->calls[parent].child;
		t->calls[parent].child = i;
	}
	t->calls[i].count += sample->count;
	t->calls[i].samples++;
	return i;
}

static bool add_sample(struct tree *t, const struct tr2_sample *sample)
{
	const struct tr2_symbol event = { sample->event, 0 };
	uint32_t at = add(t, 0, event, sample), i, nr = sample->nr_calls;
	uint64_t address;

	for (i = 0; at && i < nr; i++) {
		address = t->m->calls[sample->first_call +
				      (t->inwards ? nr - 1 - i : i)];
		at = add(t, at,
			 tr2_symbols_of_call(t->symbols, sample->session,
					     address),
			 sample);
	}
	return at != 0;
}

/* The largest first; of equal ones by name, so that the order is the same each
 * time. */
static bool comes_before(const struct tree *t, const struct call *a,
			 const struct call *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	return strcmp(tr2_s(t->m, a->symbol.name),
		      tr2_s(t->m, b->symbol.name)) < 0;
}

static void sort_children(struct tree *t, uint32_t parent)
{
	uint32_t i, next, sorted = 0, *at;

	for (i = t->calls[parent].child; i; i = next) {
		next = t->calls[i].next;
		at = &sorted;
		while (*at && !comes_before(t, &t->calls[i], &t->calls[*at]))
			at = &t->calls[*at].next;
		t->calls[i].next = *at;
		*at = i;
	}
	t->calls[parent].child = sorted;
}

static const struct tr2_column columns[] = {
	{ "event", "", TR2_COL_DATA },
	{ "count", "COUNT", 0 },
	{ "share", "SHARE", TR2_COL_HEAT },
	{ "samples", "SAMPLES", 0 },
	{ "function", NULL, TR2_COL_TREE | TR2_COL_FLEX },
	{ "module", "", TR2_COL_DATA },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static void add_row(struct tr2_table *table, const struct tree *t,
		    const struct call *call, int depth, uint64_t whole)
{
	tr2_table_row(table);
	tr2_table_depth(table, depth);
	tr2_cell_str(table, tr2_s(t->m, call->event));
	if (strstr(tr2_s(t->m, call->event), ":ns/"))
		tr2_cell_ns(table, (int64_t)call->count);
	else
		tr2_cell_uint(table, call->count);
	tr2_cell_share(table, whole ? (double)call->count / (double)whole : 0);
	tr2_cell_uint(table, call->samples);
	tr2_cell_str(table, tr2_s(t->m, call->symbol.name));
	tr2_cell_str(table, call->symbol.module ?
				    tr2_s(t->m, call->symbol.module) : NULL);
}

/* The next in the order of the printed tree. */
static uint32_t step(const struct tree *t, uint32_t i, int *depth)
{
	if (t->calls[i].child) {
		++*depth;
		return t->calls[i].child;
	}
	while (i && !t->calls[i].next) {
		i = t->calls[i].parent;
		--*depth;
	}
	return i ? t->calls[i].next : 0;
}

static void fill(struct tr2_table *table, struct tree *t)
{
	uint32_t i;
	uint64_t whole = 0;
	int depth = 0;

	for (i = 0; i < t->nr; i++)
		sort_children(t, i);
	for (i = t->calls[0].child; i; i = step(t, i, &depth)) {
		if (!t->calls[i].parent)
			whole = t->calls[i].count;
		add_row(table, t, &t->calls[i], depth, whole);
	}
}

static bool gather(struct tree *t)
{
	uint32_t i;

	if (!new_call(t))
		return false;
	for (i = 1; i < t->m->nr_samples; i++)
		if (tr2_filter_session(t->m, t->m->samples[i].session) &&
		    !add_sample(t, &t->m->samples[i]))
			return false;
	return true;
}

static bool show(struct tree *t, const char *name, const char *heading)
{
	struct tr2_column with_heading[NR_COLUMNS];
	struct tr2_table table;
	bool ok;

	memcpy(with_heading, columns, sizeof(columns));
	with_heading[4].heading = heading;
	t->nr = 0;
	if (!gather(t))
		tr2_warning("out of memory: samples are missing");
	tr2_table_init(&table, name, with_heading, NR_COLUMNS);
	if (t->nr)
		fill(&table, t);
	ok = tr2_report_finish(&table, NULL);
	if (ok)
		tr2_table_print(&table);
	tr2_table_release(&table);
	return ok;
}

bool tr2_report_samples(struct tr2_model *m)
{
	struct tree t = { .m = m };
	bool ok;

	if (m->nr_samples == 1 && tr2_common.format == TR2_FORMAT_TEXT) {
		tr2_warning("no samples in this recording: set "
			    "GIT_TRACE2_SAMPLE and GIT_TRACE2_RING");
		return true;
	}
	t.symbols = tr2_symbols_new(m);
	if (!t.symbols) {
		tr2_error("out of memory");
		return false;
	}
	ok = show(&t, "callers", "COUNTED IN, CALLED BY");
	t.inwards = true;
	ok = ok && show(&t, "callees", "FROM THE OUTSIDE IN");
	tr2_symbols_explain(t.symbols);
	tr2_symbols_free(t.symbols);
	free(t.calls);
	return ok;
}
