/* SPDX-License-Identifier: MIT */
/* The normal and the perf target: a prefix or columns, then a template. */
#include "base/put.h"
#include "event/render_internal.h"
#include "event/template.h"

#define NORMAL_COLUMN 50
#define PERF_FILE_WIDTH 28
#define PERF_FILE_TAIL 25
#define PERF_THREAD_WIDTH 24
#define PERF_EVENT_WIDTH 12
#define PERF_CATEGORY_WIDTH 12
#define PERF_TIME_WIDTH 9

static void add_text(struct tr2_render *r, const char *s)
{
	unsigned int found;
	size_t len;

	s = s ? s : "";
	len = strlen(s);
	found = tr2_text_classify(s, len);
	if (found & TR2_TEXT_MARK)
		s = tr2_render_shown(r, s, &len);
	if (found & TR2_TEXT_CONTROL)
		tr2_text_add(&r->line, s, len);
	else
		tr2_buf_add(&r->line, s, len);
}

static void add_word(struct tr2_render *r, const char *s)
{
	size_t len;

	s = s ? s : "";
	len = strlen(s);
	s = tr2_render_shown(r, s, &len);
	if (s == r->redacted.p)
		s = tr2_buf_str(&r->redacted);
	tr2_quote_add_word(&r->line, s);
}

static void add_words(struct tr2_render *r, const char *const *argv,
		      const char *between, bool quoted)
{
	const char *const *word;

	for (word = argv; word && *word; word++) {
		if (word != argv)
			tr2_buf_addstr(&r->line, between);
		if (quoted)
			add_word(r, *word);
		else
			add_text(r, *word);
	}
}

static void add_text_value(struct tr2_render *r, const struct tr2_event *ev,
			   const struct tr2_op *op)
{
	const struct tr2_field *f = &tr2_event_rows[ev->kind].field[op->field];
	const struct tr2_value *v = &ev->v[op->field];

	switch (f->type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		if (op->kind == TR2_OP_QUOTED)
			add_word(r, v->s);
		else
			add_text(r, v->s);
		return;
	case TR2_T_INT:
		tr2_buf_add_i64(&r->line, v->i);
		return;
	case TR2_T_UINT:
	case TR2_T_BOOL:
		tr2_buf_add_u64(&r->line, v->u);
		return;
	case TR2_T_SECONDS:
		tr2_buf_add_seconds(&r->line, v->u,
				    op->kind == TR2_OP_WIDE ? 8 : 0);
		return;
	case TR2_T_ARGV:
		if (op->kind == TR2_OP_ARROWS)
			add_words(r, v->argv, " <- ", false);
		else
			add_words(r, v->argv, " ", true);
		return;
	case TR2_T_T_ABS:
		tr2_buf_add_seconds(&r->line, ev->t_abs_ns, 0);
		return;
	case TR2_T_T_REL:
		tr2_buf_add_seconds(&r->line, ev->t_rel_ns, 0);
		return;
	case TR2_T_NESTING:
		tr2_buf_add_u64(&r->line, ev->nesting);
		return;
	case TR2_T_HISTOGRAM:
		return;
	}
}

static void add_template(struct tr2_render *r, const struct tr2_event *ev,
			 const struct tr2_op *op)
{
	for (; op && op->kind != TR2_OP_END; op++) {
		if (op->kind == TR2_OP_TEXT)
			tr2_buf_add(&r->line, op->text, op->len);
		else if (op->kind != TR2_OP_IF)
			add_text_value(r, ev, op);
		else if (!tr2_event_has(ev, op->field))
			op += op->len;
	}
}

static void pad_to(struct tr2_buf *b, size_t start, size_t width)
{
	if (b->len - start < width)
		tr2_buf_addchars(b, ' ', width - (b->len - start));
}

/* Cuts and pads what was added since start to exactly width bytes. */
static void fit_column(struct tr2_buf *b, size_t start, size_t width)
{
	if (b->len - start > width)
		b->len = start +
			 tr2_utf8_cut(b->p + start, b->len - start, width);
	pad_to(b, start, width);
}

static void add_time(struct tr2_render *r, const struct tr2_event *ev)
{
	struct tr2_buf *b = &r->line;
	char *p;

	if (!tr2_buf_room(b, TR2_LOCAL_LEN + 1))
		return;
	p = tr2_render_put_local(b->p + b->len, r, ev->wall_us);
	*p++ = ' ';
	b->len = (size_t)(p - b->p);
}

static void add_place(struct tr2_render *r, const struct tr2_event *ev)
{
	const char *file = ev->file ? ev->file : "";

	tr2_text_add(&r->line, file, strlen(file));
	tr2_buf_addch(&r->line, ':');
	tr2_buf_add_i64(&r->line, ev->line);
}

void tr2_render_normal(struct tr2_render *r, const struct tr2_event *ev,
		       bool brief)
{
	tr2_buf_reset(&r->line);
	if (!brief) {
		add_time(r, ev);
		add_place(r, ev);
		tr2_buf_addch(&r->line, ' ');
		pad_to(&r->line, 0, NORMAL_COLUMN);
	}
	add_template(r, ev, tr2_templates[ev->kind].normal);
	tr2_buf_addch(&r->line, '\n');
}

static void add_perf_place(struct tr2_render *r, const struct tr2_event *ev)
{
	struct tr2_buf *b = &r->line;
	size_t start = b->len, len;

	add_place(r, ev);
	len = b->len - start;
	if (len > PERF_FILE_WIDTH && !b->failed) {
		memmove(b->p + start + 3, b->p + b->len - PERF_FILE_TAIL,
			PERF_FILE_TAIL);
		memcpy(b->p + start, "...", 3);
		b->len = start + PERF_FILE_WIDTH;
	}
	pad_to(b, start, PERF_FILE_WIDTH);
}

#define SEPARATOR " | "

void tr2_render_perf_head(struct tr2_buf *b, unsigned int depth,
			  const char *thread_name)
{
	size_t start;

	tr2_buf_addch(b, 'd');
	tr2_buf_add_u64(b, depth);
	tr2_buf_addlit(b, SEPARATOR);
	start = b->len;
	tr2_text_add(b, thread_name, strlen(thread_name));
	pad_to(b, start, PERF_THREAD_WIDTH);
	tr2_buf_addlit(b, SEPARATOR);
}

/* For which there is room. */
static char *put_column(char *p, const char *s, size_t len, size_t width)
{
	memset(p, ' ', width);
	memcpy(p, s, len);
	return tr2_put_lit(p + (len > width ? len : width), SEPARATOR);
}

static char *put_time_column(char *p, bool wanted, uint64_t ns)
{
	char text[TR2_KEY_MAX];
	size_t len = 0, pad;

	if (wanted)
		len = (size_t)(tr2_put_seconds(text, ns) - text);
	pad = len < PERF_TIME_WIDTH ? PERF_TIME_WIDTH - len : 0;
	memset(p, ' ', PERF_TIME_WIDTH);
	memcpy(p + pad, text, len);
	return tr2_put_lit(p + pad + len, SEPARATOR);
}

/* From the thread to t_rel, with the separator behind it. */
static void add_perf_columns(struct tr2_render *r, const struct tr2_event *ev)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];
	struct tr2_buf *b = &r->line;
	char repo[TR2_KEY_MAX] = "r", *p;
	size_t repo_len = 0;

	if (ev->repo_id > 0)
		repo_len = (size_t)(tr2_put_u64(repo + 1,
						(uint64_t)ev->repo_id) -
				    repo);
	if (!tr2_buf_room(b, ev->who->perf_head_len + 128))
		return;
	p = tr2_put(b->p + b->len, ev->who->perf_head, ev->who->perf_head_len);
	p = put_column(p, row->name, strlen(row->name), PERF_EVENT_WIDTH);
	p = put_column(p, repo, repo_len, 3);
	p = put_time_column(p, row->flags & TR2_E_T_ABS, ev->t_abs_ns);
	p = put_time_column(p, row->flags & TR2_E_T_REL, ev->t_rel_ns);
	b->len = (size_t)(p - b->p);
}

void tr2_render_perf(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief)
{
	const struct tr2_templates *t = &tr2_templates[ev->kind];
	struct tr2_buf *b = &r->line;
	unsigned int open;
	size_t start;

	tr2_buf_reset(b);
	if (!brief) {
		add_time(r, ev);
		add_perf_place(r, ev);
		tr2_buf_addlit(b, SEPARATOR);
	}
	add_perf_columns(r, ev);
	start = b->len;
	add_template(r, ev, t->perf_category);
	if (!b->failed)
		fit_column(b, start, PERF_CATEGORY_WIDTH);
	tr2_buf_addlit(b, SEPARATOR);
	for (open = 1; open < ev->nesting; open++)
		tr2_buf_addlit(b, "..");
	add_template(r, ev, t->perf_message);
	tr2_buf_addch(b, '\n');
}
