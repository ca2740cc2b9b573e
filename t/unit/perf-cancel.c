/* SPDX-License-Identifier: MIT */
/*
 * A cancelled thread stays cancelled, but calls of the library do not end it.
 */
#include "tap.h"
#include "trace2_perf.h"

TRACE2_COUNTER(apples, "unit", "apples", 0);

static const char *last; /* call that returned */

static void use(const struct trace2_perf_attr *attr)
{
	uint64_t record[512];
	struct trace2_perf *ev;

	trace2_perf_open(attr, 0, -1, NULL, &ev);
	last = "open";
	trace2_perf_map(ev, 1);
	last = "map";
	trace2_perf_poll_fd(ev);
	last = "poll_fd";
	trace2_perf_refresh(ev, 2);
	last = "refresh";
	trace2_counter_add(apples, 1);
	last = "a sample";
	trace2_perf_read(ev, record, 8);
	last = "read";
	trace2_perf_next_record(ev, record, sizeof(record));
	last = "next_record";
	trace2_perf_set_period(ev, 2);
	last = "set_period";
	trace2_perf_disable(ev);
	last = "disable";
	trace2_perf_enable(ev);
	last = "enable";
	trace2_perf_reset(ev);
	last = "reset";
	trace2_perf_close(ev);
	last = "close";
}

static void *cancelled(void *unused)
{
	const struct trace2_perf_attr attrs[] = {
		{ .type = TRACE2_PERF_TYPE_APP,
		  .config = TRACE2_PERF_COUNTER(apples),
		  .sample_period = 1,
		  .sample_type = TRACE2_PERF_SAMPLE_CALLCHAIN },
		{ .type = TRACE2_PERF_TYPE_SOFTWARE, .config = 1 },
		{ .type = TRACE2_PERF_TYPE_PROCESS,
		  .config = TRACE2_PERF_OPEN_FDS },
		{ .type = TRACE2_PERF_TYPE_POWER },
	};
	/* These are looked up in tracefs and sysfs. */
	static const char list[] = "no_such:tracepoint",
			  device[] = "no_such/x/";
	size_t i;

	pthread_cancel(pthread_self());
	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++)
		use(&attrs[i]);
	trace2_perf_parse(list, NULL, 0, NULL, 0);
	last = "parse of a tracepoint";
	trace2_perf_parse(device, NULL, 0, NULL, 0);
	last = "all";
	pthread_testcancel();
	last = "testcancel";
	return NULL;
}

int main(void)
{
	void *result = NULL;
	pthread_t thread;

	/* Counters count only while tracing is on. */
	setenv("GIT_TRACE2", "/dev/null", 0);
	trace2_initialize();
	pthread_create(&thread, NULL, cancelled, NULL);
	pthread_join(thread, &result);
	is_text(last, strlen(last), "all", "no call is a cancellation point");
	ok(result == PTHREAD_CANCELED, "and the thread is still cancelled");
	return done_testing();
}
