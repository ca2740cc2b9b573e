/* SPDX-License-Identifier: MIT */
/*
 * Counters and timers of a program linked with the shared library, and of a
 * module that it loads; on.c measures the static library.
 * usage: shared-metrics MODULE
 */
#include "metrics.h"

static void (*module_add)(size_t n), (*module_time)(size_t n);

static void add_module(size_t n)
{
	module_add(n);
}

static void time_module(size_t n)
{
	module_time(n);
}

int main(int argc, char **argv)
{
	static const char local[] = "add to a volatile thread-local";
	static const char clocks[] = "two reads of the cheapest clock";
	static const struct bench_case cases[] = {
		{ "counter_add, shared library", local, add_counter, add_local,
		  20000, NULL, 0 },
		{ "counter_add, loaded module", local, add_module, add_local,
		  20000, NULL, 0 },
		{ "timer start + stop, shared library", clocks, timer,
		  two_clocks, 3000, NULL, 0 },
		{ "timer start + stop, loaded module", clocks, time_module,
		  two_clocks, 3000, NULL, 0 },
	};
	void *module = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	size_t i;

	if (!module)
		return 1;
	*(void **)&module_add = dlsym(module, "module_add");
	*(void **)&module_time = dlsym(module, "module_time");
	bench_pin();
	trace2_initialize();
	if (!trace2_is_enabled() || !module_add || !module_time)
		return 1;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		bench_run(&cases[i]);
	return 0;
}
