/* SPDX-License-Identifier: MIT */
/*
 * trace2 check - check a stream against the format and the expectations of
 * consumers. It adds its own checks to the problems that the loader finds (bad
 * lines, bytes that are not UTF-8, events without a partner).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "check/check.h"
#include "common/memory.h"
#include "common/options.h"
#include "format/read.h"
#include "model/build/build.h"
#include "model/parsed_event.h"
#include "out/table.h"
#include "report/input_options.h"

static bool env, send_probe, recording;

static const struct tr2_option options[] = {
	{ 0, "env", NULL, TR2_OPT_FLAG, &env,
	  "show which targets are on, where each setting comes from, and "
	  "whether its destination works", NULL },
	{ 0, "record", NULL, TR2_OPT_FLAG, &recording,
	  "show which data 'record', 'stat' and 'top' get and lack for this "
	  "user on this machine, and what permits more", NULL },
	{ 0, "send", NULL, TR2_OPT_FLAG, &send_probe,
	  "send a small session to the event target and look for it", NULL },
	TR2_OPT_END
};

/* Flags in check.seen for events that a session has had. */
#define SEEN_METRIC (1u << 0)
#define SEEN_ATEXIT (1u << 1)

struct check {
	uint8_t *seen;  /* by session */
	uint16_t *open; /* by thread */
	uint32_t nr_seen, nr_open;
};

struct place {
	struct tr2_model *m;
	const struct tr2_parsed_event *ev;
	tr2_str source;
};

static void found(const struct place *at, enum tr2_problem_kind kind,
		  const char *text)
{
	tr2_build_problem(at->m, kind, at->source, at->ev->line_number, text);
}

/* Make room for index i in a zeroed array. */
static void reach(void **array, uint32_t *nr, uint32_t i, size_t element_bytes)
{
	uint32_t want = i + i / 2 + 256;

	if (i < *nr)
		return;
	*array = tr2_realloc(*array, want, element_bytes);
	memset((char *)*array + *nr * element_bytes, 0,
	       (want - *nr) * element_bytes);
	*nr = want;
}

static bool is_missing(const struct tr2_parsed_event *ev, int i)
{
	switch (tr2_event_rows[ev->kind].field[i].type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		return !ev->value[i].text.p;
	case TR2_T_INT:
	case TR2_T_SECONDS:
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
	case TR2_T_NESTING:
		return tr2_parsed_number(ev, i) == TR2_ABSENT;
	default: /* an array of words is never missing: an absent array and an
		  * empty one look the same */
		return false;
	}
}

static void check_fields(const struct place *at)
{
	const struct tr2_event_row *row = &tr2_event_rows[at->ev->kind];
	char text[120];
	int i;

	for (i = 0; *row->field[i].name; i++) {
		if (row->field[i].flags & (TR2_F_OPT | TR2_F_TEXT_ONLY) ||
		    !is_missing(at->ev, i))
			continue;
		snprintf(text, sizeof(text), "%s has no %s", row->name,
			 row->field[i].name);
		found(at, TR2_PROBLEM_MISSING, text);
		return;
	}
}

static bool is_metric(int kind)
{
	return kind == TR2_EV_timer || kind == TR2_EV_counter;
}

static void check_order(const struct place *at, uint8_t *seen)
{
	const struct tr2_parsed_event *ev = at->ev;
	const struct tr2_model_session *s = &at->m->sessions[ev->session];
	uint32_t nr = s->flags & TR2_SESSION_NO_BEGINNING ? UINT32_MAX :
							    s->nr_events;

	/* check_ends() checks whether a forked process continues the stream. */
	if (nr == 1 && s->flags & TR2_SESSION_FORKED)
		;
	else if (*seen & SEEN_ATEXIT)
		found(at, TR2_PROBLEM_AFTER_END,
		      "an event after atexit, which must come last");
	else if (nr == 1 && ev->kind != TR2_EV_version)
		found(at, TR2_PROBLEM_ORDER,
		      "the first event of a session is not version");
	else if (nr == 2 &&
		 !(s->flags & TR2_SESSION_FORKED) &&
		 ev->kind != TR2_EV_start &&
		 ev->kind != TR2_EV_too_many_files)
		found(at, TR2_PROBLEM_NO_START,
		      "start is not the second event");
	/* A program that calls exit() itself has no exit event. */
	else if (ev->kind == TR2_EV_exit && *seen & SEEN_METRIC)
		found(at, TR2_PROBLEM_ORDER,
		      "a timer or counter comes before exit");
	if (is_metric(ev->kind))
		*seen |= SEEN_METRIC;
	if (ev->kind == TR2_EV_atexit)
		*seen |= SEEN_ATEXIT;
}

/* Return whether the event is data that the library emits itself. Gauges at the
 * end are outside of all regions. The data of a span has its true nesting, even
 * if regions around it were too deep to be written. */
static bool is_own(const struct tr2_parsed_event *ev, unsigned int open)
{
	const struct tr2_view *category = &ev->as.data_json.category.text;

	return ev->kind == TR2_EV_data_json &&
	       (ev->nesting == 1 || ev->nesting > open) &&
	       category->len == strlen("trace2") &&
	       !memcmp(category->p, "trace2", category->len);
}

/* Return whether the nesting is right. Check only events that have a nesting in
 * every target: at the end of a thread, open regions are closed without an
 * event. */
static bool is_nested(const struct place *at, unsigned int open)
{
	const struct tr2_parsed_event *ev = at->ev;
	unsigned int flags = at->m->sessions[ev->session].flags;

	/* A forked process begins inside regions of its parent. */
	if (ev->kind < 0 || !(tr2_event_rows[ev->kind].flags & TR2_E_NESTED) ||
	    ev->nesting == TR2_ABSENT ||
	    flags & (TR2_SESSION_NO_BEGINNING | TR2_SESSION_FORKED))
		return true;
	return ev->nesting == open + 1 || is_own(ev, open);
}

static void check_nesting(const struct place *at, uint16_t *open)
{
	if (at->ev->kind == TR2_EV_region_leave && *open)
		--*open;
	if (!is_nested(at, *open))
		found(at, TR2_PROBLEM_NESTING,
		      "nesting is not 1 + the number of open regions");
	if (at->ev->kind == TR2_EV_region_enter && *open < UINT16_MAX)
		++*open;
}

static void on_event(void *data, struct tr2_model *m,
		     const struct tr2_parsed_event *ev)
{
	struct check *c = data;
	struct place at = { m, ev, m->sessions[ev->session].source };
	bool perf = m->sessions[ev->session].flags & TR2_SESSION_PERF;

	reach((void **)&c->seen, &c->nr_seen, ev->session, 1);
	reach((void **)&c->open, &c->nr_open, ev->thread, sizeof(*c->open));
	check_order(&at, &c->seen[ev->session]);
	if (ev->kind >= 0 && !perf)
		check_fields(&at);
	check_nesting(&at, &c->open[ev->thread]);
}

/* Return why a session has no atexit. The kernel or the parent may have
 * reported how the process ended. */
static const char *why_no_end(const struct tr2_model_session *s)
{
	switch (s->end) {
	case TR2_END_SIGNAL:
		return "a session has no atexit: a signal killed it";
	case TR2_END_EXIT:
		return "a session has no atexit, but its process exited: it "
		       "called _exit(), or had closed the stream";
	default:
		return "a session has no atexit: its process was killed, "
		       "closed the stream, or still runs, or the stream was "
		       "cut off";
	}
}

/* Return whether this thread has no name of its own. The events of such a
 * thread have the name `…:unknown`: Git and the library write no thread_start
 * for it. */
static bool is_unknown(const struct tr2_model *m, uint32_t thread)
{
	const char *colon = strchr(tr2_s(m, m->threads[thread].name), ':');

	return colon && !strcmp(colon, ":unknown");
}

static void check_ends(struct tr2_model *m)
{
	uint32_t i, t;

	tr2_for_each_session(m, i) {
		const struct tr2_model_session *s = &m->sessions[i];

		bool has_end = s->end != TR2_END_OPEN && !s->end_by;

		if (!has_end && s->flags & TR2_SESSION_FORKED)
			tr2_build_problem(m, TR2_PROBLEM_AFTER_END, s->source,
					  0, "events after atexit, which must "
					     "come last: a forked process "
					     "would have an atexit of its "
					     "own");
		else if (!has_end)
			tr2_build_problem(m, TR2_PROBLEM_NO_END, s->source, 0,
					  why_no_end(s));
		tr2_build_problems(m, TR2_PROBLEM_LOST, s->source,
				   "the program lost events",
				   tr2_rare(m, i)->lost);
		tr2_for_each_thread(m, i, t)
			if (m->threads[t].flags & TR2_THREAD_UNANNOUNCED &&
			    !is_unknown(m, t) &&
			    !(s->flags & TR2_SESSION_NO_BEGINNING))
				tr2_build_problem(m, TR2_PROBLEM_THREAD,
						  s->source, 0,
						  "a thread has events but no "
						  "thread_start");
	}
	for (i = 1; i < m->nr_children; i++) {
		const struct tr2_span *span = &m->spans[m->children[i].span];
		const struct tr2_model_session *s =
			&m->sessions[m->threads[span->thread].session];

		if (span->kind == TR2_SPAN_CHILD &&
		    span->flags & TR2_SPAN_OPEN && s->end == TR2_END_EXIT &&
		    !s->end_by)
			tr2_build_problem(m, TR2_PROBLEM_CHILD, s->source, 0,
					  "a child_start has no child_exit or "
					  "child_ready");
	}
}

/* Totals over all inputs. */
struct found {
	struct tr2_output out;
	struct tr2_table problems;
	unsigned int errors, warnings; /* number of kinds of problems in each
					* file, summed over the files */
	uint64_t sessions, events;
	bool brief;
};

/* Kinds of problems that may be caused by missing events, or by events of
 * another process. */
static const bool comes_of_others[TR2_PROBLEM_NR] = {
	[TR2_PROBLEM_BAD_LINE] = true, [TR2_PROBLEM_UNPAIRED] = true,
	[TR2_PROBLEM_ORDER] = true,    [TR2_PROBLEM_OVERLAP] = true,
	[TR2_PROBLEM_NESTING] = true,  [TR2_PROBLEM_THREAD] = true,
};
static const bool is_warning[TR2_PROBLEM_NR] = {
	[TR2_PROBLEM_CUT_LINE] = true,    [TR2_PROBLEM_UNKNOWN] = true,
	[TR2_PROBLEM_FAILED_TIME] = true, [TR2_PROBLEM_CLOCK] = true,
	[TR2_PROBLEM_NO_START] = true,    [TR2_PROBLEM_NO_END] = true,
	[TR2_PROBLEM_CHILD] = true,       [TR2_PROBLEM_NEWER] = true,
	[TR2_PROBLEM_OVERWRITTEN] = true, [TR2_PROBLEM_UNSURE] = true,
	[TR2_PROBLEM_LOST] = true,        [TR2_PROBLEM_FULL] = true,
};

/* Return whether the source lacks events, or whether some of its events may
 * belong to another process. */
static bool is_excused(const struct tr2_model *m, tr2_str source)
{
	const struct tr2_problem *p;
	uint32_t i;

	for (i = 1; i < m->nr_problems; i++) {
		p = &m->problems[i];
		if ((p->kind == TR2_PROBLEM_LOST ||
		     p->kind == TR2_PROBLEM_UNSURE) && p->source == source)
			return true;
	}
	return false;
}

static bool is_error(const struct tr2_model *m, const struct tr2_problem *p)
{
	return !is_warning[p->kind] && (!comes_of_others[p->kind] ||
					!is_excused(m, p->source));
}

struct problem_row {
	const struct tr2_model *m;
	const struct tr2_problem *p;
	const char *level;
};

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(level, "LEVEL", TR2_COL_LEFT, tr2_cell_str(t, r->level)) \
	COLUMN(file, "FILE", TR2_COL_LEFT, \
	       tr2_cell_str(t, tr2_s(r->m, r->p->source))) \
	COLUMN(line, "LINE", 0, if (r->p->line) tr2_cell_uint(t, r->p->line)) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->p->count)) \
	COLUMN(message, "MESSAGE", TR2_COL_LEFT, tr2_cell_str(t, r->p->text))

TR2_COLUMN_LIST(columns, struct problem_row, COLUMNS)

static void print_shown(const char *s)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_text_add(&b, s, strlen(s));
	fputs(tr2_buf_str(&b), stdout);
	tr2_buf_release(&b);
}

static void print_problem(const struct tr2_model *m,
			  const struct tr2_problem *p, bool error)
{
	enum tr2_color color = error ? TR2_COLOR_BAD : TR2_COLOR_WARM;

	print_shown(tr2_s(m, p->source));
	putchar(':');
	if (p->line)
		printf("%llu:", (unsigned long long)p->line);
	printf(" %s%s:%s ", tr2_color_on(color), error ? "error" : "warning",
	       tr2_color_off(color));
	print_shown(p->text);
	if (p->kind == TR2_PROBLEM_LOST)
		printf(" (%llu)", (unsigned long long)p->count);
	else if (p->count > 1)
		printf(" (%llu times)", (unsigned long long)p->count);
	putchar('\n');
}

static void add_problems(struct found *f, const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_problems; i++) {
		const struct tr2_problem *p = &m->problems[i];
		bool error = is_error(m, p);
		const struct problem_row row = { m, p,
						 error ? "error" : "warning" };

		if (error)
			f->errors++;
		else
			f->warnings++;
		if (tr2_common.format == TR2_FORMAT_TEXT)
			print_problem(m, p, error);
		else
			tr2_table_add(&f->problems, &row);
	}
	f->sessions += m->nr_sessions - 1;
	f->events += m->nr_events;
	tr2_for_each_session(m, i)
		f->brief |= m->sessions[i].flags & TR2_SESSION_BRIEF;
}

static void print_summary(const struct found *f)
{
	if (f->brief)
		puts("a brief stream: most events have no time of their own");
	printf("%llu session%s, %llu events: ", (unsigned long long)f->sessions,
	       f->sessions == 1 ? "" : "s", (unsigned long long)f->events);
	if (!f->errors && !f->warnings)
		puts("no problems");
	else
		printf("%u kind%s of error, %u of warning\n", f->errors,
		       f->errors == 1 ? "" : "s", f->warnings);
}

#define SUMMARY_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(sessions, tr2_cell_uint(t, r->sessions)) \
	DATA(events, tr2_cell_uint(t, r->events)) \
	DATA(errors, tr2_cell_uint(t, r->errors)) \
	DATA(warnings, tr2_cell_uint(t, r->warnings)) \
	DATA(brief, tr2_cell_bool(t, r->brief))

TR2_COLUMN_LIST(summary_columns, struct found, SUMMARY_COLUMNS)

/* Check each input by itself: two inputs may describe one process and need not
 * agree. */
static enum tr2_load_result check_input(struct found *f, const char *path)
{
	struct check c = { 0 };
	struct tr2_load load = { &path, 1, TR2_LOAD_QUIET, on_event, &c };
	struct tr2_model *m = tr2_model_new();
	enum tr2_load_result result = tr2_load(m, &load);

	if (result == TR2_LOAD_OK) {
		check_ends(m);
		add_problems(f, m);
	}
	tr2_model_free(m);
	free(c.seen);
	free(c.open);
	return result;
}

static void report_found(struct found *f)
{
	if (tr2_common.format == TR2_FORMAT_TEXT) {
		print_summary(f);
		return;
	}
	tr2_output_begin(&f->out, tr2_common.format);
	if (tr2_common.format == TR2_FORMAT_JSON)
		tr2_table_print_row(&f->out, "summary",
				    TR2_COLUMNS(summary_columns), f);
	tr2_table_finish(&f->problems);
	tr2_output_end(&f->out);
}

static int check_inputs(size_t nr, const char *const *paths)
{
	enum tr2_load_result result;
	struct found f = { .out = { .format = tr2_common.format } };
	bool any = false;
	size_t i;

	tr2_table_init(&f.problems, &f.out, "problems", TR2_COLUMNS(columns));
	for (i = 0; i < nr; i++) {
		result = check_input(&f, paths[i]);
		any |= result == TR2_LOAD_OK;
		if (result == TR2_LOAD_FAILED)
			break;
	}
	if (i == nr && any)
		report_found(&f);
	tr2_table_release(&f.problems);
	if (i < nr)
		return TR2_EXIT_FATAL;
	return f.errors || f.warnings ? TR2_EXIT_FOUND : 0;
}

static int check_files(int argc, char **argv)
{
	struct tr2_list inputs;

	return tr2_inputs(argc, argv, &inputs) ?
		       check_inputs(inputs.nr, inputs.item) : TR2_EXIT_USAGE;
}

static int run_check(int argc, char **argv)
{
	int exit_code = 0;

	if (recording)
		return argc || env || send_probe ?
			tr2_usage_error("--record takes no INPUT, and excludes "
					"--env and --send") :
			tr2_check_record();
	if (!env && !send_probe)
		return check_files(argc, argv);
	if (send_probe && tr2_common.format != TR2_FORMAT_TEXT)
		return tr2_usage_error("--format excludes --send");
	if (env)
		exit_code = tr2_check_env();
	if (send_probe && exit_code < TR2_EXIT_USAGE)
		exit_code |= tr2_check_send();
	return exit_code;
}

const struct tr2_command tr2_command_check = {
	.name = "check",
	.synopsis = "[INPUT...] | --env | --record | --send",
	.summary = "Checks a stream, a recording or the settings for mistakes.",
	.details = "Exits with 1 when there are problems, and with 0 when "
		   "there are none.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FORMAT,
	.run = run_check,
};
