/* SPDX-License-Identifier: MIT */
/*
 * The cost of events compared with the same of Git's own tracer, alternately in
 * one process, each into a file of its own.
 *
 * usage: beside TARGET OURS THEIRS (TARGET: normal, perf or event; two files)
 */
#include <string.h>

#include "../bench.h"
#include "ours.h"
#include "tracer.h"

#define EVENTS_A_ROUND 64

static const char *target, *ours_path, *theirs_path;

int common_exit(const char *file, int line, int code)
{
	trace2_cmd_exit_fl(file, line, code);
	return code;
}

static void region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter_fl(__FILE__, __LINE__, "bench", "region",
				       NULL, NULL);
		trace2_region_leave_fl(__FILE__, __LINE__, "bench", "region",
				       NULL, NULL);
	}
}

static void data(size_t n)
{
	while (n--)
		trace2_data_string_fl(__FILE__, __LINE__, "bench", NULL, "key",
				      "0123456789");
}

BENCH_LOOP(message, trace2_printf_fl(__FILE__, __LINE__, "%s", "a message"))

/* Both tracers read the same variables, at different times. */
static void start(const char **argv, const char *variable)
{
	setenv(variable, ours_path, 1);
	ours_start(argv);
	unsetenv("GIT_TRACE2_PARENT_SID");
	unsetenv("GIT_TRACE2_PARENT_NAME");
	setenv(variable, theirs_path, 1);
	git_start(argv);
}

static void run(const char *what, void (*ours)(size_t n),
		void (*theirs)(size_t n))
{
	char name[128];
	const struct bench_case c = { name, "Git's tracer, the same event",
				      ours, theirs, EVENTS_A_ROUND, NULL, 0 };

	snprintf(name, sizeof(name), "%s, %s to a file, beside Git", what,
		 target);
	bench_run(&c);
}

static void run_all(void)
{
	if (strcmp(target, "normal") != 0) {
		run("region_enter or leave", ours_region, region);
		run("data of 10 bytes", ours_data, data);
	}
	/* Git's event target has no messages. */
	if (strcmp(target, "event") != 0)
		run("printf", ours_message, message);
}

int main(int argc, char **argv)
{
	const char *variable;

	if (argc != 4)
		return 129;
	target = argv[1];
	ours_path = argv[2];
	theirs_path = argv[3];
	variable = !strcmp(target, "normal") ? "GIT_TRACE2" :
		   !strcmp(target, "perf")   ? "GIT_TRACE2_PERF" :
					       "GIT_TRACE2_EVENT";
	bench_pin();
	start((const char **)argv, variable);
	run_all();
	return ours_exit();
}
