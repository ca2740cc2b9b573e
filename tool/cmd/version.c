/* SPDX-License-Identifier: MIT */
/* trace2 version - print the version. */
#include <stdio.h>

#include "common/options.h"

static int run_version(int argc, char **argv)
{
	if (argc)
		return tr2_usage_error("unexpected word '%s'", argv[0]);
	puts("trace2 version " TRACE2_VERSION);
	return 0;
}

static const struct tr2_option options[] = { TR2_OPT_END };

const struct tr2_command tr2_command_version = {
	.name = "version",
	.synopsis = "",
	.summary = "Prints the version.",
	.options = options,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run_version,
};
