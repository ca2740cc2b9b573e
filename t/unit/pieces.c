/* SPDX-License-Identifier: MIT */
/*
 * Lines that a call site makes from its prepared pieces are equal to lines made
 * without pieces: for every event with fields of the site, in every text
 * target, with strings that are escaped, redacted, cut or padded. The macros
 * give both.
 */
#include "event/kept_lines.h"
#include "event/render.h"
#include "tap.h"
#include "trace2.h"

static const tr2_render_fn renderers[] = { tr2_render_normal, tr2_render_perf,
					   tr2_render_event };

static char long_text[3000], head[64 + TR2_PUT_BLOCK];

static const char *const texts[] = {
	"plain",
	"",
	"twelve bytes",
	"thirteen byte",
	"a string of more than thirty-two bytes, without anything to escape",
	"tab\tnewline\nquote\" backslash\\ bell\a",
	"\x7f\x1b[31m",
	"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 UTF-8",
	"12345678901\xc3\xa4",
	"not UTF-8: \xff\xc3",
	"\xc2\x9b C1",
	"https://user:password@host/path",
	"token=secret",
	"Authorization: Basic abc",
	"http://",
	long_text,
};
#define NR_TEXTS (sizeof(texts) / sizeof(*texts))

static bool has_site_fields(enum tr2_event_kind kind)
{
	const struct tr2_field *f = tr2_event_rows[kind].field;

	while (*f->name && !(f->flags & TR2_F_SITE))
		f++;
	/* Only the place is constant. */
	return *f->name || kind == TR2_EV_printf;
}

/* The fields of the site are its category and its name; other fields get
 * `rest`. */
static void fill(struct tr2_value *v, const struct tr2_event *ev,
		 const char *rest)
{
	const struct tr2_field *f = tr2_event_rows[ev->kind].field;
	const char *names[2] = { ev->site->category, ev->site->name };
	unsigned int i, nr = 0;

	memset(v, 0, TR2_MAX_FIELDS * sizeof(*v));
	for (i = 0; *f[i].name; i++)
		if (f[i].flags & TR2_F_SITE)
			v[i].s = names[nr++];
		else if (f[i].type == TR2_T_STR)
			v[i].s = rest;
		else if (f[i].type == TR2_T_JSON)
			v[i].s = "[1, 2]";
}

static bool is_shown(const struct tr2_event *ev, unsigned int target)
{
	return target != 0 || tr2_event_flags(ev->kind) & TR2_E_NORMAL;
}

static unsigned int nr_lines, nr_kept;

/* Render with the pieces; a line that is not kept is rendered as any other. */
static struct tr2_rendered render(struct tr2_render *r, struct tr2_kept *kept,
			      const struct tr2_event *ev, unsigned int target,
			      bool brief)
{
	struct tr2_rendered line = { NULL, 0 };

	if (target == 2 && tr2_kept_json_is_ready(kept, r, ev, brief))
		switch (ev->kind) {
#define TR2_EVENT(name, flags, fields, normal, category, perf)            \
	case TR2_EV_##name:                                               \
		line = tr2_kept_json_##name(kept, r, ev, brief);          \
		break;
#include "event/events.def"
#undef TR2_EVENT
		case TR2_EVENT_NR:
			break;
		}
	if (target == 1)
		line = tr2_kept_perf(kept, r, ev, ev->kind, brief);
	if (line.p) {
		nr_kept++;
		return line;
	}
	renderers[target](r, ev, brief);
	return (struct tr2_rendered){ r->line.p, r->line.len };
}

/* Render with the pieces and without; return the number of differences. */
static unsigned int differences(struct tr2_event *ev, bool redact)
{
	static char memory[3][2][TR2_KEPT_BYTES];
	static struct tr2_kept kept[3][2];
	struct tr2_render r = { .redact = redact },
			  plain = { .redact = redact };
	unsigned int i, brief, bad = 0;
	const struct tr2_pieces *pieces = tr2_pieces_of(&r, ev, ev->kind);
	struct tr2_rendered line;

	for (i = 0; i < 3; i++)
		for (brief = 0; pieces && brief < 2; brief++) {
			if (!is_shown(ev, i))
				continue;
			kept[i][brief].p = memory[i][brief];
			ev->pieces = NULL;
			renderers[i](&plain, ev, brief);
			ev->pieces = pieces;
			line = render(&r, &kept[i][brief], ev, i, brief);
			nr_lines++;
			if (!plain.line.failed && line.len == plain.line.len &&
			    !memcmp(line.p, plain.line.p, line.len))
				continue;
			if (!bad++)
				printf("# with:    %.*s# without: %.*s",
				       (int)line.len, line.p,
				       (int)plain.line.len, plain.line.p);
		}
	tr2_render_release(&r);
	tr2_render_release(&plain);
	return bad;
}

static unsigned int try(enum tr2_event_kind kind, const struct tr2_site *site,
			bool redact, unsigned int nesting, const char *rest)
{
	static const struct tr2_emitter emitter = {
		"main", head, sizeof("d0 | main | ") - 1, head, 4
	};
	static const uint64_t times[] = { 0, 1000, 1234567890, 9999999499,
					  9999999500, 98765432100, 99999999499,
					  99999999500, UINT64_MAX };
	static unsigned int nr;
	struct tr2_value v[TR2_MAX_FIELDS];
	struct tr2_event ev = {
		.kind = kind,
		.v = v,
		.emitter = &emitter,
		.site = site,
		.file = site->file,
		.line = site->line,
		.repo_id = (int)(nr % 20) - 1,
		.nesting = nesting,
		.wall_us = UINT64_C(1700000000123456) + nr * UINT64_C(77777),
		.t_abs_ns = times[nr / 3 % (sizeof(times) / sizeof(*times))],
		.t_rel_ns = times[nr / 5 % (sizeof(times) / sizeof(*times))]
	};

	nr++;
	fill(v, &ev, rest);
	return differences(&ev, redact);
}

/* A process redacts, or does not: prepare for one of them. */
static void test_lines(bool redact)
{
	static unsigned int line;
	unsigned int i, j, kind, bad = 0, kinds = 0;

	for (kind = 0; kind < TR2_EVENT_NR; kind++) {
		if (!has_site_fields(kind))
			continue;
		kinds++;
		for (i = 0; i < NR_TEXTS; i++)
			for (j = 0; j < NR_TEXTS; j++) {
				struct trace2_site site = {
					.file = j & 1 ? "lib/file.c" :
							texts[(i + j) % NR_TEXTS],
					.category = texts[i],
					.name = texts[j],
					.line = (int)++line,
				};
				const struct tr2_site *copy =
					tr2_site_get(&site);

				if (!copy) /* too long */
					continue;
				bad += try(kind, copy, redact, 1, NULL);
				bad += try(kind, copy, redact, 2, "rest: a=b");
				bad += try(kind, copy, redact, 300,
					   "password=x");
			}
	}
	IS(kinds, 5, "regions, data and messages have sites");
	ok(nr_lines > 10000, "many lines were compared");
	ok(nr_kept > nr_lines / 3, "many of them were kept");
	IS(bad, 0, redact ? "equal lines, redacted" : "equal lines");
}

static void test_keys(void)
{
	struct trace2_site site = { .file = "f", .category = "c=token=x",
				    .name = "n", .line = 1000000 };
	const struct tr2_site *copy = tr2_site_get(&site);
	struct tr2_value v[TR2_MAX_FIELDS];
	struct tr2_event ev = { .kind = TR2_EV_region_enter, .v = v,
				.site = copy, .file = "f", .line = 1000000 };
	struct tr2_render r = { .redact = true };

	fill(v, &ev, NULL);
	ok(tr2_pieces_of(&r, &ev, ev.kind) != NULL, "a site has pieces");
	r.redact = false;
	ok(!tr2_pieces_of(&r, &ev, ev.kind), "not those of another redaction");
	r.redact = true;
	ev.kind = TR2_EV_data;
	ok(!tr2_pieces_of(&r, &ev, ev.kind), "not those of another event");
	ev.kind = TR2_EV_region_leave;
	fill(v, &ev, NULL);
	ok(tr2_pieces_of(&r, &ev, ev.kind) != NULL,
	   "a region that is left where it is entered has its own");
	tr2_render_release(&r);
}

/* Make each call twice at one place: with constants, and with variables. */
static void emit_twice(void)
{
	const char *volatile category = "cat", *volatile label = "la\"bel",
			    *volatile key = "to:ken=key";
	const char *c = category, *l = label, *k = key;

	trace2_region_enter("cat", "la\"bel", NULL); trace2_region_enter(c, l, NULL);
	trace2_region_leave("cat", "la\"bel", NULL); trace2_region_leave(c, l, NULL);
	trace2_region_enter_printf("cat", "la\"bel", NULL, "m %d", 1); trace2_region_enter_printf(c, l, NULL, "m %d", 1);
	trace2_region_leave_printf("cat", "la\"bel", NULL, "m %d", 2); trace2_region_leave_printf(c, l, NULL, "m %d", 2);
	trace2_data_string("cat", NULL, "to:ken=key", "v"); trace2_data_string(c, NULL, k, "v");
	trace2_data_intmax("cat", NULL, "to:ken=key", -5); trace2_data_intmax(c, NULL, k, -5);
	trace2_data_json("cat", NULL, "to:ken=key", "{}"); trace2_data_json(c, NULL, k, "{}");
	trace2_printf("%s", category); trace2_printf("%s%s", "c", "at");
	trace2_printf("message"); trace2_printf_fl(__FILE__, __LINE__, "message");
}

/* Read a line without its times, and without values that differ with the depth.
 * */
static bool read_line(FILE *in, char *line, size_t size)
{
	char *from, *to = line;

	if (!fgets(line, (int)size, in))
		return false;
	for (from = line; *from; from++)
		if (!strchr("0123456789. ", *from))
			*to++ = *from;
	*to = '\0';
	return true;
}

static void check_file(const char *path, const char *what, unsigned int pairs)
{
	char line[2][4096];
	unsigned int nr = 0, bad = 0;
	FILE *in = fopen(path, "r");

	while (in && read_line(in, line[0], sizeof(line[0]))) {
		if (!strstr(line[0], "piecesc"))
			continue;
		if (strstr(line[0], "version") || strstr(line[0], "exit"))
			continue;
		if (!read_line(in, line[1], sizeof(line[1])) ||
		    strcmp(line[0], line[1])) {
			bad++;
			printf("# %s# %s", line[0], line[1]);
		}
		nr++;
	}
	if (in)
		fclose(in);
	IS(nr, pairs, what);
	IS(bad, 0, "each twice");
}

static void test_macros(void)
{
	char dir[] = "/tmp/trace2-pieces.XXXXXX", path[3][64];
	static const char *const names[3] = { "GIT_TRACE2", "GIT_TRACE2_PERF",
					      "GIT_TRACE2_EVENT" };
	int i;

	if (!mkdtemp(dir)) {
		ok(false, "a directory");
		return;
	}
	for (i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", dir, i);
		setenv(names[i], path[i], 1);
	}
	setenv("GIT_TRACE2_EVENT_NESTING", "10", 1);
	if (!fork()) {
		trace2_initialize();
		emit_twice();
		exit(0);
	}
	wait(NULL);
	check_file(path[0], "messages in normal", 2);
	check_file(path[1], "the calls in perf", 9);
	check_file(path[2], "the calls in event", 9);
	for (i = 0; i < 3; i++)
		unlink(path[i]);
	rmdir(dir);
}

int main(void)
{
	memset(long_text, 'l', sizeof(long_text) - 1);
	memset(head, 'h', sizeof(head));
	test_macros();
	tr2_render_prepare(true, true);
	test_keys();
	test_lines(true);
	test_lines(false);
	return done_testing();
}
