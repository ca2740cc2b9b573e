/* SPDX-License-Identifier: MIT */
/*
 * A program linked with the shared library that uses a bit of everything,
 * without any knowledge of the tests. It prints `done` and ends with the given
 * code, whether its trace works or not.
 */
#include "trace2.h"

#include "../host-state.h"
#include "../system.h"

TRACE2_TIMER(plain_timer, "plain", "work", TRACE2_HISTOGRAM);
TRACE2_COUNTER(plain_counter, "plain", "items", TRACE2_PER_THREAD);

/* Print changes of errno once, at the end: the call that changes errno may
 * differ from run to run. */
static void expect_errno(void)
{
	if (errno != EDOM)
		printf("errno is %d\n", errno);
}

static void *work(void *arg)
{
	int i;

	errno = EDOM;

	trace2_region_enter("plain", "work", NULL);
	for (i = 0; i < 10; i++) {
		trace2_timer_start(plain_timer);
		trace2_counter_add(plain_counter, 2);
		trace2_timer_stop(plain_timer);
	}
	trace2_region_leave("plain", "work", NULL);
	expect_errno();
	return arg;
}

static void run_threads(void)
{
	pthread_t threads[3];
	int i, nr = 0;

	for (i = 0; i < 3; i++)
		if (!trace2_pthread_create(&threads[nr], NULL, "worker", work,
					   NULL))
			nr++;
	while (nr)
		pthread_join(threads[--nr], NULL);
}

static void tell_of_child(void)
{
	static const char *const argv[] = { "true", NULL };
	struct trace2_child child = TRACE2_CHILD_INIT;

	child.argv = argv;
	child.child_class = "test";
	trace2_child_start(&child);
	child.pid = 4711;
	trace2_child_exit(&child, 0);
}

static void tell(void)
{
	struct trace2_repo repo = { "/work/tree", 0 };

	trace2_def_repo(&repo);
	trace2_def_param("plain.key", "value", TRACE2_SCOPE_LOCAL);
	trace2_region_enter_printf("plain", "all", &repo, "of %d", 3);
	work(NULL);
	run_threads();
	tell_of_child();
	errno = EDOM;
	trace2_data_string("plain", &repo, "string", "value");
	trace2_data_intmax("plain", NULL, "number", 42);
	trace2_data_json("plain", NULL, "json", "{\"a\":1}");
	trace2_cmd_error("an error with code %d", 3);
	trace2_printf("a text");
	trace2_region_leave("plain", "all", &repo);
	expect_errno();
}

int main(int argc, char **argv)
{
	struct trace2_options options = { .version = "plain 1.0" };

	host_state_watch();
	trace2_initialize_clock();
	trace2_initialize_with(&options);
	trace2_cmd_start(argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_cmd_name("plain");
	tell();
	puts("done");
	return trace2_cmd_exit(argc > 1 ? atoi(argv[1]) : 0);
}
