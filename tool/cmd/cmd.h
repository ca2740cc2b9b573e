/* SPDX-License-Identifier: MIT */
/* cmd - the table of commands, and what commands share. */
#pragma once

#include "common/options.h"

/* All commands, ended by NULL, in the order of `trace2 help`. */
extern const struct tr2_command *const tr2_commands[];
const struct tr2_command *tr2_command_find(const char *name);

/* `-e list`: print the named events, and say which of them this machine counts.
 * Return an exit code. */
int tr2_events_list(void);

/* Completion scripts for command lines, made from the tables of commands and
 * options. */
#define TR2_COMPLETION_SHELLS "bash|zsh|fish"
struct tr2_buf;
void tr2_completion_add(const char *shell, struct tr2_buf *out);
