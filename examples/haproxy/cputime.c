/* SPDX-License-Identifier: MIT */
/* cputime PID... - print the CPU time that each process has used, in ns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec used;
	clockid_t clock;
	int i;

	for (i = 1; i < argc; i++) {
		if (clock_getcpuclockid((pid_t)atol(argv[i]), &clock) ||
		    clock_gettime(clock, &used)) {
			fprintf(stderr, "cputime: no process %s\n", argv[i]);
			return 1;
		}
		printf("%" PRIdMAX "\n",
		       (intmax_t)used.tv_sec * 1000000000 + used.tv_nsec);
	}
	return 0;
}
