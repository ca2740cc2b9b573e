/* SPDX-License-Identifier: MIT */
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
	struct {
		struct tr2_record_comm comm;
		char name[NAME_MAX_BYTES];
	} record;

	if (!tr2_arena_header())
		return;
	memset(&record, 0, sizeof(record));
	record.comm.head.type = TR2_RECORD_COMM;
	record.comm.head.size = (uint16_t)((sizeof(record.comm) + len + 8) &
					   -(size_t)TR2_RECORD_ALIGN);
	record.comm.pid = task->pid;
	record.comm.tid = task->tid;
	memcpy(record.name, name, len);
	tr2_ring_put(tr2_arena_totals(), &record);
}
