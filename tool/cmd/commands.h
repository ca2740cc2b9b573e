/* SPDX-License-Identifier: MIT */
/*
 * commands - the table of commands.
 */
#ifndef TR2_CMD_COMMANDS_H
#define TR2_CMD_COMMANDS_H

#include "common/options.h"

/* All commands, ended by NULL, in the order of `trace2 help`. */
extern const struct tr2_command *const tr2_commands[];
const struct tr2_command *tr2_command_find(const char *name);

#endif
