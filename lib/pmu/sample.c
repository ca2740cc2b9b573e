/* SPDX-License-Identifier: MIT */
/*
 * Overflows of the program's own timers and counters. The counting thread
 * detects them itself, by comparing its counter with the value at the next
 * overflow, and only if the counter is sampled. The indexes of sampled counters
 * are marked, so that they fail the check that precedes counting anyway.
 *
 * Limits are computed from the events. An unknown limit is 0; the next count
 * computes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "pmu/pmu.h"
#include "pmu/pool.h"
#include "pmu/record.h"

/* Open the pipe if it is closed. Return the descriptor to poll, or a negative
 * errno. */
static int poll_pipe_fd(struct tr2_pipe *p)
{
	int error = p->ends[0] < 0 ? tr2_pipe_open(p) : 0;

	return error ? error : p->ends[0];
}

void tr2_poll_pipe_clear(struct tr2_pipe *p)
{
	char bytes[256];

	while (tr2_fd_is(p->ends[0], &p->id) &&
	       read(p->ends[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		;
}

/* If the writing end of a pipe was closed, replace the pipe by a new one under
 * the same number: a pipe cannot be opened again. Return 0 or a negative
 * errno. */
static int poll_pipe_resume(struct tr2_pipe *p)
{
	struct tr2_pipe fresh;
	int error;

	if (p->ends[0] < 0 || p->ends[1] >= 0)
		return 0;
	if (!tr2_fd_is(p->ends[0], &p->id))
		return -EBADF;
	error = tr2_pipe_open(&fresh);
	if (error)
		return error;
	if (dup3(fresh.ends[0], p->ends[0], O_CLOEXEC) < 0) {
		error = -errno;
		tr2_pipe_close(&fresh);
		return error;
	}
	close(fresh.ends[0]);
	fresh.ends[0] = p->ends[0];
	*p = fresh;
	return 0;
}

static struct tr2_pool pool = { sizeof(struct tr2_limits), NULL };
static struct tr2_limits *all_limits;

__thread struct tr2_limits *tr2_my_limits;

static bool samples(const struct trace2_perf *ev, enum tr2_metric_kind kind,
		    unsigned int index)
{
	return ev->pmu == &tr2_pmu_app && ev->attr.sample_period &&
	       ev->app.kind == kind && ev->app.index == index;
}

/* Return the number of other events that sample the counter or timer of ev. */
static unsigned int count_like(const struct trace2_perf *ev)
{
	const struct trace2_perf *leader, *other;
	unsigned int nr = 0;

	for (leader = tr2_perf_leaders; leader; leader = leader->next)
		for (other = leader; other; other = other->member)
			nr += other != ev &&
			      samples(other, ev->app.kind, ev->app.index);
	return nr;
}

void tr2_sample_open(const struct trace2_perf *ev)
{
	if (!count_like(ev))
		tr2_metric_sample(ev->app.kind, ev->app.index, true);
}

void tr2_sample_close(const struct trace2_perf *ev)
{
	if (!count_like(ev))
		tr2_metric_sample(ev->app.kind, ev->app.index, false);
}

void tr2_sample_changed(const struct trace2_perf *ev)
{
	unsigned int nr = tr2_limit_nr(ev->app.kind, ev->app.index);
	struct tr2_limits *limits;

	if (!ev->attr.sample_period)
		return;
	for (limits = all_limits; limits; limits = limits->next)
		__atomic_store_n(&limits->at[nr], 0, __ATOMIC_RELAXED);
}

static struct tr2_limits *my_limits(void)
{
	struct tr2_limits *limits = tr2_my_limits;

	if (limits)
		return limits;
	limits = tr2_pool_get(&pool);
	if (!limits)
		return NULL;
	TR2_LIST_ADD(all_limits, limits);
	limits->tid = tr2_raw_gettid();
	tr2_my_limits = limits;
	return limits;
}

static struct tr2_limits *limits_of(uint32_t gone)
{
	struct tr2_limits *limits = all_limits;

	while (limits && limits->tid != gone)
		limits = limits->next;
	return limits;
}

void tr2_sample_task_end(uint32_t gone)
{
	struct tr2_limits *limits = gone ? limits_of(gone) : tr2_my_limits;

	if (!limits)
		return;
	if (!gone)
		tr2_my_limits = NULL;
	TR2_LIST_REMOVE(all_limits, limits);
	tr2_pool_put(&pool, limits);
}

void tr2_sample_after_fork(void)
{
	all_limits = NULL;
	tr2_my_limits = NULL;
}

static void overflow(struct trace2_perf *ev, const struct tr2_slot *slot,
		     uint64_t periods, const struct tr2_callchain *chain)
{
	if (ev->on_overflow)
		ev->on_overflow(ev, slot, periods, chain);
	tr2_record_sample(ev, slot, periods, chain);
	if (!ev->overflows_left || --ev->overflows_left)
		return;
	tr2_perf_disable(ev);
	tr2_pipe_close_end(&ev->poll_pipe, 1);
}

/*
 * Report overflows of ev in this thread, and return the counter's value at the
 * next overflow.
 */
static uint64_t check_overflow(struct trace2_perf *ev,
			       const struct tr2_slot *slot,
			       const struct tr2_callchain *chain)
{
	uint64_t period = ev->attr.sample_period, count, periods;
	struct tr2_perf_task *task;

	if (!ev->counting || !tr2_app_is_counted(ev, slot))
		return UINT64_MAX;
	task = tr2_app_task(ev, slot);
	if (!task)
		return UINT64_MAX;
	count = tr2_perf_task_count(ev, slot);
	if (!task->overflow_at)
		task->overflow_at = period;
	if (count >= task->overflow_at) {
		periods = 1 + (count - task->overflow_at) / period;
		task->overflow_at += periods * period;
		overflow(ev, slot, periods, chain);
	}
	if (!ev->counting)
		return UINT64_MAX;
	return tr2_app_cell(ev, slot) + (task->overflow_at - count);
}

void tr2_perf_overflow(const struct tr2_slot *slot, enum tr2_metric_kind kind,
		       unsigned int index, const struct tr2_callchain *chain)
{
	struct tr2_limits *limits = my_limits();
	uint64_t next = UINT64_MAX, at;
	struct trace2_perf *leader, *ev;

	if (!limits)
		return;
	for (leader = tr2_perf_leaders; leader; leader = leader->next) {
		for (ev = leader; ev; ev = ev->member) {
			if (!samples(ev, kind, index))
				continue;
			at = check_overflow(ev, slot, chain);
			next = at < next ? at : next;
		}
	}
	__atomic_store_n(&limits->at[tr2_limit_nr(kind, index)], next,
			 __ATOMIC_RELAXED);
}

int tr2_app_map(struct trace2_perf *ev, size_t pages)
{
	return tr2_buffer_map(&ev->buffer, -1, pages);
}

int tr2_app_refresh(struct trace2_perf *ev, unsigned int overflows)
{
	int error = poll_pipe_resume(&ev->poll_pipe);

	if (error)
		return error;
	ev->overflows_left += overflows;
	return tr2_perf_enable(ev);
}

int tr2_app_set_period(struct trace2_perf *ev, uint64_t period)
{
	struct tr2_perf_task *task;

	ev->attr.sample_period = period;
	for (task = ev->app.tasks; task; task = task->next)
		task->overflow_at =
			tr2_perf_task_count(ev, task->slot) + period;
	tr2_sample_changed(ev);
	return 0;
}

int tr2_app_poll_fd(struct trace2_perf *ev)
{
	return poll_pipe_fd(&ev->poll_pipe);
}

int tr2_perf_refresh(struct trace2_perf *ev, int overflows)
{
	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (overflows <= 0 || !ev->attr.sample_period || ev->attr.inherit)
		return -EINVAL;
	return ev->pmu->refresh(ev, (unsigned int)overflows);
}

int tr2_perf_set_period(struct trace2_perf *ev, uint64_t period)
{
	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (!period || period > INT64_MAX || !ev->attr.sample_period)
		return -EINVAL;
	return ev->pmu->set_period(ev, period);
}

int tr2_perf_poll_fd(struct trace2_perf *ev)
{
	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (!ev->attr.sample_period && !ev->buffer.base)
		return -EINVAL;
	return ev->pmu->poll_fd(ev);
}
