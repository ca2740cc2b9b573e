/* SPDX-License-Identifier: MIT */
#include "session/ring.h"

#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "metric/metric.h"
#include "ring/ring.h"
#include "ring/task.h"
#include "ring/wake.h"
#include "session/inherit.h"
#include "session/sample.h"
#include "session/session.h"

/* What the process is, and where it comes from. */
static struct {
	uint32_t pid, ppid;
	bool forked;
	uint32_t parent_tid;
} process;

/* Threads are told of one by one; before, not at all. Under the lock. */
static bool has_begun;

static uint64_t rounded_size(void)
{
	uint64_t size = TR2_RING_MIN_SIZE;

	while (size < tr2_session.settings.ring_size && size < TR2_RING_MAX_SIZE)
		size *= 2;
	return size;
}

static bool back_cells(unsigned int nr_timers, unsigned int nr_histograms)
{
	bool ok;

	tr2_lock();
	ok = tr2_arena_back_cells(nr_timers, nr_histograms);
	tr2_unlock();
	return ok;
}

/* In a forked child other threads may begin meanwhile. */
bool tr2_session_map_ring(int fd)
{
	bool ok;

	/* For readers, as a sign of life; nobody else looks at it. */
	(void)flock(fd, LOCK_EX | LOCK_NB);
	tr2_lock();
	tr2_metric_back(back_cells);
	ok = tr2_arena_map(fd, rounded_size(), tr2_session.settings.ring_mode);
	if (!ok)
		tr2_metric_back(NULL);
	tr2_unlock();
	return ok;
}

void tr2_session_ring_forked(uint32_t parent_tid)
{
	process.ppid = process.pid ? process.pid : (uint32_t)getppid();
	process.pid = (uint32_t)getpid();
	process.forked = true;
	process.parent_tid = parent_tid;
	has_begun = false;
	tr2_wake_close();
}

static struct tr2_task task_of(const struct tr2_thread *thread)
{
	struct tr2_task task = {
		.pid = process.pid,
		.ppid = thread->is_main ? process.ppid : process.pid,
		.tid = thread->tid,
		.ptid = thread->is_main ? process.parent_tid : thread->ptid,
	};

	return task;
}

void tr2_session_thread_forked(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	if (!has_begun)
		return;
	/* The main thread of a process that was not forked was there before. */
	if (!thread->is_main || process.forked)
		tr2_task_fork(&task, thread->start_ns);
}

void tr2_session_thread_named(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	if (has_begun)
		tr2_task_comm(&task, thread->name);
}

void tr2_session_thread_ended(const struct tr2_thread *thread)
{
	const struct tr2_task task = task_of(thread);

	if (has_begun)
		tr2_task_exit(&task, tr2_clock_now_ns());
}

static void describe_process(struct tr2_arena_header *header)
{
	uint64_t wall_us = tr2_clock_wall_us(tr2_session.start_ns);

	header->pid = process.pid;
	header->ppid = process.ppid;
	header->start_ns = tr2_session.start_ns;
	header->start_wall_ns = wall_us * 1000;
	header->sid = tr2_arena_intern(tr2_inherit_sid());
}

/* For the addresses in samples. */
static void tell_code(const struct tr2_task *task)
{
	if (tr2_session.settings.sample)
		tr2_task_mmaps(task, tr2_clock_now_ns());
}

void tr2_session_begin_ring(void)
{
	struct tr2_arena_header *header = tr2_arena_header();
	struct tr2_task task;

	if (!process.pid) {
		process.pid = (uint32_t)getpid();
		process.ppid = (uint32_t)getppid();
	}
	tr2_wake_open();
	tr2_lock();
	has_begun = true;
	describe_process(header);
	tr2_metric_publish();
	task = (struct tr2_task){ process.pid, process.ppid, process.pid, 0 };
	tr2_task_mmaps_reset();
	tr2_thread_each(tr2_session_thread_forked);
	tr2_thread_each(tr2_session_thread_named);
	tell_code(&task);
	tr2_arena_publish();
	tr2_unlock();
}

static void end_tasks(void)
{
	struct tr2_thread *main_thread = tr2_thread_main();
	struct tr2_task task = { process.pid, process.ppid, process.pid, 0 };

	tr2_lock();
	tr2_samples_stop();
	tell_code(&task);
	if (main_thread && main_thread == tr2_self && main_thread->owner.slot)
		tr2_metric_move(tr2_arena_totals(), main_thread->owner.slot,
				tr2_clock_now_ns());
	tr2_thread_each(tr2_session_thread_ended);
	tr2_ring_finish(tr2_arena_totals());
	tr2_unlock();
}

void tr2_session_give_up_record(void)
{
	if (tr2_my_slot && !tr2_lock_is_mine())
		tr2_ring_finish(tr2_my_slot);
}

void tr2_session_end_ring(enum tr2_arena_state how, int status, bool locked)
{
	struct tr2_arena_header *header = tr2_arena_header();

	if (!header)
		return;
	if (!locked)
		end_tasks();
	__atomic_store_n(&header->status, (uint32_t)status, __ATOMIC_RELAXED);
	/* Release: whoever sees the state finds the status. */
	__atomic_store_n(&header->state, how, __ATOMIC_RELEASE);
	tr2_wake_all();
	tr2_wake_close();
}
