/* SPDX-License-Identifier: MIT */
/*
 * git_event - implements export/git_event.h, and the export format of that
 * name: all selected events in the order of time.
 */
#include "export/git_event.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/say.h"
#include "common/words.h"
#include "event/redact.h"
#include "format/events/event_json.h"
#include "format/events/json.h"
#include "format/events/parsed_render.h"
#include "format/events/utf8.h"
#include "model/filter.h"
#include "read/reread.h"

struct tr2_git_event {
	struct tr2_export *x;
	struct tr2_json *json;
	struct tr2_reread *reread;
	struct tr2_parsed_render render;
	struct tr2_buf text, repaired;
	/* The members below are about the current line. */
	const struct tr2_line *at;
	bool secret; /* the value may be secret: the name of the param or data
		      * decides */
	bool begun;
};

struct tr2_git_event *tr2_git_event_new(struct tr2_export *x)
{
	struct tr2_git_event *g = tr2_calloc(1, sizeof(*g));

	g->x = x;
	g->json = tr2_json_new();
	g->reread = tr2_reread_new(x->m);
	g->render.render.redact = x->opt->redact;
	return g;
}

void tr2_git_event_free(struct tr2_git_event *g)
{
	if (!g)
		return;
	tr2_json_free(g->json);
	tr2_reread_free(g->reread);
	tr2_parsed_render_release(&g->render);
	tr2_buf_release(&g->text);
	tr2_buf_release(&g->repaired);
	free(g);
}

static inline bool is_key(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(key, name, len);
}

static const char *terminated(struct tr2_export *x, const struct tr2_view *v)
{
	tr2_buf_reset(&x->text);
	tr2_buf_add(&x->text, v->p, v->len);
	return tr2_buf_str(&x->text);
}

static bool is_secret(struct tr2_git_event *g, const struct tr2_view *name)
{
	return tr2_export_is_secret(g->x, terminated(g->x, name));
}

static void add_words(struct tr2_export *x, struct tr2_buf *b,
		      const struct tr2_json_value *v)
{
	struct tr2_words words = { .text = v->text.p, .nr = v->nr };

	tr2_export_add_words(x, b, &words);
}

/* Append a decimal number of seconds, with 6 digits after the point. */
static void add_decimal(struct tr2_buf *b, const struct tr2_json_value *v)
{
	struct tr2_view text;

	if (v->ns == TR2_ABSENT || v->ns < 0) {
		text = tr2_json_source(v);
		tr2_buf_add(b, text.p, text.len);
	} else {
		tr2_buf_add_seconds(b, (uint64_t)v->ns, 0);
	}
}

static void add_value(struct tr2_git_event *g, const struct tr2_json_value *v,
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

/* Write the members that come first, in a fixed order. */
static void add_head(struct tr2_git_event *g, const char *event, size_t len)
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
	struct tr2_git_event *g = data;

	if (is_key(key, len, "event") && v->type == TR2_JSON_STRING &&
	    !g->begun) {
		add_head(g, v->text.p, v->text.len);
		g->begun = true;
	}
	if ((is_key(key, len, "param") || is_key(key, len, "key")) &&
	    v->type == TR2_JSON_STRING)
		g->secret = is_secret(g, &v->text);
}

static void on_member(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	struct tr2_git_event *g = data;
	struct tr2_buf *b = &g->x->sink.buf;

	if (is_key(key, len, "event") || is_key(key, len, "sid") ||
	    is_key(key, len, "thread") || is_key(key, len, "time"))
		return;
	tr2_buf_addlit(b, ",\"");
	tr2_json_add_escaped(b, key, len);
	tr2_buf_addlit(b, "\":");
	add_value(g, v, g->secret && is_key(key, len, "value"));
}

/* Append the object. Append nothing if the result is not TR2_JSON_OK. */
static enum tr2_json_result add_object(struct tr2_git_event *g,
				       const char *text, size_t len)
{
	enum tr2_json_result result;

	g->secret = g->begun = false;
	result = tr2_json_object(g->json, text, len, on_event_name, g);
	if (g->begun) {
		tr2_json_object(g->json, text, len, on_member, g);
		tr2_buf_addlit(&g->x->sink.buf, "}\n");
	}
	return result;
}

static void add_json_line(struct tr2_git_event *g)
{
	const struct tr2_line *line = g->at;
	struct tr2_buf *fixed = &g->repaired;

	tr2_buf_reset(&g->text);
	tr2_buf_add(&g->text, line->text, line->len);
	tr2_buf_addchars(&g->text, '\n', TR2_JSON_PADDING + 8);
	tr2_must(!g->text.failed);
	if (add_object(g, g->text.p, line->len) != TR2_JSON_UTF8)
		return;
	tr2_utf8_repair(fixed, g->text.p, line->len, TR2_JSON_PADDING + 8);
	add_object(g, fixed->p, fixed->len);
}

static void hide_secret(struct tr2_git_event *g, struct tr2_parsed_event *ev)
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

static void add_perf_line(struct tr2_git_event *g)
{
	struct tr2_render *render = &g->render.render;
	struct tr2_parsed_event ev;

	if (!tr2_reread(g->reread, g->at, &ev) || ev.kind < 0)
		return;
	hide_secret(g, &ev);
	tr2_parsed_render_set(&g->render, g->x->m, &ev, g->at->nesting);
	tr2_render_event(render, &g->render.event, false);
	tr2_buf_add(&g->x->sink.buf, render->line.p, render->line.len);
}

void tr2_git_event_add(struct tr2_git_event *g, const struct tr2_line *line)
{
	g->at = line;
	if (g->x->m->sessions[line->session].flags & TR2_SESSION_PERF)
		add_perf_line(g);
	else
		add_json_line(g);
}

static bool begin_events(struct tr2_export *x)
{
	x->state = tr2_git_event_new(x);
	return true;
}

/* Count processes that only the kernel recorded: Git has no events for them. */
static void count_left_out(const struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i, nr = 0, left_out = 0;

	for (i = 1; i < m->nr_nodes; i++) {
		if (!m->nodes[i].task || !tr2_filter_node(x->filter, m, i))
			continue;
		nr++;
		left_out += !m->nodes[i].session;
	}
	if (left_out)
		tr2_warning("%u of %u processes wrote no events and are left "
			    "out: the other formats have them", left_out, nr);
}

static bool end_events(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	if (!x->failed)
		count_left_out(x);

	for (i = 0; i < m->nr_lines && !x->failed && !x->sink.failed; i++) {
		if (!tr2_filter_event(x->filter, m, &m->lines[i]))
			continue;
		tr2_git_event_add(x->state, &m->lines[i]);
		tr2_sink_step(&x->sink);
	}
	tr2_git_event_free(x->state);
	return true;
}

const struct tr2_export_format tr2_export_git_event = {
	.flags = TR2_EXPORT_LINES,
	.begin = begin_events,
	.end = end_events,
};
