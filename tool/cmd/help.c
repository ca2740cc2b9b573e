/* SPDX-License-Identifier: MIT */
/*
 * trace2 help - the commands, one command's options, and the texts that are
 * made from the tables of options: for the man pages and the shell.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "options.h"

static bool asciidoc, completion, names;

static const struct tr2_option options[] = {
	{ 0, "asciidoc", NULL, TR2_OPT_FLAG, &asciidoc,
	  "the commands, or one command's options, in asciidoc for a man page", NULL },
	{ 0, "completion", NULL, TR2_OPT_FLAG, &completion,
	  "a completion for bash: eval \"$(trace2 help --completion)\"", NULL },
	{ 0, "commands", NULL, TR2_OPT_FLAG, &names,
	  "the names of the commands, one a line", NULL },
	TR2_OPT_END
};

static void print(struct tr2_buf *b)
{
	fwrite(b->p, 1, b->len, stdout);
	tr2_buf_release(b);
}

static void print_overview(void)
{
	size_t i;

	puts("Usage: trace2 COMMAND [OPTION...] [ARGUMENT...]\n"
	     "\n"
	     "Records, reads and reports what programs say about themselves in "
	     "Trace2, the\n"
	     "tracing that Git has built in: which processes ran, and where "
	     "the time went.\n"
	     "\n"
	     "Commands:\n");
	for (i = 0; tr2_commands[i]; i++)
		printf("  %-8s  %s\n", tr2_commands[i]->name,
		       tr2_commands[i]->summary);
	puts("\n"
	     "'trace2 COMMAND -h' lists the options of a command.\n"
	     "To begin: trace2 record -- git status; trace2 report");
}

static void print_asciidoc_overview(void)
{
	size_t i;

	puts("// Made by make generate from the table of commands.");
	for (i = 0; tr2_commands[i]; i++)
		printf("\nxref:trace2-%s.adoc[trace2-%s(1)]::\n\t%s\n",
		       tr2_commands[i]->name, tr2_commands[i]->name,
		       tr2_commands[i]->summary);
}

static void print_completion(void)
{
	struct tr2_buf b = TR2_BUF_INIT;
	size_t i;

	tr2_buf_addlit(&b, "_trace2() {\n"
			   "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
			   "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
			   "\t\twords='");
	for (i = 0; tr2_commands[i]; i++) {
		tr2_buf_addstr(&b, i ? " " : "");
		tr2_buf_addstr(&b, tr2_commands[i]->name);
	}
	tr2_buf_addlit(&b, "'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n");
	for (i = 0; tr2_commands[i]; i++) {
		tr2_buf_addlit(&b, "\t\t");
		tr2_buf_addstr(&b, tr2_commands[i]->name);
		tr2_buf_addlit(&b, ") words='");
		tr2_options_completion(tr2_commands[i], &b);
		tr2_buf_addlit(&b, "' ;;\n");
	}
	tr2_buf_addlit(&b, "\t\tesac\n\tfi\n"
			   "\tCOMPREPLY=()\n"
			   "\tcase $word in\n"
			   "\t-*|'') COMPREPLY=($(compgen -W \"$words\" -- "
			   "\"$word\")) ;;\n"
			   "\t*) [ \"$COMP_CWORD\" -eq 1 ] &&\n"
			   "\t\tCOMPREPLY=($(compgen -W \"$words\" -- "
			   "\"$word\")) ;;\n"
			   "\tesac\n"
			   "}\n"
			   "complete -o default -F _trace2 trace2\n");
	print(&b);
}

static int help_on(const char *name)
{
	const struct tr2_command *c = tr2_command_find(name);
	struct tr2_buf b = TR2_BUF_INIT;

	if (!c) {
		tr2_error("'%s' is not a command. 'trace2 help' lists them.",
			  name);
		return TR2_EXIT_USAGE;
	}
	if (asciidoc)
		tr2_options_asciidoc(c, &b);
	else
		tr2_options_help(c, &b);
	print(&b);
	return 0;
}

static int run(int argc, char **argv)
{
	size_t i;

	if (completion)
		print_completion();
	else if (names)
		for (i = 0; tr2_commands[i]; i++)
			puts(tr2_commands[i]->name);
	else if (argc)
		return help_on(argv[0]);
	else if (asciidoc)
		print_asciidoc_overview();
	else
		print_overview();
	return 0;
}

const struct tr2_command tr2_command_help = {
	.name = "help",
	.synopsis = "[--asciidoc] [COMMAND] | --completion | --commands",
	.summary = "Lists the commands, or the options of one.",
	.options = options,
	.run = run,
};
