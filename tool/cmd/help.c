/* SPDX-License-Identifier: MIT */
/*
 * trace2 help - print the commands, one command's options, or the settings, and
 * make texts from the tables of options and settings for man pages and shells.
 */
#include <stdio.h>

#include "base/buf.h"
#include "cmd/cmd.h"
#include "common/options.h"
#include "common/say.h"
#include "common/settings.h"
#include "common/spell.h"

static bool asciidoc, names;
static const char *completion;

static const struct tr2_option options[] = {
	{ 0, "asciidoc", NULL, TR2_OPT_FLAG, &asciidoc,
	  "the commands, one command's options, or the settings, in asciidoc "
	  "for a man page", NULL },
	{ 0, "completion", "SHELL", TR2_OPT_STRING, &completion,
	  "the completion script for bash, zsh or fish",
	  TR2_COMPLETION_SHELLS },
	{ 0, "commands", NULL, TR2_OPT_FLAG, &names,
	  "the names of the commands, one per line", NULL },
	TR2_OPT_END
};

static void print_text(struct tr2_buf *b)
{
	fwrite(b->p, 1, b->len, stdout);
	tr2_buf_release(b);
}

static void print_overview(void)
{
	size_t i;

	puts("Usage: trace2 COMMAND [OPTION...] [ARGUMENT...]\n"
	     "\n"
	     "Finds out where the time of a command, a build or a test suite "
	     "went: records its\n"
	     "processes, and the events that programs such as Git write, and "
	     "reports which of\n"
	     "them everything waited for, and why.\n"
	     "\n"
	     "Commands:\n");
	for (i = 0; tr2_commands[i]; i++)
		printf("  %-8s  %s\n", tr2_commands[i]->name,
		       tr2_commands[i]->summary);
	puts("\n"
	     "'trace2 COMMAND -h' lists the options of a command, 'trace2 help "
	     "settings'\n"
	     "the settings of programs that trace themselves.\n"
	     "To begin: trace2 record -- make; trace2 report");
}

static void print_asciidoc_overview(void)
{
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		printf("\nxref:trace2-%s.adoc[trace2-%s(1)]::\n\t%s\n",
		       tr2_commands[i]->name, tr2_commands[i]->name,
		       tr2_commands[i]->summary);
}

static void add_settings(struct tr2_buf *b)
{
	size_t i;

	if (asciidoc) {
		tr2_settings_asciidoc(b);
		return;
	}
	for (i = 0; i < TR2_NR_SETTINGS; i++)
		tr2_setting_help(&tr2_settings[i], b);
}

static void say_unknown(const char *name)
{
	struct tr2_spell spell = { .word = name, .limit = TR2_SPELL_LIMIT };
	const char *question;
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		tr2_spell_try(&spell, tr2_commands[i]->name);
	tr2_spell_try(&spell, "settings");
	for (i = 0; i < TR2_NR_SETTINGS; i++)
		tr2_spell_try(&spell, tr2_settings[i].variable);
	question = tr2_spell_question(&spell);
	tr2_error("'%s' is neither a command nor a setting%s", name,
		  *question ? question : ": 'trace2 help' and 'trace2 help "
					 "settings' list them");
}

static int help_on(const char *name)
{
	const struct tr2_command *c = tr2_command_find(name);
	const struct tr2_setting *s = tr2_setting_find(name);
	struct tr2_buf b = TR2_BUF_INIT;

	if (c && asciidoc)
		tr2_options_asciidoc(c, &b);
	else if (c)
		tr2_options_help(c, &b);
	else if (!strcmp(name, "settings"))
		add_settings(&b);
	else if (s)
		tr2_setting_help(s, &b);
	if (!b.len) {
		say_unknown(name);
		return TR2_EXIT_USAGE;
	}
	print_text(&b);
	return 0;
}

static int run_help(int argc, char **argv)
{
	int nr_taken = completion || names ? 0 : 1;
	struct tr2_buf b = TR2_BUF_INIT;
	size_t i;

	if (argc > nr_taken)
		return tr2_usage_error("unexpected word '%s'", argv[nr_taken]);
	if (completion) {
		tr2_completion_add(completion, &b);
		print_text(&b);
	} else if (names) {
		for (i = 0; tr2_commands[i]; i++)
			puts(tr2_commands[i]->name);
	} else if (argc) {
		return help_on(argv[0]);
	} else if (asciidoc) {
		print_asciidoc_overview();
	} else {
		print_overview();
	}
	return 0;
}

const struct tr2_command tr2_command_help = {
	.name = "help",
	.synopsis = "[--asciidoc] [COMMAND | settings | SETTING] | "
		    "--completion SHELL "
		    "| --commands",
	.summary = "Lists the commands, the options of one, or the settings.",
	.options = options,
	.run = run_help,
};
