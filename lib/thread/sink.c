/* SPDX-License-Identifier: MIT */
/* Make the public structure of an event, and call the sink with it. */
#include "thread/sink.h"

#include <errno.h>

#include "base/lock.h"
#include "event/render_internal.h"

#define MAX_WORDS 62

/* The public event. Redacted strings are in the thread's line, which may move
 * while it grows: until the line is complete, such strings are offsets. */
struct shown {
	struct trace2_event ev;
	struct trace2_event_field fields[TR2_MAX_FIELDS];
	const char *words[MAX_WORDS + 1];
	uint64_t moved_fields, moved_words; /* bit i is set: entry i is an
					     * offset */
};

/* Return s if the renderers show it unchanged, else the offset of a copy.
 * shown: the renderers' text for s. */
static const char *copy_unless_same(struct tr2_render *r, const char *s,
				    const char *shown, size_t len,
				    uint64_t *moved, unsigned int i)
{
	size_t at = r->line.len;

	if (shown == s && !s[len])
		return s;
	tr2_buf_add(&r->line, shown, len);
	tr2_buf_addch(&r->line, '\0');
	*moved |= UINT64_C(1) << i;
	return (const char *)at;
}

static void show_words(struct shown *shown, struct tr2_render *r,
		       const char *const *argv)
{
	const char *word;
	unsigned int i;
	size_t len;

	for (i = 0; argv[i] && i < MAX_WORDS; i++) {
		word = tr2_render_word(r, argv, argv + i, &len);
		shown->words[i] = copy_unless_same(r, argv[i], word, len,
						   &shown->moved_words, i);
	}
	shown->words[i] = NULL;
}

static bool is_left_out(const struct tr2_field *f, const struct tr2_value *v)
{
	switch (f->type) {
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
	case TR2_T_NESTING:
	case TR2_T_HISTOGRAM:
		return true;
	case TR2_T_STR:
	case TR2_T_JSON:
	case TR2_T_ARGV:
		return !v->s;
	default:
		return f->flags & TR2_F_OPT && !v->u;
	}
}

static enum trace2_field_type type_of(enum tr2_field_type type)
{
	switch (type) {
	case TR2_T_STR:
		return TRACE2_FIELD_STRING;
	case TR2_T_JSON:
		return TRACE2_FIELD_JSON;
	case TR2_T_ARGV:
		return TRACE2_FIELD_WORDS;
	case TR2_T_UINT:
		return TRACE2_FIELD_UINT;
	case TR2_T_BOOL:
		return TRACE2_FIELD_BOOL;
	case TR2_T_SECONDS:
		return TRACE2_FIELD_NS;
	default:
		return TRACE2_FIELD_INT;
	}
}

static void show_field(struct shown *shown, struct tr2_render *r,
		       const struct tr2_field *f, const struct tr2_value *v)
{
	unsigned int i = shown->ev.nr_fields++;
	struct trace2_event_field *to = &shown->fields[i];
	const char *s;
	size_t len;

	to->name = f->name;
	to->type = type_of(f->type);
	switch (to->type) {
	case TRACE2_FIELD_STRING:
	case TRACE2_FIELD_JSON:
		len = strlen(v->s);
		s = tr2_render_shown(r, v->s, &len);
		to->value.string = copy_unless_same(r, v->s, s, len,
						    &shown->moved_fields, i);
		return;
	case TRACE2_FIELD_WORDS:
		show_words(shown, r, v->argv);
		to->value.words = shown->words;
		return;
	default:
		to->value.unsigned_number = v->u;
	}
}

static void resolve_fields(struct shown *shown, const char *line)
{
	unsigned int i;

	for (i = 0; i < shown->ev.nr_fields; i++)
		if (shown->moved_fields >> i & 1)
			shown->fields[i].value.string =
				line + (size_t)shown->fields[i].value.string;
	for (i = 0; i < MAX_WORDS; i++)
		if (shown->moved_words >> i & 1)
			shown->words[i] = line + (size_t)shown->words[i];
}

/* Show the event's fields in the line. false: no memory. */
static bool show_line(struct shown *shown, struct tr2_render *r,
		      const struct tr2_event *ev)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];
	const struct tr2_field *f = row->field;
	unsigned int i;

	tr2_buf_reset(&r->line);
	shown->moved_fields = shown->moved_words = 0;
	shown->ev = (struct trace2_event){
		.name = row->name,
		.sid = tr2_stream.sid,
		.thread = ev->emitter->thread_name,
		.file = ev->file,
		.line = ev->line,
		.repo_id = (int)tr2_event_shown_repo(ev),
		.nesting = ev->nesting,
		.wall_us = ev->wall_us,
		.t_abs_ns = ev->t_abs_ns,
		.fields = shown->fields,
	};
	for (i = 0; *f[i].name; i++) {
		if (f[i].type == TR2_T_T_REL)
			shown->ev.t_rel_ns = ev->t_rel_ns;
		if (!is_left_out(&f[i], &ev->v[i]))
			show_field(shown, r, &f[i], &ev->v[i]);
	}
	resolve_fields(shown, r->line.p);
	return !r->line.failed;
}

void tr2_sink_call(struct tr2_call *call, const struct tr2_event *ev)
{
	struct tr2_thread *thread = call->thread;
	int saved_errno = errno, cancel_state;
	struct shown shown;

	if (ev->kind == TR2_EV_signal || tr2_lock_is_mine() ||
	    thread->in_sink == TR2_EXIT_IN_SINK)
		return;
	if (!show_line(&shown, &thread->render, ev)) {
		tr2_stream_lost();
		return;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	thread->in_sink = thread->busy;
	tr2_stream.sink(&shown.ev, tr2_stream.sink_data);
	thread->in_sink = 0;
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}
