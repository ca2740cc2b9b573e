/* SPDX-License-Identifier: MIT */
/*
 * `churn MODULE ROUNDS`: threads start, end, are cancelled and run on at exit,
 * a module with timers is loaded, used and unloaded, and the reader of
 * descriptor 9 closes, all at the same time. Prints the counts, which do not
 * depend on the order.
 */
#include "trace2.h"

#include "../host-state.h"
#include "../system.h"

#include <stdatomic.h>

#define TRACE_FD 9

static long rounds;
static const char *module;
static atomic_long nr_counted;

static void count_one(void)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	nr_counted++;
}

static void speak(void)
{
	trace2_region_enter("churn", "region", NULL);
	trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	trace2_data_string("churn", NULL, "key", "value");
	trace2_timer_stop(TRACE2_TIMER_ID_TEST2);
	trace2_region_leave("churn", "region", NULL);
}

static void *short_life(void *arg)
{
	trace2_thread_start("short");
	count_one();
	speak();
	trace2_thread_exit();
	return arg;
}

/* Call the library in a thread without thread_start and thread_exit. */
static void *silent_life(void *arg)
{
	count_one();
	return arg;
}

static void *cancelled_life(void *arg)
{
	trace2_thread_start("cancelled");
	trace2_region_enter("churn", "open", NULL);
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	count_one();
	/* Do not wait in a call that ThreadSanitizer wraps: it would not notice
	 * that a cancelled thread has left the call. */
	for (;;) {
		pthread_testcancel();
		sched_yield();
	}
	return arg;
}

/* Count in a thread that runs on while the process ends. */
static void *long_life(void *arg)
{
	trace2_thread_start("long");
	for (;;) {
		speak();
		poll(NULL, 0, 1);
	}
	return arg;
}

static void *start_and_join(void *arg)
{
	pthread_t threads[3];
	long i;
	int t;

	for (i = 0; i < rounds; i++) {
		pthread_create(&threads[0], NULL, short_life, NULL);
		pthread_create(&threads[1], NULL, silent_life, NULL);
		pthread_create(&threads[2], NULL, cancelled_life, NULL);
		pthread_cancel(threads[2]);
		for (t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
	}
	return arg;
}

static void use_module(void)
{
	void *handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
	void (*use)(void);

	if (!handle) {
		fprintf(stderr, "churn: %s\n", dlerror());
		exit(1);
	}
	*(void **)&use = dlsym(handle, "module_use");
	use();
	dlclose(handle);
}

static void *load_and_unload(void *arg)
{
	long i;

	for (i = 0; i < rounds; i++)
		use_module();
	return arg;
}

static int open_reader(void)
{
	int ends[2], reader;

	if (pipe(ends) || (reader = fcntl(ends[0], F_DUPFD, 20)) < 0)
		abort();
	close(ends[0]);
	if (ends[1] != TRACE_FD) {
		dup2(ends[1], TRACE_FD);
		close(ends[1]);
	}
	return reader;
}

int main(int argc, char **argv)
{
	pthread_t threads[4], runs_on;
	int i, reader;

	if (argc != 3)
		return 129;
	module = argv[1];
	rounds = atol(argv[2]);
	host_state_watch();
	reader = open_reader();
	trace2_initialize();
	trace2_cmd_start((const char *const *)(void *)argv);
	pthread_create(&runs_on, NULL, long_life, NULL);
	pthread_create(&threads[0], NULL, load_and_unload, NULL);
	for (i = 1; i < 4; i++)
		pthread_create(&threads[i], NULL, start_and_join, NULL);
	close(reader);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("counted %ld\n", nr_counted);
	fflush(stdout);
	return trace2_cmd_exit(0);
}
