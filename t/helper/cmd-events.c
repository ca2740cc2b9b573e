/* SPDX-License-Identifier: MIT */
/*
 * test-tool events FORM: print the table of events as it was compiled.
 *
 *	perl	scrub/lib/Trace2/Events.pm, a copy that a test compares with this
 *	adoc	build/generated/events.adoc, a part of the manual
 *	json	for jq
 */
#include "cmd-events.h"

const struct tr2_field tool_event_head[] = {
	{ .name = "event", .type = TR2_T_STR },
	{ .name = "sid", .type = TR2_T_STR, .flags = TR2_F_VOLATILE },
	{ .name = "thread", .type = TR2_T_STR },
	{ .name = "time", .type = TR2_T_STR,
	  .flags = TR2_F_OPT | TR2_F_VOLATILE },
	{ .name = "file", .type = TR2_T_STR,
	  .flags = TR2_F_OPT | TR2_F_VOLATILE },
	{ .name = "line", .type = TR2_T_INT,
	  .flags = TR2_F_OPT | TR2_F_VOLATILE },
	{ .name = "repo", .type = TR2_T_INT, .flags = TR2_F_OPT },
	{ .name = "" }
};

const struct tool_word tool_event_types[] = {
	[TR2_T_STR] = { "STR", "string" },
	[TR2_T_INT] = { "INT", "integer" },
	[TR2_T_UINT] = { "UINT", "unsigned integer" },
	[TR2_T_BOOL] = { "BOOL", "boolean" },
	[TR2_T_SECONDS] = { "SECONDS", "seconds" },
	[TR2_T_ARGV] = { "ARGV", "array of strings" },
	[TR2_T_JSON] = { "JSON", "any JSON value" },
	[TR2_T_HISTOGRAM] = { "HISTOGRAM", "array of [seconds, count]" },
	[TR2_T_T_ABS] = { "T_ABS", "seconds since the process started" },
	[TR2_T_T_REL] = { "T_REL", "seconds since the matching start" },
	[TR2_T_NESTING] = { "NESTING", "depth of regions, from 1" },
};

const struct tool_word tool_event_flags[] = {
	{ "T_ABS", "t_abs" },
	{ "T_REL", "t_rel" },
	{ "NESTED", "nested" },
	{ "KEEP_TIME", "time in brief" },
};

const struct tool_word tool_field_flags[] = {
	{ "OPT", "optional" },
	{ "VOLATILE", "volatile" },
	{ "EXE", "first word volatile" },
	{ "TEXT_ONLY", "in text only" },
};

const char *tool_flag_name(const struct tool_word *word)
{
	return word->name;
}

const char *tool_flag_text(const struct tool_word *word)
{
	return word->text;
}

void tool_print_flags(unsigned int flags, const struct tool_word *words,
		      size_t nr, const char *(*get)(const struct tool_word *),
		      const char *quote, const char *separator)
{
	const char *before = "";

	for (size_t i = 0; i < nr; i++) {
		if (!(flags & (1u << i)))
			continue;
		printf("%s%s%s%s", before, quote, get(&words[i]), quote);
		before = separator;
	}
}

void tool_print_escaped(const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s))
			putchar('\\');
		putchar(*s);
	}
}

static const struct tool_events_form *const forms[] = {
	&tool_events_perl,
	&tool_events_adoc,
	&tool_events_json,
};

static const struct tool_events_form *form_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(forms[i]->name, name))
			return forms[i];
	return NULL;
}

static int usage(void)
{
	fputs("usage: test-tool events (", stderr);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		fprintf(stderr, "%s%s", i ? " | " : "", forms[i]->name);
	fputs(")\n", stderr);
	return 129;
}

int tr2_cmd_events(int argc, const char **argv)
{
	const struct tool_events_form *form;

	if (argc != 2)
		return usage();
	form = form_by_name(argv[1]);
	if (!form)
		return usage();
	form->begin();
	for (size_t i = 0; i < TR2_EVENT_NR; i++)
		form->event(&tr2_event_rows[i]);
	form->end();
	if (fflush(stdout) || ferror(stdout)) {
		perror("test-tool: cannot write the table of events");
		return 1;
	}
	return 0;
}
