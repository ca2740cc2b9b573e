/* SPDX-License-Identifier: MIT */
/* Decode the kernel's records of forks, execs and exits. */
#include "record/task_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/order.h"

struct task_body { /* body of FORK and EXIT records */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

static int decode_task(const unsigned char *body, size_t size,
		       enum tr2_task_kind kind, struct tr2_task_event *e)
{
	struct task_body b;

	if (size < sizeof(b))
		return -1;
	memcpy(&b, body, sizeof(b));
	e->kind = kind;
	e->pid = (pid_t)b.pid;
	e->tid = (pid_t)b.tid;
	e->ppid = (pid_t)b.ppid;
	e->ptid = (pid_t)b.ptid;
	e->time_ns = b.time_ns;
	return 1;
}

static int decode_comm(const unsigned char *body, size_t size, bool exec,
		       struct tr2_task_event *e)
{
	uint32_t ids[2];
	size_t len;

	if (size <= sizeof(ids) + sizeof(struct tr2_task_trailer))
		return -1;
	len = size - sizeof(ids) - sizeof(struct tr2_task_trailer);
	if (len > sizeof(e->comm) - 1)
		len = sizeof(e->comm) - 1;
	memcpy(ids, body, sizeof(ids));
	memcpy(e->comm, body + sizeof(ids), len);
	e->kind = exec ? TR2_TASK_EXEC : TR2_TASK_COMM;
	e->pid = (pid_t)ids[0];
	e->tid = (pid_t)ids[1];
	return 1;
}

static int decode_lost(const unsigned char *body, size_t size,
		       struct tr2_task_event *e)
{
	uint64_t lost[2]; /* id, number */

	if (size < sizeof(lost))
		return -1;
	memcpy(lost, body, sizeof(lost));
	e->kind = TR2_TASK_LOST;
	e->lost = lost[1];
	return 1;
}

static int decode_lost_samples(const unsigned char *body, size_t size,
			       struct tr2_task_event *e)
{
	if (size < sizeof(e->lost))
		return -1;
	memcpy(&e->lost, body, sizeof(e->lost));
	e->kind = TR2_TASK_LOST;
	return 1;
}

int tr2_task_decode(const unsigned char *record, size_t size,
		    struct tr2_task_event *e)
{
	struct perf_event_header h;
	struct tr2_task_trailer t;
	const unsigned char *body = record + sizeof(h);

	if (size < sizeof(h) + sizeof(t))
		return -1;
	memcpy(&h, record, sizeof(h));
	memcpy(&t, record + size - sizeof(t), sizeof(t));
	memset(e, 0, sizeof(*e));
	e->time_ns = t.time_ns;
	size -= sizeof(h);
	switch (h.type) {
	case PERF_RECORD_FORK:
		return decode_task(body, size, TR2_TASK_FORK, e);
	case PERF_RECORD_EXIT:
		return decode_task(body, size, TR2_TASK_EXIT, e);
	case PERF_RECORD_COMM:
		return decode_comm(body, size,
				   h.misc & PERF_RECORD_MISC_COMM_EXEC, e);
	case PERF_RECORD_LOST:
		return decode_lost(body, size, e);
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost_samples(body, size, e);
	default:
		return 0;
	}
}

static bool make_room(struct tr2_tasks *t)
{
	size_t alloc = t->alloc_batch ? t->alloc_batch * 2 : 256;
	struct tr2_task_event *batch;

	if (t->nr_batch < t->alloc_batch)
		return true;
	batch = realloc(t->batch, alloc * sizeof(*batch));
	if (!batch)
		return false;
	t->batch = batch;
	t->alloc_batch = alloc;
	return true;
}

void tr2_tasks_add_event(struct tr2_tasks *t, const struct tr2_task_event *e)
{
	if (make_room(t)) {
		t->batch[t->nr_batch++] = *e;
		return;
	}
	free(e->more);
	t->lost++;
}

/* The fields of an MMAP2 record before the name. */
struct mapping_body {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	unsigned char file[24];
	uint32_t prot, flags;
};

static void report_mapping(const struct tr2_tasks *t,
			   const unsigned char *record, size_t size)
{
	const size_t before =
		sizeof(struct perf_event_header) + sizeof(struct mapping_body);
	const unsigned char *name = record + before;
	struct perf_event_header header;
	struct mapping_body body;

	if (!t->mapped || size <= before || !memchr(name, '\0', size - before))
		return;
	memcpy(&header, record, sizeof(header));
	if (header.type != PERF_RECORD_MMAP2)
		return;
	memcpy(&body, name - sizeof(body), sizeof(body));
	if (body.prot & PROT_EXEC)
		t->mapped(t->data, (pid_t)body.pid, (const char *)name);
}

void tr2_tasks_add(struct tr2_tasks *t, const unsigned char *record,
		   size_t size)
{
	struct tr2_task_event e;
	int is = tr2_task_decode(record, size, &e);

	if (!is)
		report_mapping(t, record, size);
	if (is < 0)
		t->damaged++;
	if (is <= 0)
		return;
	if (e.kind == TR2_TASK_LOST)
		t->lost += e.lost;
	tr2_tasks_add_event(t, &e);
}

TR2_ORDER(by_time, struct tr2_task_event, TR2_UP(time_ns))

void tr2_tasks_deliver(struct tr2_tasks *t)
{
	size_t i;

	if (t->nr_batch > 1)
		qsort(t->batch, t->nr_batch, sizeof(*t->batch), by_time);
	for (i = 0; i < t->nr_batch; i++)
		t->take(t->data, &t->batch[i]);
	t->nr_batch = 0;
}

void tr2_tasks_release(struct tr2_tasks *t)
{
	free(t->batch);
	t->batch = NULL;
	t->nr_batch = t->alloc_batch = 0;
}
