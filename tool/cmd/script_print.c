/* SPDX-License-Identifier: MIT */
/*
 * script_print - one event as a line: in columns, or in one of Git's formats.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/script.h"
#include "common/options.h"
#include "common/say.h"
#include "out/table.h"

enum {
	F_TIME, F_T_ABS, F_T_REL, F_SID, F_PID, F_DEPTH, F_CMD, F_THREAD,
	F_EVENT, F_REPO, F_NESTING, F_CATEGORY, F_MESSAGE, F_FILE, F_NR
};

static const struct {
	const char *name;
	int width; /* negative: right-aligned */
} known_fields[F_NR] = {
	[F_TIME] = { "time", 15 },	   [F_T_ABS] = { "t_abs", -10 },
	[F_T_REL] = { "t_rel", -10 },	   [F_SID] = { "sid", 45 },
	[F_PID] = { "pid", -7 },	   [F_DEPTH] = { "depth", -2 },
	[F_CMD] = { "cmd", 12 },	   [F_THREAD] = { "thread", 4 },
	[F_EVENT] = { "event", 12 },	   [F_REPO] = { "repo", -2 },
	[F_NESTING] = { "nesting", -2 },   [F_CATEGORY] = { "category", 12 },
	[F_MESSAGE] = { "message", 0 },	   [F_FILE] = { "file", 28 },
};

static int find_field(const char *name, size_t len)
{
	int i;

	for (i = 0; i < F_NR; i++)
		if (strlen(known_fields[i].name) == len &&
		    !memcmp(known_fields[i].name, name, len))
			return i;
	return -1;
}

static bool take_fields(struct tr2_printer *p, const char *list)
{
	size_t len;
	int field;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		field = find_field(list, len);
		if (field < 0 || p->nr_fields >= TR2_MAX_PRINT_FIELDS) {
			tr2_error("'%.*s' is not a field of script: see "
				  "'trace2 script -h'", (int)len, list);
			return false;
		}
		p->field[p->nr_fields++] = field;
	}
	return true;
}

bool tr2_printer_init(struct tr2_printer *p, enum tr2_print_form form,
		      const char *fields)
{
	int i;

	p->form = form;
	tr2_render_prepare();
	if (!take_fields(p, fields))
		return false;
	if (form == TR2_PRINT_JSON)
		fputs("{\"events\":[", stdout);
	if (form == TR2_PRINT_FIELDS && tr2_common.format == TR2_FORMAT_CSV)
		for (i = 0; i < p->nr_fields; i++)
			printf("%s%s", known_fields[p->field[i]].name,
			       i + 1 < p->nr_fields ? "," : "\n");
	return true;
}

void tr2_printer_release(struct tr2_printer *p)
{
	tr2_parsed_render_release(&p->render);
	tr2_buf_release(&p->line);
	tr2_buf_release(&p->text);
}

void tr2_printer_end(struct tr2_printer *p)
{
	if (p->form == TR2_PRINT_JSON)
		fputs("]}\n", stdout);
}

/* ---- columns --------------------------------------------------------------------- */

/* The columns of a perf line, which has everything: the category and the
 * message are what stands behind the last two bars. */
static const char *after_bars(const char *line, int bars)
{
	for (; line && bars; bars--) {
		line = strstr(line, " | ");
		line = line ? line + 3 : NULL;
	}
	return line;
}

static void trim_end(struct tr2_buf *b)
{
	while (b->len && (b->p[b->len - 1] == ' ' || b->p[b->len - 1] == '\n'))
		b->len--;
}

/* The category as it is, not cut to the perf target's width. */
static void add_category(struct tr2_printer *p,
			 const struct tr2_parsed_event *ev)
{
	struct tr2_view v = tr2_parsed_text(ev, "category");

	if (!v.p)
		v = tr2_parsed_text(ev, "scope");
	if (v.p)
		tr2_text_add(&p->text, v.p, v.len);
}

static void add_message(struct tr2_printer *p, const struct tr2_parsed_event *ev)
{
	const char *message;

	if (ev->kind < 0) {
		tr2_text_add(&p->text, ev->raw.p, ev->raw.len);
		return;
	}
	tr2_render_perf(&p->render.render, &p->render.event, true);
	/* dN | thread | event | repo | t_abs | t_rel | category | message */
	message = after_bars(tr2_buf_str(&p->render.render.line), 7);
	if (tr2_parsed_text(ev, "category").len) {
		add_category(p, ev);
		tr2_buf_addch(&p->text, ' ');
	}
	if (message)
		tr2_buf_addstr(&p->text, message);
	trim_end(&p->text);
}

static const char *command_of(const struct tr2_model *m, uint32_t session)
{
	const struct tr2_session *s = &m->sessions[session];
	const char *name = tr2_s(m, s->name), *slash;

	if (s->node)
		return tr2_node_name(m, s->node);
	if (*name || !s->argv.nr)
		return name;
	slash = strrchr(s->argv.text, '/');
	return slash ? slash + 1 : s->argv.text;
}

static void add_field(struct tr2_printer *p, const struct tr2_model *m,
		      const struct tr2_parsed_event *ev, unsigned int nesting, int field)
{
	const struct tr2_session *s = &m->sessions[ev->session];
	struct tr2_buf *b = &p->text;
	const char *name;

	switch (field) {
	case F_TIME:
		tr2_fmt_wall(b, (int64_t)p->render.event.wall_us * 1000);
		break;
	case F_T_ABS:
		tr2_buf_add_seconds(b, p->render.event.t_abs_ns, 0);
		break;
	case F_T_REL:
		if (ev->t_rel != TR2_ABSENT)
			tr2_buf_add_seconds(b, p->render.event.t_rel_ns, 0);
		break;
	case F_SID:
		tr2_text_add(b, s->sid, strlen(s->sid));
		break;
	case F_PID:
		if (s->pid > 0)
			tr2_buf_add_i64(b, s->pid);
		break;
	case F_DEPTH:
		tr2_buf_add_u64(b, s->depth);
		break;
	case F_CMD:
		name = command_of(m, ev->session);
		tr2_text_add(b, name, strlen(name));
		break;
	case F_THREAD:
		name = tr2_s(m, m->threads[ev->thread].name);
		tr2_text_add(b, name, strlen(name));
		break;
	case F_EVENT:
		tr2_text_add(b, ev->event.p, ev->event.len);
		break;
	case F_REPO:
		if (p->render.event.repo_id)
			tr2_buf_add_i64(b, p->render.event.repo_id);
		break;
	case F_NESTING:
		tr2_buf_add_u64(b, nesting);
		break;
	case F_CATEGORY:
		add_category(p, ev);
		break;
	case F_FILE:
		if (ev->file.len) {
			tr2_text_add(b, ev->file.p, ev->file.len);
			tr2_buf_addch(b, ':');
			tr2_buf_add_i64(b, p->render.event.line);
		}
		break;
	case F_MESSAGE:
		add_message(p, ev);
		break;
	}
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

static void print_fields(struct tr2_printer *p, const struct tr2_model *m,
			 const struct tr2_parsed_event *ev, unsigned int nesting)
{
	bool csv = tr2_common.format == TR2_FORMAT_CSV;
	int i;

	tr2_buf_reset(&p->line);
	for (i = 0; i < p->nr_fields; i++) {
		tr2_buf_reset(&p->text);
		add_field(p, m, ev, nesting, p->field[i]);
		if (csv) {
			tr2_buf_addstr(&p->line, i ? "," : "");
			tr2_csv_add(&p->line, p->text.p, p->text.len);
		} else {
			add_padded(p, known_fields[p->field[i]].width,
				   i + 1 == p->nr_fields);
		}
	}
	if (!csv)
		trim_end(&p->line);
	tr2_buf_addch(&p->line, '\n');
	fwrite(p->line.p, 1, p->line.len, stdout);
}

/* ---- Git's formats ------------------------------------------------------------------- */

static void write_line(const struct tr2_buf *line, bool newline)
{
	size_t len = line->len;

	if (len && !newline && line->p[len - 1] == '\n')
		len--;
	fwrite(line->p, 1, len, stdout);
}

/* A line of event JSON as it was read; of other sources, as it would be. */
static void print_json(struct tr2_printer *p, const struct tr2_model *m,
		       const struct tr2_parsed_event *ev)
{
	const struct tr2_session *s = &m->sessions[ev->session];

	if (!(s->flags & TR2_SESSION_PERF)) {
		fwrite(ev->raw.p, 1, ev->raw.len, stdout);
	} else if (ev->kind >= 0) {
		tr2_render_event(&p->render.render, &p->render.event, false);
		write_line(&p->render.render.line, false);
	}
}

void tr2_print_event(struct tr2_printer *p, const struct tr2_model *m,
		     const struct tr2_parsed_event *ev, unsigned int nesting)
{
	const struct tr2_event_row *row = ev->kind >= 0 ?
		&tr2_event_rows[ev->kind] : NULL;

	if (row && !tr2_parsed_render_set(&p->render, m, ev, nesting))
		return;
	if (!row)
		p->render.event.wall_us = ev->wall_us > 0 ? (uint64_t)ev->wall_us :
							0;
	switch (p->form) {
	case TR2_PRINT_NORMAL:
		if (!row || !row->normal)
			return;
		tr2_render_normal(&p->render.render, &p->render.event, false);
		write_line(&p->render.render.line, true);
		break;
	case TR2_PRINT_PERF:
		if (!row || !row->perf_message)
			return;
		tr2_render_perf(&p->render.render, &p->render.event, false);
		write_line(&p->render.render.line, true);
		break;
	case TR2_PRINT_JSON:
		fputs(p->nr_printed ? ",\n" : "\n", stdout);
		print_json(p, m, ev);
		break;
	case TR2_PRINT_EVENT:
		print_json(p, m, ev);
		putchar('\n');
		break;
	case TR2_PRINT_FIELDS:
		print_fields(p, m, ev, nesting);
		break;
	}
	p->nr_printed++;
}
