/* SPDX-License-Identifier: MIT */
/* trace2 script - print the events of all processes in the order of time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/say.h"
#include "format/read.h"
#include "model/filter.h"
#include "report/input_options.h"
#include "script/script.h"

static bool follow, git_normal, git_perf, git_event;
static const char *fields = "time,pid,cmd,thread,event,message";

#define FIRST_NAME(key, width) #key
#define NEXT_NAME(key, width) ", " #key
static const struct tr2_option options[] = {
	{ 'F', "fields", "FIELDS", TR2_OPT_STRING, &fields,
	  "the fields to show, in this order: "
	  TR2_SCRIPT_COLUMNS(FIRST_NAME, NEXT_NAME), NULL },
	{ 'f', "follow", NULL, TR2_OPT_FLAG, &follow,
	  "continue with events as they are written, also into rings, until "
	  "interrupted", NULL },
	{ 0, "git-normal", NULL, TR2_OPT_FLAG, &git_normal,
	  "in the exact format of Git's normal target", NULL },
	{ 0, "git-perf", NULL, TR2_OPT_FLAG, &git_perf,
	  "in the exact format of Git's perf target", NULL },
	{ 0, "git-event", NULL, TR2_OPT_FLAG, &git_event,
	  "in the exact format of Git's event target", NULL },
	TR2_OPT_END
};

struct script {
	struct tr2_model *m;
	struct tr2_printer printer;
};

static void print_line(struct script *s, const struct tr2_line *line)
{
	if (tr2_filter_event(&tr2_common.filter, s->m, line))
		tr2_print_line(&s->printer, line);
}

static void print_lines(struct script *s)
{
	uint32_t i;

	for (i = 0; i < s->m->nr_lines; i++)
		print_line(s, &s->m->lines[i]);
}

static void on_followed(void *data, struct tr2_model *m,
			const struct tr2_parsed_event *ev)
{
	struct tr2_line line;

	tr2_line_set(&line, m, ev);
	print_line(data, &line);
}

static enum tr2_print_form chosen_form(void)
{
	if (git_normal)
		return TR2_PRINT_NORMAL;
	if (git_perf)
		return TR2_PRINT_PERF;
	if (git_event)
		return TR2_PRINT_EVENT;
	switch (tr2_common.format) {
	case TR2_FORMAT_JSON:
		return TR2_PRINT_JSON;
	case TR2_FORMAT_CSV:
		return TR2_PRINT_CSV;
	default:
		return TR2_PRINT_TEXT;
	}
}

static bool setup(struct script *s, struct tr2_model *m)
{
	s->m = m;
	return tr2_printer_init(&s->printer, m, chosen_form(), fields);
}

static void release_script(struct script *s)
{
	tr2_printer_release(&s->printer);
	tr2_model_free(s->m);
}

static int run_follow(int argc, char **argv)
{
	struct script s = { 0 };
	int exit_code = TR2_EXIT_USAGE;
	struct tr2_list inputs;

	if (tr2_inputs(argc, argv, &inputs) && setup(&s, tr2_model_new()))
		exit_code = tr2_follow(s.m, &inputs, on_followed, &s);
	if (!exit_code)
		tr2_printer_end(&s.printer);
	release_script(&s);
	return exit_code;
}

static int run_script(int argc, char **argv)
{
	struct script s = { 0 };
	int exit_code = 0;
	struct tr2_model *m;

	if (git_normal + git_perf + git_event > 1) {
		tr2_error("only one of --git-normal, --git-perf, --git-event "
			  "can be given");
		return TR2_EXIT_USAGE;
	}
	if (git_normal + git_perf + git_event &&
	    tr2_common.format != TR2_FORMAT_TEXT)
		return tr2_usage_error("--format excludes --git-normal, "
				       "--git-perf and --git-event, which are "
				       "formats themselves");
	if (follow && tr2_common.filter.min_ns)
		return tr2_usage_error("-f and -t exclude each other: with -f, "
				       "durations are not known yet");
	if (follow)
		return run_follow(argc, argv);
	m = tr2_inputs_load(argc, argv, TR2_LOAD_LINES, &exit_code);
	if (!m)
		return exit_code;
	if (setup(&s, m)) {
		print_lines(&s);
		tr2_printer_end(&s.printer);
	} else {
		exit_code = TR2_EXIT_USAGE;
	}
	release_script(&s);
	return exit_code;
}

const struct tr2_command tr2_command_script = {
	.name = "script",
	.synopsis = "[-F FIELDS] [-f] [--git-normal | --git-perf | "
		    "--git-event] [INPUT...]",
	.summary = "Prints the events of all processes in the order of time.",
	.details = "-t keeps the start and end events of processes, and of "
		   "everything that took that long; -N keeps those of matching "
		   "regions.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FILTER | TR2_COMMON_FORMAT,
	.run = run_script,
};
