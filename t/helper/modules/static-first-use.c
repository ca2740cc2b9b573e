/* SPDX-License-Identifier: MIT */
/*
 * A plugin with the static library inside, and with more thread-local memory
 * than the C library has to spare for modules: the first use of this memory in
 * a thread calls malloc().
 */
#include <string.h>

#include "trace2.h"

static __thread volatile char much[65536];

TRACE2_COUNTER(used, "plugin", "used", 0);
TRACE2_TIMER(using, "plugin", "using", 0);
TRACE2_DISTRIBUTION(sizes, "plugin", "sizes", NULL);

#define EXPORT __attribute__((visibility("default")))

EXPORT void plugin_start(char **argv);
EXPORT void plugin_say(const char *text);

void plugin_start(char **argv)
{
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_counter_add(used, 1);
}

/* Make each call in a function that makes no other call: the stack of such a
 * function may be unaligned. */
static __attribute__((noinline)) void count(void)
{
	trace2_counter_add(used, 1);
}

static __attribute__((noinline)) void take_time(void)
{
	trace2_timer_start(using);
	trace2_timer_stop(using);
}

static __attribute__((noinline)) void distribute(void)
{
	trace2_distribution_add(sizes, 1);
}

static __attribute__((noinline)) void enter(void)
{
	trace2_region_enter("plugin", "region", NULL);
	trace2_region_leave("plugin", "region", NULL);
}

static __attribute__((noinline)) void emit(void)
{
	trace2_data_intmax("plugin", NULL, "key", 1);
}

static __attribute__((noinline)) void open_span(void)
{
	trace2_span_end(trace2_span_start("plugin", "span", TRACE2_SPAN_NONE));
}

static const struct {
	const char *name;
	void (*call)(void);
} uses[] = {
	{ "counter", count },
	{ "timer", take_time },
	{ "distribution", distribute },
	{ "region", enter },
	{ "data", emit },
	{ "span", open_span },
};

void plugin_say(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (!strcmp(text, uses[i].name))
			uses[i].call();
	much[0]++;
}
