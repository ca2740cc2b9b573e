/* SPDX-License-Identifier: MIT */
/* Any event, with any strings and values, in the three formats. */
#include "event/render.h"

#include "format/events/utf8.h"
#include "fuzz.h"

#define MAX_WORDS 4
#define MAX_BUCKETS 3
#define MAX_STRINGS (TR2_MAX_FIELDS * MAX_WORDS + 3)
#define YEAR_10000_US 253402300800000000ull

/* An event and the memory to which it points. */
struct made {
	struct tr2_event ev;
	struct tr2_emitter emitter;
	struct tr2_value v[TR2_MAX_FIELDS];
	const char *words[TR2_MAX_FIELDS][MAX_WORDS + 1];
	uint64_t histogram[1 + 2 * MAX_BUCKETS]; /* a struct tr2_histogram */
	char *strings[MAX_STRINGS];
	unsigned int nr_strings;
	struct tr2_buf json_head, perf_head;
	const char *sid;
	bool brief, redact, utf8;
};

static const char *take_string(struct fuzz_input *in, struct made *e)
{
	char *s = fuzz_string(in);

	e->strings[e->nr_strings++] = s;
	e->utf8 = e->utf8 && tr2_utf8_valid(s, strlen(s));
	return s;
}

static void take_words(struct fuzz_input *in, struct made *e, unsigned int i)
{
	unsigned int nr = fuzz_byte(in) % (MAX_WORDS + 2), w;

	if (nr > MAX_WORDS)
		return;
	for (w = 0; w < nr; w++)
		e->words[i][w] = take_string(in, e);
	e->v[i].argv = e->words[i];
}

static void take_histogram(struct fuzz_input *in, struct made *e,
			   unsigned int i)
{
	struct tr2_histogram *h = (void *)e->histogram;
	unsigned int nr = fuzz_byte(in) % (MAX_BUCKETS + 1);

	for (h->nr = 0; h->nr < nr; h->nr++) {
		h->bucket[h->nr].upper_ns = fuzz_number(in);
		h->bucket[h->nr].count = fuzz_number(in);
	}
	e->v[i].histogram = h;
}

static void take_value(struct fuzz_input *in, struct made *e, unsigned int i)
{
	switch (tr2_event_rows[e->ev.kind].field[i].type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		e->v[i].s = fuzz_byte(in) ? take_string(in, e) : NULL;
		return;
	case TR2_T_ARGV:
		take_words(in, e, i);
		return;
	case TR2_T_HISTOGRAM:
		take_histogram(in, e, i);
		return;
	case TR2_T_BOOL:
		e->v[i].u = fuzz_byte(in) & 1;
		return;
	default:
		e->v[i].u = fuzz_number(in);
	}
}

static void take_event(struct fuzz_input *in, struct made *e)
{
	unsigned int flags = fuzz_byte(in), i;

	e->ev.kind = fuzz_byte(in) % TR2_EVENT_NR;
	e->brief = flags & 1;
	e->redact = flags & 2;
	e->ev.nesting = 1 + (flags >> 2) % 8;
	e->ev.repo_id = (int)(fuzz_number(in) % 10000000);
	if (e->ev.repo_id == 1)
		e->ev.repo_id = TR2_REPO_UNDEFINED;
	e->ev.line = (int)fuzz_number(in);
	e->ev.wall_us = fuzz_number(in) % YEAR_10000_US;
	e->ev.t_abs_ns = fuzz_number(in);
	e->ev.t_rel_ns = fuzz_number(in);
	e->ev.file = take_string(in, e);
	e->sid = take_string(in, e);
	e->emitter.thread_name = take_string(in, e);
	for (i = 0; *tr2_event_rows[e->ev.kind].field[i].name; i++)
		take_value(in, e, i);
	e->ev.v = e->v;
	tr2_render_json_head(&e->json_head, e->sid, e->emitter.thread_name);
	tr2_render_perf_head(&e->perf_head, flags >> 5, e->emitter.thread_name);
	e->emitter.json_head = e->json_head.p;
	e->emitter.json_head_len = e->json_head.len;
	e->emitter.perf_head = e->perf_head.p;
	e->emitter.perf_head_len = e->perf_head.len;
	e->ev.emitter = &e->emitter;
}

static void release(struct made *e)
{
	unsigned int i;

	for (i = 0; i < e->nr_strings; i++)
		free(e->strings[i]);
	tr2_buf_release(&e->json_head);
	tr2_buf_release(&e->perf_head);
}

static void check_line(const struct made *e, const struct tr2_buf *b,
		       bool is_json)
{
	const unsigned char *p = (const unsigned char *)b->p;
	size_t i;

	fuzz_check(!b->failed && b->len && b->p[b->len - 1] == '\n',
		   "no newline at its end");
	for (i = 0; i + 1 < b->len; i++)
		fuzz_check(p[i] >= 0x20 &&
				   (is_json || (p[i] != 0x7f &&
						(p[i] != 0xc2 ||
						 (p[i + 1] & 0xe0) != 0x80))),
			   "a control character at %zu: %.*s", i, (int)b->len,
			   b->p);
	fuzz_check(!e->utf8 || tr2_utf8_valid(b->p, b->len),
		   "UTF-8 in, but not out: %.*s", (int)b->len, b->p);
}

/* The expected members, one by one. */
struct expected {
	const struct made *e;
	unsigned int head, field;
};

static const char *const head_names[] = { "event", "sid", "thread", "time",
					  "file", "line", "repo" };
enum { HEAD_SID = 1, HEAD_THREAD, HEAD_TIME, HEAD_FILE, HEAD_LINE, HEAD_REPO,
       HEAD_NR };

static bool head_is_there(const struct made *e, unsigned int i)
{
	unsigned int flags = tr2_event_rows[e->ev.kind].flags;

	switch (i) {
	case HEAD_TIME:
		return !e->brief || (flags & TR2_E_KEEP_TIME);
	case HEAD_FILE:
	case HEAD_LINE:
		return !e->brief;
	case HEAD_REPO:
		return e->ev.repo_id != 0;
	default:
		return true;
	}
}

static unsigned int next_head(struct expected *x)
{
	while (x->head < HEAD_NR && !head_is_there(x->e, x->head))
		x->head++;
	return x->head;
}

static const struct tr2_field *next_field(struct expected *x)
{
	const struct tr2_field *f = tr2_event_rows[x->e->ev.kind].field;

	for (; *f[x->field].name; x->field++)
		if (!(f[x->field].flags & TR2_F_TEXT_ONLY) &&
		    (!(f[x->field].flags & TR2_F_OPT) ||
		     tr2_event_has(&x->e->ev, x->field)))
			return &f[x->field];
	return NULL;
}

static void check_string(const char *s, const struct tr2_json_value *v)
{
	struct tr2_buf want = TR2_BUF_INIT;

	s = s ? s : "";
	tr2_utf8_repair(&want, s, strlen(s), 0);
	fuzz_check(v->type == TR2_JSON_STRING &&
			   fuzz_same(&want, v->text.p, v->text.len),
		   "another string: %.*s", (int)v->text.len, v->text.p);
	tr2_buf_release(&want);
}

static void check_value(const struct expected *x, const struct tr2_field *f,
			const struct tr2_json_value *v)
{
	const struct tr2_value *want = &x->e->v[x->field];

	switch (f->type) {
	case TR2_T_STR:
		if (!x->e->redact)
			check_string(want->s, v);
		return;
	case TR2_T_INT:
		fuzz_check(v->type == TR2_JSON_INT && v->i == want->i,
			   "another number");
		return;
	case TR2_T_UINT:
		fuzz_check(want->u > INT64_MAX ? v->u == want->u :
						 v->i == want->i,
			   "another number");
		return;
	case TR2_T_BOOL:
		fuzz_check(v->type == TR2_JSON_BOOL && v->i == (int64_t)want->u,
			   "another truth");
		return;
	case TR2_T_ARGV:
		fuzz_check(v->type == TR2_JSON_WORDS, "no words");
		return;
	case TR2_T_SECONDS:
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
		fuzz_check(v->type == TR2_JSON_DECIMAL, "no decimal");
		return;
	default:
		return;
	}
}

static void check_head(const struct expected *x, unsigned int i,
		       const struct tr2_json_value *v)
{
	if (i == HEAD_SID)
		check_string(x->e->sid, v);
	else if (i == HEAD_THREAD)
		check_string(x->e->emitter.thread_name, v);
	else if (i == HEAD_FILE)
		check_string(x->e->ev.file, v);
	else if (i == HEAD_LINE)
		fuzz_check(v->i == x->e->ev.line, "another line");
}

static void on_member(void *data, const char *key, size_t key_len,
		      const struct tr2_json_value *v)
{
	struct expected *x = data;
	const struct tr2_field *f = NULL;
	const char *name = NULL;

	if (next_head(x) < HEAD_NR)
		name = head_names[x->head];
	else if ((f = next_field(x)))
		name = f->name;
	fuzz_check(name && strlen(name) == key_len &&
			   !memcmp(name, key, key_len),
		   "%.*s instead of %s", (int)key_len, key,
		   name ? name : "nothing");
	if (f)
		check_value(x, f, v), x->field++;
	else
		check_head(x, x->head++, v);
}

static void check_event(struct tr2_render *r, const struct made *e)
{
	struct expected x = { e, 0, 0 };
	size_t len;

	tr2_render_event(r, &e->ev, e->brief);
	check_line(e, &r->line, true);
	len = r->line.len - 1;
	fuzz_check(tr2_utf8_valid(r->line.p, len), "not UTF-8");
	fuzz_check(fuzz_is_json(r->line.p, len), "not JSON: %.*s", (int)len,
		   r->line.p);
	fuzz_check(fuzz_json(r->line.p, len, on_member, &x) == TR2_JSON_OK,
		   "not JSON for simdjson: %.*s", (int)len, r->line.p);
	fuzz_check(next_head(&x) == HEAD_NR && !next_field(&x),
		   "fields are missing: %.*s", (int)len, r->line.p);
}

static void check_clock(const char *p)
{
	static const char shape[] = "dd:dd:dd.dddddd ";
	size_t i;

	for (i = 0; shape[i]; i++)
		fuzz_check(shape[i] == 'd' ? p[i] >= '0' && p[i] <= '9' :
					     p[i] == shape[i],
			   "no time: %.16s", p);
}

static void check_normal(struct tr2_render *r, const struct made *e)
{
	const char *template = tr2_event_text(e->ev.kind).normal;

	template = template ? template : "";
	tr2_render_normal(r, &e->ev, e->brief);
	check_line(e, &r->line, false);
	if (!e->brief) {
		check_clock(r->line.p);
		fuzz_check(r->line.len > 50 && r->line.p[49] != '\n',
			   "no column");
		/*
		 * Even escaped, such a file and its line number end before the
		 * column.
		 */
		if (strlen(e->ev.file) < 6)
			fuzz_check(r->line.p[49] == ' ' &&
					   !memcmp(r->line.p + 50, template,
						   strcspn(template, "{")),
				   "no '%s' in its column", template);
	}
}

/* Rounded to microseconds. */
static int seconds(char *text, size_t size, bool wanted, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	return wanted ? snprintf(text, size, "%llu.%06llu",
				 (unsigned long long)(us / 1000000),
				 (unsigned long long)(us % 1000000)) :
			snprintf(text, size, "%s", "");
}

/* Whatever the fields contain, the columns before the message are the event's
 * own. */
static void check_perf(struct tr2_render *r, const struct made *e)
{
	const struct tr2_event_row *row = &tr2_event_rows[e->ev.kind];
	char repo[16] = "", t_abs[32], t_rel[32], want[256];
	size_t at, i, len;
	const char *p;

	tr2_render_perf(r, &e->ev, e->brief);
	check_line(e, &r->line, false);
	if (!e->brief)
		check_clock(r->line.p);
	if (e->ev.repo_id)
		snprintf(repo, sizeof(repo), "r%d ",
			 tr2_event_shown_repo(&e->ev));
	seconds(t_abs, sizeof(t_abs), row->flags & TR2_E_T_ABS, e->ev.t_abs_ns);
	seconds(t_rel, sizeof(t_rel), row->flags & TR2_E_T_REL, e->ev.t_rel_ns);
	len = (size_t)snprintf(want, sizeof(want),
			       "%-12s | %-3s | %9s | %9s | ", row->name, repo,
			       t_abs, t_rel);
	at = e->brief ? 0 : 16 + 28 + 3;
	p = r->line.p + at;
	fuzz_check(r->line.len > at + e->perf_head.len + len + 12 + 3 &&
			   !memcmp(p, e->perf_head.p, e->perf_head.len) &&
			   !memcmp(p + e->perf_head.len, want, len),
		   "not '%s': %.*s", want, (int)r->line.len, r->line.p);
	p += e->perf_head.len + len + 12;
	fuzz_check(!memcmp(p, " | ", 3), "no end of the category: %.*s",
		   (int)r->line.len, r->line.p);
	for (i = 1; i < e->ev.nesting; i++)
		fuzz_check(!memcmp(p + 3 + 2 * (i - 1), "..", 2),
			   "no dots for %u regions", e->ev.nesting);
}

void fuzz_render(struct fuzz_input *in)
{
	struct made e = { .utf8 = true };
	struct tr2_render r = { .redact = false };

	tr2_render_prepare(true, true);
	take_event(in, &e);
	r.redact = e.redact;
	check_event(&r, &e);
	check_normal(&r, &e);
	check_perf(&r, &e);
	tr2_render_release(&r);
	release(&e);
}
