/* SPDX-License-Identifier: MIT */
/* A process that traces nothing but its start, as a command of Git does (with
 * its ancestors), and its exit, by the library (OURS) or by Git's own tracer;
 * "off": it does not even initialise. */
#include "ours.h"
#include "tracer.h"

#ifndef OURS
int common_exit(const char *file, int line, int code)
{
	trace2_cmd_exit_fl(file, line, code);
	return code;
}
#endif

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
#ifdef OURS
	ours_start((const char **)argv);
	return ours_exit();
#else
	git_start((const char **)argv);
	return common_exit(__FILE__, __LINE__, 0);
#endif
}
