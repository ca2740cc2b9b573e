/* SPDX-License-Identifier: MIT */
/* parsed_render - convert parsed events to events of the library. */
#include <string.h>

#include "common/memory.h"
#include "format/events/parsed_render.h"

/*
 * Copy the text into the buffer, with a NUL at its end. The buffer has enough
 * room and does not move.
 */
static const char *text_of(struct tr2_parsed_render *r,
			   const struct tr2_view *v)
{
	const char *copy = r->text.p + r->text.len;

	if (!v->p)
		return NULL;
	tr2_buf_add(&r->text, v->p, v->len);
	tr2_buf_addch(&r->text, '\0');
	return copy;
}

/* Return an array of pointers to the words, ended by NULL. The array is in
 * r->words. */
static const char *const *argv_of(struct tr2_parsed_render *r,
				  const struct tr2_words_view *v)
{
	size_t start = r->words.len;
	const char *word = v->p;
	uint32_t i;

	if (!v->p)
		return NULL;
	for (i = 0; i < v->nr; i++) {
		tr2_buf_add(&r->words, &word, sizeof(word));
		word += strlen(word) + 1;
	}
	word = NULL;
	tr2_buf_add(&r->words, &word, sizeof(word));
	return (const char *const *)(const void *)(r->words.p + start);
}

static uint64_t at_least_zero(int64_t value)
{
	return value == TR2_ABSENT || value < 0 ? 0 : (uint64_t)value;
}

/* Set the value of a field. T_ABS, T_REL and NESTING are in the event's
 * head. */
static void set_value(struct tr2_parsed_render *r, enum tr2_field_type type,
		      const struct tr2_parsed_value *v, struct tr2_value *out)
{
	memset(out, 0, sizeof(*out));
	switch (type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		out->s = text_of(r, &v->text);
		break;
	case TR2_T_ARGV:
		out->argv = argv_of(r, &v->words);
		break;
	case TR2_T_INT:
		out->i = v->i == TR2_ABSENT ? 0 : v->i;
		break;
	case TR2_T_SECONDS:
		out->u = at_least_zero(v->i);
		break;
	case TR2_T_UINT:
		out->u = v->u;
		break;
	case TR2_T_BOOL:
		out->u = v->b;
		break;
	case TR2_T_HISTOGRAM:
		out->histogram = v->histogram;
		break;
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
	case TR2_T_NESTING:
		break;
	}
}

/* Reserve memory for all texts and pointers to words. */
static void make_room(struct tr2_parsed_render *r,
		      const struct tr2_parsed_event *ev)
{
	const struct tr2_field *field = tr2_event_rows[ev->kind].field;
	size_t text = ev->file.len + 1, words = 0, i;

	for (i = 0; *field[i].name; i++)
		if (field[i].type == TR2_T_ARGV)
			words += ev->value[i].words.nr + 1u;
		else if (field[i].type == TR2_T_STR ||
			 field[i].type == TR2_T_JSON)
			text += ev->value[i].text.len + 1;
	tr2_buf_reset(&r->text);
	tr2_buf_reset(&r->words);
	tr2_buf_reset(&r->head);
	tr2_buf_reset(&r->perf_head);
	tr2_must(tr2_buf_room(&r->text, text) &&
		 tr2_buf_room(&r->words, words * sizeof(char *)));
}

static void set_who(struct tr2_parsed_render *r, const struct tr2_model *m,
		    const struct tr2_parsed_event *ev)
{
	const struct tr2_model_session *s = &m->sessions[ev->session];

	r->emitter.thread_name = tr2_s(m, m->threads[ev->thread].name);
	tr2_render_json_head(&r->head, s->sid, r->emitter.thread_name);
	tr2_render_perf_head(&r->perf_head, s->depth, r->emitter.thread_name);
	r->emitter.json_head = r->head.p;
	r->emitter.json_head_len = r->head.len;
	r->emitter.perf_head = r->perf_head.p;
	r->emitter.perf_head_len = r->perf_head.len;
}

void tr2_parsed_render_set(struct tr2_parsed_render *r,
			   const struct tr2_model *m,
			   const struct tr2_parsed_event *ev,
			   unsigned int nesting)
{
	const struct tr2_field *field = tr2_event_rows[ev->kind].field;
	const struct tr2_model_session *s = &m->sessions[ev->session];
	struct tr2_view none = { "", 0 };
	size_t i;

	make_room(r, ev);
	for (i = 0; *field[i].name; i++)
		set_value(r, field[i].type, &ev->value[i], &r->values[i]);
	set_who(r, m, ev);
	r->event = (struct tr2_event){
		.kind = (enum tr2_event_kind)ev->kind,
		.v = r->values,
		.emitter = &r->emitter,
		.file = text_of(r, ev->file.p ? &ev->file : &none),
		.line = (int)at_least_zero(ev->line),
		.repo_id = ev->repo ? (int)at_least_zero(ev->repo) :
				      TR2_REPO_UNDEFINED,
		.nesting = nesting,
		.wall_us = at_least_zero(ev->wall_us),
		.t_abs_ns = at_least_zero(ev->t_abs),
		.t_rel_ns = at_least_zero(ev->t_rel),
	};
	if (ev->wall_us == TR2_ABSENT)
		r->event.wall_us =
			at_least_zero((s->wall_ns + s->now_ns) / 1000);
	/* Compute an absent t_abs: in JSON, region_enter has none. */
	if (ev->t_abs == TR2_ABSENT)
		r->event.t_abs_ns = at_least_zero(
			(int64_t)r->event.wall_us * 1000 - s->wall_ns);
	tr2_must(!r->text.failed && !r->words.failed && !r->head.failed &&
		 !r->perf_head.failed);
}

void tr2_parsed_render_release(struct tr2_parsed_render *r)
{
	tr2_buf_release(&r->text);
	tr2_buf_release(&r->words);
	tr2_render_release(&r->render);
	tr2_buf_release(&r->head);
	tr2_buf_release(&r->perf_head);
}
