/* SPDX-License-Identifier: MIT */
/*
 * All events in a fixed order, and the ways in which a process can end.
 */
#include "cmd-trace2.h"

static void *all_thread_events(void *arg)
{
	trace2_thread_start("worker");
	trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST2);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 20);
	trace2_thread_exit();
	return NULL;
}

static void all_command_events(void)
{
	static const char *const alias[] = { "log", "--one line", NULL };
	static const char *const ancestry[] = { "make", "my shell", NULL };

	trace2_cmd_path("/usr/bin/test tool");
	trace2_cmd_ancestry(ancestry);
	trace2_cmd_alias("lo", alias);
	trace2_cmd_mode("all");
	trace2_cmd_error("cannot %s '%s'", "open", "file");
	trace2_def_param("core.pager", "less -R", TRACE2_SCOPE_LOCAL);
	trace2_def_param("core.flag", NULL, TRACE2_SCOPE_UNKNOWN);
}

static void all_child_events(void)
{
	static const char *const hook[] = { "pre-commit", "it's", "", NULL };
	static const char *const daemon[] = { "daemon", NULL };
	struct trace2_child first = { .argv = hook,
				      .child_class = "hook",
				      .hook_name = "pre-commit",
				      .cwd = "/a dir" };
	struct trace2_child second = { .argv = daemon, .use_shell = 1 };

	trace2_child_start(&first);
	first.pid = 4711;
	trace2_child_exit(&first, 3);
	trace2_child_start(&second);
	second.pid = 4712;
	trace2_child_ready(&second, "ready");
	trace2_exec_result(trace2_exec("prog", daemon), 2);
}

static void all_region_events(void)
{
	struct trace2_repo repo = { "/work/tree", 0 };

	trace2_def_repo(&repo);
	trace2_region_enter("outer", "label", &repo);
	trace2_region_enter_printf("inner", "label", &repo, "%d of %d", 1, 2);
	trace2_data_string("cat", &repo, "string", "a | b\nc");
	trace2_data_intmax("cat", NULL, "intmax", -7);
	trace2_data_json("cat", NULL, "json", "{\"a\": [1, true, null]}");
	trace2_data_json("cat", NULL, "not-json", "{a");
	trace2_printf("text %s", "of printf");
	trace2_region_leave_printf("inner", "label", &repo, "done");
	trace2_region_leave("outer", "label", &repo);
}

static void all_metric_events(void)
{
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST2);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 2);
}

/*
 * Emit every event except too_many_files, which needs a full directory, and
 * signal, which the argument requests: it ends the process.
 */
static int ut_016allevents(int argc, const char **argv)
{
	all_command_events();
	all_child_events();
	tool_run_thread(all_thread_events, NULL);
	all_region_events();
	all_metric_events();
	if (argc)
		raise(tool_signal(argv[0]));
	return 0;
}

static int code_of(const char *arg)
{
	return (int)tool_number(arg, 0, 255);
}

static int ut_060exit_unrecorded(int argc, const char **argv)
{
	exit(code_of(argv[0]));
}

static int ut_061_exit(int argc, const char **argv)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	_exit(trace2_cmd_exit(code_of(argv[0])));
}

static int ut_062quick_exit(int argc, const char **argv)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	quick_exit(trace2_cmd_exit(code_of(argv[0])));
}

static int ut_063abort(int argc, const char **argv)
{
	abort();
}

static void late_calls(void)
{
	trace2_data_string("late", NULL, "called", "at exit");
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
}

/* Call the library in a handler of atexit() that runs before the library's: it
 * is registered later. */
static int ut_064exit_handler(int argc, const char **argv)
{
	atexit(late_calls);
	return 0;
}

static bool has_destructor;

__attribute__((destructor)) static void destroy(void)
{
	if (has_destructor)
		late_calls();
}

/* Call the library in a destructor, which runs after the library's handler of
 * atexit(). */
static int ut_068exit_destructor(int argc, const char **argv)
{
	has_destructor = true;
	return 0;
}

static void *exit_in_thread(void *arg)
{
	trace2_thread_start("exiter");
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
	tool_exit(*(int *)arg);
}

static int ut_065exit_in_thread(int argc, const char **argv)
{
	int code = code_of(argv[0]);

	tool_run_thread(exit_in_thread, &code);
	return 0;
}

static pthread_key_t main_key;
static int main_left[2]; /* a pipe that main's thread closes at its end */

static void close_pipe(void *value)
{
	close(*(int *)value);
}

static void *outlive_main(void *arg)
{
	char c;

	trace2_thread_start("survivor");
	if (read(main_left[0], &c, 1))
		tool_die("cannot wait for main");
	trace2_data_string("thread", NULL, "main", "gone");
	tool_exit(*(int *)arg);
}

/* The thread of main() ends; another thread ends the process. */
static int ut_066main_leaves(int argc, const char **argv)
{
	static int code;
	pthread_t thread;

	code = code_of(argv[0]);
	if (pipe(main_left) || pthread_key_create(&main_key, close_pipe) ||
	    pthread_setspecific(main_key, &main_left[1]) ||
	    pthread_create(&thread, NULL, outlive_main, &code))
		tool_die("cannot create a thread");
	pthread_exit(NULL);
}

/* Emit the exit event twice. */
static int ut_067exit_twice(int argc, const char **argv)
{
	return trace2_cmd_exit(code_of(argv[0]));
}

const struct tool_verb tool_verbs_exit[] = {
	{ "016allevents", "[<signal>]", 0, 1, ut_016allevents },
	{ "060exit_unrecorded", "<code>", 1, 1, ut_060exit_unrecorded },
	{ "061_exit", "<code>", 1, 1, ut_061_exit },
	{ "062quick_exit", "<code>", 1, 1, ut_062quick_exit },
	{ "063abort", "", 0, 0, ut_063abort },
	{ "064exit_handler", "", 0, 0, ut_064exit_handler },
	{ "065exit_in_thread", "<code>", 1, 1, ut_065exit_in_thread },
	{ "066main_leaves", "<code>", 1, 1, ut_066main_leaves },
	{ "067exit_twice", "<code>", 1, 1, ut_067exit_twice },
	{ "068exit_destructor", "", 0, 0, ut_068exit_destructor },
	{ NULL, NULL, 0, 0, NULL },
};
