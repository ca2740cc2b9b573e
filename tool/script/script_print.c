/* SPDX-License-Identifier: MIT */
/*
 * script_print - print one event as a line: in columns, or in one of Git's
 * formats.
 */
#include <stdio.h>

#include "base/macros.h"
#include "base/split.h"
#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "common/words.h"
#include "out/table.h"
#include "script/script.h"

/* An event whose cells make a line. */
struct row {
	struct tr2_printer *p;
	const struct tr2_line *line;
	const struct tr2_parsed_event *ev;
	const struct tr2_model_session *session;
};

static void add_string(struct tr2_buf *b, const char *s)
{
	tr2_text_add(b, s, strlen(s));
}

static void add_view(struct tr2_buf *b, struct tr2_view v)
{
	if (v.p)
		tr2_text_add(b, v.p, v.len);
}

static void trim_end(struct tr2_buf *b)
{
	while (b->len && b->p[b->len - 1] == ' ')
		b->len--;
}

static void add_ns(struct tr2_buf *b, int64_t ns)
{
	tr2_buf_add_seconds(b, ns < 0 ? 0 : (uint64_t)ns, 0);
}

/* The functions of simple columns. Other columns have functions of their own
 * below. */
#define ADD(key, statement)                                           \
	static void add_##key(const struct row *r, struct tr2_buf *b) \
	{                                                      \
		statement;                                     \
	}
ADD(time, tr2_fmt_wall(b, r->line->at_ns < 0 ? 0 : r->line->at_ns))
ADD(t_abs, add_ns(b, r->ev->t_abs != TR2_ABSENT ? r->ev->t_abs :
		     r->ev->wall_us * 1000 - r->session->wall_ns))
ADD(t_rel, if (r->ev->t_rel != TR2_ABSENT) add_ns(b, r->ev->t_rel))
ADD(sid, add_string(b, r->session->sid))
ADD(pid, if (r->session->pid > 0) tr2_buf_add_i64(b, r->session->pid))
ADD(depth, tr2_buf_add_u64(b, r->session->depth))
ADD(thread, add_string(b, tr2_s(r->p->m,
				r->p->m->threads[r->line->thread].name)))
ADD(event, add_view(b, r->ev->event))
ADD(repo, if (r->ev->repo > 0) tr2_buf_add_i64(b, r->ev->repo))
ADD(nesting, tr2_buf_add_u64(b, r->line->nesting))

static void add_cmd(const struct row *r, struct tr2_buf *b)
{
	const struct tr2_model *m = r->p->m;
	const struct tr2_model_session *s = r->session;
	const char *name = tr2_s(m, s->name);

	if (s->node)
		name = tr2_node_name(m, s->node);
	else if (!*name && s->argv.nr)
		name = tr2_base_name(s->argv.text);
	add_string(b, name);
}

/* Append the category, without cutting it to the perf target's width. */
static void add_category(const struct row *r, struct tr2_buf *b)
{
	struct tr2_view v = tr2_parsed_text(r->ev, "category");

	add_view(b, v.p ? v : tr2_parsed_text(r->ev, "scope"));
}

static void set_render(const struct row *r)
{
	tr2_parsed_render_set(&r->p->render, r->p->m, r->ev, r->line->nesting);
}

/* Append the perf target's last column, with the category before it. */
static void add_message(const struct row *r, struct tr2_buf *b)
{
	struct tr2_view category = tr2_parsed_text(r->ev, "category");
	struct tr2_render *render = &r->p->render.render;

	if (r->ev->kind < 0) {
		add_view(b, r->ev->raw);
		return;
	}
	set_render(r);
	tr2_render_perf_message(render, &r->p->render.event);
	add_view(b, category);
	if (category.len)
		tr2_buf_addch(b, ' ');
	tr2_buf_add(b, render->line.p, render->line.len);
	trim_end(b);
}

static void add_file(const struct row *r, struct tr2_buf *b)
{
	if (!r->ev->file.len)
		return;
	add_view(b, r->ev->file);
	tr2_buf_addch(b, ':');
	tr2_buf_add_i64(b, r->ev->line > 0 ? r->ev->line : 0);
}

struct tr2_script_column {
	const char *key;
	int width; /* width of the column; negative: aligned to the right */
	void (*add)(const struct row *r, struct tr2_buf *b);
};

#define COLUMN(key, width) { #key, width, add_##key },
static const struct tr2_script_column columns[] = {
	TR2_SCRIPT_COLUMNS(COLUMN, COLUMN)
};
#undef COLUMN

static const struct tr2_script_column *find_column(const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (strlen(columns[i].key) == len &&
		    !memcmp(columns[i].key, key, len))
			return &columns[i];
	return NULL;
}

static bool choose_columns(struct tr2_printer *p, const char *list)
{
	const struct tr2_script_column *column;
	const char *name;
	size_t len;

	while ((name = tr2_split(&list, ",", &len))) {
		column = find_column(name, len);
		if (!column || p->nr_columns >= TR2_MAX_PRINT_COLUMNS) {
			tr2_error("'%.*s' is not a field of script: see "
				  "'trace2 script -h'", (int)len, name);
			return false;
		}
		p->column[p->nr_columns++] = column;
	}
	return true;
}

static void add_padded(struct tr2_printer *p, int width, bool last)
{
	size_t want = (size_t)(width < 0 ? -width : width), have = 0, i;

	for (i = 0; i < p->text.len; i++)
		have += ((unsigned char)p->text.p[i] & 0xc0) != 0x80;
	if (width < 0 && have < want)
		tr2_buf_addchars(&p->line, ' ', want - have);
	tr2_buf_add(&p->line, p->text.p, p->text.len);
	if (width > 0 && have < want && !last)
		tr2_buf_addchars(&p->line, ' ', want - have);
	if (!last)
		tr2_buf_addchars(&p->line, ' ', 2);
}

static void print_columns(struct tr2_printer *p, const struct row *r)
{
	bool csv = p->form == TR2_PRINT_CSV;
	int i;

	tr2_buf_reset(&p->line);
	for (i = 0; i < p->nr_columns; i++) {
		tr2_buf_reset(&p->text);
		p->column[i]->add(r, &p->text);
		if (csv) {
			tr2_buf_addstr(&p->line, i ? "," : "");
			tr2_csv_add(&p->line, p->text.p, p->text.len);
		} else {
			add_padded(p, p->column[i]->width,
				   i + 1 == p->nr_columns);
		}
	}
	if (!csv)
		trim_end(&p->line);
	tr2_buf_addch(&p->line, '\n');
	fwrite(p->line.p, 1, p->line.len, stdout);
}

static void print_heads(const struct tr2_printer *p)
{
	int i;

	for (i = 0; i < p->nr_columns; i++)
		printf("%s%s", p->column[i]->key,
		       i + 1 < p->nr_columns ? "," : "\n");
}

static void print_json(struct tr2_printer *p, const struct tr2_line *line)
{
	struct tr2_buf *b = &p->export.sink.buf;

	tr2_buf_reset(b);
	tr2_git_event_add(p->git_event, line);
	tr2_must(!b->failed);
	if (!b->len)
		return;
	if (p->form == TR2_PRINT_JSON) {
		fputs(p->nr_printed ? ",\n" : "\n", stdout);
		b->len--;
	}
	fwrite(b->p, 1, b->len, stdout);
	p->nr_printed++;
}

static void print_text(struct tr2_printer *p, const struct row *r)
{
	struct tr2_render *render = &p->render.render;
	struct tr2_event_text text;

	if (r->ev->kind < 0)
		return;
	text = tr2_event_text((enum tr2_event_kind)r->ev->kind);
	if (!(p->form == TR2_PRINT_PERF ? text.perf_message : text.normal))
		return;
	set_render(r);
	if (p->form == TR2_PRINT_PERF)
		tr2_render_perf(render, &p->render.event, false);
	else
		tr2_render_normal(render, &p->render.event, false);
	fwrite(render->line.p, 1, render->line.len, stdout);
}

void tr2_print_line(struct tr2_printer *p, const struct tr2_line *line)
{
	struct tr2_parsed_event ev;
	const struct row r = { p, line, &ev, &p->m->sessions[line->session] };

	switch (p->form) {
	case TR2_PRINT_JSON:
	case TR2_PRINT_EVENT:
		print_json(p, line);
		break;
	case TR2_PRINT_NORMAL:
	case TR2_PRINT_PERF:
		if (tr2_reread(p->reread, line, &ev))
			print_text(p, &r);
		break;
	case TR2_PRINT_TEXT:
	case TR2_PRINT_CSV:
		if (tr2_reread(p->reread, line, &ev))
			print_columns(p, &r);
		break;
	}
}

bool tr2_printer_init(struct tr2_printer *p, struct tr2_model *m,
		      enum tr2_print_form form, const char *names)
{
	static const struct tr2_export_options plain;

	p->m = m;
	p->form = form;
	tr2_render_prepare(true, true);
	if (!choose_columns(p, names))
		return false;
	p->export.m = m;
	p->export.opt = &plain;
	p->git_event = tr2_git_event_new(&p->export);
	p->reread = tr2_reread_new(m);
	if (form == TR2_PRINT_JSON)
		fputs("{\"events\":[", stdout);
	if (form == TR2_PRINT_CSV)
		print_heads(p);
	return true;
}

void tr2_printer_end(struct tr2_printer *p)
{
	if (p->form == TR2_PRINT_JSON)
		fputs("]}\n", stdout);
}

void tr2_printer_release(struct tr2_printer *p)
{
	tr2_git_event_free(p->git_event);
	tr2_reread_free(p->reread);
	tr2_parsed_render_release(&p->render);
	tr2_buf_release(&p->export.sink.buf);
	tr2_buf_release(&p->line);
	tr2_buf_release(&p->text);
}
