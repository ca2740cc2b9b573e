/* SPDX-License-Identifier: MIT */
#include "event/render.h"

#include "base/clock.h"
#include "base/text.h"
#include "event/redact.h"
#include "event/template.h"

#define US_PER_S 1000000u
#define NORMAL_COLUMN 50
#define PERF_FILE_WIDTH 28
#define PERF_FILE_TAIL 25
#define PERF_THREAD_WIDTH 24
#define PERF_EVENT_WIDTH 12
#define PERF_CATEGORY_WIDTH 12

void tr2_render_prepare(void)
{
	tr2_templates_prepare();
}

void tr2_render_release(struct tr2_render *r)
{
	tr2_buf_release(&r->line);
	tr2_buf_release(&r->redacted);
}

static void add_civil(struct tr2_buf *b, uint64_t seconds, const char *dash,
		      const char *colon)
{
	struct tr2_civil c;

	tr2_clock_civil(&c, seconds);
	tr2_buf_add_digits(b, c.year, 4);
	tr2_buf_addstr(b, dash);
	tr2_buf_add_digits(b, c.month, 2);
	tr2_buf_addstr(b, dash);
	tr2_buf_add_digits(b, c.day, 2);
	tr2_buf_addch(b, 'T');
	tr2_buf_add_digits(b, c.hour, 2);
	tr2_buf_addstr(b, colon);
	tr2_buf_add_digits(b, c.minute, 2);
	tr2_buf_addstr(b, colon);
	tr2_buf_add_digits(b, c.second, 2);
	tr2_buf_addch(b, '.');
}

void tr2_render_time_compact(struct tr2_buf *b, uint64_t wall_us)
{
	add_civil(b, wall_us / US_PER_S, "", "");
	tr2_buf_add_digits(b, wall_us % US_PER_S, 6);
	tr2_buf_addch(b, 'Z');
}

void tr2_render_time_utc(struct tr2_buf *b, uint64_t wall_us)
{
	add_civil(b, wall_us / US_PER_S, "-", ":");
	tr2_buf_add_digits(b, wall_us % US_PER_S, 6);
	tr2_buf_addch(b, 'Z');
}

static void add_utc(struct tr2_render *r, uint64_t wall_us)
{
	uint64_t second = wall_us / US_PER_S;

	if (!r->utc_known || second != r->utc_second) {
		struct tr2_buf text;
		char memory[32];

		tr2_buf_init_fixed(&text, memory, sizeof(memory));
		add_civil(&text, second, "-", ":");
		memcpy(r->utc, memory, sizeof(r->utc));
		r->utc_second = second;
		r->utc_known = true;
	}
	tr2_buf_add(&r->line, r->utc, sizeof(r->utc));
	tr2_buf_add_digits(&r->line, wall_us % US_PER_S, 6);
	tr2_buf_addch(&r->line, 'Z');
}

static void add_local(struct tr2_render *r, uint64_t wall_us)
{
	uint64_t second = wall_us / US_PER_S;

	if (!r->local_known || second != r->local_second) {
		struct tr2_civil c;
		struct tr2_buf text;
		char memory[16];

		tr2_clock_civil(&c, second + (uint64_t)tr2_zone_offset(second));
		tr2_buf_init_fixed(&text, memory, sizeof(memory));
		tr2_buf_add_digits(&text, c.hour, 2);
		tr2_buf_addch(&text, ':');
		tr2_buf_add_digits(&text, c.minute, 2);
		tr2_buf_addch(&text, ':');
		tr2_buf_add_digits(&text, c.second, 2);
		memcpy(r->local, memory, sizeof(r->local));
		r->local_second = second;
		r->local_known = true;
	}
	tr2_buf_add(&r->line, r->local, sizeof(r->local));
	tr2_buf_addch(&r->line, '.');
	tr2_buf_add_digits(&r->line, wall_us % US_PER_S, 6);
}

/* What may be shown of s. */
static const char *shown(struct tr2_render *r, const char *s, size_t *len)
{
	if (!s)
		s = "";
	*len = strlen(s);
	return r->redact ? tr2_redact(&r->redacted, s, len) : s;
}

static const char *shown_word(struct tr2_render *r, const char *s)
{
	size_t len;

	s = shown(r, s, &len);
	if (s == r->redacted.p)
		s = tr2_buf_str(&r->redacted);
	return s;
}

static void add_text(struct tr2_render *r, const char *s)
{
	size_t len;

	s = shown(r, s, &len);
	tr2_text_add(&r->line, s, len);
}

static void add_words(struct tr2_render *r, const char *const *argv,
		      const char *between, bool quoted)
{
	const char *const *word;

	for (word = argv; word && *word; word++) {
		if (word != argv)
			tr2_buf_addstr(&r->line, between);
		if (quoted)
			tr2_quote_add_word(&r->line, shown_word(r, *word));
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
			tr2_quote_add_word(&r->line, shown_word(r, v->s));
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
		add_local(r, ev->wall_us);
		tr2_buf_addch(&r->line, ' ');
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

#define add_separator(b) tr2_buf_addlit(b, " | ")

static void add_perf_time(struct tr2_buf *b, bool wanted, uint64_t ns)
{
	add_separator(b);
	if (wanted)
		tr2_buf_add_seconds(b, ns, 9);
	else
		tr2_buf_addchars(b, ' ', 9);
}

static void add_perf_columns(struct tr2_render *r, const struct tr2_event *ev)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];
	struct tr2_buf *b = &r->line;
	size_t start;

	tr2_buf_addch(b, 'd');
	tr2_buf_add_u64(b, ev->who->depth);
	add_separator(b);
	start = b->len;
	tr2_text_add(b, ev->who->thread_name, strlen(ev->who->thread_name));
	pad_to(b, start, PERF_THREAD_WIDTH);
	add_separator(b);
	start = b->len;
	tr2_buf_addstr(b, row->name);
	pad_to(b, start, PERF_EVENT_WIDTH);
	add_separator(b);
	start = b->len;
	if (ev->repo_id > 0) {
		tr2_buf_addch(b, 'r');
		tr2_buf_add_i64(b, ev->repo_id);
	}
	pad_to(b, start, 3);
	add_perf_time(b, row->flags & TR2_E_T_ABS, ev->t_abs_ns);
	add_perf_time(b, row->flags & TR2_E_T_REL, ev->t_rel_ns);
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
		add_local(r, ev->wall_us);
		tr2_buf_addch(b, ' ');
		add_perf_place(r, ev);
		add_separator(b);
	}
	add_perf_columns(r, ev);
	add_separator(b);
	start = b->len;
	add_template(r, ev, t->perf_category);
	if (!b->failed)
		fit_column(b, start, PERF_CATEGORY_WIDTH);
	add_separator(b);
	for (open = 1; open < ev->nesting; open++)
		tr2_buf_addlit(b, "..");
	add_template(r, ev, t->perf_message);
	tr2_buf_addch(b, '\n');
}

void tr2_render_json_head(struct tr2_buf *b, const char *sid,
			  const char *thread_name)
{
	tr2_buf_addlit(b, ",\"sid\":");
	tr2_json_add_string(b, sid);
	tr2_buf_addlit(b, ",\"thread\":");
	tr2_json_add_string(b, thread_name);
}

static void add_json_string(struct tr2_render *r, const char *s)
{
	size_t len;

	s = shown(r, s, &len);
	tr2_buf_addch(&r->line, '"');
	tr2_json_add_escaped(&r->line, s, len);
	tr2_buf_addch(&r->line, '"');
}

static void add_json_argv(struct tr2_render *r, const char *const *argv)
{
	const char *const *word;

	tr2_buf_addch(&r->line, '[');
	for (word = argv; word && *word; word++) {
		if (word != argv)
			tr2_buf_addch(&r->line, ',');
		add_json_string(r, *word);
	}
	tr2_buf_addch(&r->line, ']');
}

static void add_json_histogram(struct tr2_buf *b, const struct tr2_histogram *h)
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

static void add_json_value(struct tr2_render *r, const struct tr2_event *ev,
			   enum tr2_field_type type, const struct tr2_value *v)
{
	struct tr2_buf *b = &r->line;
	const char *s;
	size_t len;

	switch (type) {
	case TR2_T_STR:
		add_json_string(r, v->s);
		return;
	case TR2_T_INT:
		tr2_buf_add_i64(b, v->i);
		return;
	case TR2_T_UINT:
		tr2_buf_add_u64(b, v->u);
		return;
	case TR2_T_BOOL:
		tr2_buf_addstr(b, v->u ? "true" : "false");
		return;
	case TR2_T_SECONDS:
		tr2_buf_add_seconds(b, v->u, 0);
		return;
	case TR2_T_ARGV:
		add_json_argv(r, v->argv);
		return;
	case TR2_T_JSON:
		s = shown(r, v->s, &len);
		tr2_json_add_text(b, s, len);
		return;
	case TR2_T_HISTOGRAM:
		add_json_histogram(b, v->histogram);
		return;
	case TR2_T_T_ABS:
		tr2_buf_add_seconds(b, ev->t_abs_ns, 0);
		return;
	case TR2_T_T_REL:
		tr2_buf_add_seconds(b, ev->t_rel_ns, 0);
		return;
	case TR2_T_NESTING:
		tr2_buf_add_u64(b, ev->nesting);
		return;
	}
}

static void add_json_head(struct tr2_render *r, const struct tr2_event *ev,
			  bool brief)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];
	struct tr2_buf *b = &r->line;

	tr2_buf_addlit(b, "{\"event\":\"");
	tr2_buf_addstr(b, row->name);
	tr2_buf_addch(b, '"');
	tr2_buf_add(b, ev->who->json_head, ev->who->json_head_len);
	if (!brief || (row->flags & TR2_E_KEEP_TIME)) {
		tr2_buf_addlit(b, ",\"time\":\"");
		add_utc(r, ev->wall_us);
		tr2_buf_addch(b, '"');
	}
	if (!brief) {
		tr2_buf_addlit(b, ",\"file\":");
		tr2_json_add_string(b, ev->file);
		tr2_buf_addlit(b, ",\"line\":");
		tr2_buf_add_i64(b, ev->line);
	}
	if (ev->repo_id > 0) {
		tr2_buf_addlit(b, ",\"repo\":");
		tr2_buf_add_i64(b, ev->repo_id);
	}
}

void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief)
{
	const struct tr2_field *f = tr2_event_rows[ev->kind].field;
	struct tr2_buf *b = &r->line;
	unsigned int i;

	tr2_buf_reset(b);
	add_json_head(r, ev, brief);
	for (i = 0; f[i].name; i++) {
		if ((f[i].flags & TR2_F_TEXT_ONLY) || !tr2_event_has(ev, i))
			continue;
		tr2_buf_addlit(b, ",\"");
		tr2_buf_addstr(b, f[i].name);
		tr2_buf_addlit(b, "\":");
		add_json_value(r, ev, f[i].type, &ev->v[i]);
	}
	tr2_buf_addlit(b, "}\n");
}
