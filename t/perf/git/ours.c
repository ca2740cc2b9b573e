/* SPDX-License-Identifier: MIT */
/* The library's side of beside.c. Only its names remain visible when it is
 * linked: Git has functions of the same names as the library. */
#include "ours.h"

#include "trace2.h"

void ours_start(const char **argv)
{
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_cmd_name("bench");
}

int ours_exit(void)
{
	return trace2_cmd_exit(0);
}

void ours_region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter("bench", "region", NULL);
		trace2_region_leave("bench", "region", NULL);
	}
}

void ours_data(size_t n)
{
	while (n--)
		trace2_data_string("bench", NULL, "key", "0123456789");
}

void ours_message(size_t n)
{
	while (n--)
		trace2_printf("%s", "a message");
}
