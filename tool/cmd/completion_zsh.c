/* SPDX-License-Identifier: MIT */
/* completion_zsh - write the completion script of zsh. */

#include "base/buf.h"
#include "cmd/completion_shells.h"

/* Append text for single quotes, and for the brackets of _arguments. */
static void zsh_text(struct tr2_buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			tr2_buf_addlit(b, "'\\'");
		else if (strchr("[]:\\", *text))
			tr2_buf_addch(b, '\\');
		tr2_buf_addch(b, *text);
	}
}

/* Append the name of a value, without the characters that _arguments
 * interprets. */
static void add_message(struct tr2_buf *b, const char *text)
{
	for (; *text; text++)
		if (!strchr("[]:'\\", *text))
			tr2_buf_addch(b, *text);
}

/* `'--format=[text, json or csv]:FORMAT:(text json csv)'` */
static void zsh_spec(struct tr2_buf *b, const struct tr2_option *o, bool is_long)
{
	const char letter[] = { (char)o->letter, '\0' };

	tr2_buf_addall(b, " \\\n\t\t'", o->kind == TR2_OPT_LIST ? "*" : "",
		       is_long ? "--" : "-", is_long ? o->name : letter);
	if (o->arg)
		tr2_buf_addstr(b, !is_long ? "+" :
				  tr2_may_be_left_out(o) ? "=-" : "=");
	tr2_buf_addch(b, '[');
	zsh_text(b, o->help);
	tr2_buf_addch(b, ']');
	if (o->arg) {
		tr2_buf_addstr(b, tr2_may_be_left_out(o) ? "::" : ":");
		add_message(b, o->arg);
		tr2_buf_addch(b, ':');
	}
	if (o->choices) {
		tr2_buf_addch(b, '(');
		tr2_add_choices(b, o->choices, "\\:");
		tr2_buf_addch(b, ')');
	} else if (tr2_wants_file(o)) {
		tr2_buf_addlit(b, "_files");
	}
	tr2_buf_addch(b, '\'');
}

static void zsh_option(struct tr2_buf *b, const struct tr2_command *c,
		       const struct tr2_option *o)
{
	(void)c;
	if (o->letter)
		zsh_spec(b, o, false);
	if (o->name)
		zsh_spec(b, o, true);
}

static void zsh_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "\t", c->name, ")\n\t\t_arguments -s -S");
	tr2_for_options(b, c, zsh_option);
	tr2_buf_addlit(b, " \\\n\t\t");
	if (tr2_runs_command(c)) {
		tr2_buf_addlit(b, "'(-)1:command:_command_names -e' \\\n"
				  "\t\t'*::argument:_normal'");
	} else if (tr2_is_help(c)) {
		tr2_buf_addlit(b, "'*:command or setting:(");
		tr2_add_topics(b);
		tr2_buf_addlit(b, ")'");
	} else {
		tr2_buf_addlit(b, "'*:file:_files'");
	}
	tr2_buf_addlit(b, " ;;\n");
}

void tr2_add_zsh(struct tr2_buf *b)
{
	size_t i;

	tr2_buf_addlit(b, "#compdef trace2\n"
			  "# Made by trace2 help --completion zsh.\n"
			  "_trace2 () {\n"
			  "\tlocal -a names\n"
			  "\tif (( CURRENT == 2 )); then\n"
			  "\t\tnames=(");
	for (i = 0; tr2_commands[i]; i++) {
		tr2_buf_addall(b, "\n\t\t'", tr2_commands[i]->name, ":");
		zsh_text(b, tr2_commands[i]->summary);
		tr2_buf_addch(b, '\'');
	}
	tr2_buf_addlit(b, ")\n"
			  "\t\t_describe command names\n"
			  "\t\treturn\n"
			  "\tfi\n"
			  "\tshift words\n"
			  "\t(( CURRENT-- ))\n"
			  "\tcase $words[1] in\n");
	for (i = 0; tr2_commands[i]; i++)
		zsh_command(b, tr2_commands[i]);
	/* compinit calls the file as the function; a file that is read with
	 * `source` registers the function. */
	tr2_buf_addlit(b, "\tesac\n"
			  "}\n"
			  "if [ \"$funcstack[1]\" = _trace2 ]; then\n"
			  "\t_trace2 \"$@\"\n"
			  "else\n"
			  "\tcompdef _trace2 trace2\n"
			  "fi\n");
}
