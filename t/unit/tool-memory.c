/* SPDX-License-Identifier: MIT */
/* tool-memory - arrays that move while they grow. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "common/memory.h"
#include "tap.h"

/* More than the room for 32 MiB that an array gets at 1 MiB. */
#define MANY 4500000u
/* A little more than 1 MiB. */
#define SOME 200000u

static uint64_t *array;
static uint32_t nr, alloc;

static void fill(uint32_t until)
{
	while (nr < until) {
		tr2_grow(array, nr, alloc);
		array[nr] = nr * 3ull;
		nr++;
	}
}

static bool is_whole(void)
{
	uint32_t i;

	for (i = 0; i < nr && array[i] == i * 3ull; i++)
		;
	return i == nr;
}

static void empty(void)
{
	free(array);
	array = NULL;
	nr = alloc = 0;
}

static void test_moves(void)
{
	fill(SOME);
	ok(is_whole(), "what an array has moves to large pages");
	fill(MANY);
	ok(is_whole(), "and from there to more of them");
	empty();
}

/* Let the process have this many bytes more, as `ulimit -v` does. */
static void limit_to(rlim_t more)
{
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	unsigned long pages;

	if (!f || fscanf(f, "%lu", &pages) != 1 ||
	    getrlimit(RLIMIT_AS, &limit) < 0)
		abort();
	fclose(f);
	limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	if (setrlimit(RLIMIT_AS, &limit) < 0)
		abort();
}

static void test_no_room(void)
{
	struct rlimit old;

	if (getrlimit(RLIMIT_AS, &old) < 0)
		abort();
	limit_to(16u << 20);
	fill(SOME);
	setrlimit(RLIMIT_AS, &old);
	ok(is_whole(), "an array grows where there is no room for large pages");
	empty();
}

int main(void)
{
	test_moves();
	/* A sanitizer needs memory of its own. */
	if (!TR2_ASAN && !TR2_TSAN)
		test_no_room();
	return done_testing();
}
