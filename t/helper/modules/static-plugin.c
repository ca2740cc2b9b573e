/* SPDX-License-Identifier: MIT */
/*
 * A plugin with the static library inside: unloading it unloads the library.
 */
#include "trace2.h"

TRACE2_COUNTER(said, "plugin", "said", TRACE2_PER_THREAD);
TRACE2_TIMER(saying, "plugin", "saying", TRACE2_HISTOGRAM);

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
	trace2_timer_start(saying);
	trace2_data_string("plugin", NULL, "who", text);
	trace2_counter_add(said, 1);
	trace2_timer_stop(saying);
}
