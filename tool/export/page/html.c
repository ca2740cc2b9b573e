/* SPDX-License-Identifier: MIT */
/*
 * html - the data of the page for a browser, see export/page/html.h: one JSON
 * object, whose rows page.def describes.
 *
 * Times are nanoseconds since the first process began; a span's start is
 * relative to the span before it in its thread, which keeps the numbers short.
 * Strings are listed once, at the end, and referred to by number; 0 is "".
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/page/html_private.h"
#include "model/filter.h"
#include "model/kind.h"
#include "model/memory_use.h"
#include "out/table.h"

/* Number the rows of processes before the walk: a child span refers to its
 * process, whose row comes later. */
static void number_processes(struct tr2_export *x, struct tr2_html *h)
{
	const struct tr2_model *m = x->m;
	int64_t cpu_ns;
	uint32_t i;

	h->cpu_ns = TR2_NO_TIME;
	h->origin_ns = INT64_MAX;
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!tr2_filter_node(x->filter, m, i))
			continue;
		h->of_node[i] = ++h->nr_processes;
		cpu_ns = tr2_times(m, &m->nodes[i])->cpu_ns;
		if (cpu_ns != TR2_NO_TIME)
			h->cpu_ns = cpu_ns +
				    (h->cpu_ns == TR2_NO_TIME ? 0 : h->cpu_ns);
		if (m->nodes[i].start_ns < h->origin_ns)
			h->origin_ns = m->nodes[i].start_ns;
	}
	if (h->origin_ns == INT64_MAX)
		h->origin_ns = 0;
}

/* Write the title into x->text: the recorded command, or else the first
 * process. */
static void add_title(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	uint32_t root = m->first_root;

	tr2_buf_reset(&x->text);
	if (m->command.nr)
		tr2_export_add_command(x, &x->text, &m->command);
	else if (root && tr2_node_words(m, root)->nr)
		tr2_export_add_command(x, &x->text, tr2_node_words(m, root));
	else if (root)
		tr2_export_node_name(x, &x->text, root);
	else
		tr2_buf_addlit(&x->text, "nothing");
}

static void add_head(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct tr2_html *h = x->state;
	struct tr2_buf *b = &h->json;

	add_title(x);
	tr2_html_half(x, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, "{\"format\":1,\"version\":\"" TRACE2_VERSION
			  "\",\"title\":");
	tr2_json_add_string(b, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, ",\"start\":\"");
	tr2_fmt_iso(b, h->origin_ns);
	tr2_buf_addch(b, '"');
	tr2_export_json_int(b, "lost", (int64_t)m->lost);
	tr2_export_json_int(b, "spawning", m->spawning_ns);
	if (h->cpu_ns != TR2_NO_TIME)
		tr2_export_json_int(b, "cpu", h->cpu_ns);
	tr2_buf_addstr(b, x->opt->redact ? ",\"redacted\":true" : "");
	tr2_buf_addstr(b, tr2_filter_on(x->filter) ? ",\"filtered\":true" : "");
	tr2_html_key(b, "threads");
	tr2_buf_addch(b, '[');
}

static bool begin_page(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct tr2_html *h = tr2_calloc(1, sizeof(*h));

	x->state = h;
	h->of_node = tr2_calloc(m->nr_nodes, sizeof(*h->of_node));
	h->of_thread = tr2_calloc(m->nr_threads, sizeof(*h->of_thread));
	h->of_span = tr2_calloc(m->nr_spans, sizeof(*h->of_span));
	h->of_trace_span = tr2_calloc(m->nr_trace_spans,
				      sizeof(*h->of_trace_span));
	h->of_point = tr2_calloc(m->nr_points, sizeof(*h->of_point));
	tr2_frames_begin(&h->frames, x, false);
	number_processes(x, h);
	add_head(x);
	return true;
}

/* Return the row of the nearest process above that has a row; 0: none. */
static uint32_t row_above(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_html *h = x->state;

	do
		node = x->m->nodes[node].parent;
	while (node && !h->of_node[node]);
	return h->of_node[node];
}

static uint32_t signal_name(struct tr2_export *x, const struct tr2_node *n)
{
	if (n->end != TR2_END_SIGNAL)
		return 0;
	tr2_export_signal(x, n->code);
	tr2_buf_addstr(&x->text, tr2_node_oom_text(x->m, n));
	return tr2_html_text(x);
}

static void write_node(struct tr2_export *x, uint32_t i)
{
	struct tr2_html *h = x->state;
	const struct tr2_node *n = &x->m->nodes[i];
	struct tr2_buf *b = &h->processes;

	tr2_frames_node(&h->frames, x, i);
	tr2_html_open_row(b);
#define TR2_PAGE_PROCESS(name, value) tr2_html_num(b, value);
#include "export/page/page.def"
	tr2_html_close_row(b);
}

void tr2_html_open_thread(struct tr2_export *x, uint32_t node, uint32_t name,
			  int main_thread, int64_t start_ns, int64_t took_ns)
{
	struct tr2_html *h = x->state;
	struct tr2_buf *b = &h->json;

	/* Close the previous thread's list of spans, and its row. */
	if (h->nr_threads)
		tr2_buf_addlit(b, "]],\n");
	h->nr_spans_before = h->nr_spans;
	h->last_ns = start_ns - h->origin_ns;
	tr2_buf_addch(b, '[');
#define TR2_PAGE_THREAD(name, value) tr2_html_num(b, value);
#include "export/page/page.def"
	tr2_buf_addch(b, '[');
	tr2_html_step(x);
}

static void write_thread(struct tr2_export *x, uint32_t i)
{
	struct tr2_html *h = x->state;
	const struct tr2_model_session *s = tr2_export_session_of(x, i);
	const struct tr2_model_thread *t = &x->m->threads[i];

	tr2_frames_thread(&h->frames, x, i);
	tr2_html_open_thread(x, s->node,
			     tr2_html_string(x, t->name ? tr2_s(x->m, t->name) :
							  "main"),
			     s->first_thread == i, s->wall_ns + t->start_ns,
			     t->end_ns > t->start_ns ? t->end_ns - t->start_ns :
						       0);
	h->of_thread[i] = ++h->nr_threads;
}

/* Return the distance from a span back to the span around it, in spans of the
 * list; 0: no span is around it. */
static uint32_t distance_up(const struct tr2_export *x, uint32_t i)
{
	const struct tr2_html *h = x->state;
	uint32_t up = x->m->spans[i].parent;

	while (up && !h->of_span[up])
		up = x->m->spans[up].parent;
	return up ? h->of_span[i] - h->of_span[up] : 0;
}

static void write_span(struct tr2_export *x, uint32_t i)
{
	struct tr2_html *h = x->state;
	const struct tr2_span *s = &x->m->spans[i];
	const struct tr2_child *c = &x->m->children[s->child];
	int64_t start_ns = tr2_export_session_of(x, s->thread)->wall_ns +
			   s->start_ns - h->origin_ns;
	int64_t before_ns = h->last_ns;
	int64_t took_ns = s->end_ns > s->start_ns ? s->end_ns - s->start_ns : 0;
	struct tr2_buf *b = &h->json;

	tr2_frames_span(&h->frames, x, i);
	h->of_span[i] = tr2_html_next_span(x);
	h->last_ns = start_ns;
#define TR2_PAGE_SPAN(name, region, span) tr2_html_num(b, region);
#include "export/page/page.def"
	tr2_html_trim(b);
	tr2_html_step(x);
}

/* Does the point mark a moment? Other points describe the process. */
static bool is_mark(const struct tr2_point *p)
{
	return p->kind <= TR2_POINT_PRINTF || p->kind == TR2_POINT_SIGNAL;
}

/* Return the number of a point's name: `category/key`, or nothing. */
static uint32_t point_name(struct tr2_export *x, const struct tr2_point *p)
{
	if (p->kind > TR2_POINT_DATA_JSON)
		return 0;
	tr2_buf_reset(&x->text);
	tr2_export_pair(x, &x->text, p->category, p->key);
	return tr2_html_text(x);
}

/* Return the number of the nearest span that is around a point and in the list;
 * 0: no such span. */
static uint32_t span_around(const struct tr2_export *x, uint32_t span)
{
	const struct tr2_html *h = x->state;

	while (span && !h->of_span[span])
		span = x->m->spans[span].parent;
	return span ? h->of_span[span] : 0;
}

static void point(struct tr2_export *x, uint32_t i)
{
	struct tr2_html *h = x->state;
	const struct tr2_point *p = &x->m->points[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	struct tr2_buf *b = &h->points;

	if (!is_mark(p))
		return;
	h->of_point[i] = ++h->nr_points;
	tr2_html_open_row(b);
#define TR2_PAGE_POINT(name, value) tr2_html_num(b, value);
#include "export/page/page.def"
	tr2_html_close_row(b);
}

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

/* Add the data after the spans: rows collected during the walk, states, the
 * path, memory, frames, samples, tables, and the strings. */
static void add_tail(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	tr2_buf_addstr(&h->json, h->nr_threads ? "]]]" : "]");
	tr2_html_array(x, "processes", &h->processes);
	tr2_html_array(x, "points", &h->points);
	tr2_html_add_states(x);
	tr2_html_add_path(x);
	tr2_html_add_memory(x);
	add_frames(x);
	tr2_html_add_samples(x);
	tr2_html_tables(x);
	tr2_html_strings(x);
	tr2_html_half(x, NULL);
}

static bool end_page(struct tr2_export *x)
{
	struct tr2_html *h = x->state;

	if (!x->failed)
		add_tail(x);
	tr2_frames_release(&h->frames);
	free(h->of_node);
	free(h->of_thread);
	free(h->of_span);
	free(h->of_trace_span);
	free(h->of_point);
	tr2_html_release_strings(h);
	tr2_buf_release(&h->processes);
	tr2_buf_release(&h->points);
	tr2_buf_release(&h->json);
	free(h);
	return true;
}

const struct tr2_export_format tr2_export_html = {
	.begin = begin_page,
	.end = end_page,
	.node = write_node,
	.thread = write_thread,
	.span = write_span,
	.point = point,
	.session_end = tr2_html_trace_spans,
};
