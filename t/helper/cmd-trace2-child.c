/* SPDX-License-Identifier: MIT */
/*
 * Running programs: children, exec, ancestry.
 */
#include "cmd-trace2.h"

/* The description of the child, beside its argv. */
struct child_options {
	const char *child_class, *hook_name, *cwd, *ready;
	int use_shell;
	bool twice; /* report the end of the child twice */
	bool lost; /* never report the end of the child */
};

static void tell_end(struct trace2_child *child, const char *ready, int code)
{
	if (ready)
		trace2_child_ready(child, ready);
	else
		trace2_child_exit(child, code);
}

/* Spawn a program in the directory cwd: posix_spawn() has no portable way to
 * change the directory. */
static int spawn_in(const char *cwd, const char *const *argv, long *pid)
{
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = -1;

	if (here < 0 || chdir(cwd))
		tool_error("cannot change to '%s': %s", cwd, strerror(errno));
	else
		code = tool_spawn(argv, pid);
	if (here >= 0 && fchdir(here))
		tool_error("cannot change back: %s", strerror(errno));
	close(here);
	return code;
}

static int run_child(const struct child_options *o, const char **argv)
{
	struct trace2_child child = TRACE2_CHILD_INIT;
	const char *shell[] = { "sh", "-c", argv[0], NULL };
	const char *const *args = o->use_shell ? shell : argv;
	int code;

	child.argv = argv;
	child.child_class = o->child_class;
	child.hook_name = o->hook_name;
	child.cwd = o->cwd;
	child.use_shell = o->use_shell;
	trace2_child_start(&child);
	code = o->cwd ? spawn_in(o->cwd, args, &child.pid) :
			tool_spawn(args, &child.pid);
	if (!o->lost)
		tell_end(&child, o->ready, code);
	if (o->twice)
		tell_end(&child, o->ready, code);
	return code;
}

static int ut_004child(int argc, const char **argv)
{
	static const struct child_options plain;

	if (!argc)
		return 0;
	tool_exit(run_child(&plain, argv));
}

/* Return the path of this program, which may not be in PATH. */
static const char *own_path(void)
{
	static char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		tool_die("cannot read /proc/self/exe: %s", strerror(errno));
	path[len] = '\0';
	return path;
}

/*
 * Git's verb passes its words to `git`. This verb passes them to test-tool if
 * the first word is a command of test-tool; else the words are a program and
 * its arguments.
 */
static int ut_005exec(int argc, const char **argv)
{
	bool own = argc && tool_has_command(argv[0]);
	const char **args;
	int id;

	if (!argc)
		return 0;
	args = tool_alloc((size_t)argc + 2, sizeof(*args));
	args[0] = "test-tool";
	memcpy(args + own, argv, (size_t)argc * sizeof(*args));
	id = trace2_exec(args[0], args + 1);
	execvp(own ? own_path() : args[0], (char **)args);
	trace2_exec_result(id, errno);
	tool_error("cannot exec '%s': %s", args[0], strerror(errno));
	free(args);
	return -1;
}

static int ut_020spawn(int argc, const char **argv)
{
	struct child_options o = { 0 };

	for (; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strncmp(*argv, "--class=", 8))
			o.child_class = *argv + 8;
		else if (!strncmp(*argv, "--hook=", 7))
			o.hook_name = *argv + 7;
		else if (!strncmp(*argv, "--cwd=", 6))
			o.cwd = *argv + 6;
		else if (!strncmp(*argv, "--ready=", 8))
			o.ready = *argv + 8;
		else if (!strcmp(*argv, "--shell"))
			o.use_shell = 1;
		else if (!strcmp(*argv, "--twice"))
			o.twice = true;
		else if (!strcmp(*argv, "--lost"))
			o.lost = true;
		else
			tool_usage_error("no option '%s'", *argv);
	}
	if (!*argv)
		tool_usage_error("a command is missing");
	return run_child(&o, argv);
}

/* Trace only the child, to check its ancestry. Only the named target is on, and
 * brief, as in Git. */
static int ut_400ancestry(int argc, const char **argv)
{
	static const struct {
		const char *target, *variable;
	} targets[] = {
		{ "normal", "GIT_TRACE2" },
		{ "perf", "GIT_TRACE2_PERF" },
		{ "event", "GIT_TRACE2_EVENT" },
	};
	size_t i, nr = sizeof(targets) / sizeof(targets[0]);
	bool found = false;
	long pid;

	for (i = 0; i < nr; i++) {
		bool is_named = !strcmp(targets[i].target, argv[0]);

		setenv(targets[i].variable, is_named ? argv[1] : "", 1);
		found |= is_named;
	}
	if (!found)
		tool_usage_error("there is no target '%s'", argv[0]);
	setenv("GIT_TRACE2_BRIEF", "1", 1);
	tool_exit(tool_spawn(argv + 2, &pid));
}

const struct tool_verb tool_verbs_child[] = {
	{ "004child", "[<command> [<arg>...]]", 0, -1, ut_004child },
	{ "005exec", "[(<test-tool command> | <program>) [<arg>...]]", 0, -1,
	  ut_005exec },
	{ "020spawn",
	  "[--class=<class>] [--hook=<name>] [--cwd=<dir>] [--shell]"
	  " [--ready=<state>] [--twice] [--lost] <command> [<arg>...]",
	  1, -1, ut_020spawn },
	{ "400ancestry", "(normal | perf | event) <file> <command> [<arg>...]",
	  3, -1, ut_400ancestry },
	{ NULL, NULL, 0, 0, NULL },
};
