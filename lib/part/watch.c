/* SPDX-License-Identifier: MIT */
/*
 * The part of opened counters (lib/pmu). It reports the start, name and end of
 * threads to opened counters that count the program's own timers and counters.
 */
#include "part/part.h"
#include "pmu/record.h"

static struct tr2_pmu_task task_of(const struct tr2_thread *thread)
{
	return (struct tr2_pmu_task){ .tid = thread->tid,
				      .ptid = thread->ptid,
				      .start_ns = thread->start_ns,
				      .name = thread->name,
				      .slot = thread->owner.slot };
}

static void watch_thread_begin(struct tr2_thread *thread, void **own)
{
	const struct tr2_pmu_task task = task_of(thread);

	(void)own;
	if (tr2_pmu_nr_watching)
		tr2_pmu_task_begin(&task);
}

/* Report the name of a thread. main has its name from the beginning, so its
 * name is not reported. */
static void watch_thread_named(const struct tr2_thread *thread)
{
	const struct tr2_pmu_task task = task_of(thread);

	if (!thread->is_main)
		tr2_pmu_task_name(&task);
}

/* Let opened counters keep the thread's counts, before the thread's cells are
 * added to the totals. */
static void watch_thread_end(struct tr2_thread *thread, void **own)
{
	struct tr2_pmu_task task = task_of(thread);

	(void)own;
	task.is_gone = thread != tr2_self;
	tr2_pmu_task_end(&task);
}

const struct tr2_part tr2_part_watch = {
	.thread_begin = watch_thread_begin,
	.thread_named = watch_thread_named,
	.thread_end = watch_thread_end,
	.forked = tr2_pmu_after_fork,
	.release = tr2_pmu_release,
};
