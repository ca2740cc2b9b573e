/* SPDX-License-Identifier: MIT */
/*
 * The event target: one JSON object a line. Room is asked for once for each
 * string and once for the rest, and keys are copied in one piece: this is the
 * hottest code that is not a system call.
 */
#include "base/put.h"
#include "event/render_internal.h"

/* More than any number, time or key takes, with the slack of tr2_put_key(). */
#define SCALAR_ROOM 64

void tr2_render_json_head(struct tr2_buf *b, const char *sid,
			  const char *thread_name)
{
	tr2_buf_addlit(b, ",\"sid\":");
	tr2_json_add_string(b, sid);
	tr2_buf_addlit(b, ",\"thread\":");
	tr2_json_add_string(b, thread_name);
}

static char *cursor(const struct tr2_buf *b)
{
	return b->p + b->len;
}

static void move_to(struct tr2_buf *b, const char *p)
{
	b->len = (size_t)(p - b->p);
}

/* The rest of a string whose quote was opened. */
static void add_body(struct tr2_render *r, const char *s)
{
	struct tr2_buf *b = &r->line;
	unsigned int found;
	size_t len;

	s = s ? s : "";
	len = strlen(s);
	found = tr2_text_classify(s, len);
	if (found & TR2_TEXT_MARK)
		s = tr2_render_shown(r, s, &len);
	if (found & (TR2_TEXT_CONTROL | TR2_TEXT_JSON)) {
		tr2_json_add_escaped(b, s, len);
		tr2_buf_addch(b, '"');
		return;
	}
	if (!tr2_buf_room(b, len + 1))
		return;
	memcpy(cursor(b), s, len);
	b->len += len;
	b->p[b->len++] = '"';
}

static void add_argv(struct tr2_render *r, const char *const *argv)
{
	const char *const *word;

	tr2_buf_addch(&r->line, '[');
	for (word = argv; word && *word; word++) {
		tr2_buf_addstr(&r->line, word == argv ? "\"" : ",\"");
		add_body(r, *word);
	}
	tr2_buf_addch(&r->line, ']');
}

static void add_histogram(struct tr2_buf *b, const struct tr2_histogram *h)
{
	unsigned int i;

	tr2_buf_addch(b, '[');
	for (i = 0; h && i < h->nr; i++) {
		tr2_buf_addstr(b, i ? ",[" : "[");
		tr2_buf_add_seconds9(b, h->bucket[i].upper_ns);
		tr2_buf_addch(b, ',');
		tr2_buf_add_u64(b, h->bucket[i].count);
		tr2_buf_addch(b, ']');
	}
	tr2_buf_addch(b, ']');
}

static void add_json(struct tr2_render *r, const char *s)
{
	size_t len;

	s = s ? s : "";
	len = strlen(s);
	s = tr2_render_shown(r, s, &len);
	tr2_json_add_text(&r->line, s, len);
}

/* Numbers and the like, for which there is room. NULL: it is no such type. */
static char *put_scalar(char *p, const struct tr2_event *ev,
			enum tr2_field_type type, const struct tr2_value *v)
{
	switch (type) {
	case TR2_T_INT:
		return tr2_put_i64(p, v->i);
	case TR2_T_UINT:
		return tr2_put_u64(p, v->u);
	case TR2_T_BOOL:
		return v->u ? tr2_put_lit(p, "true") : tr2_put_lit(p, "false");
	case TR2_T_SECONDS:
		return tr2_put_seconds(p, v->u);
	case TR2_T_T_ABS:
		return tr2_put_seconds(p, ev->t_abs_ns);
	case TR2_T_T_REL:
		return tr2_put_seconds(p, ev->t_rel_ns);
	case TR2_T_NESTING:
		return tr2_put_u64(p, ev->nesting);
	default:
		return NULL;
	}
}

static void add_field(struct tr2_render *r, const struct tr2_event *ev,
		      const struct tr2_field *f, const struct tr2_value *v)
{
	struct tr2_buf *b = &r->line;
	char *p;

	if (!tr2_buf_room(b, SCALAR_ROOM))
		return;
	p = tr2_put_key(cursor(b), &f->json);
	move_to(b, p);
	if (f->type == TR2_T_STR) {
		add_body(r, v->s);
		return;
	}
	p = put_scalar(p, ev, f->type, v);
	if (p)
		move_to(b, p);
	else if (f->type == TR2_T_ARGV)
		add_argv(r, v->argv);
	else if (f->type == TR2_T_JSON)
		add_json(r, v->s);
	else
		add_histogram(b, v->histogram);
}

static void add_place(struct tr2_render *r, const struct tr2_event *ev)
{
	struct tr2_buf *b = &r->line;
	const char *file = ev->file ? ev->file : "";
	size_t len = strlen(file);
	char *p;

	tr2_buf_addlit(b, ",\"file\":\"");
	if (tr2_text_classify(file, len) & (TR2_TEXT_CONTROL | TR2_TEXT_JSON))
		tr2_json_add_escaped(b, file, len);
	else
		tr2_buf_add(b, file, len);
	if (!tr2_buf_room(b, SCALAR_ROOM))
		return;
	p = tr2_put_lit(cursor(b), "\",\"line\":");
	move_to(b, tr2_put_i64(p, ev->line));
}

static void add_head(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];
	size_t head_len = ev->who->json_head_len;
	struct tr2_buf *b = &r->line;
	char *p;

	if (!tr2_buf_room(b, head_len + 3 * SCALAR_ROOM))
		return;
	p = tr2_put_key(cursor(b), &row->json);
	p = tr2_put(p, ev->who->json_head, head_len);
	if (!brief || (row->flags & TR2_E_KEEP_TIME)) {
		p = tr2_put_lit(p, ",\"time\":\"");
		p = tr2_render_put_utc(p, r, ev->wall_us);
		*p++ = '"';
	}
	move_to(b, p);
	if (!brief)
		add_place(r, ev);
	if (ev->repo_id > 0) {
		tr2_buf_addlit(b, ",\"repo\":");
		tr2_buf_add_i64(b, ev->repo_id);
	}
}

void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief)
{
	const struct tr2_field *f = tr2_event_rows[ev->kind].field;
	unsigned int i;

	tr2_buf_reset(&r->line);
	add_head(r, ev, brief);
	for (i = 0; f[i].name; i++)
		if (!(f[i].flags & TR2_F_TEXT_ONLY) && tr2_event_has(ev, i))
			add_field(r, ev, &f[i], &ev->v[i]);
	tr2_buf_addlit(&r->line, "}\n");
}
