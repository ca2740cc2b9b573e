/* SPDX-License-Identifier: MIT */
/*
 * The cost that start and end of the library add to a short process.
 * usage: process COUNT-PROGRAM NAME=VALUE (that switches tracing on)
 */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "bench.h"

static char *program, *setting;
static char *with_setting[1024];

static void spawn(char *option, char **env)
{
	char *argv[] = { program, (char *)(size_t)"0", option, NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, env) ||
	    waitpid(pid, &status, 0) != pid || status)
		abort();
}

static void without(size_t n)
{
	static char off[] = "off";

	while (n--)
		spawn(off, environ);
}

static void nothing_on(size_t n)
{
	while (n--)
		spawn(NULL, environ);
}

static void event_on(size_t n)
{
	while (n--)
		spawn(NULL, with_setting);
}

int main(int argc, char **argv)
{
	static const char limit[] = "the same without the library";
	static const struct bench_case off = {
		"a process, nothing on", limit, nothing_on, without, 1,
		NULL, 201
	};
	static const struct bench_case on = {
		"a process, event to a file", limit, event_on, without, 1,
		NULL, 201
	};
	size_t i = 0;

	if (argc != 3)
		return 129;
	program = argv[1];
	setting = argv[2];
	with_setting[i++] = setting;
	for (; environ[i - 1] && i < 1023; i++)
		with_setting[i] = environ[i - 1];
	bench_pin();
	bench_run(&off);
	bench_run(&on);
	return 0;
}
