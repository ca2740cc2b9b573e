/* SPDX-License-Identifier: MIT */
/* Write records of threads into the ring of slot 0. */
#include "ring/task.h"

#include <string.h>

#include "ring/ring.h"

#define NAME_MAX_BYTES 64

static void put_task(uint32_t type, const struct tr2_task *task,
		     uint64_t time_ns)
{
	const struct tr2_record_task record = {
		.head = { type, 0, sizeof(record) },
		.pid = task->pid,
		.ppid = task->ppid,
		.tid = task->tid,
		.ptid = task->ptid,
		.time = time_ns,
	};

	if (tr2_arena_header())
		tr2_ring_put(tr2_arena_totals(), &record);
}

void tr2_task_fork(const struct tr2_task *task, uint64_t time_ns)
{
	put_task(TR2_RECORD_FORK, task, time_ns);
}

void tr2_task_exit(const struct tr2_task *task, uint64_t time_ns)
{
	put_task(TR2_RECORD_EXIT, task, time_ns);
}

void tr2_task_comm(const struct tr2_task *task, const char *name)
{
	size_t len = strnlen(name, NAME_MAX_BYTES - 1);
	struct tr2_record_comm comm = {
		.head = { .type = TR2_RECORD_COMM },
		.pid = task->pid,
		.tid = task->tid,
	};
	_Alignas(TR2_RECORD_ALIGN) char record[sizeof(comm) + NAME_MAX_BYTES];

	if (!tr2_arena_header())
		return;
	comm.head.size = (uint16_t)((sizeof(comm) + len + 8) &
				    -(size_t)TR2_RECORD_ALIGN);
	memset(record, 0, sizeof(record));
	memcpy(record, &comm, sizeof(comm));
	memcpy(record + sizeof(comm), name, len);
	tr2_ring_put(tr2_arena_totals(), record);
}
