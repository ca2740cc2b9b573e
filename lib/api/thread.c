/* SPDX-License-Identifier: MIT */
/* Threads that announce their start and end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/call.h"
#include "part/call_before_init.h"
#include "session/thread.h"
#include "thread/stream.h"
#include "trace2.h"

/* The main thread starts and ends with the process. A thread function that runs
 * on the main thread is therefore a region. */
static const char main_enter[] = "thread-proc on main: %s";
static const char main_leave[] = "thread-proc on main";

static void start_on_main(const char *file, int line, const char *base_name)
{
	trace2_region_enter_printf_fl(file, line, NULL, NULL, NULL, main_enter,
				      base_name ? base_name : "");
}

void trace2_thread_start_fl(const char *file, int line, const char *base_name)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	if (call.thread->is_main) {
		call.thread->nr_procs++;
		tr2_call_end(&call);
		start_on_main(file, line, base_name);
		return;
	}
	if (call.thread->named) {
		tr2_call_report_once(&call,
				"trace2: thread_start in '%s', which has "
				"started already",
				call.thread->name);
	} else {
		/* Announce the thread unless a handler's event has done
		 * so. */
		tr2_call_announce(&call, base_name);
	}
	call.thread->named = true;
	tr2_call_end(&call);
}

/*
 * Report a thread's exit without a start. Report it in main's name: the thread
 * has no events or has ended, and must not be announced only for an error.
 */
static void tell_no_start(struct tr2_call *call)
{
	const struct tr2_thread *speaker = call->thread;

	if (!speaker->announced)
		speaker = tr2_thread_main();
	call->emitter = &speaker->emitter;
	tr2_call_report_once(call, "trace2: thread_exit without thread_start");
	call->emitter = &call->thread->emitter;
}

/* Return whether a region of a thread function is open on main. In a forked
 * child, the parent may have entered the region. */
static bool take_main(struct tr2_call *call)
{
	struct tr2_thread *thread = call->thread;

	if (thread->nr_procs) {
		thread->nr_procs--;
		return true;
	}
	if (!thread->crossed_fork)
		tell_no_start(call);
	return false;
}

static void exit_on_main(struct tr2_call *call)
{
	bool is_there = take_main(call);

	tr2_call_end(call);
	if (is_there)
		trace2_region_leave_printf_fl(call->file, call->line, NULL,
					      NULL, NULL, main_leave);
}

void trace2_thread_exit_fl(const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	if (call.thread->is_main) {
		exit_on_main(&call);
		return;
	}
	if (!call.thread->named)
		tell_no_start(&call);
	tr2_thread_exit(&call);
	tr2_call_end(&call);
}

/* The arguments of a new thread, which frees this struct. */
struct start {
	const char *file;
	int line;
	void *(*function)(void *);
	void *arg;
	char *base_name;
	uint32_t creator_tid;
};

static void *run_thread(void *arg)
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

	if (!thread || !function)
		return EINVAL;
	if (!tr2_stream_is_on()) {
		tr2_early_note(file, line);
		return pthread_create(thread, attr, function, arg);
	}
	/* Detect a fork now, before the new thread could detect it. */
	tr2_fork_guard_look();
	start = malloc(sizeof(*start));
	if (!start) {
		errno = saved_errno;
		return pthread_create(thread, attr, function, arg);
	}
	*start = (struct start){ file, line, function, arg,
				 base_name ? strdup(base_name) : NULL,
				 tr2_thread_get() ? tr2_self->tid : 0 };
	error = pthread_create(thread, attr, run_thread, start);
	if (error) {
		free(start->base_name);
		free(start);
	}
	errno = saved_errno;
	return error;
}
