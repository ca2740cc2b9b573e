/* SPDX-License-Identifier: MIT */
/*
 * `worker THREADS ROUNDS END`: a program to be inspected while it runs. Each
 * thread makes ROUNDS rounds of a region, a counter and a timer, and stays in a
 * region and a timed interval; then the program prints `ready`. It stays as
 * long as its standard input is open; every line there is one more round of the
 * main thread. END is one of
 *
 *	exit   leaves all regions and returns 3
 *	kill   SIGKILL
 *	ended  all threads but main leave all regions and end; then SIGKILL
 *	_exit  _exit(4)
 *	leave  returns 3 while its threads stay where they are
 *	churn  no thread stays: until its input ends, threads begin, count ROUNDS
 *	       and end; then it prints the sum of their counts, and returns 3
 */
#include "trace2.h"
#include "../system.h"

TRACE2_COUNTER(rounds, "worker", "rounds", TRACE2_PER_THREAD);
TRACE2_TIMER(work, "worker", "work", TRACE2_PER_THREAD);

static long nr_rounds;
static pthread_barrier_t ready, over;

static void make_round(long i)
{
	trace2_region_enter("worker", "round", NULL);
	trace2_counter_add(rounds, 1);
	trace2_data_intmax("worker", NULL, "i", i);
	trace2_region_leave("worker", "round", NULL);
}

static void *worker(void *arg)
{
	long i;

	trace2_thread_start("worker");
	for (i = 0; i < nr_rounds; i++)
		make_round(i);
	trace2_region_enter("worker", "outer", NULL);
	trace2_region_enter("worker", "inner", NULL);
	trace2_timer_start(work);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&over);
	trace2_timer_stop(work);
	trace2_region_leave("worker", "inner", NULL);
	trace2_region_leave("worker", "outer", NULL);
	trace2_thread_exit();
	return arg;
}

static void wait_for_the_end(void)
{
	char line[256];
	long i = 0;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		make_round(i++);
		puts("round");
		fflush(stdout);
	}
}

static void *count(void *arg)
{
	long i;

	for (i = 0; i < nr_rounds; i++)
		trace2_counter_add(rounds, 1);
	return arg;
}

static int churn(pthread_t *threads, long nr_threads)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	unsigned long long total = 0;
	long i;

	puts("ready");
	fflush(stdout);
	while (!poll(&in, 1, 0)) {
		for (i = 0; i < nr_threads; i++)
			if (pthread_create(&threads[i], NULL, count, NULL))
				return 1;
		for (i = 0; i < nr_threads; i++)
			pthread_join(threads[i], NULL);
		total += (unsigned long long)(nr_threads * nr_rounds);
	}
	printf("%llu\n", total);
	return 3;
}

int main(int argc, char **argv)
{
	long nr_threads, i;
	pthread_t *threads;
	int code;

	if (argc != 4)
		return 129;
	nr_threads = atol(argv[1]);
	nr_rounds = atol(argv[2]);
	threads = calloc((size_t)nr_threads + 1, sizeof(*threads));
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("worker");
	if (!strcmp(argv[3], "churn")) {
		code = churn(threads, nr_threads);
		free(threads);
		return trace2_cmd_exit(code);
	}
	pthread_barrier_init(&ready, NULL, (unsigned int)nr_threads + 1);
	pthread_barrier_init(&over, NULL, (unsigned int)nr_threads + 1);
	for (i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, worker, NULL))
			return 1;
	pthread_barrier_wait(&ready);
	wait_for_the_end();
	if (!strcmp(argv[3], "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(argv[3], "_exit"))
		_exit(4);
	if (strcmp(argv[3], "leave")) {
		pthread_barrier_wait(&over);
		for (i = 0; i < nr_threads; i++)
			pthread_join(threads[i], NULL);
	}
	if (!strcmp(argv[3], "ended"))
		kill(getpid(), SIGKILL);
	free(threads);
	return trace2_cmd_exit(3);
}
