/* SPDX-License-Identifier: MIT */
/* Write records of the library's own events, and read the records of all
 * events. */
#include "pmu/record.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/unwind.h"

#define MISC_USER 2u /* the sample is in the program's own code */
#define CONTEXT_USER (~UINT64_C(511)) /* mark in a chain, -512: user-space
				       * addresses follow */
#define COMM_BYTES 64

unsigned int tr2_pmu_nr_watching;

struct lost {
	struct trace2_perf_record head;
	uint64_t id, lost;
};

/* Return whether this record wakes the reader. */
static bool is_due(struct trace2_perf *ev, bool is_sample)
{
	uint64_t head, after;

	if (is_sample && !ev->attr.watermark && ev->attr.wakeup_events &&
	    ++ev->unwoken >= ev->attr.wakeup_events) {
		ev->unwoken = 0;
		return true;
	}
	if (!ev->buffer.base)
		return is_sample && (ev->attr.watermark ||
				     !ev->attr.wakeup_events);
	head = tr2_buffer_head(&ev->buffer);
	after = ev->buffer.size / 2;
	if (ev->attr.watermark && ev->attr.wakeup_watermark &&
	    ev->attr.wakeup_watermark < ev->buffer.size)
		after = ev->attr.wakeup_watermark;
	if (head - ev->woken_at < after)
		return false;
	ev->woken_at = head;
	return true;
}

/* Write a record; report lost records before it. */
static void put_record(struct trace2_perf *ev,
		       const struct trace2_perf_record *record)
{
	const struct lost lost = {
		{ TRACE2_PERF_RECORD_LOST, 0, sizeof(lost) }, ev->id,
		ev->unreported
	};
	size_t size = record->size + (ev->unreported ? sizeof(lost) : 0);

	if (!ev->buffer.base)
		return;
	if (size > tr2_buffer_room(&ev->buffer)) {
		ev->lost++;
		ev->unreported++;
		return;
	}
	if (ev->unreported)
		tr2_buffer_put(&ev->buffer, &lost.head);
	ev->unreported = 0;
	tr2_buffer_put(&ev->buffer, record);
}

static void put_and_tell(struct trace2_perf *ev,
			 const struct trace2_perf_record *record)
{
	put_record(ev, record);
	if (is_due(ev, record->type == TRACE2_PERF_RECORD_SAMPLE))
		tr2_pipe_raise(&ev->poll_pipe);
}

static uint64_t pair(uint32_t first, uint32_t second)
{
	const uint32_t both[2] = { first, second };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

static uint64_t *put_chain(uint64_t *at, const struct tr2_callchain *chain)
{
	*at++ = chain->nr ? chain->nr + 1 : 0;
	if (!chain->nr)
		return at;
	*at++ = CONTEXT_USER;
	memcpy(at, chain->ip, chain->nr * sizeof(*at));
	return at + chain->nr;
}

void tr2_record_sample(struct trace2_perf *ev, const struct tr2_slot *slot,
		       uint64_t periods, const struct tr2_callchain *chain)
{
	union {
		struct trace2_perf_record head;
		uint64_t word[8 + TR2_READING_MAX + 2 + TR2_CALLCHAIN_MAX];
	} record;
	uint64_t *at = record.word + 1, type = ev->attr.sample_type;
	int cpu = type & TRACE2_PERF_SAMPLE_CPU ? sched_getcpu() : 0;

	if (type & TRACE2_PERF_SAMPLE_IP)
		*at++ = chain->nr ? chain->ip[0] : 0;
	if (type & TRACE2_PERF_SAMPLE_TID)
		*at++ = pair(ev->app.pid, slot->control.tid);
	if (type & TRACE2_PERF_SAMPLE_TIME)
		*at++ = tr2_clock_now_ns();
	if (type & TRACE2_PERF_SAMPLE_ID)
		*at++ = ev->id;
	if (type & TRACE2_PERF_SAMPLE_CPU)
		*at++ = pair(cpu < 0 ? 0 : (uint32_t)cpu, 0);
	if (type & TRACE2_PERF_SAMPLE_PERIOD)
		*at++ = periods * ev->attr.sample_period;
	if (type & TRACE2_PERF_SAMPLE_READ && ev->buffer.base)
		at += tr2_perf_reading_of(ev, at);
	if (type & TRACE2_PERF_SAMPLE_CALLCHAIN)
		at = put_chain(at, chain);
	record.head = (struct trace2_perf_record){
		TRACE2_PERF_RECORD_SAMPLE, MISC_USER,
		(uint16_t)((at - record.word) * 8)
	};
	put_and_tell(ev, &record.head);
}

struct task_record { /* a record of type FORK or EXIT */
	struct trace2_perf_record head;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct comm_record {
	struct trace2_perf_record head;
	uint32_t pid, tid;
	char comm[COMM_BYTES];
};

static void put_task(struct trace2_perf *ev, uint32_t type,
		     const struct tr2_pmu_task *task, uint64_t time_ns)
{
	const struct task_record record = {
		{ type, 0, sizeof(record) },
		ev->app.pid, ev->app.pid, task->tid, task->ptid, time_ns
	};

	put_and_tell(ev, &record.head);
}

static void put_comm(struct trace2_perf *ev, const struct tr2_pmu_task *task)
{
	size_t len = strnlen(task->name, COMM_BYTES - 1);
	struct comm_record record = {
		{ TRACE2_PERF_RECORD_COMM, 0,
		  (uint16_t)(offsetof(struct comm_record, comm) +
			     ((len + 8) & ~(size_t)7)) },
		ev->app.pid, task->tid, ""
	};

	memcpy(record.comm, task->name, len);
	put_and_tell(ev, &record.head);
}

/* Write a READ record with the count of a thread that ends and had inherited
 * the event. */
static void put_reading(struct trace2_perf *ev, const struct tr2_pmu_task *task)
{
	struct {
		struct trace2_perf_record head;
		uint32_t pid, tid;
		uint64_t word[TR2_READING_MAX];
	} record;
	unsigned int nr = tr2_perf_reading_of_task(ev, task->slot, record.word);

	record.head = (struct trace2_perf_record){
		TRACE2_PERF_RECORD_READ, 0, (uint16_t)(16 + nr * 8)
	};
	record.pid = ev->app.pid;
	record.tid = task->tid;
	put_and_tell(ev, &record.head);
}

static void each_watching(const struct tr2_pmu_task *task,
			  void (*fn)(struct trace2_perf *ev,
				     const struct tr2_pmu_task *task))
{
	struct trace2_perf *leader, *ev;

	if (!tr2_pmu_nr_watching)
		return;
	for (leader = tr2_perf_leaders; leader; leader = leader->next)
		for (ev = leader; ev; ev = ev->member)
			if (ev->pmu == &tr2_pmu_app && ev->counting &&
			    tr2_app_counts_task(ev, task->tid, task->start_ns))
				fn(ev, task);
}

/* Return whether the event records threads. As in the kernel, `comm` implies
 * FORK and EXIT records, even without `task`. */
static bool records_tasks(const struct trace2_perf *ev)
{
	return ev->attr.task || ev->attr.comm;
}

static void tell_begin(struct trace2_perf *ev, const struct tr2_pmu_task *task)
{
	if (records_tasks(ev))
		put_task(ev, TRACE2_PERF_RECORD_FORK, task, task->start_ns);
}

static void tell_name(struct trace2_perf *ev, const struct tr2_pmu_task *task)
{
	if (ev->attr.comm)
		put_comm(ev, task);
}

/* Record the end of a thread. Write the reading before EXIT, which is the
 * thread's last record. */
static void tell_end(struct trace2_perf *ev, const struct tr2_pmu_task *task)
{
	if (ev->attr.inherit_stat && task->slot && task->tid != ev->app.tid)
		put_reading(ev, task);
	if (records_tasks(ev))
		put_task(ev, TRACE2_PERF_RECORD_EXIT, task, tr2_clock_now_ns());
}

void tr2_pmu_task_begin(const struct tr2_pmu_task *task)
{
	each_watching(task, tell_begin);
}

void tr2_pmu_task_name(const struct tr2_pmu_task *task)
{
	each_watching(task, tell_name);
}

void tr2_pmu_task_end(const struct tr2_pmu_task *task)
{
	struct trace2_perf *leader, *ev;

	each_watching(task, tell_end);
	tr2_sample_task_end(task->is_gone ? task->tid : 0);
	for (leader = tr2_perf_leaders; task->slot && leader;
	     leader = leader->next)
		for (ev = leader; ev; ev = ev->member)
			if (ev->pmu == &tr2_pmu_app)
				tr2_app_task_end(ev, task->slot);
}

int tr2_perf_map(struct trace2_perf *ev, size_t pages)
{
	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (!ev->pmu->map)
		return -EINVAL;
	return ev->buffer.base ? -EBUSY : ev->pmu->map(ev, pages);
}

static int read_record(struct trace2_perf *ev,
		       const struct trace2_perf_record *head, void *record,
		       size_t size_bytes)
{
	if (ev->pmu == &tr2_pmu_kernel)
		return tr2_kernel_record(ev, head, record, size_bytes);
	if (head->size > size_bytes)
		return -ENOSPC;
	tr2_buffer_copy(&ev->buffer, 0, record, head->size);
	return head->size;
}

int tr2_perf_next_record(struct trace2_perf *ev, void *record,
			 size_t size_bytes)
{
	struct trace2_perf_record head;
	int result = 0;

	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (!ev->buffer.base)
		return -EINVAL;
	if (tr2_buffer_peek(&ev->buffer, &head)) {
		result = read_record(ev, &head, record, size_bytes);
		if (result < 0)
			return result;
		tr2_buffer_consume(&ev->buffer, head.size);
	}
	if (!tr2_buffer_peek(&ev->buffer, &head))
		tr2_poll_pipe_clear(&ev->poll_pipe);
	return result;
}
