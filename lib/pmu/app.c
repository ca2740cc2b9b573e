/* SPDX-License-Identifier: MIT */
/*
 * The PMU of the program's own timers and counters. Each thread counts in its
 * own slot, whether an event is open or not; an event keeps the values at which
 * it began to count.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "metric/metric.h"
#include "pmu/pmu.h"
#include "pmu/pool.h"
#include "pmu/record.h"

#define TIMER (UINT64_C(1) << 32)

static struct tr2_pool pool = { sizeof(struct tr2_perf_task), NULL };
static struct tr2_pmu_use use;

uint64_t tr2_app_cell(const struct trace2_perf *ev, const struct tr2_slot *slot)
{
	struct tr2_timer_sum sum;

	if (ev->app.kind == TR2_METRIC_COUNTER)
		return tr2_counter_read(slot, ev->app.index);
	tr2_timer_read(slot, ev->app.index, tr2_clock_now_ns(), &sum);
	return sum.total_ns;
}

static bool is_own(const struct trace2_perf *ev, const struct tr2_slot *slot)
{
	return slot->control.tid == ev->app.tid;
}

bool tr2_app_counts_task(const struct trace2_perf *ev, uint32_t tid,
			 uint64_t start_ns)
{
	return tid == ev->app.tid ||
	       (ev->attr.inherit && start_ns >= ev->app.opened_ns);
}

bool tr2_app_is_counted(const struct trace2_perf *ev,
			const struct tr2_slot *slot)
{
	return tr2_app_counts_task(ev, slot->control.tid,
				   slot->control.start_ns);
}

static struct tr2_perf_task *find_task(const struct trace2_perf *ev,
				       const struct tr2_slot *slot)
{
	struct tr2_perf_task *task = ev->app.tasks;

	while (task && task->slot != slot)
		task = task->next;
	return task;
}

/* Return the event's entry for the thread of this slot, adding it if needed.
 * NULL: no memory. */
struct tr2_perf_task *tr2_app_task(struct trace2_perf *ev,
				   const struct tr2_slot *slot)
{
	struct tr2_perf_task *task = find_task(ev, slot);

	if (task)
		return task;
	task = tr2_pool_get(&pool);
	if (!task) {
		ev->app.failed = true;
		return NULL;
	}
	task->slot = slot;
	task->next = ev->app.tasks;
	ev->app.tasks = task;
	return task;
}

/* Return the thread's count. A thread without an entry started while the event
 * counted: its base is 0. */
uint64_t tr2_perf_task_count(const struct trace2_perf *ev,
			     const struct tr2_slot *slot)
{
	const struct tr2_perf_task *task;

	if (ev->pmu != &tr2_pmu_app || !slot || !tr2_app_is_counted(ev, slot))
		return 0;
	task = find_task(ev, slot);
	return (task ? task->count : 0) +
	       (ev->counting ?
			tr2_app_cell(ev, slot) - (task ? task->base : 0) :
			0);
}

/*
 * Reject attributes that this PMU cannot honour: freq: a thread checks only
 * when it counts, and cannot poll the clock. mmap: the library does not see
 * mappings. Addresses: a count has none. inherit_stat with a group: other PMUs
 * in the group do not count by thread.
 */
static bool can_record(const struct trace2_perf_attr *attr)
{
	return !attr->freq && !attr->mmap && !attr->exclude_callchain_user &&
	       !(attr->sample_type & TRACE2_PERF_SAMPLE_ADDR) &&
	       attr->sample_period <= INT64_MAX &&
	       !(attr->inherit_stat &&
		 (!attr->inherit ||
		  attr->read_format & TRACE2_PERF_FORMAT_GROUP));
}

static bool is_watching(const struct trace2_perf *ev)
{
	return ev->attr.inherit_stat || ev->attr.task || ev->attr.comm;
}

static int app_init(struct trace2_perf *ev)
{
	const struct trace2_perf_attr *attr = &ev->attr;
	enum tr2_metric_kind kind = attr->config & TIMER ? TR2_METRIC_TIMER :
							   TR2_METRIC_COUNTER;
	unsigned int index = (uint32_t)attr->config & ~TR2_METRIC_MARKS;

	if (attr->config1 || attr->config2 || (attr->config & ~TIMER) >> 32 ||
	    attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host || attr->exclude_guest ||
	    attr->enable_on_exec || attr->precise_ip || ev->cpu != -1 ||
	    ev->pid < 0 || !can_record(attr))
		return -EINVAL;
	if (index >= tr2_metric_nr(kind))
		return -ENOENT;
	if (!tr2_perf_is_of_us(ev))
		return -ESRCH;
	ev->app.index = index;
	ev->app.kind = kind;
	ev->app.pid = (uint32_t)getpid();
	ev->app.tid = (uint32_t)ev->tid;
	ev->app.opened_ns = tr2_clock_now_ns();
	if (attr->sample_period)
		tr2_sample_open(ev);
	tr2_pmu_nr_watching += is_watching(ev);
	return 0;
}

static void app_release(struct trace2_perf *ev)
{
	struct tr2_perf_task *task, *next;

	for (task = ev->app.tasks; task; task = next) {
		next = task->next;
		tr2_pool_put(&pool, task);
	}
	ev->app.tasks = NULL;
	if (ev->state == TR2_PERF_GONE)
		return;
	if (ev->attr.sample_period)
		tr2_sample_close(ev);
	tr2_pmu_nr_watching -= is_watching(ev);
}

static void start_task(const struct tr2_slot *slot, void *cookie)
{
	struct trace2_perf *ev = cookie;
	struct tr2_perf_task *task;

	if (!tr2_app_is_counted(ev, slot))
		return;
	task = tr2_app_task(ev, slot);
	if (task)
		task->base = tr2_app_cell(ev, slot);
}

static int app_add(struct trace2_perf *ev)
{
	tr2_arena_each(start_task, ev);
	tr2_sample_changed(ev);
	return ev->app.failed ? -ENOMEM : 0;
}

static void stop_task(const struct tr2_slot *slot, void *cookie)
{
	struct trace2_perf *ev = cookie;
	struct tr2_perf_task *task;

	if (!tr2_app_is_counted(ev, slot))
		return;
	task = tr2_app_task(ev, slot);
	if (task)
		task->count += tr2_app_cell(ev, slot) - task->base;
}

static void app_del(struct trace2_perf *ev)
{
	tr2_arena_each(stop_task, ev);
}

static void add_task(const struct tr2_slot *slot, void *cookie)
{
	struct trace2_perf *ev = cookie;

	ev->count += tr2_perf_task_count(ev, slot);
}

static int app_read(struct trace2_perf *ev)
{
	if (ev->app.failed)
		return -EIO;
	ev->count = ev->app.ended;
	tr2_arena_each(add_task, ev);
	return 0;
}

void tr2_app_task_end(struct trace2_perf *ev, const struct tr2_slot *slot)
{
	uint64_t count = tr2_perf_task_count(ev, slot);
	struct tr2_perf_task **at = &ev->app.tasks, *task;

	if (is_own(ev, slot)) {
		ev->app.ended += count;
		ev->app.tid = 0;
	} else if (tr2_app_is_counted(ev, slot)) {
		ev->child_count += count;
	}
	while (*at && (*at)->slot != slot)
		at = &(*at)->next;
	task = *at;
	if (task) {
		*at = task->next;
		tr2_pool_put(&pool, task);
	}
}

const struct tr2_pmu tr2_pmu_app = {
	.name = "app",
	.use = &use,
	.event_init = app_init,
	.release = app_release,
	.add = app_add,
	.del = app_del,
	.read = app_read,
	.map = tr2_app_map,
	.refresh = tr2_app_refresh,
	.set_period = tr2_app_set_period,
	.poll_fd = tr2_app_poll_fd,
};
