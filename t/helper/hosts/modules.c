/* SPDX-License-Identifier: MIT */
/*
 * `modules MODULE ROUNDS`: load, use and unload a module with counters
 * repeatedly while other threads sample one of them, on and off, and look it
 * up. Prints the number of uses.
 */
#include "trace2.h"
#include "trace2_perf.h"
#include "../system.h"

#include <stdatomic.h>

static atomic_bool over;

/* Switch sampling on and off as often as possible. */
static void sample(const struct trace2_perf_named *event)
{
	struct trace2_perf *perf;

	if (!trace2_perf_open(&event->attr, 0, -1, NULL, &perf))
		trace2_perf_close(perf);
}

static void *sample_on_and_off(void *arg)
{
	while (!over)
		sample(arg);
	return NULL;
}

static void *look_for_it(void *arg)
{
	struct trace2_perf_named event;

	while (!over)
		trace2_perf_parse("app/module/items/:10", &event, 1, NULL, 0);
	return arg;
}

static int use(const char *path)
{
	void *module = dlopen(path, RTLD_NOW), *p;
	void (*run)(void);

	p = module ? dlsym(module, "module_use") : NULL;
	if (!p)
		return -1;
	__builtin_memcpy(&run, &p, sizeof(run));
	run();
	return dlclose(module);
}

int main(int argc, char **argv)
{
	struct trace2_perf_named event;
	pthread_t threads[2];
	char error[256];
	long i, rounds;

	if (argc != 3)
		return 129;
	rounds = atol(argv[2]);
	trace2_initialize();
	trace2_cmd_start(argv);
	if (use(argv[1]))
		return 1;
	if (trace2_perf_parse("app/module/items/:10", &event, 1, error,
			      sizeof(error)) != 1) {
		puts(error);
		return 1;
	}
	pthread_create(&threads[0], NULL, sample_on_and_off, &event);
	pthread_create(&threads[1], NULL, look_for_it, NULL);
	for (i = 1; i < rounds; i++)
		if (use(argv[1]))
			return 1;
	over = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	/* Sample while no module is loaded: the memory of unloaded modules must
	 * not be accessed. */
	sample(&event);
	printf("used %ld times\n", rounds);
	return trace2_cmd_exit(0);
}
