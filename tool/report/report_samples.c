/* SPDX-License-Identifier: MIT */
/*
 * report_samples - trace2 report --samples: call paths of samples, from the
 * innermost function outwards, or from the outermost function inwards.
 */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/map.h"
#include "common/memory.h"
#include "common/order.h"
#include "common/say.h"
#include "model/model.h"
#include "report/report.h"
#include "samples/symbols.h"

/* An event, or a function on a call path at which the event was sampled. Lists
 * are by index; 0: none. */
struct call {
	uint32_t parent, child, next;
	uint32_t symbol; /* the symbol of the function; for an event, its
			  * name */
	tr2_str event;
	uint64_t count, samples;
	int depth; /* the depth in the tree that text shows */
	bool is_recursive; /* the function called itself */
	bool is_time; /* `count` is a time in ns */
};

struct tree {
	struct tr2_model *m;
	struct tr2_symbols *symbols;
	struct call *calls;
	uint32_t nr, alloc;
	struct tr2_map by_symbol; /* maps a symbol and a parent to an index */
	uint32_t *order; /* for sorting */
	bool inwards;
};

static struct call *new_call(struct tree *t)
{
	tr2_grow(t->calls, t->nr, t->alloc);
	memset(&t->calls[t->nr], 0, sizeof(*t->calls));
	return &t->calls[t->nr++];
}

/* Return the node below `parent` for this function, added if needed. */
static uint32_t add_node(struct tree *t, uint32_t parent, uint32_t symbol,
			 const struct tr2_model_sample *sample)
{
	uint32_t *slot = tr2_map_slot(&t->by_symbol, tr2_key(parent, symbol));
	struct call *call;

	if (!*slot) {
		call = new_call(t);
		*slot = t->nr - 1;
		call->parent = parent;
		call->symbol = symbol;
		call->event = sample->event;
		call->is_time = sample->is_time;
		call->next = t->calls[parent].child;
		t->calls[parent].child = *slot;
	}
	t->calls[*slot].count += sample->count;
	t->calls[*slot].samples++;
	return *slot;
}

/* Return the node for a function. Recursive calls share a node: otherwise each
 * depth of recursion would be a path of its own. */
static uint32_t add_function(struct tree *t, uint32_t at, uint32_t symbol,
			     const struct tr2_model_sample *sample)
{
	if (t->calls[at].symbol != symbol)
		return add_node(t, at, symbol, sample);
	t->calls[at].is_recursive = tr2_symbol(t->symbols, symbol).module != 0;
	return at;
}

/* Add nodes for the functions of one call: the function that was called, and
 * the functions that the compiler inlined into it. Return the last node. */
static uint32_t add_call(struct tree *t, uint32_t at, uint32_t call,
			 const struct tr2_model_sample *sample)
{
	uint32_t symbol[TR2_SYMBOLS_OF_CALL];
	unsigned int i, nr;

	nr = tr2_symbols_of_call(t->symbols, sample, call, symbol);
	for (i = 0; i < nr; i++)
		at = add_function(t, at, symbol[t->inwards ? nr - 1 - i : i],
				  sample);
	return at;
}

static void add_sample(struct tree *t, const struct tr2_model_sample *sample)
{
	const struct tr2_symbol event = { sample->event, 0, false };
	uint32_t at, i, nr = sample->nr_calls;

	at = add_node(t, 0, tr2_symbols_number(t->symbols, event), sample);
	for (i = 0; i < nr; i++)
		at = add_call(t, at, t->inwards ? nr - 1 - i : i, sample);
}

static const char *name_of(const struct tree *t, const struct call *call)
{
	return tr2_s(t->m, tr2_symbol(t->symbols, call->symbol).name);
}

static const struct tree *sorted_tree;

/* Put the largest count first. Order equal counts by name, so that the order is
 * stable. */
static int compare_rows(const void *va, const void *vb)
{
	const struct tree *t = sorted_tree;
	const struct call *a = &t->calls[*(const uint32_t *)va];
	const struct call *b = &t->calls[*(const uint32_t *)vb];

	return TR2_DOWN(count) ?: strcmp(name_of(t, a), name_of(t, b));
}

static void sort_children(struct tree *t, uint32_t parent)
{
	uint32_t i, nr = 0, *at = &t->calls[parent].child;

	for (i = *at; i; i = t->calls[i].next)
		t->order[nr++] = i;
	if (nr < 2)
		return;
	sorted_tree = t;
	qsort(t->order, nr, sizeof(*t->order), compare_rows);
	for (i = 0; i < nr; i++) {
		*at = t->order[i];
		at = &t->calls[*at].next;
	}
	*at = 0;
}

/* Return the depth in text. A call that has all samples of its parent is not
 * indented: otherwise long chains would leave no room for names. */
static int depth_of(const struct tree *t, const struct call *call)
{
	const struct call *parent = &t->calls[call->parent];

	if (!parent->parent)
		return call->parent ? 1 : 0;
	if (&t->calls[parent->child] == call && !call->next)
		return -abs(parent->depth);
	return abs(parent->depth) + 1;
}

struct call_row {
	const struct tree *tree;
	const struct call *call;
	struct tr2_symbol symbol;
	int depth;
	uint64_t whole;
};

static void cell_count(struct tr2_table *t, const struct call_row *r)
{
	const struct call *call = r->call;

	if (call->is_time)
		tr2_cell_ns(t, (int64_t)call->count);
	else
		tr2_cell_uint(t, call->count);
}

static void cell_function(struct tr2_table *t, const struct call_row *r)
{
	bool text = t->output->format == TR2_FORMAT_TEXT;

	tr2_cell_strf(t, "%s%s%s", tr2_s(r->tree->m, r->symbol.name),
		      text && r->symbol.is_inlined ? " (inlined)" : "",
		      text && r->call->is_recursive ? " (recursive)" : "");
}

static double call_share(const struct call_row *r)
{
	return r->whole ? (double)r->call->count / (double)r->whole : 0;
}

/* The heading of `function` is set when the table is printed: it tells the
 * direction of the tree. The row of an event has no function. */
#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(event, tr2_cell_str(t, tr2_s(r->tree->m, r->call->event))) \
	COLUMN(count, "COUNT", 0, cell_count(t, r)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT, tr2_cell_share(t, call_share(r))) \
	COLUMN(samples, "SAMPLES", 0, tr2_cell_uint(t, r->call->samples)) \
	COLUMN(function, NULL, TR2_COL_TREE | TR2_COL_FLEX, \
	       cell_function(t, r)) \
	DATA(module, if (r->symbol.module) \
		tr2_cell_str(t, tr2_s(r->tree->m, r->symbol.module))) \
	DATA(inlined, if (r->depth) tr2_cell_uint(t, r->symbol.is_inlined)) \
	DATA(recursive, if (r->depth) tr2_cell_uint(t, r->call->is_recursive))

TR2_COLUMN_LIST(columns, struct call_row, COLUMNS)
#define NR_COLUMNS (ARRAY_SIZE(columns))

/* Return the next node in the order of the printed tree. */
static uint32_t step_tree(const struct tree *t, uint32_t i, int *depth)
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

static void fill_table(struct tr2_table *table, struct tree *t)
{
	struct call_row row = { .tree = t };
	bool text = table->output->format == TR2_FORMAT_TEXT;
	struct call *call;
	uint32_t i;

	t->order = tr2_calloc(t->nr, sizeof(*t->order));
	for (i = 0; i < t->nr; i++)
		sort_children(t, i);
	free(t->order);
	for (i = t->calls[0].child; i; i = step_tree(t, i, &row.depth)) {
		call = &t->calls[i];
		if (!call->parent)
			row.whole = call->count;
		call->depth = depth_of(t, call);
		row.call = call;
		row.symbol = tr2_symbol(t->symbols, call->symbol);
		tr2_table_add_at(table, &row, text ? call->depth : row.depth);
	}
}

static void gather_samples(struct tree *t, const struct tr2_filter *filter)
{
	uint32_t i;

	new_call(t);
	for (i = 0; tr2_symbols_next(t->symbols, &i);)
		if (tr2_filter_node(filter, t->m, t->m->samples[i].node))
			add_sample(t, &t->m->samples[i]);
}

static bool print_tree(const struct tr2_report *r, struct tree *t,
		       const char *name, const char *heading)
{
	struct tr2_column with_heading[NR_COLUMNS];
	struct tr2_table table;

	memcpy(with_heading, columns, sizeof(columns));
	with_heading[4].heading = heading;
	t->nr = 0;
	gather_samples(t, r->filter);
	tr2_map_release(&t->by_symbol);
	tr2_table_init(&table, r->out, name, with_heading, NR_COLUMNS);
	fill_table(&table, t);
	return tr2_report_table(r, &table, NULL);
}

bool tr2_report_has_samples(const struct tr2_report *r)
{
	struct tr2_coverage c;

	if (r->m->nr_samples > 1 || !tr2_report_is_text(r))
		return true;
	tr2_report_coverage(r, &c);
	if (c.period_ns && r->m->without_cpu)
		tr2_warning("no calls of threads that wait in this recording: "
			    "%s", r->m->no_causes ?
			    tr2_report_remedy(r->m) :
			    "record it anew, with --profile");
	else if (c.period_ns)
		tr2_warning("no samples in this recording: %sa process has "
			    "none in its first %s; a higher --profile=HZ has "
			    "more", c.without_kernel ?
			    "none is in the kernel, and " : "",
			    tr2_ns_text(c.period_ns));
	else if (r->m->no_samples)
		tr2_warning("no samples in this recording: --profile was "
			    "refused: %s; %s", tr2_s(r->m, r->m->no_samples),
			    tr2_report_remedy(r->m));
	else
		tr2_warning("no samples in this recording: record it with "
			    "'trace2 record --profile'; or of counters, with "
			    "--ring and GIT_TRACE2_SAMPLE set");
	return false;
}

bool tr2_report_samples(const struct tr2_report *r)
{
	struct tree t = { .m = r->m };
	bool ok;

	if (!tr2_report_has_samples(r))
		return true;
	t.symbols = tr2_symbols_new(r->m);
	ok = print_tree(r, &t, "callers", "COUNTED IN, CALLED BY");
	t.inwards = true;
	ok = ok && print_tree(r, &t, "callees", "FROM THE OUTSIDE IN");
	tr2_symbols_explain(t.symbols);
	tr2_symbols_free(t.symbols);
	free(t.calls);
	return ok;
}

/*
 * Coverage: the part of the CPU time for which the samples of `record
 * --profile` stand. Each process begins with a whole period on each CPU: a
 * process that ends sooner has no sample.
 */

/* Report no coverage above this share: it is nearly complete. */
#define ENOUGH 0.75

/* Sum up the CPU time of recordings with samples. Return false if the CPU time
 * of one of them is unknown. */
static bool sum_cpu(const struct tr2_report *r, struct tr2_coverage *c)
{
	const struct tr2_model *m = r->m;
	int64_t cpu_ns;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_model_input *in =
			&m->inputs[tr2_input_of_node(m, i)];

		if (!in->period_ns || !tr2_filter_node(r->filter, m, i))
			continue;
		cpu_ns = tr2_times(m, &m->nodes[i])->cpu_ns;
		if (cpu_ns == TR2_NO_TIME)
			return false;
		tr2_ns_add(&c->cpu_ns, cpu_ns);
	}
	return c->cpu_ns > 0;
}

bool tr2_report_coverage(const struct tr2_report *r, struct tr2_coverage *c)
{
	const struct tr2_filter *filter = r->filter;
	const struct tr2_model *m = r->m;
	uint32_t i;

	*c = (struct tr2_coverage){ 0 };
	for (i = 1; i < m->nr_inputs; i++) {
		if (m->inputs[i].period_ns > c->period_ns)
			c->period_ns = m->inputs[i].period_ns;
		c->without_kernel |= m->inputs[i].samples_without_kernel;
	}
	/* Give up if only a part of the time is chosen: the CPU time in that
	 * part is unknown. */
	if (!c->period_ns || m->without_cpu || filter->region ||
	    filter->since_ns > INT64_MIN || filter->until_ns < INT64_MAX ||
	    !sum_cpu(r, c))
		return false;
	for (i = 1; i < m->nr_samples; i++)
		if (m->samples[i].task_thread && !m->samples[i].is_wait &&
		    tr2_filter_node(filter, m, m->samples[i].node))
			tr2_ns_add(&c->sampled_ns,
				   (int64_t)m->samples[i].count);
	return true;
}

void tr2_report_print_coverage(const struct tr2_report *r)
{
	struct tr2_coverage c;
	double share;

	if (r->m->nr_samples == 1 || !tr2_report_coverage(r, &c))
		return;
	share = tr2_report_share(c.sampled_ns, c.cpu_ns);
	if (share >= ENOUGH)
		return;
	tr2_report_print_note(
		"(samples stand for %s of %s CPU, %s: %s %s; a higher "
		"--profile=HZ has more)", tr2_ns_text(c.sampled_ns),
		tr2_ns_text(c.cpu_ns), tr2_share_text(share),
		c.without_kernel ? "none is in the kernel, and\na process has "
				   "none in its first" :
				   "a process has none in its\nfirst",
		tr2_ns_text(c.period_ns));
}
