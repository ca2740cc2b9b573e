/* SPDX-License-Identifier: MIT */
/*
 * trace2 script - every event in the order of time, over all processes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/script.h"
#include "common/options.h"
#include "common/say.h"
#include "model/filter.h"
#include "read/event_json.h"
#include "read/perf_text.h"
#include "read/read.h"

static bool follow, git_normal, git_perf, git_event;
static const char *fields = "time,pid,cmd,thread,event,message";

static const struct tr2_option options[] = {
	{ 'F', "fields", "FIELDS", TR2_OPT_STRING, &fields,
	  "what to show, in this order: time, t_abs, t_rel, sid, pid, depth, "
	  "cmd, thread, event, repo, nesting, category, message, file", NULL },
	{ 'f', "follow", NULL, TR2_OPT_FLAG, &follow,
	  "go on with what is written from now on, until interrupted", NULL },
	{ 0, "git-normal", NULL, TR2_OPT_FLAG, &git_normal,
	  "in the exact format of Git's normal target", NULL },
	{ 0, "git-perf", NULL, TR2_OPT_FLAG, &git_perf,
	  "in the exact format of Git's perf target", NULL },
	{ 0, "git-event", NULL, TR2_OPT_FLAG, &git_event,
	  "in the exact format of Git's event target", NULL },
	TR2_OPT_END
};

/* What reads kept lines again. */
struct script {
	struct tr2_model *m;
	struct tr2_event_reader *events;
	struct tr2_perf_reader *perf;
	struct tr2_printer printer;
	struct tr2_buf line;
	uint16_t *open; /* regions, of each thread */
	uint32_t nr_open;
};

/* The line with what readers want behind it. */
static const char *padded(struct script *s, const struct tr2_line *line)
{
	tr2_buf_reset(&s->line);
	tr2_buf_add(&s->line, line->text, line->len);
	tr2_buf_addchars(&s->line, '\n', 72);
	return s->line.failed ? NULL : s->line.p;
}

static bool read_again(struct script *s, const struct tr2_line *line,
		       struct tr2_parsed_event *ev)
{
	const char *text = padded(s, line);
	bool ok;

	if (!text)
		return false;
	if (s->m->sessions[line->session].flags & TR2_SESSION_PERF)
		ok = tr2_perf_reader_parse(s->perf, text, line->len,
					   s->open[line->thread], ev);
	else
		ok = tr2_event_reader_parse(s->events, text, line->len, ev);
	ev->session = line->session;
	ev->thread = line->thread;
	ev->raw = (struct tr2_view){ text, line->len };
	if (ev->wall_us == TR2_ABSENT)
		ev->wall_us = line->at_ns / 1000;
	return ok;
}

/* 1 + the regions that are open around an event; follows enter and leave. What
 * a thread or the process leaves open is unwound before its end is told. */
static unsigned int nesting_at(uint16_t *open, const struct tr2_parsed_event *ev)
{
	unsigned int nesting;

	if (ev->kind == TR2_EV_atexit || ev->kind == TR2_EV_thread_exit)
		*open = 0;
	if (ev->kind == TR2_EV_region_leave && *open)
		--*open;
	nesting = *open + 1u;
	if (ev->kind == TR2_EV_region_enter && *open < UINT16_MAX)
		++*open;
	return nesting;
}

/* Events that tell of a whole process stay when -t or -N hides others. */
static bool about_process(int kind)
{
	switch (kind) {
	case TR2_EV_start:
	case TR2_EV_exit:
	case TR2_EV_atexit:
	case TR2_EV_signal:
	case TR2_EV_error:
		return true;
	default:
		return false;
	}
}

static bool wanted(const struct tr2_model *m, const struct tr2_line *line,
		   const struct tr2_parsed_event *ev)
{
	if (line->at_ns < tr2_common.since_ns ||
	    line->at_ns > tr2_common.until_ns ||
	    !tr2_filter_session(m, line->session))
		return false;
	if (line->span)
		return tr2_filter_span(m, line->span);
	if (tr2_common.region)
		return false;
	return !tr2_common.min_ns || about_process(ev->kind);
}

static void print_lines(struct script *s)
{
	struct tr2_parsed_event ev;
	unsigned int nesting;
	uint32_t i;

	for (i = 0; i < s->m->nr_lines; i++) {
		const struct tr2_line *line = &s->m->lines[i];

		if (!read_again(s, line, &ev))
			continue;
		nesting = nesting_at(&s->open[line->thread], &ev);
		if (wanted(s->m, line, &ev))
			tr2_print_event(&s->printer, s->m, &ev, nesting);
	}
}

/* ---- follow ------------------------------------------------------------------- */

/* The open regions of a thread that may be new. */
static uint16_t *open_of(struct script *s, uint32_t thread)
{
	uint32_t nr = thread + 1024;
	uint16_t *open;

	if (thread < s->nr_open)
		return &s->open[thread];
	open = realloc(s->open, nr * sizeof(*open));
	if (!open)
		return NULL;
	memset(open + s->nr_open, 0, (nr - s->nr_open) * sizeof(*open));
	s->open = open;
	s->nr_open = nr;
	return &s->open[thread];
}

static void on_followed(void *data, struct tr2_model *m,
			const struct tr2_parsed_event *ev)
{
	struct script *s = data;
	uint16_t *open = open_of(s, ev->thread);
	const struct tr2_session *session = &m->sessions[ev->session];

	if (!open)
		return;
	if ((tr2_common.pid >= 0 && session->pid != tr2_common.pid) ||
	    (tr2_common.sid && !strstr(session->sid, tr2_common.sid)))
		return;
	tr2_print_event(&s->printer, m, ev, nesting_at(open, ev));
}

/* ---- the command ----------------------------------------------------------------- */

static bool setup(struct script *s, struct tr2_model *m)
{
	enum tr2_print_form form = git_normal ? TR2_PRINT_NORMAL :
				   git_perf   ? TR2_PRINT_PERF :
				   git_event  ? TR2_PRINT_EVENT :
						TR2_PRINT_FIELDS;

	if (form == TR2_PRINT_FIELDS && tr2_common.format == TR2_FORMAT_JSON)
		form = TR2_PRINT_JSON;
	s->m = m;
	s->events = tr2_event_reader_new(m, NULL, NULL);
	s->perf = tr2_perf_reader_new(m, NULL, NULL);
	s->open = calloc(m->nr_threads, sizeof(*s->open));
	s->nr_open = m->nr_threads;
	return s->events && s->perf && s->open &&
	       tr2_printer_init(&s->printer, form, fields);
}

static void release(struct script *s)
{
	tr2_printer_release(&s->printer);
	tr2_event_reader_free(s->events);
	tr2_perf_reader_free(s->perf);
	tr2_buf_release(&s->line);
	free(s->open);
	tr2_model_free(s->m);
}

static int run_follow(int argc, char **argv)
{
	static char name[] = "trace2.data";
	static char *standard[] = { name, NULL };
	struct script s = { 0 };
	struct tr2_model *m = tr2_model_new();
	int exit_code = TR2_EXIT_USAGE;

	if (!argc && tr2_common.input.nr)
		argc = (int)tr2_common.input.nr,
		argv = (char **)tr2_common.input.item;
	else if (!argc)
		argc = 1, argv = standard;
	if (m && setup(&s, m))
		exit_code = tr2_follow(m, argc, argv, on_followed, &s);
	release(&s);
	return exit_code;
}

static int run(int argc, char **argv)
{
	struct script s = { 0 };
	int exit_code = 0;
	struct tr2_model *m;

	if (git_normal + git_perf + git_event > 1) {
		tr2_error("only one of --git-normal, --git-perf, --git-event "
			  "can be given");
		return TR2_EXIT_USAGE;
	}
	if (follow)
		return run_follow(argc, argv);
	m = tr2_load_inputs(argc, argv, TR2_LOAD_LINES, &exit_code);
	if (!m)
		return exit_code;
	if (setup(&s, m)) {
		print_lines(&s);
		tr2_printer_end(&s.printer);
	} else {
		exit_code = TR2_EXIT_USAGE;
	}
	release(&s);
	return exit_code;
}

const struct tr2_command tr2_command_script = {
	.name = "script",
	.synopsis = "[-F FIELDS] [-f] [--git-normal | --git-perf | "
		    "--git-event] [INPUT...]",
	.summary = "Prints every event in the order of time, over all "
		   "processes.",
	.details = "With -t and -N, the beginnings and ends of what took that "
		   "long, or is called so, and of processes.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FILTER | TR2_COMMON_FORMAT,
	.run = run,
};
