/* SPDX-License-Identifier: MIT */
/*
 * git-events N: emit N data events and N regions through Git's own calls, and
 * print how long each took together, in nanoseconds. Compiled and linked as
 * Git's commands are, for stock and adapted Git alike.
 */
#include <git-compat-util.h>
#ifdef GIT_HAS_CACHE_H
#include <cache.h>
#endif
#include <trace.h>
#include <trace2.h>

int cmd_main(int argc, const char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 5000;
	uint64_t start, middle, end;

	start = getnanotime();
	for (i = 0; i < n; i++)
		trace2_data_intmax("events", NULL, "number", i);
	middle = getnanotime();
	for (i = 0; i < n; i++) {
		trace2_region_enter("events", "region", NULL);
		trace2_region_leave("events", "region", NULL);
	}
	end = getnanotime();
	printf("%" PRIuMAX " %" PRIuMAX "\n", (uintmax_t)(middle - start),
	       (uintmax_t)(end - middle));
	return 0;
}
