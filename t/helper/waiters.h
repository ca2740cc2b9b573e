/* SPDX-License-Identifier: MIT */
/*
 * waiters - for programs whose processes wait until a file `go` is there, each
 * for an object that it knows. Before its wait each prints a line of
 * tab-separated columns, as the observer records them:
 *
 *	name pid what object peer number others
 *
 * `what` is `none` if the observer can see no object. If the system forbids the
 * wait, the line is `name -`. With the argument `count` a program prints the
 * number of its lines.
 *
 * A program defines `rows`, and main() as a call of wait_for_each().
 */
#pragma once

#include "system.h"

struct row {
	const char *name;
	void (*run)(void);
};

#define ROW(function) { #function, function }

static const char *name;
static int ends[2];

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void say(const char *what, const char *object, int peer, int number,
		const char *others)
{
	printf("%s\t%d\t%s\t%s\t%d\t%d\t%s\n", name, (int)getpid(), what,
	       object, peer, number, others);
	fflush(stdout);
}

static void hang(void)
{
	for (;;)
		pause();
}

/* Run the function in another process, and return its pid. */
static int process(void (*run)(void))
{
	int pid = fork();

	check(pid >= 0);
	if (!pid) {
		run();
		hang();
	}
	return pid;
}

static void read_one(int fd)
{
	char c;

	(void)!read(fd, &c, 1);
}

static void keep_writing_end(void)
{
	close(ends[0]);
}

static void make_pipe(void)
{
	check(!pipe(ends));
}

static void await_go(void)
{
	const struct timespec a_while = { .tv_nsec = 10000000 };

	while (access("go", F_OK))
		nanosleep(&a_while, NULL);
}

static int start_row(const struct row *row)
{
	int pid = fork();

	check(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		name = row->name;
		row->run();
		printf("%s\t-\n", name);
		exit(0);
	}
	setpgid(pid, pid);
	return pid;
}

static int wait_for_each(const struct row *rows, size_t nr, int argc)
{
	int groups[64];
	size_t i;

	check(nr <= sizeof(groups) / sizeof(*groups));
	if (argc > 1)
		return printf("%zu\n", nr) < 0;
	for (i = 0; i < nr; i++)
		groups[i] = start_row(&rows[i]);
	await_go();
	for (i = 0; i < nr; i++)
		kill(-groups[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
