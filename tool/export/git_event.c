/* SPDX-License-Identifier: MIT */
/*
 * git-event - Git's event JSON again, one line an event in the order of time,
 * from whatever was read. Every line begins with event, sid, thread and time
 * and has the rest of its members in the order in which they came, so that
 * what consumers rely on holds for brief streams and streams of others, too.
 */
#include <stdlib.h>
#include <string.h>

#include "common/say.h"
#include "common/words.h"
#include "event/redact.h"
#include "export/export.h"
#include "model/filter.h"
#include "common/options.h"
#include "read/json.h"
#include "read/parsed_render.h"
#include "read/perf_text.h"

struct git_event {
	struct tr2_json *json;
	struct tr2_perf_reader *perf;
	struct tr2_parsed_render render;
	struct tr2_buf line;
	uint16_t *open; /* regions of each thread */
	/* Of the line at hand. */
	struct tr2_export *x;
	const struct tr2_line *at;
	bool secret; /* its param or key is called so */
};

static bool begin(struct tr2_export *x)
{
	struct git_event *g = calloc(1, sizeof(*g));

	x->state = g;
	if (g) {
		g->x = x;
		g->json = tr2_json_new();
		g->perf = tr2_perf_reader_new(x->m, NULL, NULL);
		g->open = calloc(x->m->nr_threads, sizeof(*g->open));
		g->render.render.redact = x->opt->redact;
	}
	if (!g || !g->json || !g->perf || !g->open) {
		tr2_error("out of memory");
		return false;
	}
	tr2_render_prepare();
	return true;
}

/* ---- lines of JSON --------------------------------------------------------------------- */

static bool is(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(key, name, len);
}

static const char *terminated(struct tr2_export *x, const struct tr2_view *v)
{
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, v->p, v->len);
	return tr2_buf_str(&x->text);
}

static bool is_secret(struct git_event *g, const struct tr2_view *name)
{
	return tr2_export_is_secret(g->x, terminated(g->x, name));
}

static void add_words(struct tr2_export *x, struct tr2_buf *b,
		      const struct tr2_json_value *v)
{
	struct tr2_words words = { v->text.p, v->nr };

	tr2_export_add_words(x, b, &words);
}

/* Decimals are seconds, with 6 digits behind the point. */
static void add_decimal(struct tr2_buf *b, const struct tr2_json_value *v)
{
	if (v->ns == TR2_ABSENT || v->ns < 0)
		tr2_buf_add(b, v->text.p, v->text.len);
	else
		tr2_buf_add_seconds(b, (uint64_t)v->ns, 0);
}

static void add_value(struct git_event *g, const struct tr2_json_value *v,
		      bool secret)
{
	struct tr2_export *x = g->x;
	struct tr2_buf *b = &x->sink.buf;

	switch (v->type) {
	case TR2_JSON_STRING:
		if (secret && v->text.len)
			tr2_json_add_string(b, TR2_REDACTED);
		else
			tr2_export_add_str(x, b, terminated(x, &v->text));
		break;
	case TR2_JSON_INT:
	case TR2_JSON_UINT:
	case TR2_JSON_BOOL:
		tr2_json_add_scalar(b, v);
		break;
	case TR2_JSON_NULL:
		tr2_buf_addlit(b, "null");
		break;
	case TR2_JSON_WORDS:
		add_words(x, b, v);
		break;
	case TR2_JSON_DECIMAL:
		add_decimal(b, v);
		break;
	case TR2_JSON_RAW:
		tr2_export_add_json(x, b, terminated(x, &v->text));
		break;
	}
}

/* The members that stand first, whatever the order was. */
static void add_head(struct git_event *g, const char *event, size_t len)
{
	const struct tr2_model *m = g->x->m;
	struct tr2_buf *b = &g->x->sink.buf;

	tr2_buf_addlit(b, "{\"event\":\"");
	tr2_json_add_escaped(b, event, len);
	tr2_buf_addlit(b, "\",\"sid\":");
	tr2_export_add_str(g->x, b, m->sessions[g->at->session].sid);
	tr2_buf_addlit(b, ",\"thread\":");
	tr2_export_add_str(g->x, b, tr2_s(m, m->threads[g->at->thread].name));
	tr2_buf_addlit(b, ",\"time\":\"");
	tr2_render_time_utc(b, g->at->at_ns < 0 ? 0 :
			    (uint64_t)g->at->at_ns / 1000);
	tr2_buf_addch(b, '"');
}

static void on_event_name(void *data, const char *key, size_t len,
			  const struct tr2_json_value *v)
{
	struct git_event *g = data;

	if (is(key, len, "event") && v->type == TR2_JSON_STRING)
		add_head(g, v->text.p, v->text.len);
	if ((is(key, len, "param") || is(key, len, "key")) &&
	    v->type == TR2_JSON_STRING)
		g->secret = is_secret(g, &v->text);
}

static void on_member(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	struct git_event *g = data;
	struct tr2_buf *b = &g->x->sink.buf;

	if (is(key, len, "event") || is(key, len, "sid") ||
	    is(key, len, "thread") || is(key, len, "time"))
		return;
	tr2_buf_addlit(b, ",\"");
	tr2_json_add_escaped(b, key, len);
	tr2_buf_addlit(b, "\":");
	add_value(g, v, g->secret && is(key, len, "value"));
}

static void print_json(struct git_event *g, const char *text, size_t len)
{
	size_t start = g->x->sink.buf.len;

	g->secret = false;
	if (tr2_json_object(g->json, text, len, on_event_name, g) !=
		    TR2_JSON_OK ||
	    g->x->sink.buf.len == start) {
		g->x->sink.buf.len = start;
		return;
	}
	tr2_json_object(g->json, text, len, on_member, g);
	tr2_buf_addlit(&g->x->sink.buf, "}\n");
}

/* ---- lines of perf text ------------------------------------------------------------------- */

static unsigned int nesting_at(uint16_t *open, const struct tr2_parsed_event *ev)
{
	unsigned int nesting;

	if (ev->kind == TR2_EV_region_leave && *open)
		--*open;
	nesting = *open + 1u;
	if (ev->kind == TR2_EV_region_enter && *open < UINT16_MAX)
		++*open;
	return nesting;
}

static void hide_secret(struct git_event *g, struct tr2_parsed_event *ev)
{
	struct tr2_view name = tr2_parsed_text(ev, "param");
	int value = tr2_field_find(ev->kind, "value", 5);

	if (!name.p)
		name = tr2_parsed_text(ev, "key");
	if (!name.p || value < 0 || !ev->value[value].text.p ||
	    !is_secret(g, &name))
		return;
	ev->value[value].text =
		(struct tr2_view){ TR2_REDACTED, sizeof(TR2_REDACTED) - 1 };
}

/* Lines that are not wanted are read, too: what is open depends on them. */
static void print_perf(struct git_event *g, const char *text, size_t len,
		       bool shown)
{
	struct tr2_parsed_event ev;
	uint16_t *open = &g->open[g->at->thread];
	unsigned int nesting;

	if (!tr2_perf_reader_parse(g->perf, text, len, *open, &ev) ||
	    ev.kind < 0)
		return;
	nesting = nesting_at(open, &ev);
	if (!shown)
		return;
	hide_secret(g, &ev);
	ev.session = g->at->session;
	ev.thread = g->at->thread;
	ev.raw = (struct tr2_view){ text, len };
	if (ev.wall_us == TR2_ABSENT)
		ev.wall_us = g->at->at_ns / 1000;
	if (!tr2_parsed_render_set(&g->render, g->x->m, &ev, nesting))
		return;
	tr2_render_event(&g->render.render, &g->render.event, false);
	tr2_buf_add(&g->x->sink.buf, g->render.render.line.p,
		    g->render.render.line.len);
}

/* ---- the walk ------------------------------------------------------------------------------ */

static bool wanted(const struct tr2_model *m, const struct tr2_line *line)
{
	return line->at_ns >= tr2_common.since_ns &&
	       line->at_ns <= tr2_common.until_ns &&
	       tr2_filter_session(m, line->session) &&
	       (!line->span || tr2_filter_span(m, line->span));
}

static void print_line(struct git_event *g, const struct tr2_line *line)
{
	bool perf = g->x->m->sessions[line->session].flags & TR2_SESSION_PERF;
	bool shown = wanted(g->x->m, line);

	if (!shown && !perf)
		return;
	g->at = line;
	tr2_buf_reset(&g->line);
	tr2_buf_add(&g->line, line->text, line->len);
	tr2_buf_addchars(&g->line, '\n', TR2_JSON_PADDING + 8);
	if (g->line.failed)
		g->x->sink.buf.failed = true;
	else if (perf)
		print_perf(g, g->line.p, line->len, shown);
	else
		print_json(g, g->line.p, line->len);
}

static bool end(struct tr2_export *x)
{
	struct git_event *g = x->state;
	uint32_t i;

	if (!g)
		return true;
	for (i = 0; i < x->m->nr_lines && !x->failed && !x->sink.failed; i++) {
		print_line(g, &x->m->lines[i]);
		tr2_sink_step(&x->sink);
	}
	tr2_json_free(g->json);
	tr2_perf_reader_free(g->perf);
	tr2_parsed_render_release(&g->render);
	tr2_buf_release(&g->line);
	free(g->open);
	free(g);
	return true;
}

const struct tr2_export_format tr2_export_git_event = {
	.name = "git-event",
	.flags = TR2_EXPORT_LINES,
	.begin = begin,
	.end = end,
};
