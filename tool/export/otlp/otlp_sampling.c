/* SPDX-License-Identifier: MIT */
/*
 * otlp_sampling - choose the trees that are exported, and write into each span
 * the number of spans for which it stands: see export/sampling.h.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/otlp/otlp_private.h"

#define RANDOM_BITS 56

bool tr2_tree_sampling_parse(struct tr2_tree_sampling *sampling,
			     const char *text)
{
	const char *digits = strncmp(text, "1/", 2) ? text : text + 2;
	size_t len = strlen(digits);

	if (!len || len > 10 || digits[strspn(digits, "0123456789")])
		return false;
	sampling->one_in = strtoull(digits, NULL, 10);
	sampling->on = true;
	return sampling->one_in <= TR2_SAMPLING_MAX &&
	       (sampling->one_in || digits == text);
}

/* Return the threshold: traces with smaller random bits are left out. */
static uint64_t threshold(uint64_t one_in)
{
	const uint64_t all = (uint64_t)1 << RANDOM_BITS;

	return one_in ? all - all / one_in : all;
}

static uint64_t randomness(const struct tr2_context *trace)
{
	return trace->trace[1] & (((uint64_t)1 << RANDOM_BITS) - 1);
}

static void find_tops(const struct tr2_model *m, struct tr2_otlp *o)
{
	uint32_t i, up;

	o->top_of = tr2_calloc(m->nr_nodes, sizeof(*o->top_of));
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		up = m->nodes[i].parent;
		o->top_of[i] = up ? o->top_of[up] : i;
	}
}

static uint32_t top_of_thread(const struct tr2_model *m,
			      const struct tr2_otlp *o, uint32_t thread)
{
	return o->top_of[m->sessions[m->threads[thread].session].node];
}

/* Mark the trees that have a span with the status ERROR. */
void tr2_otlp_sampling_begin(struct tr2_export *x)
{
	struct tr2_model *m = x->m;
	struct tr2_otlp *o = x->state;
	uint32_t i;

	if (!x->sampling || !x->sampling->on)
		return;
	find_tops(m, o);
	o->failed = tr2_calloc(m->nr_nodes, sizeof(*o->failed));
	for (i = 1; i < m->nr_nodes; i++)
		if (tr2_node_failed(&m->nodes[i]))
			o->failed[o->top_of[i]] = true;
	for (i = 1; i < m->nr_children; i++)
		if (m->children[i].has_code && m->children[i].code)
			o->failed[top_of_thread(m, o,
				m->spans[m->children[i].span].thread)] = true;
	for (i = 1; i < m->nr_trace_spans; i++)
		if (m->trace_spans[i].failed)
			o->failed[top_of_thread(m, o, m->trace_spans[i].thread)] =
				true;
}

void tr2_otlp_sampling_end(struct tr2_otlp *o)
{
	free(o->top_of);
	free(o->failed);
}

/* Set the number of spans for which each span of the tree stands, and the
 * threshold `th` without zeros at its end. */
static void stand_for(struct tr2_otlp *o, uint64_t one_in)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t th = threshold(one_in);
	char *p = o->threshold;
	int shift;

	o->stands_for = one_in;
	for (shift = RANDOM_BITS - 4; shift >= 0; shift -= 4)
		*p++ = digits[th >> shift & 15];
	while (p > o->threshold + 1 && p[-1] == '0')
		p--;
	*p = '\0';
}

bool tr2_otlp_wants_tree(struct tr2_export *x, uint32_t top)
{
	struct tr2_tree_sampling *s = x->sampling;
	struct tr2_otlp *o = x->state;
	const struct tr2_node *n = &x->m->nodes[top];

	if (!s)
		return true;
	s->nr_trees++;
	if (s->on) {
		if (o->failed[top] ||
		    (s->slow_ns && n->end_ns - n->start_ns >= s->slow_ns))
			stand_for(o, 1);
		else if (s->one_in &&
			 randomness(&o->trace_of[top]) >= threshold(s->one_in))
			stand_for(o, s->one_in);
		else
			return false;
	}
	s->nr_kept++;
	o->begins_tree = true;
	return true;
}

/* A traceState may have only one member `ot`: write our member, and leave out
 * the parent's. */
void tr2_otlp_add_state(struct tr2_export *x, struct tr2_buf *b,
			const char *tracestate)
{
	const struct tr2_otlp *o = x->state;
	struct tr2_buf *text = &x->text;

	tr2_buf_reset(text);
	if (o->stands_for)
		tr2_buf_addall(text, "ot=th:", o->threshold);
	if (tracestate && !(text->len && strstr(tracestate, "ot=")))
		tr2_buf_addall(text, text->len ? "," : "", tracestate);
	if (!text->len)
		return;
	tr2_buf_addlit(b, "\"traceState\":");
	tr2_export_add_str(x, b, tr2_buf_str(text));
	tr2_buf_addch(b, ',');
}
