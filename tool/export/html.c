/* SPDX-License-Identifier: MIT */
/*
 * html - the data of the page for a browser, see export/html.h: one JSON
 * object, whose rows tool/html/data.js reads in the order used here.
 *
 * Times are nanoseconds since the first process began; a span's start is
 * relative to the span before it in its thread, which keeps the numbers short.
 * Strings are listed once, at the end, and referred to by number; 0 is "".
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/frames.h"
#include "export/html.h"
#include "model/critical.h"
#include "model/filter.h"
#include "out/table.h"
#include "samples/symbols.h"

struct html {
	struct tr2_frames frames;
	int64_t origin_ns;
	uint32_t *of_node; /* by process: 1 + its row */
	uint32_t *of_thread;
	uint32_t *of_span; /* by span: 1 + its place in its thread */
	uint32_t nr_processes, nr_threads, nr_spans;
	int64_t last_ns; /* start of the last span */
	struct tr2_map numbers; /* numbers by interned string */
	uint32_t nr_strings;
	/* Rows, and the text of the strings, in the order of their numbers. */
	struct tr2_buf processes, points, metrics, strings;
	struct tr2_buf json; /* the next output */
};

/* ---- strings ---------------------------------------------------------------------- */

/* Return the number of a text that is already redacted. */
static uint32_t number(struct tr2_export *x, const char *s, size_t len)
{
	struct html *h = x->state;
	tr2_str id = tr2_intern(x->m, s, len);
	uint32_t *slot;

	if (!id)
		return 0;
	slot = tr2_map_slot(&h->numbers, tr2_key(0, id));
	if (!*slot) {
		*slot = ++h->nr_strings;
		tr2_buf_addch(&h->strings, ',');
		tr2_json_add_string(&h->strings, tr2_s(x->m, id));
	}
	return *slot;
}

static uint32_t string(struct tr2_export *x, const char *s)
{
	s = s ? tr2_export_text(x, s) : "";
	return number(x, s, strlen(s));
}

/* Return the number of the text in x->text. */
static uint32_t text(struct tr2_export *x)
{
	return number(x, x->text.p, x->text.len);
}

static uint32_t place(struct tr2_export *x, tr2_str file, uint32_t line)
{
	if (!file)
		return 0;
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, tr2_s(x->m, file)));
	tr2_buf_addch(&x->text, ':');
	tr2_buf_add_u64(&x->text, line);
	return text(x);
}

static uint32_t command(struct tr2_export *x, const struct tr2_words *words)
{
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, words);
	return text(x);
}

/* ---- rows --------------------------------------------------------------------------- */

static void open_row(struct tr2_buf *b)
{
	tr2_buf_addstr(b, b->len ? ",\n[" : "[");
}

/* Close a row: the comma after the last number becomes the bracket. */
static void close_row(struct tr2_buf *b)
{
	if (b->len && !b->failed)
		b->p[b->len - 1] = ']';
}

static void num(struct tr2_buf *b, int64_t value)
{
	tr2_buf_add_i64(b, value);
	tr2_buf_addch(b, ',');
}

/* Write out h->json. */
static void step(struct tr2_export *x)
{
	struct html *h = x->state;

	tr2_html_add_data(&x->sink.buf, h->json.p, h->json.len);
	tr2_must(!h->json.failed);
	tr2_buf_reset(&h->json);
}

static void key(struct tr2_buf *b, const char *name)
{
	tr2_buf_addlit(b, ",\n\"");
	tr2_buf_addstr(b, name);
	tr2_buf_addlit(b, "\":");
}

static void array(struct tr2_export *x, const char *name,
		  const struct tr2_buf *rows)
{
	struct html *h = x->state;

	key(&h->json, name);
	tr2_buf_addch(&h->json, '[');
	step(x);
	tr2_must(!rows->failed);
	tr2_html_add_data(&x->sink.buf, rows->p, rows->len);
	tr2_buf_addch(&h->json, ']');
	step(x);
}

/* ---- begin --------------------------------------------------------------- */


/* Number rows before the walk: a span refers to the process that it became,
 * which comes later. */
static void number_processes(struct tr2_export *x, struct html *h)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	h->origin_ns = INT64_MAX;
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!tr2_filter_node(x->filter, m, i))
			continue;
		h->of_node[i] = ++h->nr_processes;
		if (m->nodes[i].start_ns < h->origin_ns)
			h->origin_ns = m->nodes[i].start_ns;
	}
	if (h->origin_ns == INT64_MAX)
		h->origin_ns = 0;
}

/* Put the recorded command, else the first process, into x->text. */
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
	struct html *h = x->state;
	struct tr2_buf *b = &h->json;

	add_title(x);
	tr2_html_open(x, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, "{\"format\":1,\"version\":\"" TRACE2_VERSION
			  "\",\"title\":");
	tr2_json_add_string(b, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, ",\"start\":\"");
	tr2_fmt_iso(b, h->origin_ns);
	tr2_buf_addch(b, '"');
	tr2_export_json_int(b, "events", (int64_t)m->nr_events);
	tr2_export_json_int(b, "lost", (int64_t)m->lost);
	tr2_export_json_int(b, "spawning", m->spawning_ns);
	tr2_buf_addstr(b, x->opt->redact ? ",\"redacted\":true" : "");
	tr2_buf_addstr(b, tr2_filter_on(x->filter) ? ",\"filtered\":true" : "");
	key(b, "threads");
	tr2_buf_addch(b, '[');
}

static bool begin(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct html *h = tr2_calloc(1, sizeof(*h));

	x->state = h;
	h->of_node = tr2_calloc(m->nr_nodes, sizeof(*h->of_node));
	h->of_thread = tr2_calloc(m->nr_threads, sizeof(*h->of_thread));
	h->of_span = tr2_calloc(m->nr_spans, sizeof(*h->of_span));
	tr2_frames_begin(&h->frames, x);
	number_processes(x, h);
	add_head(x);
	return true;
}

/* ---- processes and threads -------------------------------------------------------------- */

/* Return the nearest process above it that has a row, else 0. */
static uint32_t row_above(const struct tr2_export *x, uint32_t node)
{
	const struct html *h = x->state;

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
	return text(x);
}

static bool is_uncertain(const struct tr2_node *n)
{
	return n->join == TR2_JOIN_WINDOW || n->join == TR2_JOIN_SID;
}

/* Unknown values are -1. */
static void node(struct tr2_export *x, uint32_t i)
{
	struct html *h = x->state;
	const struct tr2_node *n = &x->m->nodes[i];
	struct tr2_buf *b = &h->processes;

	tr2_frames_node(&h->frames, x, i);
	open_row(b);
	num(b, row_above(x, i));
	tr2_buf_reset(&x->text);
	tr2_export_node_name(x, &x->text, i);
	num(b, text(x));
	num(b, command(x, tr2_node_words(x->m, i)));
	num(b, n->pid > 0 ? n->pid : -1);
	num(b, n->start_ns - h->origin_ns);
	num(b, n->end_ns - n->start_ns);
	num(b, n->self_ns);
	num(b, n->spawn_ns == TR2_NO_TIME ? -1 : n->spawn_ns);
	num(b, n->end);
	num(b, n->has_code ? n->code : -1);
	num(b, signal_name(x, n));
	num(b, (n->session ? 1 : 0) | (n->task ? 2 : 0) |
	       (is_uncertain(n) ? 4 : 0));
	num(b, n->session ? string(x, x->m->sessions[n->session].sid) : 0);
	close_row(b);
}

static void thread(struct tr2_export *x, uint32_t i)
{
	struct html *h = x->state;
	const struct tr2_model_session *s = tr2_export_session_of(x, i);
	const struct tr2_model_thread *t = &x->m->threads[i];
	bool is_main = s->first_thread == i;
	int64_t start = is_main ? s->start_ns : t->start_ns;
	int64_t end = is_main ? s->end_ns : t->end_ns;
	struct tr2_buf *b = &h->json;

	tr2_frames_thread(&h->frames, x, i);
	/* Close the list of spans and the row of the thread before. */
	if (h->nr_threads)
		tr2_buf_addlit(b, "]],\n");
	h->of_thread[i] = ++h->nr_threads;
	h->nr_spans = 0;
	h->last_ns = s->wall_ns + start - h->origin_ns;
	tr2_buf_addch(b, '[');
	num(b, h->of_node[s->node]);
	num(b, string(x, t->name ? tr2_s(x->m, t->name) : "main"));
	num(b, is_main);
	num(b, h->last_ns);
	num(b, end > start ? end - start : 0);
	tr2_buf_addch(b, '[');
	step(x);
}

/* ---- spans ---------------------------------------------------------------------------- */

/* Return how many places before it the span around it is; 0: none. */
static uint32_t distance_up(const struct tr2_export *x, uint32_t i)
{
	const struct html *h = x->state;
	uint32_t up = x->m->spans[i].parent;

	while (up && !h->of_span[up])
		up = x->m->spans[up].parent;
	return up ? h->of_span[i] - h->of_span[up] : 0;
}

static void span(struct tr2_export *x, uint32_t i)
{
	struct html *h = x->state;
	const struct tr2_span *s = &x->m->spans[i];
	const struct tr2_child *c = &x->m->children[s->child];
	int64_t start = tr2_export_session_of(x, s->thread)->wall_ns +
			s->start_ns - h->origin_ns;
	int64_t dur = s->end_ns > s->start_ns ? s->end_ns - s->start_ns : 0;
	struct tr2_buf *b = &h->json;

	tr2_frames_span(&h->frames, x, i);
	h->of_span[i] = ++h->nr_spans;
	if (h->nr_spans > 1)
		tr2_buf_addch(b, ',');
	num(b, start - h->last_ns);
	h->last_ns = start;
	num(b, dur);
	num(b, dur - h->frames.self_ns[i]);
	tr2_buf_reset(&x->text);
	tr2_export_span_name(x, &x->text, i);
	num(b, text(x));
	num(b, distance_up(x, i));
	num(b, s->kind | (s->flags & TR2_SPAN_OPEN ? 4 : 0));
	num(b, s->kind == TR2_SPAN_REGION ? string(x, tr2_s(x->m, s->msg)) :
					    command(x, &c->argv));
	num(b, place(x, s->file, s->line));
	tr2_buf_add_u64(b, s->child && c->node ? h->of_node[c->node] : 0);
	step(x);
}

/* ---- points and metrics ------------------------------------------------------------------- */

/* Is it an event at a point in time? The other points describe the process. */
static bool is_mark(const struct tr2_point *p)
{
	return p->kind <= TR2_POINT_PRINTF || p->kind == TR2_POINT_SIGNAL;
}

/* Return its name: `category/key`, or nothing. */
static uint32_t point_name(struct tr2_export *x, const struct tr2_point *p)
{
	if (p->kind > TR2_POINT_DATA_JSON)
		return 0;
	tr2_buf_reset(&x->text);
	tr2_export_pair(x, &x->text, p->category, p->key);
	return text(x);
}

/* Return 1 + the place in its thread of the nearest span around it with a
 * place. */
static uint32_t span_around(const struct tr2_export *x, uint32_t span)
{
	const struct html *h = x->state;

	while (span && !h->of_span[span])
		span = x->m->spans[span].parent;
	return span ? h->of_span[span] : 0;
}

static void point(struct tr2_export *x, uint32_t i)
{
	struct html *h = x->state;
	const struct tr2_point *p = &x->m->points[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	struct tr2_buf *b = &h->points;

	if (!is_mark(p))
		return;
	open_row(b);
	num(b, h->of_thread[p->thread]);
	num(b, p->kind);
	num(b, s->wall_ns + p->at_ns - h->origin_ns);
	num(b, point_name(x, p));
	num(b, string(x, p->value ? p->value : "(no message)"));
	num(b, place(x, p->file, p->line));
	num(b, span_around(x, p->parent));
	close_row(b);
}

static void metric(struct tr2_export *x, uint32_t i)
{
	struct html *h = x->state;
	const struct tr2_metric *metric = &x->m->metrics[i];
	uint32_t node = x->m->sessions[metric->session].node;
	struct tr2_buf *b = &h->metrics;

	open_row(b);
	num(b, metric->kind);
	tr2_buf_reset(&x->text);
	tr2_export_metric_name(x, &x->text, metric);
	num(b, text(x));
	num(b, h->of_node[node]);
	num(b, metric->thread ? h->of_thread[metric->thread] : 0);
	tr2_buf_add_u64(b, metric->count);
	tr2_buf_addch(b, ',');
	num(b, (int64_t)metric->total_ns);
	num(b, (int64_t)metric->min_ns);
	num(b, (int64_t)metric->max_ns);
	num(b, (int64_t)metric->unfinished);
	if (metric->histogram) {
		tr2_export_add_json(x, b, metric->histogram);
		tr2_buf_addch(b, ',');
	}
	close_row(b);
}

/* ---- end ----------------------------------------------------------------- */

static void add_frames(struct tr2_export *x)
{
	struct html *h = x->state;
	struct tr2_buf *b = &h->json;
	uint32_t i;

	key(b, "frames");
	tr2_buf_addch(b, '[');
	for (i = 1; i < h->frames.nr; i++) {
		const struct tr2_frame *f = &h->frames.frames[i];

		num(b, f->parent);
		num(b, f->name ? string(x, tr2_s(x->m, f->name)) : 0);
		tr2_buf_add_i64(b, f->ns);
		tr2_buf_addstr(b, i + 1 < h->frames.nr ? "," : "");
		step(x);
		tr2_sink_step(&x->sink);
	}
	tr2_buf_addch(b, ']');
	step(x);
}

/* As in the terminal, only if the whole recording is selected. */
static void add_path(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct html *h = x->state;
	uint32_t root = tr2_filter_on(x->filter) ? 0 : tr2_longest_root(m);
	struct tr2_buf rows = TR2_BUF_INIT;
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0, i;

	for (i = 0; i < nr; i++) {
		open_row(&rows);
		num(&rows, steps[i].parent);
		num(&rows, h->of_node[steps[i].node]);
		tr2_buf_reset(&x->text);
		if (steps[i].span)
			tr2_export_span_name(x, &x->text, steps[i].span);
		num(&rows, text(x));
		num(&rows, steps[i].ns);
		num(&rows, steps[i].start_ns - h->origin_ns);
		close_row(&rows);
	}
	array(x, "path", &rows);
	tr2_buf_release(&rows);
	free(steps);
}

/* Add the functions of a call, the outermost first. */
static void add_call(struct tr2_export *x, struct tr2_symbols *symbols,
		     const struct tr2_model_sample *sample, uint64_t address,
		     struct tr2_buf *rows)
{
	uint32_t symbol[TR2_SYMBOLS_OF_CALL];
	unsigned int nr = tr2_symbols_of_call(symbols, sample, address, symbol);

	while (nr--)
		num(rows, string(x, tr2_s(x->m, tr2_symbol(symbols,
							   symbol[nr]).name)));
}

/* Add event, count, and the call path, the outermost call first. */
static void add_sample(struct tr2_export *x, struct tr2_symbols *symbols,
		       const struct tr2_model_sample *sample,
		       struct tr2_buf *rows)
{
	uint32_t i;

	open_row(rows);
	num(rows, string(x, tr2_s(x->m, sample->event)));
	tr2_buf_add_u64(rows, sample->count);
	tr2_buf_addch(rows, ',');
	for (i = sample->nr_calls; i-- > 0;)
		add_call(x, symbols, sample,
			 x->m->calls[sample->first_call + i], rows);
	close_row(rows);
}

static void add_samples(struct tr2_export *x)
{
	struct tr2_symbols *symbols = tr2_symbols_new(x->m);
	struct tr2_buf rows = TR2_BUF_INIT;
	uint32_t i;

	for (i = 1; i < x->m->nr_samples; i++)
		if (tr2_filter_session(x->filter, x->m, x->m->samples[i].session))
			add_sample(x, symbols, &x->m->samples[i], &rows);
	array(x, "samples", &rows);
	tr2_buf_release(&rows);
	tr2_symbols_explain(symbols);
	tr2_symbols_free(symbols);
}

static void add_tail(struct tr2_export *x)
{
	struct html *h = x->state;

	tr2_buf_addstr(&h->json, h->nr_threads ? "]]]" : "]");
	array(x, "processes", &h->processes);
	array(x, "points", &h->points);
	array(x, "metrics", &h->metrics);
	add_frames(x);
	add_path(x);
	add_samples(x);
	key(&h->json, "strings");
	tr2_buf_addlit(&h->json, "[\"\"");
	step(x);
	tr2_must(!h->strings.failed);
	tr2_html_add_data(&x->sink.buf, h->strings.p, h->strings.len);
	tr2_buf_addlit(&h->json, "]}");
	step(x);
	tr2_html_close(x);
}

static bool end(struct tr2_export *x)
{
	struct html *h = x->state;

	if (!x->failed)
		add_tail(x);
	tr2_frames_release(&h->frames);
	free(h->of_node);
	free(h->of_thread);
	free(h->of_span);
	tr2_map_release(&h->numbers);
	tr2_buf_release(&h->processes);
	tr2_buf_release(&h->points);
	tr2_buf_release(&h->metrics);
	tr2_buf_release(&h->strings);
	tr2_buf_release(&h->json);
	free(h);
	return true;
}

const struct tr2_export_format tr2_export_html = {
	.begin = begin,
	.end = end,
	.node = node,
	.thread = thread,
	.span = span,
	.point = point,
	.metric = metric,
};
