/* SPDX-License-Identifier: MIT */
/*
 * completion - what the completion scripts of all shells need to know of
 * commands and options.
 */
#include "cmd/completion.h"

#include "base/buf.h"
#include "cmd/completion_shells.h"
#include "common/settings.h"

bool tr2_wants_file(const struct tr2_option *o)
{
	return o->arg && (strstr(o->arg, "PATH") || strstr(o->arg, "FILE") ||
			  strstr(o->arg, "DIR") || strstr(o->arg, "SOCKET"));
}

bool tr2_may_be_left_out(const struct tr2_option *o)
{
	return o->arg && *o->arg == '[';
}

bool tr2_runs_command(const struct tr2_command *c)
{
	return c->flags & TR2_COMMAND_STOP;
}

bool tr2_is_help(const struct tr2_command *c)
{
	return !strcmp(c->name, "help");
}

void tr2_add_choices(struct tr2_buf *b, const char *choices, const char *colon)
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

void tr2_add_names(struct tr2_buf *b, const struct tr2_option *o,
		   const char *before_letter, const char *before_name)
{
	const char letter[] = { (char)o->letter, '\0' };

	if (o->letter)
		tr2_buf_addall(b, before_letter, letter);
	if (o->name)
		tr2_buf_addall(b, before_name, o->name);
}

void tr2_add_command_names(struct tr2_buf *b)
{
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		tr2_buf_addall(b, i ? " " : "", tr2_commands[i]->name);
}

void tr2_add_topics(struct tr2_buf *b)
{
	size_t i;

	tr2_add_command_names(b);
	tr2_buf_addlit(b, " settings");
	for (i = 0; i < TR2_NR_SETTINGS; i++)
		tr2_buf_addall(b, " ", tr2_settings[i].variable);
}

void tr2_for_options(struct tr2_buf *b, const struct tr2_command *c,
		     tr2_add_option_fn *each)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	for (i = 0; i < nr; i++)
		if (options[i]->kind != TR2_OPT_HEADING)
			each(b, c, options[i]);
}

void tr2_completion_add(const char *shell, struct tr2_buf *out)
{
	if (!strcmp(shell, "bash"))
		tr2_add_bash(out);
	else if (!strcmp(shell, "zsh"))
		tr2_add_zsh(out);
	else
		tr2_add_fish(out);
}
