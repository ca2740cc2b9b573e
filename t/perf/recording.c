/* SPDX-License-Identifier: MIT */
/*
 * The CPU time of a command that is recorded, compared with that of the command
 * alone.
 *
 * usage: recording NAME LIMIT NR RECORD... COMMAND... (NR: the words of RECORD)
 */
#include "spawn.h"

#define ROUNDS 11

int main(int argc, char **argv)
{
	double ours[ROUNDS], limit[ROUNDS];
	int nr = argc > 3 ? atoi(argv[3]) : 0;
	size_t i;

	if (nr < 1 || argc < 5 + nr)
		return 129;
	for (i = 0; i < ROUNDS; i++) {
		ours[i] = bench_spawn_ns(argv + 4);
		limit[i] = bench_spawn_ns(argv + 4 + nr);
	}
	bench_tell(argv[1], argv[2], ours, limit, ROUNDS);
	return 0;
}
