/* SPDX-License-Identifier: MIT */
#include "session/counters.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/clock.h"
#include "pmu/parse.h"
#include "pmu/pmu.h"
#include "session/share.h"

#define MAX_COUNTERS 64
#define MAX_UNTOLD_BYTES 16384 /* a list may be all errors */
#define TEXT_BYTES (4 * TR2_PERFEVENT_BYTES)

static struct counter {
	struct tr2_perfevent event;
	struct trace2_perf_attr attr;
	struct trace2_perf *perf; /* NULL: not open */
	/* Threads in which it could not be opened, and why not. */
	unsigned int nr_failed;
	int thread_error;
} *counters;
static unsigned int nr_counters;

/* Threads for which no descriptors were left. */
static unsigned int nr_uncounted;

/* What one thread counts itself, in the order of the counters. */
struct tr2_task_counter {
	bool is_open; /* set last: a fork may come in between */
	struct tr2_perf_kernel kernel;
};

static struct tr2_blocks blocks = {
	MAX_COUNTERS * sizeof(struct tr2_task_counter), 4, 0, 0, NULL
};

/*
 * Errors that are still to be told, each with its NUL. The stream begins with
 * version and start, and events are opened before that.
 */
static struct tr2_buf untold;
static atomic_bool is_untold;

void tr2_counters_keep_error(const char *why)
{
	if (untold.len > MAX_UNTOLD_BYTES)
		return;
	tr2_buf_add(&untold, why, strlen(why) + 1);
	is_untold = true;
}

void tr2_counters_keep_thread_error(const char *why, unsigned int nr_threads)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addstr(&b, why);
	tr2_buf_addlit(&b, " (in ");
	tr2_buf_add_u64(&b, nr_threads);
	tr2_buf_addstr(&b, nr_threads == 1 ? " thread)" : " threads)");
	tr2_counters_keep_error(tr2_buf_str(&b));
}

static void tell_error(struct tr2_call *call, const char *why)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "trace2: ");
	tr2_buf_addstr(&b, why);
	TR2_EMIT(call, error, .msg.s = tr2_buf_str(&b),
		 .fmt.s = "trace2: event '%s': %s");
}

void tr2_counters_tell_errors(struct tr2_call *call)
{
	const char *why;

	if (!atomic_exchange(&is_untold, false))
		return;
	/* Behind the start event, which lies in another ring: their times say
	 * which of the two was first. */
	call->now_ns = tr2_clock_now_ns();
	for (why = untold.p; why < untold.p + untold.len;
	     why += strlen(why) + 1)
		tell_error(call, why);
	tr2_buf_reset(&untold);
}

static void keep_period_error(const struct tr2_perfevent *event)
{
	char text[TEXT_BYTES];

	tr2_perfevent_fail(0, text, sizeof(text), event,
			   "a counted event takes no period");
	tr2_counters_keep_error(text);
}

void tr2_counters_load(const char *list)
{
	struct tr2_perfevents events;
	enum tr2_perfevent_result result;
	struct counter *counter, one;

	if (!list || counters)
		return;
	counters = calloc(MAX_COUNTERS, sizeof(*counters));
	if (!counters)
		return;
	tr2_perfevents_init(&events, list);
	while ((result = tr2_perfevents_next(&events, &one.event))) {
		if (nr_counters == MAX_COUNTERS) {
			tr2_counters_keep_error("more than 64 events: the others do not "
				   "count");
			return;
		}
		counter = &counters[nr_counters];
		counter->event = one.event;
		if (result == TR2_PERFEVENT_BAD ||
		    tr2_perf_attr_of(&counter->event, &counter->attr,
				     events.error, sizeof(events.error))) {
			tr2_counters_keep_error(events.error);
			continue;
		}
		if (counter->attr.sample_period) {
			keep_period_error(&counter->event);
			continue;
		}
		counter->attr.inherit = 1;
		counter->attr.read_format =
			TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |
			TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING;
		nr_counters++;
	}
}

/* The first of its group that is open leads it. */
static struct trace2_perf *leader_of(const struct counter *counter)
{
	const struct counter *other;

	for (other = counters; counter->event.group && other < counter; other++)
		if (other->perf && other->event.group == counter->event.group)
			return other->perf;
	return NULL;
}

static bool is_kernels(const struct trace2_perf *perf)
{
	return perf && perf->pmu == &tr2_pmu_kernel;
}

static int open_within_share(struct counter *counter,
			     const struct tr2_thread *thread)
{
	struct trace2_perf *group = leader_of(counter);
	int error;

	if (!tr2_share_take(1))
		return TR2_SHARE_ERROR;
	error = tr2_perf_open(&counter->attr, (pid_t)thread->tid, -1, group,
			      &counter->perf);
	if (error || !is_kernels(counter->perf))
		tr2_share_give(1);
	return error;
}

static int open_counter(struct counter *counter, const struct tr2_thread *thread)
{
	int error;

	tr2_lock();
	if (counter->perf) /* the parent's */
		tr2_perf_close(counter->perf);
	counter->perf = NULL;
	counter->nr_failed = 0;
	error = open_within_share(counter, thread);
	tr2_unlock();
	return error;
}

void tr2_counters_open(struct tr2_thread *main_thread)
{
	char text[TEXT_BYTES];
	unsigned int i;
	int error;

	for (i = 0; i < nr_counters; i++) {
		error = open_counter(&counters[i], main_thread);
		if (!error)
			continue;
		tr2_share_explain(&counters[i].event, error, text,
				  sizeof(text));
		tr2_counters_keep_error(text);
	}
	tr2_lock();
	tr2_counters_thread_start(main_thread);
	tr2_unlock();
}

static void open_task(struct tr2_thread *thread, unsigned int i)
{
	struct trace2_perf_attr attr = counters[i].attr;
	int error;

	attr.inherit = attr.pinned = attr.exclusive = 0;
	error = tr2_kernel_task_open(&thread->counters[i].kernel, &attr,
				     (pid_t)thread->tid);
	thread->counters[i].is_open = !error;
	if (!error)
		return;
	tr2_share_give(1);
	counters[i].nr_failed++;
	counters[i].thread_error = error;
}

/* A thread counts all of them, as far as the kernel lets it, or none. */
void tr2_counters_thread_start(struct tr2_thread *thread)
{
	unsigned int nr = 0, i;

	for (i = 0; i < nr_counters; i++)
		nr += is_kernels(counters[i].perf);
	/* The main thread of a forked child may come twice. */
	if (!nr || thread->counters || thread->is_uncounted)
		return;
	if (!tr2_share_take(nr)) {
		thread->is_uncounted = true;
		nr_uncounted++;
		return;
	}
	thread->counters = tr2_blocks_get(&blocks);
	if (!thread->counters)
		tr2_share_give(nr);
	for (i = 0; i < nr_counters; i++) {
		if (!is_kernels(counters[i].perf))
			continue;
		if (thread->counters) {
			open_task(thread, i);
			continue;
		}
		counters[i].nr_failed++;
		counters[i].thread_error = -ENOMEM;
	}
}

static void release(struct tr2_task_counter *task)
{
	unsigned int i;

	for (i = 0; task && i < nr_counters; i++) {
		if (!task[i].is_open)
			continue;
		task[i].is_open = false;
		tr2_kernel_release(&task[i].kernel);
		tr2_share_give(1);
	}
}

void tr2_counters_thread_end(struct tr2_thread *thread)
{
	struct tr2_task_counter *task = thread->counters;

	release(task);
	thread->counters = NULL;
	tr2_blocks_put(&blocks, task);
}

void tr2_counters_thread_forked(struct tr2_thread *thread)
{
	release(thread->counters);
	thread->counters = NULL;
}

void tr2_counters_after_fork(void)
{
	nr_uncounted = 0;
	tr2_share_after_fork();
	tr2_blocks_after_fork(&blocks, NULL, 0);
}

void tr2_counters_close(void)
{
	unsigned int i;

	for (i = 0; i < nr_counters; i++) {
		if (is_kernels(counters[i].perf))
			tr2_share_give(1);
		if (counters[i].perf)
			tr2_perf_close(counters[i].perf);
		counters[i].perf = NULL;
	}
}

void tr2_counters_release(void)
{
	tr2_counters_close();
	free(counters);
	counters = NULL;
	nr_counters = 0;
	tr2_buf_release(&untold);
	tr2_blocks_release(&blocks);
}

/* false: it does not count in threads, or not in this one. */
static bool read_task(struct tr2_thread *thread, unsigned int i,
		      struct tr2_perf_times *out)
{
	const struct trace2_perf *perf = counters[i].perf;
	bool ok = false;

	tr2_lock();
	if (perf && perf->pmu == &tr2_pmu_app) {
		*out = (struct tr2_perf_times){ 0, 0, 0 };
		out->value = tr2_perf_task_count(perf, thread->owner.slot);
		ok = true;
	} else if (perf && thread->counters && thread->counters[i].is_open) {
		ok = !tr2_kernel_task_read(&thread->counters[i].kernel, out);
	}
	tr2_unlock();
	return ok;
}

/* What it would be, had it been on its PMU all the time. */
static uint64_t scale(const struct tr2_perf_times *times)
{
	if (times->running_ns >= times->enabled_ns || !times->running_ns)
		return times->value;
	return (uint64_t)((unsigned __int128)times->value * times->enabled_ns /
			  times->running_ns);
}

void tr2_counters_emit_thread(struct tr2_call *call, struct tr2_thread *thread)
{
	struct tr2_perf_times times;
	unsigned int i;

	for (i = 0; i < nr_counters; i++)
		if (read_task(thread, i, &times))
			TR2_EMIT(call, th_counter, .category.s = "perf",
				 .name.s = counters[i].event.text,
				 .count.u = scale(&times));
}

static void emit(struct tr2_call *call, const struct counter *counter)
{
	struct tr2_perf_times times;
	char text[TEXT_BYTES];
	uint64_t values[3];
	int nr;

	tr2_lock();
	nr = tr2_perf_read(counter->perf, values, 3);
	tr2_unlock();
	nr = nr == 3 && values[1] && !values[2] ? -EBUSY : nr;
	if (nr < 3) {
		tr2_share_explain(&counter->event, nr < 0 ? nr : -EIO, text,
				  sizeof(text));
		tell_error(call, text);
		return;
	}
	times = (struct tr2_perf_times){ values[0], values[1], values[2] };
	TR2_EMIT(call, counter, .category.s = "perf",
		 .name.s = counter->event.text, .count.u = scale(&times));
}

static void keep_thread_error(const struct counter *counter)
{
	char text[TEXT_BYTES];

	if (!counter->nr_failed)
		return;
	tr2_share_explain(&counter->event, counter->thread_error, text,
			  sizeof(text));
	tr2_counters_keep_thread_error(text, counter->nr_failed);
}

void tr2_counters_emit(struct tr2_call *call)
{
	unsigned int i;

	for (i = 0; i < nr_counters; i++)
		keep_thread_error(&counters[i]);
	tr2_share_keep_error(nr_uncounted,
			     "counts of their own (th_counter)");
	tr2_counters_tell_errors(call);
	for (i = 0; i < nr_counters; i++)
		if (counters[i].perf)
			emit(call, &counters[i]);
}
