/* SPDX-License-Identifier: MIT */
/*
 * fork() in all the ways that hosts use it. The parent waits for all its
 * children, so that the order in a file is defined.
 */
#include "cmd-trace2.h"

/* A function that a child runs. It returns the code with which the child
 * ends. */
typedef int child_fn(const char **argv);

static int run_in_fork(child_fn *run, const char **argv)
{
	int status = 0;
	pid_t pid = tool_fork();

	if (!pid)
		tool_exit(run(argv));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			tool_die("cannot wait: %s", strerror(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static void tell(const char *who)
{
	trace2_data_string("fork", NULL, "who", who);
}

static int emit(const char **argv)
{
	tell("child");
	trace2_region_enter("fork", "in child", NULL);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 100);
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	trace2_region_leave("fork", "in child", NULL);
	return 5;
}

/* Fork while the parent has an open region and metrics, which the child must
 * not inherit. */
static int fork_with_state(child_fn *run, const char **argv)
{
	int code;

	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_region_enter("fork", "around", NULL);
	code = run_in_fork(run, argv);
	tell("parent");
	trace2_region_leave("fork", "around", NULL);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	return code;
}

static int ut_070fork(int argc, const char **argv)
{
	return fork_with_state(emit, argv);
}

/* Exit without a call to the library: by _exit(), or by exit(), which runs the
 * parent's handlers. */
static int stay_silent(const char **argv)
{
	if (argv[0] && !strcmp(argv[0], "exit"))
		exit(0);
	_exit(0);
}

static int ut_071fork_silent(int argc, const char **argv)
{
	return fork_with_state(stay_silent, argv);
}

static int count_only(const char **argv)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 100);
	exit(0);
}

static int ut_072fork_counter(int argc, const char **argv)
{
	return fork_with_state(count_only, argv);
}

TRACE2_GAUGE(children, "fork", "children", "");

static int set_gauge_only(const char **argv)
{
	trace2_gauge_set(children, -3);
	exit(0);
}

static int ut_072fork_gauge(int argc, const char **argv)
{
	return fork_with_state(set_gauge_only, argv);
}

static struct trace2_repo near_repo = { "/near", 0 }, far_repo = { "/far", 0 },
			  nameless_repo;

/* Use the same repositories in each process, one of them before any region. */
static void use_repos(void)
{
	struct trace2_repo copy = far_repo;

	trace2_region_enter("fork", "in repo", &near_repo);
	trace2_data_string("fork", &copy, "who", "of a copy");
	trace2_data_string("fork", &nameless_repo, "who", "no worktree");
	trace2_def_repo(&near_repo);
	trace2_region_leave("fork", "in repo", &near_repo);
	trace2_data_string_fl(__FILE__, __LINE__, "fork", &far_repo, "who",
			      "without a site");
}

static int child_repos(const char **argv)
{
	struct trace2_repo repo = { "/new", 0 };

	use_repos();
	trace2_def_repo(&repo);
	return argv[0] ? run_in_fork(child_repos, argv + 1) : 0;
}

static int ut_069fork_repos(int argc, const char **argv)
{
	trace2_def_repo(&near_repo);
	trace2_def_repo(&far_repo);
	trace2_def_repo(&nameless_repo);
	use_repos();
	return run_in_fork(child_repos, argv);
}

static int exec_words(const char **argv)
{
	execvp(argv[0], (char **)argv);
	_exit(127);
}

static int ut_073fork_exec(int argc, const char **argv)
{
	return fork_with_state(exec_words, argv);
}

static int fork_again(const char **argv)
{
	int code;

	tell("first child");
	code = run_in_fork(emit, argv);
	tell("first child again");
	return code;
}

static int ut_074fork_twice(int argc, const char **argv)
{
	return fork_with_state(fork_again, argv);
}

static void *fork_in_thread(void *arg)
{
	trace2_thread_start("forker");
	*(int *)arg = run_in_fork(emit, NULL);
	trace2_thread_exit();
	return NULL;
}

static int ut_075fork_in_thread(int argc, const char **argv)
{
	int code = -1;

	tool_run_thread(fork_in_thread, &code);
	return code;
}

/* Make a child by vfork(). The child obeys vfork()'s rules: it does not call
 * the library. */
static int ut_076vfork(int argc, const char **argv)
{
	int status;
	pid_t pid;

	tell("before");
	pid = vfork();
	if (!pid) {
		execvp(argv[0], (char **)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		tool_die("cannot run %s: %s", argv[0], strerror(errno));
	tell("after");
	return WEXITSTATUS(status);
}

/*
 * Go into the background like a daemon: the parent ends at once. The pipe keeps
 * a reader of stdout waiting until the daemon has ended, too.
 */
static int ut_077daemon(int argc, const char **argv)
{
	tell("before");
	if (tool_fork())
		_exit(0);
	setsid();
	if (tool_fork())
		_exit(0);
	tell("daemon");
	return 0;
}

/* Go into the background like a daemon, which goes on in the session of the
 * first process. */
static int ut_068daemon_resumes(int argc, const char **argv)
{
	struct trace2_child child = TRACE2_CHILD_INIT;
	struct trace2_repo repo = { "/repo", 0 };

	trace2_def_repo(&repo);
	trace2_child_end(trace2_child_begin(&child), 1, 0);
	trace2_region_enter("fork", "outer", NULL);
	trace2_region_enter("fork", "inner", &repo);
	tool_sleep_ms(20); /* sleep, so that the times in the child are
			    * higher */
	tell("before");
	if (tool_fork())
		_exit(0);
	trace2_session_resume();
	trace2_session_resume();
	tell("daemon");
	trace2_region_leave("fork", "inner", &repo);
	trace2_child_end(trace2_child_begin(&child), 1, 0);
	trace2_region_leave("fork", "outer", NULL);
	return 0;
}

static int stop_callers;

static void *call_often(void *arg)
{
	trace2_thread_start("caller");
	while (!__atomic_load_n(&stop_callers, __ATOMIC_RELAXED)) {
		trace2_region_enter("busy", "loop", NULL);
		trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
		trace2_region_leave("busy", "loop", NULL);
	}
	trace2_thread_exit();
	return NULL;
}

/*
 * LeakSanitizer, if linked, calls this at the end. In a child of a process that
 * had threads its check may wait forever: a thread that is not in the child may
 * have held a lock of its allocator.
 */
/* NOLINTNEXTLINE(*-dcl37-c,*-dcl51-cpp,*-reserved-identifier): its name */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

static pid_t forking_while_busy;

/* NOLINTNEXTLINE(*-dcl37-c,*-dcl51-cpp,*-reserved-identifier) */
int __lsan_is_turned_off(void)
{
	return forking_while_busy && forking_while_busy != getpid();
}

/* Fork while other threads call the library all the time. */
static int ut_078fork_busy(int argc, const char **argv)
{
	int i, code = 0, nr = (int)tool_number(argv[0], 1, 100000);
	pthread_t threads[2];

	forking_while_busy = getpid();
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, call_often, NULL))
			tool_die("cannot create a thread");
	for (i = 0; i < nr; i++)
		code |= run_in_fork(emit, argv) != 5;
	__atomic_store_n(&stop_callers, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return code;
}

static int die_of_signal(const char **argv)
{
	tell("doomed");
	raise(tool_signal(argv[0]));
	return 0;
}

static int ut_079fork_killed(int argc, const char **argv)
{
	return run_in_fork(die_of_signal, argv);
}

const struct tool_verb tool_verbs_fork[] = {
	{ "068daemon_resumes", "", 0, 0, ut_068daemon_resumes },
	{ "069fork_repos", "[again...]", 0, -1, ut_069fork_repos },
	{ "070fork", "", 0, 0, ut_070fork },
	{ "071fork_silent", "[exit]", 0, 1, ut_071fork_silent },
	{ "072fork_counter", "", 0, 0, ut_072fork_counter },
	{ "072fork_gauge", "", 0, 0, ut_072fork_gauge },
	{ "073fork_exec", "<command> [<arg>...]", 1, -1, ut_073fork_exec },
	{ "074fork_twice", "", 0, 0, ut_074fork_twice },
	{ "075fork_in_thread", "", 0, 0, ut_075fork_in_thread },
	{ "076vfork", "<command> [<arg>...]", 1, -1, ut_076vfork },
	{ "077daemon", "", 0, 0, ut_077daemon },
	{ "078fork_busy", "<forks>", 1, 1, ut_078fork_busy },
	{ "079fork_killed", "<signal>", 1, 1, ut_079fork_killed },
	{ NULL, NULL, 0, 0, NULL },
};
