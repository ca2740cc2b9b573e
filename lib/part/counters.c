/* SPDX-License-Identifier: MIT */
/*
 * The part of the counted events: they are opened with the session, for its
 * thread and all its descendants, and emitted as counters of category `perf`.
 *
 * Each thread has additional events, for its own counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/lock.h"
#include "base/macros.h"
#include "part/part.h"
#include "part/share.h"
#include "pmu/pmu.h"

#define MAX_COUNTERS 64
#define TEXT_BYTES (4 * TR2_PERFEVENT_BYTES)

static struct counter {
	struct tr2_perfevent event;
	struct trace2_perf_attr attr;
	struct trace2_perf *perf; /* the opened event; NULL: not open */
	/*
	 * The number of threads in which the event could not be opened, and the
	 * reason.
	 */
	unsigned int nr_failed;
	int thread_error;
} *counters;
static unsigned int nr_counters;

/* The number of threads for which there were no descriptors. */
static unsigned int nr_uncounted;

/* The events of one thread, in the order of the counters. */
struct task {
	struct task *next, *prev;
	struct {
		bool is_open; /* set after `kernel`: a fork may come in
			       * between */
		struct tr2_perf_kernel kernel;
	} counter[MAX_COUNTERS];
};

static struct tr2_blocks blocks = {
	.block_bytes = sizeof(struct task), .first = 4,
};
static struct task *all_tasks;

/* Threads for which there were no descriptors share this task. */
TR2_LARGE struct task tr2_counters_no_task;

static void keep_period_error(const struct tr2_perfevent *event)
{
	char text[TEXT_BYTES];

	tr2_perfevent_fail(0, text, sizeof(text), event,
			   "a counted event takes no period");
	tr2_pending_errors_add(text);
}

static void counters_load(const char *list)
{
	struct tr2_perfevents events;
	enum tr2_perfevent_result result;
	struct counter *counter, one;

	if (counters)
		return;
	counters = calloc(MAX_COUNTERS, sizeof(*counters));
	if (!counters)
		return;
	tr2_perfevents_init(&events, list);
	while ((result = tr2_perfevents_next(&events, &one.event))) {
		if (nr_counters == MAX_COUNTERS) {
			tr2_pending_errors_add("more than 64 events: the "
					       "others do not count");
			return;
		}
		counter = &counters[nr_counters];
		counter->event = one.event;
		if (result == TR2_PERFEVENT_BAD ||
		    tr2_perf_attr_of(&counter->event, &counter->attr,
				     events.error, sizeof(events.error))) {
			tr2_pending_errors_add(events.error);
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

/* Return the leader: the first open event of the group. */
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

static int open_counter(struct counter *counter,
			const struct tr2_thread *thread)
{
	int error;

	tr2_lock();
	if (counter->perf) /* a counter of the parent, in a forked child */
		tr2_perf_close(counter->perf);
	counter->perf = NULL;
	counter->nr_failed = 0;
	error = open_within_share(counter, thread);
	tr2_unlock();
	return error;
}

static void open_in_thread(struct task *task, uint32_t tid, unsigned int i)
{
	struct trace2_perf_attr attr = counters[i].attr;
	int error;

	attr.inherit = attr.pinned = attr.exclusive = 0;
	error = tr2_kernel_task_open(&task->counter[i].kernel, &attr,
				     (pid_t)tid);
	task->counter[i].is_open = !error;
	if (!error)
		return;
	tr2_share_give(1);
	counters[i].nr_failed++;
	counters[i].thread_error = error;
}

static struct task *add_task(void)
{
	struct task *task = tr2_blocks_get(&blocks);

	if (!task)
		return NULL;
	TR2_LIST_ADD(all_tasks, task);
	return task;
}

/* Open the events of a thread: all that the kernel permits, or none if
 * descriptors are short. */
static void counters_thread_begin(struct tr2_thread *thread, void **own)
{
	unsigned int nr = 0, i;
	struct task *task;

	for (i = 0; i < nr_counters; i++)
		nr += is_kernels(counters[i].perf);
	/* The main thread of a forked child may begin twice. */
	if (!nr || *own)
		return;
	if (!tr2_share_take(nr)) {
		*own = &tr2_counters_no_task;
		nr_uncounted++;
		return;
	}
	*own = task = add_task();
	if (!task)
		tr2_share_give(nr);
	for (i = 0; i < nr_counters; i++) {
		if (!is_kernels(counters[i].perf))
			continue;
		if (task) {
			open_in_thread(task, thread->tid, i);
			continue;
		}
		counters[i].nr_failed++;
		counters[i].thread_error = -ENOMEM;
	}
}

static void counters_open(struct tr2_thread *main_thread, void **own)
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
		tr2_pending_errors_add(text);
	}
	tr2_lock();
	counters_thread_begin(main_thread, own);
	tr2_unlock();
}

static void close_task(struct task *task)
{
	unsigned int i;

	for (i = 0; i < nr_counters; i++) {
		if (!task->counter[i].is_open)
			continue;
		task->counter[i].is_open = false;
		tr2_kernel_release(&task->counter[i].kernel);
		tr2_share_give(1);
	}
}

static void counters_thread_end(struct tr2_thread *thread, void **own)
{
	struct task *task = *own;

	(void)thread;
	*own = NULL;
	if (!task || task == &tr2_counters_no_task)
		return;
	close_task(task);
	TR2_LIST_REMOVE(all_tasks, task);
	tr2_blocks_put(&blocks, task);
}

static void close_tasks(void)
{
	struct task *task;

	for (task = all_tasks; task; task = task->next)
		close_task(task);
}

static void counters_forked(void)
{
	close_tasks();
	all_tasks = NULL;
	nr_uncounted = 0;
	tr2_share_after_fork();
	tr2_blocks_after_fork(&blocks, NULL, 0);
}

/* Close the events of all threads. The caller holds the lock. */
static void close_counters(void)
{
	unsigned int i;

	close_tasks();
	for (i = 0; i < nr_counters; i++) {
		if (is_kernels(counters[i].perf))
			tr2_share_give(1);
		if (counters[i].perf)
			tr2_perf_close(counters[i].perf);
		counters[i].perf = NULL;
	}
}

static void counters_close(void)
{
	if (!nr_counters)
		return;
	tr2_lock();
	close_counters();
	tr2_unlock();
}

static void counters_release(void)
{
	close_counters();
	all_tasks = NULL;
	free(counters);
	counters = NULL;
	nr_counters = 0;
	tr2_blocks_release(&blocks);
}

/*
 * Read the counter in this thread. false: the counter does not count in
 * threads, or not in this thread.
 */
static bool read_task(const struct tr2_thread *thread, struct task *task,
		      unsigned int i, struct tr2_perf_times *out)
{
	const struct trace2_perf *perf = counters[i].perf;
	bool ok = false;

	tr2_lock();
	if (perf && perf->pmu == &tr2_pmu_app) {
		*out = (struct tr2_perf_times){ 0, 0, 0 };
		out->value = tr2_perf_task_count(perf, thread->owner.slot);
		ok = true;
	} else if (perf && task && task->counter[i].is_open) {
		ok = !tr2_kernel_task_read(&task->counter[i].kernel, out);
	}
	tr2_unlock();
	return ok;
}

/* Scale a count to the whole time, as if the event had always been on its
 * PMU. */
static uint64_t scale_count(const struct tr2_perf_times *times)
{
	if (times->running_ns >= times->enabled_ns || !times->running_ns)
		return times->value;
	return (uint64_t)((unsigned __int128)times->value * times->enabled_ns /
			  times->running_ns);
}

static void counters_emit_thread(struct tr2_call *call,
				 const struct tr2_thread *thread, void *own)
{
	struct tr2_perf_times times;
	unsigned int i;

	for (i = 0; i < nr_counters; i++)
		if (read_task(thread, own, i, &times))
			TR2_EMIT(call, th_counter, .category.s = "perf",
				 .name.s = counters[i].event.text,
				 .count.u = scale_count(&times));
}

static void emit_counter(struct tr2_call *call, const struct counter *counter)
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
		tr2_pending_errors_emit_one(call, text);
		return;
	}
	times = (struct tr2_perf_times){ values[0], values[1], values[2] };
	TR2_EMIT(call, counter, .category.s = "perf",
		 .name.s = counter->event.text, .count.u = scale_count(&times));
}

static void counters_emit(struct tr2_call *call, struct tr2_slot *sum)
{
	unsigned int i;

	(void)sum;
	for (i = 0; i < nr_counters; i++)
		if (counters[i].perf)
			emit_counter(call, &counters[i]);
}

static void add_thread_error(const struct counter *counter)
{
	char text[TEXT_BYTES];

	if (!counter->nr_failed)
		return;
	tr2_share_explain(&counter->event, counter->thread_error, text,
			  sizeof(text));
	tr2_pending_errors_add_threads(text, counter->nr_failed);
}

static void counters_emit_errors(struct tr2_call *call)
{
	unsigned int i;

	(void)call;
	for (i = 0; i < nr_counters; i++)
		add_thread_error(&counters[i]);
	tr2_share_add_error(nr_uncounted,
			    "counts of their own (th_counter)");
}

const struct tr2_part tr2_part_counters = {
	.load = counters_load,
	.open = counters_open,
	.thread_begin = counters_thread_begin,
	.emit_errors = counters_emit_errors,
	.emit_thread = counters_emit_thread,
	.emit_process = counters_emit,
	.thread_end = counters_thread_end,
	.close = counters_close,
	.forked = counters_forked,
	.release = counters_release,
};
