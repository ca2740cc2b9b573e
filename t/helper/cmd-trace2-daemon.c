/* SPDX-License-Identifier: MIT */
/*
 * A program that runs for long: threads that count in events, while the files
 * are rotated, or tracing is switched on and off.
 */
#include "cmd-trace2.h"

#include <stdatomic.h>

TRACE2_TIMER(daemon_time, "daemon", "step", 0);
TRACE2_COUNTER(daemon_steps, "daemon", "steps", 0);
TRACE2_GAUGE(daemon_level, "daemon", "level", "");

static atomic_bool ends;
static atomic_uint steps, allowed, last_worker;

/* Make a step: emit two lines whose order and numbers a test can check. */
static void step(const char *name, intmax_t i)
{
	trace2_region_enter("daemon", "step", NULL);
	trace2_timer_start(daemon_time);
	trace2_data_intmax("daemon", NULL, name, i);
	trace2_timer_stop(daemon_time);
	trace2_counter_add(daemon_steps, 1);
	trace2_region_leave("daemon", "step", NULL);
	atomic_fetch_add(&steps, 1);
}

static void *worker(void *unused)
{
	char name[16];
	intmax_t i;

	snprintf(name, sizeof(name), "w%u", atomic_fetch_add(&last_worker, 1));
	trace2_thread_start("worker");
	for (i = 0; !atomic_load(&ends); i++) {
		while (atomic_load(&steps) >= atomic_load(&allowed) &&
		       !atomic_load(&ends))
			sched_yield();
		step(name, i);
	}
	trace2_thread_exit();
	return unused;
}

/* Wait until the workers have begun the work for which they were released. */
static void let_them_work(void)
{
	unsigned int from = atomic_load(&steps);

	atomic_store(&allowed, from + 12);
	while (atomic_load(&steps) - from < 3)
		sched_yield();
}

struct rotation {
	const char *path;
	unsigned int times;
};

static void *rotate(void *arg)
{
	const struct rotation *rotation = arg;
	char moved[PATH_MAX];
	unsigned int i;

	for (i = 1; i <= rotation->times; i++) {
		snprintf(moved, sizeof(moved), "%s.%u", rotation->path, i);
		let_them_work();
		if (rename(rotation->path, moved))
			tool_die("cannot rename '%s': %s", rotation->path,
				 strerror(errno));
		if (trace2_reopen())
			tool_die("cannot reopen '%s'", rotation->path);
	}
	atomic_store(&ends, true);
	return NULL;
}

/* One thread rotates, the others work. */
static void *worker_or_rotator(void *arg)
{
	static atomic_bool is_rotating;

	return atomic_exchange(&is_rotating, true) ? worker(NULL) : rotate(arg);
}

static int ut_260rotate(int argc, const char **argv)
{
	struct rotation rotation = {
		argv[0], (unsigned int)tool_number(argv[1], 0, INT_MAX)
	};

	tool_run_threads(1 + (unsigned int)tool_number(argv[2], 1, 100),
			 worker_or_rotator, &rotation);
	return 0;
}

/* Close all descriptors but the standard ones, as a daemon does. */
static void close_all(void)
{
	long fd, max = sysconf(_SC_OPEN_MAX);

	for (fd = 3; fd < max; fd++)
		close((int)fd);
}

static void step_in_child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		step("child", 0);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		tool_die("the child failed");
}

/* Make a step for each word. */
static int ut_261steps(int argc, const char **argv)
{
	char moved[PATH_MAX];
	intmax_t nr = 0;

	for (; *argv; argv++) {
		if (!strcmp(*argv, "step")) {
			step("main", nr++);
		} else if (!strcmp(*argv, "flush")) {
			trace2_distribution_add(tool_sizes, 40);
			trace2_gauge_set(daemon_level, 3);
			trace2_flush();
		} else if (!strcmp(*argv, "reopen")) {
			printf("reopen: %d\n", trace2_reopen());
		} else if (!strcmp(*argv, "span")) {
			trace2_span_end(trace2_span_start("daemon", "span",
							  TRACE2_SPAN_NONE));
		} else if (!strcmp(*argv, "fork")) {
			step_in_child();
		} else if (!strcmp(*argv, "close")) {
			close_all();
		} else if (!strcmp(*argv, "raise")) {
			raise(SIGTERM);
		} else if (!strncmp(*argv, "move:", 5)) {
			snprintf(moved, sizeof(moved), "%s.old", *argv + 5);
			if (rename(*argv + 5, moved))
				tool_die("cannot rename '%s'", *argv + 5);
		} else if (!strncmp(*argv, "sh:", 3)) {
			fflush(stdout);
			if ((system)(*argv + 3))
				tool_die("failed: %s", *argv + 3);
		} else {
			tool_usage_error("unknown step '%s'", *argv);
		}
	}
	return 0;
}

/* The threads make calls until this file exists. */
static const char *until;

static void *worker_until(void *unused)
{
	char name[16];
	intmax_t i;

	snprintf(name, sizeof(name), "w%u", atomic_fetch_add(&last_worker, 1));
	trace2_thread_start("worker");
	for (i = 0; access(until, F_OK); i++) {
		step(name, i);
		sched_yield();
	}
	trace2_thread_exit();
	return unused;
}

static int ut_262until(int argc, const char **argv)
{
	until = argv[0];
	tool_run_threads((unsigned int)tool_number(argv[1], 1, 100),
			 worker_until, NULL);
	return 0;
}

/* Calls that threads may make at any time. Each thread makes calls of one kind,
 * until the file `until` exists. */
static void count(void)
{
	trace2_timer_start(daemon_time);
	trace2_counter_add(daemon_steps, 1);
	trace2_distribution_add(tool_sizes, 7);
	trace2_gauge_set(daemon_level, 4);
	trace2_timer_stop(daemon_time);
}

static void serve(void)
{
	trace2_span_t span = trace2_span_start("daemon", "request",
					       TRACE2_SPAN_NONE);

	trace2_span_set_intmax(span, "status", 200);
	trace2_span_enter(span);
	trace2_region_enter("daemon", "work", NULL);
	trace2_region_leave("daemon", "work", NULL);
	trace2_span_leave(span);
	trace2_span_end(span);
}

static void rotate_and_flush(void)
{
	trace2_reopen();
	trace2_flush();
}

static void *call_once(void *unused)
{
	trace2_counter_add(daemon_steps, 1);
	trace2_data_intmax("daemon", NULL, "once", 1);
	return unused;
}

static void begin_and_end(void)
{
	pthread_t thread;

	if (!trace2_pthread_create(&thread, NULL, "once", call_once, NULL))
		pthread_join(thread, NULL);
}

static void *kind_until(void *unused)
{
	static void (*const kinds[])(void) = { count, serve, rotate_and_flush,
					       begin_and_end };
	unsigned int kind = atomic_fetch_add(&last_worker, 1) % 4;

	unsigned int i;

	for (; access(until, F_OK); sched_yield())
		for (i = 0; i < 20; i++)
			kinds[kind]();
	return unused;
}

static int ut_263kinds_until(int argc, const char **argv)
{
	until = argv[0];
	tool_run_threads((unsigned int)tool_number(argv[1], 1, 100),
			 kind_until, NULL);
	return 0;
}

const struct tool_verb tool_verbs_daemon[] = {
	{ "260rotate", "<path> <times> <threads>", 3, 3, ut_260rotate },
	{ "261steps",
	  "(step|flush|reopen|span|close|raise|move:<path>|sh:<command>)...",
	  1, -1,
	  ut_261steps },
	{ "262until", "<file> <threads>", 2, 2, ut_262until },
	{ "263kinds_until", "<file> <threads>", 2, 2, ut_263kinds_until },
	{ NULL, NULL, 0, 0, NULL },
};
