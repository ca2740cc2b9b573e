/* SPDX-License-Identifier: MIT */
/* first-calls - functions that only children of `steps` call, as their first
 * calls. */
#pragma once

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace2.h"

TRACE2_GAUGE(gauge, "steps", "gauge", NULL);
TRACE2_DISTRIBUTION(distribution, "steps", "distribution", NULL);

static void first_timer(void)
{
	trace2_timer_add(timer, 1);
}

static void first_distribution(void)
{
	trace2_distribution_add(distribution, 1);
}

static void first_gauge(void)
{
	trace2_gauge_set(gauge, 1);
}

static void first_readings(void)
{
	struct trace2_metric_value value;

	trace2_timer_read(timer, &value);
	trace2_gauge_read(gauge, &value);
}

static void first_span(void)
{
	trace2_span_end(trace2_span_start("steps", "span", TRACE2_SPAN_NONE));
}

static void *nothing(void *arg)
{
	return arg;
}

static void first_thread(void)
{
	pthread_t thread;

	if (!trace2_pthread_create(&thread, NULL, "first", nothing, NULL))
		pthread_join(thread, NULL);
}

static void first_child(void)
{
	static const char *const argv[] = { "true", NULL };
	const struct trace2_child child = { .argv = argv };

	trace2_child_end(trace2_child_begin(&child), 1, 0);
}

static void first_control(void)
{
	trace2_flush();
	trace2_reopen();
}

static void first_id(void)
{
	if (!trace2_session_id())
		abort();
}

static void first_resume(void)
{
	trace2_session_resume();
	_exit(0); /* the parent emits the last event */
}
