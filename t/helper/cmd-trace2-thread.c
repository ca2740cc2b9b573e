/* SPDX-License-Identifier: MIT */
/*
 * Threads that use the library correctly, and incorrectly.
 */
#include "cmd-trace2.h"

static pthread_t create(void *(*run)(void *), void *arg)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, run, arg);

	if (err)
		tool_die("cannot create a thread: %s", strerror(err));
	return thread;
}

void tool_run_thread(void *(*run)(void *), void *arg)
{
	pthread_join(create(run, arg), NULL);
}

void tool_run_threads(unsigned int nr, void *(*run)(void *), void *arg)
{
	pthread_t *threads = tool_alloc(nr, sizeof(*threads));
	unsigned int i;

	for (i = 0; i < nr; i++)
		threads[i] = create(run, arg);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void announce(const char *value)
{
	trace2_data_string("thread", NULL, "runs", value);
}

static void *unannounced(void *arg)
{
	announce(arg);
	return NULL;
}

static void *started_only(void *arg)
{
	trace2_thread_start(arg);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
	announce("start only");
	return NULL;
}

static void *exited_only(void *arg)
{
	announce("exit only");
	trace2_thread_exit();
	announce("after exit");
	return NULL;
}

static void *well_behaved(void *arg)
{
	trace2_thread_start(arg);
	announce("between");
	trace2_thread_exit();
	return NULL;
}

static int ut_040thread(int argc, const char **argv)
{
	tool_run_thread(well_behaved, argc ? (void *)argv[0] : NULL);
	return 0;
}

static int ut_041thread_unannounced(int argc, const char **argv)
{
	tool_run_thread(unannounced, (void *)"unannounced");
	return 0;
}

static int ut_042thread_no_exit(int argc, const char **argv)
{
	tool_run_thread(started_only, (void *)"no_exit");
	return 0;
}

static int ut_043thread_no_start(int argc, const char **argv)
{
	tool_run_thread(exited_only, NULL);
	return 0;
}

static int ut_044thread_on_main(int argc, const char **argv)
{
	well_behaved((void *)"on_main");
	return 0;
}

static void *in_created(void *arg)
{
	announce("created by the library");
	return arg;
}

/* Create a thread by trace2_pthread_create(), and pass on its return value. */
static int ut_045thread_created(int argc, const char **argv)
{
	pthread_t thread;
	void *value = NULL;
	int err;

	err = trace2_pthread_create(&thread, NULL, argc ? argv[0] : NULL,
				    in_created, &thread);
	if (err)
		tool_die("cannot create a thread: %s", strerror(err));
	pthread_join(thread, &value);
	return value == &thread ? 0 : 1;
}

/* Wait on a pipe to which nothing is written, until the thread is cancelled. */
static void *cancelled(void *arg)
{
	int *fds = arg;
	char c;

	trace2_thread_start("cancelled");
	trace2_region_enter("thread", "open", NULL);
	trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 5);
	if (write(fds[1], "r", 1) == 1 && read(fds[2], &c, 1) == 1)
		announce("never");
	return NULL;
}

static void make_pipes(int fds[4])
{
	if (pipe(fds) || pipe(fds + 2))
		tool_die("cannot make a pipe");
}

/* Wait until the thread writes a byte. */
static void await(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		tool_die("cannot read from a pipe");
}

static int ut_046thread_cancelled(int argc, const char **argv)
{
	pthread_t thread;
	int fds[4];

	make_pipes(fds);
	thread = create(cancelled, fds);
	await(fds[0]);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return 0;
}

static int ut_047thread_running(int argc, const char **argv)
{
	static int fds[4];

	make_pipes(fds);
	create(cancelled, fds);
	await(fds[0]);
	return 0;
}

static void *ends_itself(void *arg)
{
	trace2_thread_start(arg);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
	pthread_exit(NULL);
}

static int ut_048thread_pthread_exit(int argc, const char **argv)
{
	tool_run_thread(ends_itself, (void *)"ends");
	return 0;
}

static void *started_twice(void *arg)
{
	trace2_thread_start("first");
	announce(arg);
	trace2_thread_start("second");
	announce(arg);
	trace2_thread_exit();
	trace2_thread_exit();
	return NULL;
}

static int ut_049thread_twice(int argc, const char **argv)
{
	tool_run_thread(started_twice, (void *)"twice");
	return 0;
}

static pthread_key_t late_key;

/* A destructor that is called again as long as it sets the value: the value is
 * the number of rounds left. */
static void call_late(void *value)
{
	int *rounds = value;

	if (--*rounds) {
		pthread_setspecific(late_key, rounds);
		return;
	}
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 7);
	announce("destructor");
}

static void *with_destructor(void *arg)
{
	pthread_setspecific(late_key, arg);
	trace2_thread_start("late");
	trace2_thread_exit();
	return NULL;
}

/* Call the library in a thread-specific destructor, which runs after the
 * thread. */
static int ut_050thread_destructor(int argc, const char **argv)
{
	int rounds = 1;

	if (argc)
		rounds = (int)tool_number(argv[0], 1,
					  PTHREAD_DESTRUCTOR_ITERATIONS);
	if (pthread_key_create(&late_key, call_late))
		tool_die("cannot create a key");
	tool_run_thread(with_destructor, &rounds);
	return 0;
}

/* Run in a wave of threads: a barrier keeps all of them alive at the same
 * time. */
static void *in_wave(void *arg)
{
	trace2_thread_start("wave");
	trace2_region_enter("thread", "work", NULL);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
	pthread_barrier_wait(arg);
	trace2_region_leave("thread", "work", NULL);
	trace2_thread_exit();
	return NULL;
}

static int ut_051threads(int argc, const char **argv)
{
	unsigned int nr = (unsigned int)tool_number(argv[0], 1, 100000);
	unsigned int alive = nr;

	if (argc > 1)
		alive = (unsigned int)tool_number(argv[1], 1, nr);
	for (; nr; nr -= alive) {
		pthread_barrier_t barrier;

		if (alive > nr)
			alive = nr;
		pthread_barrier_init(&barrier, NULL, alive);
		tool_run_threads(alive, in_wave, &barrier);
		pthread_barrier_destroy(&barrier);
	}
	return 0;
}

const struct tool_verb tool_verbs_thread[] = {
	{ "040thread", "[<base name>]", 0, 1, ut_040thread },
	{ "041thread_unannounced", "", 0, 0, ut_041thread_unannounced },
	{ "042thread_no_exit", "", 0, 0, ut_042thread_no_exit },
	{ "043thread_no_start", "", 0, 0, ut_043thread_no_start },
	{ "044thread_on_main", "", 0, 0, ut_044thread_on_main },
	{ "045thread_created", "[<base name>]", 0, 1, ut_045thread_created },
	{ "046thread_cancelled", "", 0, 0, ut_046thread_cancelled },
	{ "047thread_running", "", 0, 0, ut_047thread_running },
	{ "048thread_pthread_exit", "", 0, 0, ut_048thread_pthread_exit },
	{ "049thread_twice", "", 0, 0, ut_049thread_twice },
	{ "050thread_destructor", "[<round>]", 0, 1, ut_050thread_destructor },
	{ "051threads", "<threads> [<alive at once>]", 1, 2, ut_051threads },
	{ NULL, NULL, 0, 0, NULL },
};
