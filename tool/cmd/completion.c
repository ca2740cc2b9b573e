/* SPDX-License-Identifier: MIT */
/* completion - write the completion scripts of bash, zsh and fish. */
#include "base/buf.h"
#include "cmd/cmd.h"
#include "common/options.h"
#include "common/settings.h"
#include "out/table.h"

static bool wants_file(const struct tr2_option *o)
{
	return o->arg && (strstr(o->arg, "PATH") || strstr(o->arg, "FILE") ||
			  strstr(o->arg, "DIR") || strstr(o->arg, "SOCKET"));
}

/* Return whether the option's value is optional. */
static bool may_be_left_out(const struct tr2_option *o)
{
	return o->arg && *o->arg == '[';
}

/* Return whether the words after the options are another command line. */
static bool runs_command(const struct tr2_command *c)
{
	return c->flags & TR2_COMMAND_STOP;
}

static bool is_help(const struct tr2_command *c)
{
	return !strcmp(c->name, "help");
}

/* Append choices such as "a|b" in the form "a b". */
static void add_choices(struct tr2_buf *b, const char *choices,
			const char *colon)
{
	for (; *choices; choices++) {
		if (*choices == ':') {
			tr2_buf_addstr(b, colon);
			choices += strcspn(choices, "|") - 1;
		} else {
			tr2_buf_addch(b, *choices == '|' ? ' ' : *choices);
		}
	}
}

/* Append the words that may be the value of an option. Return false if any text
 * may. */
static bool add_values(struct tr2_buf *b, const struct tr2_command *c,
		       const struct tr2_option *o, const char *colon)
{
	if (o->choices)
		add_choices(b, o->choices, colon);
	else if (o->arg && !strcmp(o->arg, "COLUMN"))
		tr2_table_names_in(c->name, b);
	else
		return false;
	return true;
}

/* Append an option's letter and its name. An option may lack one of the two. */
static void add_names(struct tr2_buf *b, const struct tr2_option *o,
		      const char *before_letter, const char *before_name)
{
	const char letter[] = { (char)o->letter, '\0' };

	if (o->letter)
		tr2_buf_addall(b, before_letter, letter);
	if (o->name)
		tr2_buf_addall(b, before_name, o->name);
}

static void add_command_names(struct tr2_buf *b)
{
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		tr2_buf_addall(b, i ? " " : "", tr2_commands[i]->name);
}

/* Append the topics of `help`. */
static void add_topics(struct tr2_buf *b)
{
	size_t i;

	add_command_names(b);
	tr2_buf_addlit(b, " settings");
	for (i = 0; i < TR2_NR_SETTINGS; i++)
		tr2_buf_addall(b, " ", tr2_settings[i].variable);
}

typedef void add_option_fn(struct tr2_buf *b, const struct tr2_command *c,
			   const struct tr2_option *o);
/* Call `each` for every option of a command. */
static void for_options(struct tr2_buf *b, const struct tr2_command *c,
			add_option_fn *each)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	for (i = 0; i < nr; i++)
		if (options[i]->kind != TR2_OPT_HEADING)
			each(b, c, options[i]);
}

static void bash_name(struct tr2_buf *b, const struct tr2_command *c,
		      const struct tr2_option *o)
{
	(void)c;
	add_names(b, o, " -", " --");
}

/* Append `report,-g|report,--group|report,--group=) words='…' value=words ;;`
 * for an option with a value. */
static void bash_value(struct tr2_buf *b, const struct tr2_command *c,
		       const struct tr2_option *o)
{
	const char letter[] = { (char)o->letter, '\0' };
	bool needs = o->arg && !may_be_left_out(o);

	if (!o->arg)
		return;
	tr2_buf_addlit(b, "\t");
	if (needs && o->letter)
		tr2_buf_addall(b, c->name, ",-", letter, o->name ? "|" : "");
	if (needs && o->name)
		tr2_buf_addall(b, c->name, ",--", o->name, "|");
	if (o->name)
		tr2_buf_addall(b, c->name, ",--", o->name, "=");
	tr2_buf_addlit(b, ") words='");
	if (add_values(b, c, o, ":"))
		tr2_buf_addlit(b, "' value=words ;;\n");
	else
		tr2_buf_addall(b, "' value=", wants_file(o) ? "file" : "free",
			       " ;;\n");
}

static void bash_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "\t", c->name, ") words='");
	for_options(b, c, bash_name);
	tr2_buf_addlit(b, "'");
	if (is_help(c)) {
		tr2_buf_addlit(b, " value=words\n\t\tcase $cur in -*) ;; *) "
				  "words='");
		add_topics(b);
		tr2_buf_addlit(b, "' ;; esac");
	}
	tr2_buf_addlit(b, " ;;\n");
}

/*
 * The beginning of the script for bash. readline breaks words at `=`, so that
 * `--format=te` arrives as three words. Words of the command that `record` runs
 * are completed as names of files.
 */
static const char bash_head[] =
	"# Made by trace2 help --completion bash.\n"
	"_trace2 () {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
	"\n"
	"\tlocal words= value= command=${COMP_WORDS[1]}\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"$cur\" = = ]; then\n"
	"\t\tcur= prev=$prev=\n"
	"\telif [ \"$prev\" = = ]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}=\n"
	"\tfi\n"
	"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\tCOMPREPLY=($(compgen -W '";
static const char bash_values[] =
	"' -- \"$cur\"))\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tcase $command,$prev in\n";
static const char bash_options[] =
	"\tesac\n"
	"\tif [ -z \"$value\" ]; then\n"
	"\tcase $command in\n";
static const char bash_tail[] =
	"\tesac\n"
	"\tcase $cur in -*) value=words ;; esac\n"
	"\tfi\n"
	"\tcase $value in\n"
	"\twords) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	"\tfree) ;;\n"
	"\t*) compopt -o default 2>/dev/null ;;\n"
	"\tesac\n"
	"}\n"
	"complete -F _trace2 trace2\n";

static void add_bash(struct tr2_buf *b)
{
	size_t i;

	tr2_buf_addstr(b, bash_head);
	add_command_names(b);
	tr2_buf_addstr(b, bash_values);
	for (i = 0; tr2_commands[i]; i++)
		for_options(b, tr2_commands[i], bash_value);
	tr2_buf_addstr(b, bash_options);
	for (i = 0; tr2_commands[i]; i++)
		bash_command(b, tr2_commands[i]);
	tr2_buf_addstr(b, bash_tail);
}

/* Append text that is put in single quotes of fish. */
static void add_escaped(struct tr2_buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			tr2_buf_addch(b, '\\');
		tr2_buf_addch(b, *text);
	}
}

static void fish_option(struct tr2_buf *b, const struct tr2_command *c,
			const struct tr2_option *o)
{
	tr2_buf_addall(b, "complete -c trace2 -n '__trace2_in ", c->name, "'");
	add_names(b, o, " -s ", " -l ");
	if (wants_file(o)) {
		tr2_buf_addlit(b, " -r -F");
	} else if (o->arg) {
		tr2_buf_addstr(b, may_be_left_out(o) ? " -f" : " -x");
		tr2_buf_addlit(b, " -a '");
		add_values(b, c, o, ":");
		tr2_buf_addch(b, '\'');
	}
	tr2_buf_addlit(b, " -d '");
	add_escaped(b, o->help);
	tr2_buf_addlit(b, "'\n");
}

static void fish_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "complete -c trace2 -n __trace2_first -f -a ",
		       c->name, " -d '");
	add_escaped(b, c->summary);
	tr2_buf_addlit(b, "'\n");
	for_options(b, c, fish_option);
	if (is_help(c)) {
		tr2_buf_addlit(b, "complete -c trace2 -n '__trace2_in help' "
				  "-f -a '");
		add_topics(b);
		tr2_buf_addlit(b, "'\n");
	}
	if (runs_command(c))
		tr2_buf_addall(b, "complete -c trace2 -n '__trace2_in ",
			       c->name, "' -a '(__fish_complete_subcommand "
					"--fcs-skip=2)'\n");
}

static void add_fish(struct tr2_buf *b)
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

/* Append text that is put in single quotes, and in the brackets of
 * _arguments. */
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

/* Append `'--format=[text, json or csv]:FORMAT:(text json csv)'`. */
static void zsh_spec(struct tr2_buf *b, const struct tr2_command *c,
		     const struct tr2_option *o, bool is_long)
{
	size_t before;
	const char letter[] = { (char)o->letter, '\0' };

	tr2_buf_addall(b, " \\\n\t\t'", o->kind == TR2_OPT_LIST ? "*" : "",
		       is_long ? "--" : "-", is_long ? o->name : letter);
	if (o->arg)
		tr2_buf_addstr(b, !is_long ? "+" :
				  may_be_left_out(o) ? "=-" : "=");
	tr2_buf_addch(b, '[');
	zsh_text(b, o->help);
	tr2_buf_addch(b, ']');
	if (o->arg) {
		tr2_buf_addstr(b, may_be_left_out(o) ? "::" : ":");
		add_message(b, o->arg);
		tr2_buf_addch(b, ':');
	}
	before = b->len;
	tr2_buf_addch(b, '(');
	if (add_values(b, c, o, "\\:"))
		tr2_buf_addch(b, ')');
	else
		b->len = before;
	if (wants_file(o))
		tr2_buf_addlit(b, "_files");
	tr2_buf_addch(b, '\'');
}

static void zsh_option(struct tr2_buf *b, const struct tr2_command *c,
		       const struct tr2_option *o)
{
	if (o->letter)
		zsh_spec(b, c, o, false);
	if (o->name)
		zsh_spec(b, c, o, true);
}

static void zsh_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "\t", c->name, ")\n\t\t_arguments -s -S");
	for_options(b, c, zsh_option);
	tr2_buf_addlit(b, " \\\n\t\t");
	if (runs_command(c)) {
		tr2_buf_addlit(b, "'(-)1:command:_command_names -e' \\\n"
				  "\t\t'*::argument:_normal'");
	} else if (is_help(c)) {
		tr2_buf_addlit(b, "'*:command or setting:(");
		add_topics(b);
		tr2_buf_addlit(b, ")'");
	} else {
		tr2_buf_addlit(b, "'*:file:_files'");
	}
	tr2_buf_addlit(b, " ;;\n");
}

static void add_zsh(struct tr2_buf *b)
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
	/* compinit runs the file as the function's body. A file that is read
	 * with `source` only registers the function. */
	tr2_buf_addlit(b, "\tesac\n"
			  "}\n"
			  "if [ \"$funcstack[1]\" = _trace2 ]; then\n"
			  "\t_trace2 \"$@\"\n"
			  "else\n"
			  "\tcompdef _trace2 trace2\n"
			  "fi\n");
}

void tr2_completion_add(const char *shell, struct tr2_buf *out)
{
	if (!strcmp(shell, "bash"))
		add_bash(out);
	else if (!strcmp(shell, "zsh"))
		add_zsh(out);
	else
		add_fish(out);
}
