/* SPDX-License-Identifier: MIT */
/*
 * perf_text - parse columns into an event, and assign lines to processes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/macros.h"
#include "common/memory.h"
#include "format/events/match.h"
#include "format/events/perf_text.h"
#include "format/events/utf8.h"
#include "model/build/build.h"

/* A day in microseconds, and the maximum of days_us. */
#define DAY_US 86400000000ll
#define MAX_DAYS_US (TR2_MAX_AT_NS / 1000)

/* The starts that two lines of a process give differ by less than this. Only a
 * line that was written late may differ by more: its wall time is the time of
 * writing, which is later than its t_abs says. */
#define SAME_START_NS 2000000

/* The length of `HH:MM:SS.uuuuuu `. */
#define TIME_BYTES 16

enum { DEPTH, THREAD, EVENT, REPO, T_ABS, T_REL, CATEGORY, MESSAGE, COLUMNS };

/* A process that has not ended yet. */
struct running {
	uint32_t session;
	unsigned int depth;
	int64_t start_ns; /* the earliest start that any line gives; TR2_ABSENT:
			   * no line had both times */
	uint64_t last_line;
};

/* Keep the last processes that ended, since more of their lines may follow: Git
 * forks without exec to continue in the background (`git maintenance run
 * --detach`). */
#define NR_ENDED 16

struct tr2_perf_reader {
	struct tr2_model *m;
	tr2_event_fn *fn;
	void *data;
	tr2_str source;
	struct running *running;
	uint32_t nr, alloc;
	struct running ended[NR_ENDED]; /* session 0: unused entry */
	uint32_t next_ended;
	int64_t last_wall_us, days_us; /* days_us: 24 hours for each midnight
					* that has passed */
	struct tr2_buf scratch, repaired;
	struct tr2_parsed_event ev;
};

struct tr2_perf_reader *tr2_perf_reader_new(struct tr2_model *m,
					    tr2_event_fn *fn, void *data)
{
	struct tr2_perf_reader *r = tr2_calloc(1, sizeof(*r));

	r->m = m;
	r->fn = fn;
	r->data = data;
	return r;
}

void tr2_perf_reader_free(struct tr2_perf_reader *r)
{
	if (!r)
		return;
	free(r->running);
	tr2_buf_release(&r->scratch);
	tr2_buf_release(&r->repaired);
	free(r);
}

void tr2_perf_reader_source(struct tr2_perf_reader *r, tr2_str source)
{
	r->source = source;
	r->nr = 0;
	memset(r->ended, 0, sizeof(r->ended));
	r->last_wall_us = r->days_us = 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Is the text at p `dN |`, the start of the columns? */
static bool is_depth(const char *p, const char *end)
{
	if (end - p <= 5 || *p++ != 'd' || !is_digit(*p))
		return false;
	while (p < end && is_digit(*p))
		p++;
	while (p < end && *p == ' ')
		p++;
	return p < end && *p == '|';
}

/* Find `dN |`: after a bar or, in a brief line, before the first bar. In a
 * brief line, a mail or a CI log may have added a prefix that ends in a blank
 * or `>`. */
static const char *find_depth(const char *line, const char *end)
{
	const char *p;

	for (p = line; (p = memmem(p, (size_t)(end - p), "| d", 3)); p += 3)
		if (is_depth(p + 2, end))
			return p + 2;
	for (p = line; p < end && *p != '|'; p++)
		if ((p == line || p[-1] == ' ' || p[-1] == '\t' ||
		     p[-1] == '>') && is_depth(p, end))
			return p;
	return NULL;
}

static struct tr2_view trim_blanks(const char *start, const char *end)
{
	while (end > start && end[-1] == ' ')
		end--;
	while (start < end && *start == ' ')
		start++;
	return (struct tr2_view){ start, (size_t)(end - start) };
}

static bool is_bar(const char *p, const char *end)
{
	return end - p >= 3 && !memcmp(p, " | ", 3);
}

/* Skip n bytes of the original line. In the repaired line, U+FFFD may stand for
 * a byte that was not UTF-8. */
static const char *after_repaired(const char *p, const char *end, size_t bytes)
{
	while (bytes-- && p < end)
		p += end - p >= 3 && !memcmp(p, "\xef\xbf\xbd", 3) ? 3 : 1;
	return p;
}

/* Find the end of a column. Words and numbers end at the next bar. A name may
 * contain bars: look for a bar at the column's usual width, and otherwise for
 * the next bar. */
static const char *find_bar(const char *p, const char *end, int i)
{
	static const size_t width[COLUMNS] = { [THREAD] = 24, [CATEGORY] = 12 };
	const char *bar;

	if (!width[i])
		return memchr(p, '|', (size_t)(end - p));
	if ((size_t)(end - p) > width[i] && is_bar(p + width[i], end))
		return p + width[i] + 1;
	bar = after_repaired(p, end, width[i]);
	if (!is_bar(bar, end))
		bar = memmem(p, (size_t)(end - p), " | ", 3);
	/* If the message is empty, accept a line that has lost its trailing
	 * space. */
	if (!bar && end - p >= 2 && !memcmp(end - 2, " |", 2))
		bar = end - 2;
	return bar ? bar + 1 : NULL;
}

/* Split the line at the perf target's columns. Return false if the line does
 * not have these columns. */
static bool split_column(const char *p, const char *end,
			 struct tr2_view *column)
{
	const char *bar;
	int i;

	for (i = 0; i < MESSAGE; i++) {
		bar = find_bar(p, end, i);
		if (!bar)
			return false;
		column[i] = trim_blanks(p, bar);
		p = bar + 1;
		p += p < end && *p == ' ';
	}
	column[MESSAGE] = (struct tr2_view){ p, (size_t)(end - p) };
	return column[DEPTH].len > 1 && column[EVENT].len;
}

bool tr2_perf_text_looks(const char *line, size_t len)
{
	struct tr2_view column[COLUMNS];
	const char *depth = find_depth(line, line + len);

	return depth && split_column(depth, line + len, column);
}

static bool has_command(enum tr2_event_kind kind)
{
	const struct tr2_event_row *row = &tr2_event_rows[kind];
	int i;

	for (i = 0; *row->field[i].name; i++)
		if (row->field[i].type == TR2_T_ARGV)
			return true;
	return false;
}

enum tr2_perf_more tr2_perf_text_more(const char *line, size_t len)
{
	struct tr2_view column[COLUMNS];
	const char *end = line + len, *depth, *p;
	bool quoted = false;
	int kind;

	/* Most lines have neither a quote nor an error. */
	if (!memchr(line, '\'', len) && !memmem(line, len, "| error ", 8))
		return TR2_PERF_WHOLE;
	depth = find_depth(line, end);
	if (!depth || !split_column(depth, end, column))
		return TR2_PERF_WHOLE;
	kind = tr2_kind_of(column[EVENT].p, column[EVENT].len);
	if (kind == TR2_EV_error)
		return TR2_PERF_ERROR;
	if (kind < 0 || !has_command((enum tr2_event_kind)kind))
		return TR2_PERF_WHOLE;
	for (p = column[MESSAGE].p; p < end; p++)
		if (*p == '\'')
			quoted = !quoted;
		else if (*p == '\\' && !quoted && p + 1 < end &&
			 (p[1] == '\'' || p[1] == '!'))
			p++;
	return quoted ? TR2_PERF_QUOTED : TR2_PERF_WHOLE;
}

bool tr2_normal_text_looks(const char *line, size_t len)
{
	static const char *const words[] = { "version ", "start ", "exit ",
					     "atexit ", "cmd_name ",
					     "cmd_path ", "child_start[" };
	size_t i;

	/* Skip HH:MM:SS.uuuuuu file:line, up to column 50. */
	if (len > 50 && line[2] == ':' && line[8] == '.' && is_digit(*line))
		line += 50, len -= 50;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (len > strlen(words[i]) &&
		    !memcmp(line, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Parse at most 18 digits. A longer number is invalid, and must not
 * overflow. */
static int64_t number_of(const char *s, size_t n)
{
	int64_t v = 0;

	if (n > 18)
		n = 18;
	while (n-- && is_digit(*s))
		v = v * 10 + (*s++ - '0');
	return v;
}

/* Is the text at p `HH:MM:SS.uuuuuu `? */
static bool is_time(const char *p, const char *end)
{
	static const char form[] = "00:00:00.000000";
	size_t i;

	if ((size_t)(end - p) < sizeof(form) || p[sizeof(form) - 1] != ' ')
		return false;
	for (i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '0' ? !is_digit(p[i]) : p[i] != form[i])
			return false;
	return true;
}

/* Find the time before file:line: the last time in the text before the columns,
 * since a CI log puts its own time in front. NULL: the text has no time. */
static const char *find_time(const char *p, const char *end)
{
	const char *at;

	for (at = end - TIME_BYTES; at >= p; at--)
		if (is_time(at, end) && (at == p || !is_digit(at[-1])))
			return at;
	return NULL;
}

/* Parse `HH:MM:SS.uuuuuu file:line `. Times count from the day of the first
 * line. */
static void parse_prefix(struct tr2_perf_reader *r, const char *p,
			 const char *end)
{
	struct tr2_view where;
	const char *colon;
	int64_t us;

	p = find_time(p, end);
	if (!p)
		return;
	us = ((number_of(p, 2) * 60 + number_of(p + 3, 2)) * 60 +
	      number_of(p + 6, 2)) * 1000000 + number_of(p + 9, 6);
	if (us + DAY_US / 2 < r->last_wall_us && r->days_us < MAX_DAYS_US)
		r->days_us += DAY_US;
	r->last_wall_us = us;
	r->ev.wall_us = us + r->days_us;
	where = trim_blanks(p + 15, end[-2] == '|' ? end - 2 : end);
	colon = where.len ? memrchr(where.p, ':', where.len) : NULL;
	if (!colon)
		return;
	r->ev.file = (struct tr2_view){ where.p, (size_t)(colon - where.p) };
	r->ev.line = number_of(colon + 1,
			       (size_t)(where.p + where.len - colon - 1));
}

static int64_t seconds_of(const struct tr2_view *v)
{
	const char *point = v->len ? memchr(v->p, '.', v->len) : NULL;

	if (!point || v->p + v->len - point != 7 || point - v->p > 9)
		return TR2_ABSENT;
	return number_of(v->p, (size_t)(point - v->p)) * 1000000000 +
	       number_of(point + 1, 6) * 1000;
}

static int64_t time_distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Return the distance between the start that a line gives and the process's
 * start. A start event belongs to a process whose start is not known yet. */
static int64_t how_far(const struct tr2_perf_reader *r,
		       const struct running *c, int64_t start_ns)
{
	if (start_ns == TR2_ABSENT)
		return SAME_START_NS;
	if (c->start_ns == TR2_ABSENT)
		return r->ev.kind == TR2_EV_start ? -1 : SAME_START_NS;
	return time_distance(c->start_ns, start_ns);
}

/* Choose the running process of this depth to which the line most likely
 * belongs; of several, the process that wrote last. */
static struct running *find_running(struct tr2_perf_reader *r,
				    unsigned int depth, int64_t start_ns,
				    bool *unsure)
{
	struct running *best = NULL;
	int64_t least = 0;
	uint32_t i, nr = 0, nr_near = 0;

	for (i = 0; i < r->nr; i++) {
		struct running *c = &r->running[i];
		int64_t far;

		if (c->depth != depth)
			continue;
		far = how_far(r, c, start_ns);
		nr++;
		nr_near += far < SAME_START_NS;
		if (best && (far > least || (far == least &&
					     c->last_line < best->last_line)))
			continue;
		best = c;
		least = far;
	}
	*unsure = start_ns != TR2_ABSENT && least >= 0 && nr > 1 &&
		  nr_near != 1;
	return best;
}

static struct running *start_process(struct tr2_perf_reader *r,
				     unsigned int depth)
{
	bool unsure;
	struct running *parent =
		depth ? find_running(r, depth - 1, TR2_ABSENT, &unsure) : NULL;
	struct tr2_buf sid = TR2_BUF_INIT;
	char own[32];
	uint32_t s;

	if (parent) {
		tr2_buf_addstr(&sid, r->m->sessions[parent->session].sid);
		tr2_buf_addch(&sid, '/');
	}
	snprintf(own, sizeof(own), "perf%06u", r->m->nr_sessions);
	tr2_buf_addstr(&sid, own);
	s = tr2_build_session(r->m, sid.p, sid.len, r->source);
	tr2_buf_release(&sid);
	r->m->sessions[s].flags |= TR2_SESSION_PERF;
	tr2_grow(r->running, r->nr, r->alloc);
	r->running[r->nr] = (struct running){ s, depth, TR2_ABSENT, 0 };
	return &r->running[r->nr++];
}

/* Return the ended process of this depth to which the line belongs; NULL: no
 * process fits. */
static struct running *find_ended(struct tr2_perf_reader *r,
				  unsigned int depth, int64_t start_ns)
{
	struct running *best = NULL;
	uint32_t i;

	for (i = 0; i < NR_ENDED; i++) {
		struct running *c = &r->ended[i];

		if (!c->session || c->depth != depth ||
		    (start_ns != TR2_ABSENT &&
		     how_far(r, c, start_ns) >= SAME_START_NS))
			continue;
		if (!best || c->last_line > best->last_line)
			best = c;
	}
	return best;
}

/* Move an ended process back to the running processes. The model begins another
 * session for the later part of the process. */
static struct running *go_on(struct tr2_perf_reader *r, struct running *ended)
{
	tr2_grow(r->running, r->nr, r->alloc);
	r->running[r->nr] = *ended;
	ended->session = 0;
	return &r->running[r->nr++];
}

/* Does the event begin a file with a later part of a session? */
static bool goes_on(const struct tr2_parsed_event *ev)
{
	return ev->kind == TR2_EV_version && ev->as.version.part.u;
}

static struct running *process_of(struct tr2_perf_reader *r,
				  unsigned int depth, uint64_t line)
{
	const struct tr2_parsed_event *ev = &r->ev;
	int64_t start_ns = TR2_ABSENT;
	struct running *p = NULL, *ended;
	bool unsure = false;

	if (ev->wall_us != TR2_ABSENT && ev->t_abs != TR2_ABSENT)
		start_ns = ev->wall_us * 1000 - ev->t_abs;
	if (ev->kind != TR2_EV_version || goes_on(ev))
		p = find_running(r, depth, start_ns, &unsure);
	if (ev->kind != TR2_EV_version && ev->kind != TR2_EV_start &&
	    (!p || (start_ns != TR2_ABSENT &&
		    how_far(r, p, start_ns) >= SAME_START_NS))) {
		ended = find_ended(r, depth, start_ns);
		if (ended) {
			p = go_on(r, ended);
			unsure = false;
		}
	}
	if (!p)
		p = start_process(r, depth);
	if (unsure)
		tr2_build_problem(r->m, TR2_PROBLEM_UNSURE, r->source, line,
				  "processes of one depth ran at the same "
				  "time: lines may be assigned to the wrong "
				  "one (the event target tells them apart)");
	else if (start_ns != TR2_ABSENT &&
		 (p->start_ns == TR2_ABSENT || start_ns < p->start_ns))
		p->start_ns = start_ns;
	p->last_line = line;
	return p;
}

/* Remove the `..` before the message: one for each region around the event. */
static struct tr2_view without_dots(struct tr2_view message,
				    unsigned int regions)
{
	while (regions-- && message.len >= 2 && message.p[0] == '.' &&
	       message.p[1] == '.') {
		message.p += 2;
		message.len -= 2;
	}
	return message;
}

/* Return the number of regions around an event that is not in the model yet. */
static unsigned int regions_around(const struct tr2_model *m,
				   const struct tr2_parsed_event *ev)
{
	uint32_t open = m->threads[ev->thread].open;
	unsigned int nr = open ? m->spans[open].depth + 1u : 0;

	return ev->kind == TR2_EV_region_leave && nr ? nr - 1 : nr;
}

/* Return the number after `key:` at the start of a word; TR2_ABSENT: there is
 * no such number. */
static int64_t number_after(struct tr2_view text, const char *key)
{
	const char *p = text.p, *end = text.p + text.len;
	size_t len = strlen(key);
	bool negative;

	for (; (p = memmem(p, (size_t)(end - p), key, len)); p++) {
		const char *digits = p + len;

		if (p > text.p && p[-1] != ' ')
			continue;
		negative = digits < end && *digits == '-';
		digits += negative;
		if (digits < end && is_digit(*digits))
			return (negative ? -1 : 1) *
			       number_of(digits, (size_t)(end - digits));
	}
	return TR2_ABSENT;
}

/* Parse a message that has Git's words, but not in Git's order: some producers
 * write the command of a child without its class, or codes after other
 * words. */
static bool parse_loosely(struct tr2_perf_reader *r, struct tr2_view text)
{
	const struct tr2_event_row *row = &tr2_event_rows[r->ev.kind];
	char key[32];
	int64_t value;
	int i;

	if (r->ev.kind == TR2_EV_child_start)
		return tr2_match(&r->ev, "[ch{child_id}] {argv}", text.p,
				 text.len, &r->scratch);
	for (i = 0; *row->field[i].name; i++) {
		if (row->field[i].type == TR2_T_T_ABS ||
		    row->field[i].type == TR2_T_T_REL ||
		    row->field[i].flags & TR2_F_OPT)
			continue;
		if (row->field[i].type != TR2_T_INT)
			return false;
		snprintf(key, sizeof(key), "%s:", row->field[i].name);
		value = number_after(text, strcmp(key, "child_id:") != 0 ?
						   key : "[ch");
		if (value == TR2_ABSENT)
			return false;
		*tr2_parsed_number_at(&r->ev, i) = value;
	}
	return true;
}

static bool match_message(struct tr2_perf_reader *r, const char *template,
			  struct tr2_view text)
{
	return tr2_match(&r->ev, template, text.p, text.len, &r->scratch) ||
	       parse_loosely(r, text);
}

static bool parse_message(struct tr2_perf_reader *r,
			  const struct tr2_view *column, unsigned int regions)
{
	const struct tr2_event_text row =
		tr2_event_text((enum tr2_event_kind)r->ev.kind);
	struct tr2_view text = without_dots(column[MESSAGE], regions);
	bool ok = true;

	if (row.perf_category)
		ok = tr2_match(&r->ev, row.perf_category, column[CATEGORY].p,
			       column[CATEGORY].len, &r->scratch);
	if (row.perf_message && *row.perf_message)
		/* Try again without dots: a fork may inherit its parent's open
		 * regions, so that the message has more dots than the process
		 * has regions. */
		ok &= match_message(r, row.perf_message, text) ||
		      match_message(r, row.perf_message,
				    without_dots(text, text.len));
	return ok;
}

static bool parse_columns(struct tr2_perf_reader *r, const char *line,
			  size_t len, struct tr2_view *column)
{
	const char *depth = find_depth(line, line + len);

	if (!depth || !split_column(depth, line + len, column))
		return false;
	parse_prefix(r, line, depth);
	r->ev.event = column[EVENT];
	tr2_parsed_event_set_kind(&r->ev, tr2_kind_of(column[EVENT].p,
						      column[EVENT].len));
	r->ev.t_abs = seconds_of(&column[T_ABS]);
	r->ev.t_rel = seconds_of(&column[T_REL]);
	if (column[REPO].len > 1 && *column[REPO].p == 'r')
		r->ev.repo = number_of(column[REPO].p + 1,
				       column[REPO].len - 1);
	return true;
}

static void add_event(struct tr2_perf_reader *r, const struct tr2_view *column,
		      uint64_t number)
{
	unsigned int depth = (unsigned int)number_of(column[DEPTH].p + 1, 5);
	struct tr2_parsed_event *ev = &r->ev;
	struct running *process;

	if (ev->kind == TR2_EV_version)
		parse_message(r, column, 0);
	process = process_of(r, depth, number);
	ev->session = process->session;
	ev->thread = tr2_build_thread(r->m, ev->session, column[THREAD].p,
				      column[THREAD].len);
	if (ev->kind >= 0 &&
	    !parse_message(r, column, regions_around(r->m, ev)))
		tr2_build_problem(r->m, TR2_PROBLEM_FIELD, r->source, number,
				  "a malformed message");
	tr2_build_event(r->m, ev);
	if (tr2_build_last_session(r->m) != ev->session) {
		ev->session = tr2_build_last_session(r->m);
		ev->thread = tr2_build_last_thread(r->m);
		process->session = ev->session;
	}
	if (r->fn)
		r->fn(r->data, r->m, ev);
	if (ev->kind == TR2_EV_atexit) {
		r->ended[r->next_ended++ % NR_ENDED] = *process;
		*process = r->running[--r->nr];
	}
}

bool tr2_perf_reader_parse(struct tr2_perf_reader *r, const char *line,
			   size_t len, unsigned int regions,
			   struct tr2_parsed_event *ev)
{
	struct tr2_view column[COLUMNS];

	tr2_buf_reset(&r->scratch);
	tr2_must(tr2_buf_room(&r->scratch, len * 2 + 64));
	tr2_parsed_event_init(&r->ev);
	if (!parse_columns(r, line, len, column))
		return false;
	if (r->ev.kind >= 0)
		parse_message(r, column, regions);
	*ev = r->ev;
	return true;
}

bool tr2_perf_reader_line(struct tr2_perf_reader *r, const char *line,
			  size_t len, uint64_t number, bool last)
{
	struct tr2_view column[COLUMNS];
	bool has_nul = memchr(line, '\0', len);

	if (has_nul)
		tr2_build_problem(r->m, TR2_PROBLEM_UTF8, r->source, number,
				  "NULs were replaced by U+FFFD");
	/* Repair the line: it need not be UTF-8, but the model's texts must
	 * be. */
	if (has_nul || !tr2_utf8_valid(line, len)) {
		tr2_utf8_repair(&r->repaired, line, len, 8);
		line = r->repaired.p;
		len = r->repaired.len;
	}
	tr2_buf_reset(&r->scratch);
	tr2_must(tr2_buf_room(&r->scratch, len * 2 + 64));
	tr2_parsed_event_init(&r->ev);
	r->ev.line_number = number;
	r->ev.raw = (struct tr2_view){ line, len };
	if (parse_columns(r, line, len, column)) {
		add_event(r, column, number);
		return true;
	}
	tr2_build_problem(r->m,
			  last ? TR2_PROBLEM_CUT_LINE : TR2_PROBLEM_BAD_LINE,
			  r->source, number,
			  last ? "the last line is cut short" :
				 "not a line of the perf target");
	return false;
}
