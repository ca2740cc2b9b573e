/* SPDX-License-Identifier: MIT */
/*
 * A plugin with the static library inside: unloading it unloads the library.
 */
#include "trace2.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void plugin_start(char **argv);
EXPORT void plugin_say(const char *text);

void plugin_start(char **argv)
{
	trace2_initialize();
	trace2_cmd_start(argv);
}

void plugin_say(const char *text)
{
	trace2_data_string("plugin", NULL, "who", text);
}
