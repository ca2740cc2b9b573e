/* SPDX-License-Identifier: MIT */
/*
 * The parts of a program that uses the library as Git does: error messages that
 * are also events, one exit function, verbs with usage, numbers, running
 * programs.
 */
#include "test-tool.h"

#include <ctype.h>

static bool had_bug;
static const char *running_command;
static const struct tool_verb *running_verb;

/* Print the message by one write, so that messages of several processes do not
 * mix. */
__attribute__((format(printf, 2, 0))) static void
report(const char *prefix, const char *fmt, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	fflush(stdout);
	fprintf(stderr, "%s%s\n", prefix, text);
}

__attribute__((format(printf, 4, 0))) static void
report_event(const char *file, int line, const char *prefix, const char *fmt,
	     va_list ap)
{
	va_list again;

	va_copy(again, ap);
	report(prefix, fmt, again);
	va_end(again);
	trace2_cmd_error_va_fl(file, line, fmt, ap);
}

__attribute__((format(printf, 3, 0))) static void
report_bug(const char *file, int line, const char *fmt, va_list ap)
{
	char prefix[PATH_MAX];

	snprintf(prefix, sizeof(prefix), "BUG: %s:%d: ", file, line);
	report_event(file, line, prefix, fmt, ap);
}

int tool_error_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_event(file, line, "error: ", fmt, ap);
	va_end(ap);
	return -1;
}

void tool_die_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_event(file, line, "fatal: ", fmt, ap);
	va_end(ap);
	exit(tool_before_exit_fl(file, line, TOOL_CODE_DIE));
}

void tool_bug_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	had_bug = true;
	va_start(ap, fmt);
	report_bug(file, line, fmt, ap);
	va_end(ap);
}

void tool_BUG_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	had_bug = false;
	va_start(ap, fmt);
	report_bug(file, line, fmt, ap);
	va_end(ap);
	exit(tool_before_exit_fl(file, line, TOOL_CODE_BUG));
}

bool tool_had_bug(void)
{
	return had_bug;
}

int tool_before_exit_fl(const char *file, int line, int code)
{
	if (had_bug)
		tool_BUG_fl(file, line,
			    "on exit(): had bug() call(s) in this process "
			    "without explicit BUG_if_bug()");
	return trace2_is_enabled() ? trace2_cmd_exit_fl(file, line, code) :
				     code;
}

static void print_usage(const char *lead, const struct tool_verb *verb)
{
	fprintf(stderr, "%s test-tool %s %s%s%s\n", lead, running_command,
		verb->name, *verb->usage ? " " : "", verb->usage);
}

void tool_usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report("error: ", fmt, ap);
	va_end(ap);
	if (running_verb)
		print_usage("usage:", running_verb);
	tool_exit(TOOL_CODE_USAGE);
}

static int list_verbs(const struct tool_verb *const *tables)
{
	const char *lead = "usage:";

	for (; *tables; tables++) {
		const struct tool_verb *verb;

		for (verb = *tables; verb->name; verb++) {
			print_usage(lead, verb);
			lead = "   or:";
		}
	}
	return TOOL_CODE_USAGE;
}

static const char *without_number(const char *name)
{
	while (isdigit((unsigned char)*name))
		name++;
	return name;
}

static const struct tool_verb *find_verb(const struct tool_verb *const *tables,
					 const char *name)
{
	const struct tool_verb *found = NULL;

	for (; *tables; tables++) {
		const struct tool_verb *verb;

		for (verb = *tables; verb->name; verb++) {
			if (!strcmp(verb->name, name))
				return verb;
			if (!found && !strcmp(without_number(verb->name), name))
				found = verb;
		}
	}
	return found;
}

int tool_run_verb(const struct tool_verb *const *tables, int argc,
		  const char **argv)
{
	running_command = argv[0];
	running_verb = argc > 1 ? find_verb(tables, argv[1]) : NULL;
	if (!running_verb) {
		if (argc > 1)
			fprintf(stderr, "error: '%s' has no verb '%s'\n",
				argv[0], argv[1]);
		return list_verbs(tables);
	}
	argc -= 2;
	argv += 2;
	if (argc < running_verb->min)
		tool_usage_error("too few arguments");
	if (running_verb->max >= 0 && argc > running_verb->max)
		tool_usage_error("too many arguments");
	return running_verb->run(argc, argv);
}

long long tool_number(const char *arg, long long min, long long max)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(arg, &end, 10);
	if (errno || end == arg || *end)
		tool_usage_error("'%s' is not a number", arg);
	if (value < min || value > max)
		tool_usage_error("%s is not between %lld and %lld", arg, min,
				 max);
	return value;
}

unsigned long long tool_unsigned(const char *arg)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-')
		tool_usage_error("'%s' is not an unsigned number", arg);
	return value;
}

int tool_signal(const char *arg)
{
	static const struct {
		const char *name;
		int signo;
	} known[] = {
		{ "HUP", SIGHUP },     { "INT", SIGINT },
		{ "QUIT", SIGQUIT },   { "ILL", SIGILL },
		{ "ABRT", SIGABRT },   { "BUS", SIGBUS },
		{ "FPE", SIGFPE },     { "KILL", SIGKILL },
		{ "USR1", SIGUSR1 },   { "SEGV", SIGSEGV },
		{ "USR2", SIGUSR2 },   { "PIPE", SIGPIPE },
		{ "ALRM", SIGALRM },   { "TERM", SIGTERM },
		{ "CHLD", SIGCHLD },   { "XCPU", SIGXCPU },
		{ "XFSZ", SIGXFSZ },   { "WINCH", SIGWINCH },
	};
	const char *name = strncmp(arg, "SIG", 3) ? arg : arg + 3;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].signo;
	return (int)tool_number(arg, 1, 64);
}

void *tool_alloc(size_t count, size_t size_bytes)
{
	void *p = calloc(count ? count : 1, size_bytes);

	if (!p)
		tool_die("out of memory");
	return p;
}

char *tool_find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *found = tool_alloc(PATH_MAX, 1);

	if (strchr(name, '/')) {
		snprintf(found, PATH_MAX, "%s", name);
		return found;
	}
	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(found, PATH_MAX, "%.*s/%s", len ? (int)len : 1,
			 len ? path : ".", name);
		if (!access(found, X_OK))
			return found;
		path += len + (path[len] == ':');
	}
	free(found);
	errno = ENOENT;
	return NULL;
}

static int wait_for(pid_t pid, const char *name)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return tool_error("cannot wait for %s: %s", name,
					  strerror(errno));
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGQUIT &&
	    WTERMSIG(status) != SIGPIPE)
		tool_error("%s died of signal %d", name, WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

pid_t tool_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		tool_die("cannot fork: %s", strerror(errno));
	return pid;
}

/* argv[0] of the child is the path at which the program was found, as in
 * Git. */
int tool_spawn(const char *const *argv, long *pid)
{
	char *program = tool_find_program(argv[0]);
	const char **args;
	pid_t started = -1;
	int nr = 0, err = ENOENT;

	*pid = -1;
	while (argv[nr])
		nr++;
	args = tool_alloc((size_t)nr + 1, sizeof(*args));
	memcpy(args, argv, (size_t)nr * sizeof(*args));
	if (program) {
		args[0] = program;
		err = posix_spawn(&started, program, NULL, NULL, (char **)args,
				  environ);
	}
	free(args);
	free(program);
	if (err)
		return tool_error("cannot run %s: %s", argv[0], strerror(err));
	*pid = started;
	return wait_for(started, argv[0]);
}

void tool_telling_handler(int signo)
{
	char text[] = "handled 00\n";
	int saved_errno = errno;

	text[8] = (char)('0' + signo / 10);
	text[9] = (char)('0' + signo % 10);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(TOOL_CODE_BUG);
	errno = saved_errno;
}
