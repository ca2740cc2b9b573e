/* SPDX-License-Identifier: MIT */
/*
 * load - the cost of reading a file in a command, compared with one pass over
 * its bytes.
 *
 * usage: build/perf/load ROUNDS FILE NAME COMMAND [ARG...]
 *
 * Runs the command, without its output, and the pass alternately, each in a new
 * process on the same core. Prints one line: load, name, bytes of the file, the
 * median of the CPU time of the command and of the pass in nanoseconds (user
 * and system together), spread, and the largest memory of the command in bytes.
 * For t/perf/loaders.
 */
#include "bench.h"

#define MAX_ROUNDS 99

static char piece[256 * 1024], copy[256 * 1024];

/* Read, find every newline, and copy: the least work of a reader that keeps
 * lines. */
static int pass(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	const char *p, *end;
	size_t lines = 0;
	ssize_t n;

	if (fd < 0)
		return 1;
	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		memcpy(copy, piece, (size_t)n);
		bench_clobber();
		end = copy + n;
		for (p = copy; (p = memchr(p, '\n', (size_t)(end - p))); p++)
			lines++;
	}
	close(fd);
	return n < 0 || !lines;
}

static int command(char **argv)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return 1;
	execvp(argv[0], argv);
	return 127;
}

/* Return the CPU time in ns of the command, or of the pass if argv is NULL;
 * negative: it failed. */
static double cost(const char *file, char **argv, long *maxrss_kb)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(argv ? command(argv) : pass(file));
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || status)
		return -1;
	*maxrss_kb = used.ru_maxrss;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

static int measure(const char *file, const char *name, int rounds, char **argv)
{
	double ours[MAX_ROUNDS], limit[MAX_ROUNDS], median;
	long rss = 0, largest = 0, ignored;
	struct stat st;
	int i;

	if (stat(file, &st) < 0 || cost(file, NULL, &ignored) < 0)
		return 1;
	for (i = 0; i < rounds; i++) {
		ours[i] = cost(file, argv, &rss);
		limit[i] = cost(file, NULL, &ignored);
		if (ours[i] < 0 || limit[i] < 0)
			return 1;
		largest = rss > largest ? rss : largest;
	}
	qsort(ours, (size_t)rounds, sizeof(*ours), bench_compare);
	qsort(limit, (size_t)rounds, sizeof(*limit), bench_compare);
	median = ours[rounds / 2];
	printf("load\t%s\t%lld\t%.0f\t%.0f\t%.3f\t%lld\n", name,
	       (long long)st.st_size, median, limit[rounds / 2],
	       (ours[rounds * 3 / 4] - ours[rounds / 4]) / median,
	       (long long)largest * 1024);
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 4 ? atoi(argv[1]) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: load ROUNDS FILE NAME COMMAND...\n");
		return 129;
	}
	bench_pin();
	if (measure(argv[2], argv[3], rounds, argv + 4)) {
		fprintf(stderr, "load: '%s' failed\n", argv[3]);
		return 1;
	}
	return 0;
}
