/* SPDX-License-Identifier: MIT */
/* spawn - the CPU time of a command. */
#pragma once

#include "bench.h"

/* Return the CPU time of the command and its children. User and system time
 * together are exact. */
static inline double bench_spawn_ns(char **argv)
{
	struct rusage used;
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) ||
	    wait4(pid, &status, 0, &used) != pid || status)
		abort();
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}
