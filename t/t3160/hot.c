/* SPDX-License-Identifier: MIT */
/*
 * hot - compute: 70 % of the CPU time in seven(), of which nearly all is in
 * mix(), which it calls; 30 % in three(). NR: how often, each time for a
 * millisecond on average: always as long, all samples of a millisecond would be
 * of the same function. "fork": a child does it. "read": after a byte of input.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef TRACE2
#include <trace2.h>
#else
#define trace2_initialize()
#define trace2_cmd_start(argv)
#define trace2_region_enter(category, label, repo) (void)(label)
#define trace2_region_leave(category, label, repo) (void)(label)
#endif

#define OUT_OF_LINE __attribute__((noinline))
/* A call in front of it is no jump. */
#define NO_TAIL_CALL() __asm__ volatile("")

static volatile uint64_t sink;
/* Not known to the compiler, which would make a copy of a function for it. */
static volatile long scale = 50000;

static inline __attribute__((always_inline)) uint64_t shift(uint64_t x, long n)
{
	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

OUT_OF_LINE static uint64_t mix(uint64_t x, long n)
{
	return shift(x, n);
}

OUT_OF_LINE static void seven(void)
{
	sink += mix(sink + 1, 7 * scale);
	NO_TAIL_CALL();
}

OUT_OF_LINE static void three(void)
{
	sink += shift(sink + 3, 3 * scale);
	NO_TAIL_CALL();
}

OUT_OF_LINE static void both(void)
{
	trace2_region_enter("hot", "seven", NULL);
	seven();
	trace2_region_leave("hot", "seven", NULL);
	trace2_region_enter("hot", "three", NULL);
	three();
	trace2_region_leave("hot", "three", NULL);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	char byte;

	trace2_initialize();
	trace2_cmd_start(argv);
	if (argc > 2 && *argv[2] == 'f' && fork())
		return wait(NULL) < 0;
	if (argc > 2 && *argv[2] == 'r' && read(0, &byte, 1) != 1)
		return 1;
	for (; nr; nr--) {
		scale = 6250 * (2 + nr * 5 % 13);
		both();
	}
	return 0;
}
