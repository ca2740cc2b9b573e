/* SPDX-License-Identifier: MIT */
/* busy MS [FILE] - compute for MS milliseconds of CPU time, then make FILE. */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double until = cpu_ms() + (argc > 1 ? atof(argv[1]) : 0);

	while (cpu_ms() < until)
		;
	if (argc > 2)
		open(argv[2], O_WRONLY | O_CREAT, 0666);
	return 0;
}
