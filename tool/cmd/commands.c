/* SPDX-License-Identifier: MIT */
/* commands - the array of commands, from commands.def. */
#include "cmd/cmd.h"

#include <string.h>

#define TR2_COMMAND(name) extern const struct tr2_command tr2_command_##name;
#include "cmd/commands.def"
#undef TR2_COMMAND

const struct tr2_command *const tr2_commands[] = {
#define TR2_COMMAND(name) &tr2_command_##name,
#include "cmd/commands.def"
#undef TR2_COMMAND
	NULL
};

const struct tr2_command *tr2_command_find(const char *name)
{
	size_t i;

	for (i = 0; tr2_commands[i]; i++)
		if (!strcmp(tr2_commands[i]->name, name))
			return tr2_commands[i];
	return NULL;
}
