/* SPDX-License-Identifier: MIT */
/* completion_bash - write the completion script of bash. */
#include "base/buf.h"
#include "cmd/completion_shells.h"

static void bash_name(struct tr2_buf *b, const struct tr2_command *c,
		      const struct tr2_option *o)
{
	(void)c;
	tr2_add_names(b, o, " -", " --");
}

/* `report,-g|report,--group) words='…' ;;`, for an option with a value. */
static void bash_value(struct tr2_buf *b, const struct tr2_command *c,
		       const struct tr2_option *o)
{
	const char letter[] = { (char)o->letter, '\0' };

	if (!o->arg || tr2_may_be_left_out(o))
		return;
	tr2_buf_addlit(b, "\t");
	if (o->letter)
		tr2_buf_addall(b, c->name, ",-", letter, o->name ? "|" : "");
	if (o->name)
		tr2_buf_addall(b, c->name, ",--", o->name);
	tr2_buf_addlit(b, ") value=");
	if (o->choices) {
		tr2_buf_addlit(b, "words words='");
		tr2_add_choices(b, o->choices, ":");
		tr2_buf_addlit(b, "'");
	} else {
		tr2_buf_addstr(b, tr2_wants_file(o) ? "file" : "free");
	}
	tr2_buf_addlit(b, " ;;\n");
}

static void bash_command(struct tr2_buf *b, const struct tr2_command *c)
{
	tr2_buf_addall(b, "\t", c->name, ") words='");
	tr2_for_options(b, c, bash_name);
	tr2_buf_addlit(b, "'");
	if (tr2_is_help(c)) {
		tr2_buf_addlit(b, " value=words\n\t\tcase $cur in -*) ;; *) "
				  "words='");
		tr2_add_topics(b);
		tr2_buf_addlit(b, "' ;; esac");
	}
	tr2_buf_addlit(b, " ;;\n");
}

/*
 * readline breaks words at `=`, so that `--format=te` arrives as three words.
 * The words of a command that `record` runs are completed as files.
 */
static const char bash_head[] =
	"# Made by trace2 help --completion bash.\n"
	"_trace2 () {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
	"\n"
	"\tlocal words= value= command=${COMP_WORDS[1]}\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"$cur\" = = ]; then\n"
	"\t\tcur=\n"
	"\telif [ \"$prev\" = = ]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
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

void tr2_add_bash(struct tr2_buf *b)
{
	size_t i;

	tr2_buf_addstr(b, bash_head);
	tr2_add_command_names(b);
	tr2_buf_addstr(b, bash_values);
	for (i = 0; tr2_commands[i]; i++)
		tr2_for_options(b, tr2_commands[i], bash_value);
	tr2_buf_addstr(b, bash_options);
	for (i = 0; tr2_commands[i]; i++)
		bash_command(b, tr2_commands[i]);
	tr2_buf_addstr(b, bash_tail);
}
