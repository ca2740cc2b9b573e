/* SPDX-License-Identifier: MIT */
/*
 * completion_shells - declarations that the files of the completion scripts
 * share: a file for each shell, and completion.c for what all need.
 */
#ifndef TR2_CMD_COMPLETION_SHELLS_H
#define TR2_CMD_COMPLETION_SHELLS_H

#include "cmd/commands.h"
#include "common/options.h"

/* Append the script of a shell. */
void tr2_add_bash(struct tr2_buf *b);
void tr2_add_zsh(struct tr2_buf *b);
void tr2_add_fish(struct tr2_buf *b);

/* Whether the option's value is a file. */
bool tr2_wants_file(const struct tr2_option *o);
/* Whether the option's value is optional. */
bool tr2_may_be_left_out(const struct tr2_option *o);
/* Whether the words after the options are another command line. */
bool tr2_runs_command(const struct tr2_command *c);
bool tr2_is_help(const struct tr2_command *c);

/* Append "a|b" as "a b". */
void tr2_add_choices(struct tr2_buf *b, const char *choices,
		     const char *colon);
/* Append the letter and the name of an option, those that it has. */
void tr2_add_names(struct tr2_buf *b, const struct tr2_option *o,
		   const char *before_letter, const char *before_name);
void tr2_add_command_names(struct tr2_buf *b);
/* Append the topics of `help`. */
void tr2_add_topics(struct tr2_buf *b);

/* Call `each` for every option of a command. */
typedef void tr2_add_option_fn(struct tr2_buf *b, const struct tr2_command *c,
			       const struct tr2_option *o);
void tr2_for_options(struct tr2_buf *b, const struct tr2_command *c,
		     tr2_add_option_fn *each);

#endif
