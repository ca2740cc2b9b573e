/* SPDX-License-Identifier: MIT */
/*
 * turns N PROGRAM1 PROGRAM2 ARG...: run both programs with these arguments, in
 * turns, N times each. Prints the medians of each: wall time and CPU time in
 * microseconds, page faults. Their output is thrown away.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { WALL_US, CPU_US, FAULTS, VALUES };

static double us_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double us_of(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static void run(char **argv, const posix_spawn_file_actions_t *files,
		double *values)
{
	double start_us = us_now();
	struct rusage used;
	int status;
	pid_t pid;

	errno = posix_spawn(&pid, argv[0], files, NULL, argv, environ);
	if (errno || wait4(pid, &status, 0, &used) != pid) {
		perror(argv[0]);
		exit(1);
	}
	if (status) {
		fprintf(stderr, "turns: %s failed\n", argv[0]);
		exit(1);
	}
	values[WALL_US] = us_now() - start_us;
	values[CPU_US] = us_of(used.ru_utime) + us_of(used.ru_stime);
	values[FAULTS] = (double)used.ru_minflt;
}

static int compare(const void *a_, const void *b_)
{
	double a = *(const double *)a_, b = *(const double *)b_;

	return (a > b) - (a < b);
}

static double median(double (*rows)[VALUES], int n, int value)
{
	double *column = malloc((size_t)n * sizeof(*column)), middle;
	int i;

	if (!column)
		exit(1);
	for (i = 0; i < n; i++)
		column[i] = rows[i][value];
	qsort(column, (size_t)n, sizeof(*column), compare);
	middle = column[n / 2];
	free(column);
	return middle;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t files;
	double(*rows[2])[VALUES];
	char *programs[2];
	int i, which, n = argc > 3 ? atoi(argv[1]) : 0;

	if (n < 1) {
		fprintf(stderr, "usage: turns N PROGRAM1 PROGRAM2 ARG...\n");
		return 1;
	}
	posix_spawn_file_actions_init(&files);
	for (i = 1; i <= 2; i++)
		posix_spawn_file_actions_addopen(&files, i, "/dev/null",
						 O_WRONLY, 0);
	for (which = 0; which < 2; which++) {
		programs[which] = argv[2 + which];
		rows[which] = calloc((size_t)n, sizeof(*rows[which]));
		if (!rows[which])
			return 1;
	}
	for (i = 0; i < n; i++)
		for (which = 0; which < 2; which++) {
			argv[3] = programs[which];
			run(argv + 3, &files, rows[which][i]);
		}
	for (which = 0; which < 2; which++)
		printf("%.0f %.0f %.0f\n", median(rows[which], n, WALL_US),
		       median(rows[which], n, CPU_US),
		       median(rows[which], n, FAULTS));
	return 0;
}
