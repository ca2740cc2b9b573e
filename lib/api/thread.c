/* SPDX-License-Identifier: MIT */
/* Threads that say when they start and end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/call.h"
#include "session/counters.h"
#include "session/metrics.h"
#include "trace2.h"

/* On main, which started and ends with the process, it is a region. */
static const char main_enter[] = "thread-proc on main: %s";
static const char main_leave[] = "thread-proc on main";

void trace2_thread_start_fl(const char *file, int line, const char *base_name)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	if (call.thread->is_main) {
		tr2_call_end(&call);
		trace2_region_enter_printf_fl(file, line, NULL, NULL, NULL,
					      main_enter,
					      base_name ? base_name : "");
		return;
	}
	if (call.thread->named) {
		tr2_call_misuse(&call,
				"trace2: thread_start in '%s', which has "
				"started already",
				call.thread->name);
	} else {
		/* A handler's event may have announced it already. */
		tr2_call_announce(&call, base_name);
	}
	call.thread->named = true;
	tr2_call_end(&call);
}

static bool has_thread_metrics(const struct tr2_thread *thread)
{
	return thread->slot != NULL;
}

void trace2_thread_exit_fl(const char *file, int line)
{
	struct tr2_thread *thread;
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	thread = call.thread;
	if (thread->is_main) {
		tr2_call_end(&call);
		trace2_region_leave_printf_fl(file, line, NULL, NULL, NULL,
					      main_leave);
		return;
	}
	tr2_regions_end(&thread->regions, false);
	if (has_thread_metrics(thread))
		tr2_metrics_emit(&call, thread->slot, true);
	tr2_counters_emit_thread(&call, thread);
	call.t_rel_ns = tr2_clock_since(thread->start_ns, call.now_ns);
	if (thread->announced)
		TR2_EMIT(&call, thread_exit, );
	tr2_thread_retire(thread, call.now_ns);
	call.thread = NULL; /* it may be another thread's by now */
	tr2_call_end(&call);
}

/* What a new thread needs to know; it frees it. */
struct start {
	const char *file;
	int line;
	void *(*function)(void *);
	void *arg;
	char *base_name;
	uint32_t creator_tid;
};

static void *run(void *arg)
{
	struct start start = *(struct start *)arg;
	void *result;

	free(arg);
	tr2_thread_get_made_by(start.creator_tid);
	if (trace2_is_enabled())
		trace2_thread_start_fl(start.file, start.line, start.base_name);
	free(start.base_name);
	result = start.function(start.arg);
	if (trace2_is_enabled())
		trace2_thread_exit_fl(start.file, start.line);
	return result;
}

int trace2_pthread_create_fl(const char *file, int line, pthread_t *thread,
			     const pthread_attr_t *attr, const char *base_name,
			     void *(*function)(void *), void *arg)
{
	int saved_errno = errno, error;
	struct start *start;

	if (!trace2_is_enabled() || !thread || !function)
		return function && thread ? pthread_create(thread, attr,
							   function, arg) :
					    EINVAL;
	start = malloc(sizeof(*start));
	if (!start) {
		errno = saved_errno;
		return pthread_create(thread, attr, function, arg);
	}
	*start = (struct start){ file, line, function, arg,
				 base_name ? strdup(base_name) : NULL,
				 tr2_thread_get() ? tr2_self->tid : 0 };
	error = pthread_create(thread, attr, run, start);
	if (error) {
		free(start->base_name);
		free(start);
	}
	errno = saved_errno;
	return error;
}
