/* SPDX-License-Identifier: MIT */
/*
 * The CPU time that tracing adds to a short process, compared with the time
 * that another tracer adds to a process of its own. Each program traces its
 * start and its exit; with the argument "off" it does not even initialise.
 *
 * usage: added NAME LIMIT OURS THEIRS [VARIABLE=VALUE] (that switches both on)
 */
#include "spawn.h"

#define ROUNDS 401

static double spawn_ns(char *program, char *option)
{
	char *argv[] = { program, option, NULL };

	return bench_spawn_ns(argv);
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
