/* SPDX-License-Identifier: MIT */
/*
 * The CPU time that tracing adds to a short process, compared with what another
 * tracer adds to one of its own. Each program traces its start and its exit, and
 * does not even initialise with the argument "off".
 *
 * usage: added NAME LIMIT OURS THEIRS [VARIABLE=VALUE] (that switches both on)
 */
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

#define ROUNDS 401

/* User and system time together are exact. */
static double spawn_ns(char *program, char *option)
{
	char *argv[] = { program, option, NULL };
	struct rusage used;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) ||
	    wait4(pid, &status, 0, &used) != pid || status)
		abort();
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

static double added_ns(char *program)
{
	static char off[] = "off";
	double with_ns = spawn_ns(program, NULL);

	return with_ns - spawn_ns(program, off);
}

int main(int argc, char **argv)
{
	static double ours[ROUNDS], theirs[ROUNDS];
	size_t i;

	if (argc != 5 && argc != 6)
		return 129;
	if (argc == 6 && putenv(argv[5]))
		return 1;
	bench_pin();
	for (i = 0; i < ROUNDS; i++) {
		ours[i] = added_ns(argv[3]);
		theirs[i] = added_ns(argv[4]);
	}
	bench_tell(argv[1], argv[2], ours, theirs, ROUNDS);
	return 0;
}
