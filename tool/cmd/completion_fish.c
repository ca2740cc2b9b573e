/* SPDX-License-Identifier: MIT */
/* completion_fish - write the completion script of fish. */

#include "base/buf.h"
#include "cmd/completion_shells.h"

/* Append text with a backslash before each character of `special`. */
static void add_escaped(struct tr2_buf *b, const char *text,
			const char *special, const char *escape)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			tr2_buf_addstr(b, escape);
		tr2_buf_addch(b, *text);
	}
}

static void fish_option(struct tr2_buf *b, const struct tr2_command *c,
			const struct tr2_option *o)
{
	tr2_buf_addall(b, "complete -c trace2 -n '__trace2_in ", c->name, "'");
	tr2_add_names(b, o, " -s ", " -l ");
	if (o->choices) {
		tr2_buf_addlit(b, " -x -a '");
		tr2_add_choices(b, o->choices, ":");
		tr2_buf_addch(b, '\'');
	} else if (tr2_wants_file(o)) {
		tr2_buf_addlit(b, " -r -F");
	} else if (o->arg && !tr2_may_be_left_out(o)) {
		tr2_buf_addlit(b, " -x");
	}
	tr2_buf_addlit(b, " -d '");
	add_escaped(b, o->help, "'\\", "\\");
	tr2_buf_addlit(b, "'\n");
}

static void fish_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "complete -c trace2 -n __trace2_first -f -a ",
		       c->name, " -d '");
	add_escaped(b, c->summary, "'\\", "\\");
	tr2_buf_addlit(b, "'\n");
	tr2_for_options(b, c, fish_option);
	if (tr2_is_help(c)) {
		tr2_buf_addlit(b, "complete -c trace2 -n '__trace2_in help' "
				  "-f -a '");
		tr2_add_topics(b);
		tr2_buf_addlit(b, "'\n");
	}
	if (tr2_runs_command(c))
		tr2_buf_addall(b, "complete -c trace2 -n '__trace2_in ",
			       c->name, "' -a '(__fish_complete_subcommand "
					"--fcs-skip=2)'\n");
}

void tr2_add_fish(struct tr2_buf *b)
{
	size_t i;

	tr2_buf_addlit(b, "# Made by trace2 help --completion fish.\n"
			  "function __trace2_first\n"
			  "\ttest (count (commandline -opc)) -eq 1\n"
			  "end\n"
			  "function __trace2_in\n"
			  "\tset -l words (commandline -opc)\n"
			  "\ttest (count $words) -gt 1; "
			  "and test $words[2] = $argv[1]\n"
			  "end\n");
	for (i = 0; tr2_commands[i]; i++)
		fish_command(b, tr2_commands[i]);
}
