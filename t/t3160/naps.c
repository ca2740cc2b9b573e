/* SPDX-License-Identifier: MIT */
/* naps - wait in two functions: ten times 3 ms, and 300 ms. */
#include <time.h>

#define OUT_OF_LINE __attribute__((noinline))
/* A call in front of it is no jump. */
#define NO_TAIL_CALL() __asm__ volatile("")

/* libc has no frame pointers, so the function that calls it is unknown. */
OUT_OF_LINE static void nap(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
	NO_TAIL_CALL();
}

OUT_OF_LINE static void short_naps(void)
{
	int i;

	for (i = 0; i < 10; i++)
		nap(3);
	NO_TAIL_CALL();
}

OUT_OF_LINE static void long_nap(void)
{
	nap(300);
	NO_TAIL_CALL();
}

int main(void)
{
	short_naps();
	long_nap();
	return 0;
}
