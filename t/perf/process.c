/* SPDX-License-Identifier: MIT */
/*
 * The cost that start and end of the library add to a short process: without
 * tracing, and with each setting, whose file is removed between rounds.
 * usage: process COUNT-PROGRAM [ROW NAME=PATH]...
 */
#include "bench.h"

static char *program;
static char *env_with_setting[1024];
static const char *file;

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

BENCH_LOOP(nothing_on, spawn(NULL, environ))
BENCH_LOOP(target_on, spawn(NULL, env_with_setting))

static void remove_file(void)
{
	unlink(file);
}

static void run(const char *row, void (*ours)(size_t n), void (*after)(void))
{
	char name[128];
	const struct bench_case c = { name, "the same without the library",
				      ours, without, 1, after, 201 };

	snprintf(name, sizeof(name), "a process, %s", row);
	bench_run(&c);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2 || argc % 2)
		return 129;
	program = argv[1];
	for (i = 0; environ[i] && i < 1022; i++)
		env_with_setting[i + 1] = environ[i];
	bench_pin();
	run("nothing on", nothing_on, NULL);
	for (argv += 2; *argv; argv += 2) {
		env_with_setting[0] = argv[1];
		file = strchr(argv[1], '=') + 1;
		run(argv[0], target_on, remove_file);
	}
	return 0;
}
