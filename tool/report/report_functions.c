/* SPDX-License-Identifier: MIT */
/*
 * report_functions - trace2 report --functions: the functions in which samples
 * were taken, and the functions that called them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/order.h"
#include "common/words.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/path/critical.h"
#include "out/function_name.h"
#include "report/report.h"
#include "samples/symbols.h"

/* Text leaves out functions whose own time is below this share. */
#define MIN_SHARE 0.005

/* The samples of one event in one function, in one group. */
struct function {
	uint32_t event; /* index into events */
	uint32_t symbol;
	const char *group; /* the group; NULL: samples are not grouped */
	uint64_t self, total, on_path, samples;
	uint32_t last; /* the last sample that was counted in the total */
};

struct event {
	tr2_str name;
	bool is_time;
	uint64_t whole;
	struct function others; /* the sum of the functions that text leaves
				 * out */
	uint32_t nr_others;
};

struct functions {
	const struct tr2_report *r;
	struct tr2_symbols *symbols;
	struct function *list;
	uint32_t nr, alloc;
	struct event *events;
	uint32_t nr_events, alloc_events;
	struct tr2_map by_event;    /* maps the name of an event to 1 + the
				     * index of the event */
	struct tr2_map by_function; /* maps an event, a group and a symbol to 1
				     * + the index of the function */
	const bool *on_path;        /* for each sample: whether it is on the
				     * critical path; NULL: unknown */
};

static uint32_t event_of(struct functions *f,
			 const struct tr2_model_sample *sample)
{
	uint32_t *slot = tr2_map_slot(&f->by_event, tr2_key(0, sample->event));

	if (!*slot) {
		tr2_grow(f->events, f->nr_events, f->alloc_events);
		f->events[f->nr_events] = (struct event){
			.name = sample->event, .is_time = sample->is_time,
		};
		*slot = ++f->nr_events;
	}
	return *slot - 1;
}

/* Return the text `category/label`, which lives as long as the model. */
static const char *region_name(struct tr2_model *m, uint32_t span)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	if (!span)
		return "(in no region)";
	tr2_join(&b, tr2_s(m, m->spans[span].category),
		 tr2_s(m, m->spans[span].label));
	return tr2_s(m, tr2_intern(m, b.p, b.len));
}

/* Return the name of the sample's group, interned, since equal names may have
 * different addresses. */
static const char *group_of(struct tr2_model *m, const struct tr2_report *r,
			    const struct tr2_model_sample *sample)
{
	const char *name;

	if (!r->group)
		return NULL;
	if (!strcmp(r->group, TR2_GROUP_REGION))
		return region_name(m, sample->span);
	name = sample->session ? tr2_report_group(r, sample->session) :
				 tr2_report_node_group(r, sample->node);
	return tr2_s(m, tr2_intern(m, name, strlen(name)));
}

static struct function *function_of(struct functions *f, uint32_t event,
				    const char *group, uint32_t symbol)
{
	uint64_t key = tr2_mix(tr2_key(event, symbol), (uintptr_t)group) | 1;
	const struct function *old;
	uint32_t *slot;

	for (;; key += 2) {
		slot = tr2_map_slot(&f->by_function, key);
		if (!*slot)
			break;
		old = &f->list[*slot - 1];
		if (old->event == event && old->group == group &&
		    old->symbol == symbol)
			return &f->list[*slot - 1];
	}
	tr2_grow(f->list, f->nr, f->alloc);
	f->list[f->nr] = (struct function){ .event = event, .group = group,
					    .symbol = symbol };
	*slot = ++f->nr;
	return &f->list[f->nr - 1];
}

/* Add a sample to a function on its call path. Count a function that calls
 * itself once. */
static void add_call(struct functions *f, uint32_t i, uint32_t event,
		     const char *group, uint32_t symbol, bool is_innermost)
{
	const struct tr2_model_sample *sample = &f->r->m->samples[i];
	struct function *function = function_of(f, event, group, symbol);

	if (function->last != i)
		function->total += sample->count;
	function->last = i;
	if (!is_innermost)
		return;
	function->self += sample->count;
	function->samples++;
	if (f->on_path && f->on_path[i])
		function->on_path += sample->count;
}

static void add_sample(struct functions *f, uint32_t i)
{
	struct tr2_model *m = f->r->m;
	const struct tr2_model_sample *sample = &m->samples[i];
	uint32_t event = event_of(f, sample), call, symbol;
	const char *group = group_of(m, f->r, sample);

	f->events[event].whole += sample->count;
	for (call = 0; call < sample->nr_calls; call++) {
		symbol = tr2_symbols_function(f->symbols, sample, call);
		add_call(f, i, event, group, symbol, !call);
	}
	if (!sample->nr_calls)
		add_call(f, i, event, group, tr2_symbols_unknown(f->symbols),
			 true);
}

static bool is_chosen(const struct tr2_report *r,
		      const struct tr2_model_sample *sample)
{
	const struct tr2_filter *filter = r->filter;
	const struct tr2_model *m = r->m;
	int64_t wall_ns = m->sessions[sample->session].wall_ns + sample->at_ns;
	uint32_t span = sample->span;

	if (sample->is_wait != m->without_cpu ||
	    wall_ns < filter->since_ns || wall_ns > filter->until_ns ||
	    (tr2_filter_on(filter) && !sample->node) ||
	    !tr2_filter_node(filter, m, sample->node))
		return false;
	if (!filter->region)
		return true;
	while (span && !tr2_filter_span(filter, m, span))
		span = m->spans[span].parent;
	return span != 0;
}

struct function_row {
	const struct functions *f;
	const struct function *function;
	struct tr2_symbol symbol;
	const struct event *event;
	uint32_t nr_others; /* number of functions for which the row stands; 0:
			     * one */
};

static void cell_amount(struct tr2_table *t, const struct function_row *r,
			uint64_t amount)
{
	if (r->event->is_time)
		tr2_cell_ns(t, (int64_t)amount);
	else
		tr2_cell_uint(t, amount);
}

static double share_of(const struct function_row *r, uint64_t amount)
{
	return r->event->whole ? (double)amount / (double)r->event->whole : 0;
}

static void cell_function(struct tr2_table *t, const struct function_row *r)
{
	if (r->nr_others)
		tr2_cell_strf(t, "(%u more, each below 0.5%%)", r->nr_others);
	else
		tr2_cell_str(t, tr2_function_name(t->output,
					tr2_s(r->f->r->m, r->symbol.name)));
}

static bool is_for_people(const struct tr2_table *t)
{
	return t->output->format == TR2_FORMAT_TEXT ||
	       t->output->format == TR2_FORMAT_PAGE;
}

/* Show the name of the file; in text and in the page, without its directory. */
static void cell_module(struct tr2_table *t, const struct function_row *r)
{
	const char *name = tr2_s(r->f->r->m, r->symbol.module);

	if (*name)
		tr2_cell_str(t, is_for_people(t) ? tr2_base_name(name) : name);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(self, "SELF", 0, cell_amount(t, r, r->function->self)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT, \
	       tr2_cell_share(t, share_of(r, r->function->self))) \
	COLUMN(total, "TOTAL", 0, \
	       if (!r->nr_others) cell_amount(t, r, r->function->total)) \
	DATA(total_share, if (!r->nr_others) \
		tr2_cell_share(t, share_of(r, r->function->total))) \
	COLUMN(on_path, "ON PATH", 0, \
	       if (r->f->on_path) cell_amount(t, r, r->function->on_path)) \
	COLUMN(samples, "SAMPLES", TR2_COL_SPARE, \
	       tr2_cell_uint(t, r->function->samples)) \
	DATA(unit, tr2_cell_str(t, r->event->is_time ? "ns" : "")) \
	COLUMN(event, "EVENT", TR2_COL_LEFT, \
	       if (r->f->nr_events > 1 || !is_for_people(t)) \
		       tr2_cell_str(t, tr2_s(r->f->r->m, r->event->name))) \
	COLUMN(function, "FUNCTION", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       cell_function(t, r)) \
	COLUMN(module, "MODULE", TR2_COL_FLEX, cell_module(t, r)) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->function->group))

TR2_COLUMN_LIST(columns, struct function_row, COLUMNS)

static void add_to_others(struct event *event, const struct function *from)
{
	event->others.self += from->self;
	event->others.on_path += from->on_path;
	event->others.samples += from->samples;
	event->nr_others++;
}

static bool is_large(const struct function_row *r)
{
	return share_of(r, r->function->self) >= MIN_SHARE ||
	       share_of(r, r->function->total) >= MIN_SHARE;
}

static void add_rows(struct tr2_table *t, const struct functions *f)
{
	bool all = !tr2_report_is_text(f->r) || f->r->limit >= 0;
	struct function_row row = { .f = f };
	uint32_t i;

	for (i = 0; i < f->nr; i++) {
		row.function = &f->list[i];
		row.event = &f->events[row.function->event];
		row.symbol = tr2_symbol(f->symbols, row.function->symbol);
		if (all || is_large(&row))
			tr2_table_add(t, &row);
		else
			add_to_others(&f->events[row.function->event],
				      row.function);
	}
}

/* Add a row for the functions that are left out, below all other rows. */
static void add_others(struct tr2_table *t, const struct functions *f)
{
	struct function_row row = { .f = f };
	uint32_t i;

	for (i = 0; i < f->nr_events; i++) {
		row.event = &f->events[i];
		row.function = &row.event->others;
		row.nr_others = row.event->nr_others;
		if (row.nr_others)
			tr2_table_add(t, &row);
	}
}

/* If own times are equal, the function with the larger total comes first. */
TR2_ORDER(compare, struct function, TR2_DOWN(total) ?: TR2_UP(symbol))

#define COVERAGE_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(sampled_ns, tr2_cell_ns(t, r->sampled_ns)) \
	DATA(cpu_ns, tr2_cell_ns(t, r->cpu_ns)) \
	DATA(period_ns, tr2_cell_ns(t, r->period_ns))

TR2_COLUMN_LIST(coverage_columns, struct tr2_coverage, COVERAGE_COLUMNS)

/* Print how much of the CPU time the table covers. */
static void print_coverage(const struct tr2_report *r)
{
	struct tr2_coverage c;

	if (tr2_report_is_text(r))
		tr2_report_print_coverage(r);
	if (r->out->format == TR2_FORMAT_JSON && tr2_report_coverage(r, &c))
		tr2_table_print_row(r->out, "coverage",
				    TR2_COLUMNS(coverage_columns), &c);
}

static void release_functions(struct functions *f)
{
	tr2_symbols_free(f->symbols);
	tr2_map_release(&f->by_event);
	tr2_map_release(&f->by_function);
	free(f->list);
	free(f->events);
}

bool tr2_report_functions(const struct tr2_report *r)
{
	bool *on_path = tr2_critical_samples(r->m);
	struct functions f = { .r = r, .on_path = on_path };
	struct tr2_table t = TR2_TABLE_OF(r->out, "functions", columns);
	uint32_t i;
	bool ok;

	if (!tr2_report_has_samples(r)) {
		free(on_path);
		return true;
	}
	f.symbols = tr2_symbols_new(r->m);
	for (i = 0; tr2_symbols_next(f.symbols, &i);)
		if (is_chosen(r, &r->m->samples[i]))
			add_sample(&f, i);
	if (f.nr)
		qsort(f.list, f.nr, sizeof(*f.list), compare);
	r->out->piped_width = TR2_REPORT_WIDTH;
	add_rows(&t, &f);
	ok = tr2_report_sort(r, &t, "self");
	if (ok) {
		add_others(&t, &f);
		tr2_table_print(&t);
		print_coverage(r);
	}
	r->out->piped_width = 0;
	tr2_table_release(&t);
	/* Leave the coverage out in a page: the flame graph prints it. */
	if (r->out->format != TR2_FORMAT_PAGE)
		tr2_symbols_explain(f.symbols);
	release_functions(&f);
	free(on_path);
	return ok;
}
