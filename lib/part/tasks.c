/* SPDX-License-Identifier: MIT */
/*
 * The part of task records: a FORK, a COMM and an EXIT for each thread, in the
 * process's own ring, for its readers.
 */
#include <unistd.h>

#include "base/clock.h"
#include "part/part.h"
#include "ring/task.h"
#include "thread/stream.h"

/* The identity of the process. */
static struct {
	uint32_t pid, ppid;
	bool forked;
} process;

/*
 * Set when a ring begins: from then on each thread is recorded. Guarded by the
 * lock.
 */
static bool has_begun;

static struct tr2_task task_of(const struct tr2_thread *thread)
{
	struct tr2_task task = {
		.pid = process.pid,
		.ppid = thread->is_main ? process.ppid : process.pid,
		.tid = thread->tid,
		.ptid = thread->is_main ? tr2_stream.forked_by : thread->ptid,
	};

	return task;
}

static void tell_fork(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	/*
	 * In a process that was not forked, the main thread existed before the
	 * ring.
	 */
	if (has_begun && (!thread->is_main || process.forked))
		tr2_task_fork(&task, thread->start_ns);
}

static void tell_comm(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	if (has_begun)
		tr2_task_comm(&task, thread->name);
}

static void tell_exit(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	if (has_begun)
		tr2_task_exit(&task, tr2_clock_now_ns());
}

static void tasks_ring_begin(struct tr2_arena_header *header)
{
	if (!process.pid) {
		process.pid = (uint32_t)getpid();
		process.ppid = (uint32_t)getppid();
	}
	header->pid = process.pid;
	header->ppid = process.ppid;
	has_begun = true;
	tr2_task_mmaps_reset();
	tr2_thread_each(tell_fork);
	tr2_thread_each(tell_comm);
}

static void tasks_thread_begin(struct tr2_thread *thread, void **own)
{
	(void)own;
	tell_fork(thread);
}

static void tasks_thread_end(struct tr2_thread *thread, void **own)
{
	(void)own;
	tell_exit(thread);
}

static void tasks_ring_end(void)
{
	tr2_thread_each(tell_exit);
}

static void tasks_forked(void)
{
	process.ppid = process.pid ? process.pid : (uint32_t)getppid();
	process.pid = (uint32_t)getpid();
	process.forked = true;
	has_begun = false;
}

const struct tr2_part tr2_part_tasks = {
	.ring_begin = tasks_ring_begin,
	.thread_begin = tasks_thread_begin,
	.thread_named = tell_comm,
	.thread_end = tasks_thread_end,
	.ring_end = tasks_ring_end,
	.forked = tasks_forked,
};
