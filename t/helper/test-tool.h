/* SPDX-License-Identifier: MIT */
/*
 * test-tool - functions for its subcommands: usage, messages, exit.
 *
 * test-tool uses the library as Git does: every exit calls trace2_cmd_exit(),
 * and error messages are error events, too.
 */
#pragma once

#include "trace2.h"
#include "system.h"

#include <stdnoreturn.h>

/* The version in the version event and in `test-tool --version`. */
#define TOOL_VERSION "test-tool 1.0"

#define TOOL_CODE_DIE 128
#define TOOL_CODE_USAGE 129
#define TOOL_CODE_BUG 99

/* A subcommand; argv[0] is its name. */
typedef int tool_command_fn(int argc, const char **argv);

tool_command_fn tr2_cmd_trace2, tr2_cmd_config, tr2_cmd_events,
	tr2_cmd_fault, tr2_cmd_keep, tr2_cmd_perf, tr2_cmd_ring;

/* Return whether this is the name of a subcommand. */
bool tool_has_command(const char *name);

/*
 * A verb of a subcommand. run() gets the arguments after the verb: at least min
 * and at most max of them (max < 0: any number). argv[argc] is NULL. A table
 * ends with name NULL.
 */
struct tool_verb {
	const char *name;
	const char *usage; /* describes the arguments of the verb */
	int min, max;
	int (*run)(int argc, const char **argv);
};

/*
 * Run the verb that argv[1] names, from tables that end with NULL. For numbered
 * verbs such as 001return, the name without the number is valid, too.
 */
int tool_run_verb(const struct tool_verb *const *tables, int argc,
		  const char **argv);

/* Print the message and the usage of the current verb; exit with code 129. */
noreturn void tool_usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Return an argument as a number, or exit with a usage error. */
long long tool_number(const char *arg, long long min, long long max);
unsigned long long tool_unsigned(const char *arg);
/* Parse TERM, SIGTERM or 15. */
int tool_signal(const char *arg);

/* Print `error: …` to stderr and emit an error event. Return -1. */
#define tool_error(...) tool_error_fl(__FILE__, __LINE__, __VA_ARGS__)
int tool_error_fl(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Print `fatal: …` and exit with code 128. */
#define tool_die(...) tool_die_fl(__FILE__, __LINE__, __VA_ARGS__)
noreturn void tool_die_fl(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * tool_bug() reports that the program is wrong and continues; the process then
 * ends with code 99 at tool_bug_check() or when it exits. tool_BUG() ends it at
 * once.
 */
#define tool_bug(...) tool_bug_fl(__FILE__, __LINE__, __VA_ARGS__)
void tool_bug_fl(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define tool_BUG(...) tool_BUG_fl(__FILE__, __LINE__, __VA_ARGS__)
noreturn void tool_BUG_fl(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define tool_bug_check(...)                   \
	do {                                  \
		if (tool_had_bug())           \
			tool_BUG(__VA_ARGS__); \
	} while (0)
bool tool_had_bug(void);

/* Call it last before the process ends. Return the exit code. */
#define tool_before_exit(code) tool_before_exit_fl(__FILE__, __LINE__, code)
int tool_before_exit_fl(const char *file, int line, int code);
#define tool_exit(code) exit(tool_before_exit(code))

/* Allocate memory or die. */
void *tool_alloc(size_t count, size_t size_bytes);

/* Return the path where execvp() would find name, to be freed; NULL with
 * errno. */
char *tool_find_program(const char *name);

/* Fork or die. */
pid_t tool_fork(void);

/* Run argv and wait: return its code, 128 + a signal, or -1 if it did not
 * start. */
int tool_spawn(const char *const *argv, long *pid);

/* Emit the parameters of the repository in this directory. */
void tool_report_repository(void);

/* A signal handler that prints `handled SIGNO` to stderr. */
void tool_telling_handler(int signo);
