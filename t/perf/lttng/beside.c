/* SPDX-License-Identifier: MIT */
/*
 * The cost of events compared with those of LTTng-UST with the same fields,
 * alternately in one process. usage: beside on (with a ring, and a session of
 * LTTng that has the tracepoint), or: beside off (with neither)
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "provider.h"

#include <string.h>

#include "../bench.h"
#include "trace2.h"

#define EVENTS_A_ROUND 1000
#define OFF_A_ROUND 50000

TRACE2_COUNTER(bench_counter, "bench", "counter", 0);

static void region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter("bench", "region", NULL);
		trace2_region_leave("bench", "region", NULL);
	}
}

BENCH_LOOP(number, trace2_data_intmax("bench", NULL, "0123456789", 42))
BENCH_LOOP(add, trace2_counter_add(bench_counter, 1))

static void lttng_event(size_t n)
{
	while (n--) {
		lttng_ust_tracepoint(trace2_bench, event, 42, "0123456789");
		bench_clobber();
	}
}

static void run_on(void)
{
	static const char limit[] = "LTTng-UST, an event of int and 10 bytes";
	static const struct bench_case cases[] = {
		{ "region_enter or leave, ring, beside LTTng", limit, region,
		  lttng_event, EVENTS_A_ROUND, NULL, 0 },
		{ "data_intmax, ring, beside LTTng", limit, number,
		  lttng_event, EVENTS_A_ROUND, NULL, 0 },
		{ "counter_add, on, beside LTTng", limit, add, lttng_event,
		  EVENTS_A_ROUND, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		bench_run(&cases[i]);
}

static void run_off(void)
{
	static const char limit[] = "LTTng-UST, a tracepoint that is off";
	static const struct bench_case cases[] = {
		{ "region_enter or leave, off, beside LTTng", limit, region,
		  lttng_event, OFF_A_ROUND, NULL, 0 },
		{ "data_intmax, off, beside LTTng", limit, number, lttng_event,
		  OFF_A_ROUND, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		bench_run(&cases[i]);
}

int main(int argc, char **argv)
{
	bool on = argc == 2 && !strcmp(argv[1], "on");

	if (!on && (argc != 2 || strcmp(argv[1], "off") != 0))
		return 129;
	trace2_initialize();
	/* Check that both are on, or both off, as requested. */
	if (trace2_is_enabled() != on ||
	    lttng_ust_tracepoint_enabled(trace2_bench, event) != on) {
		fprintf(stderr, "beside %s: trace2 is %d, LTTng is %d\n",
			argv[1], trace2_is_enabled(),
			lttng_ust_tracepoint_enabled(trace2_bench, event));
		return 1;
	}
	bench_pin();
	if (on)
		run_on();
	else
		run_off();
	return 0;
}
