/* SPDX-License-Identifier: MIT */
/* Read the kernel's records of forks, execs and exits. */
#include "record/tasks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Size of all rings, and of one: 256 KiB hold about 6000 records. */
#define ALL_RINGS_BYTES (16u << 20)
#define RING_MAX_BYTES (256u << 10)
#define RING_MIN_BYTES (16u << 10)
#define RECORD_MAX 65536u

/* The fields that sample_id_all appends to each record: sample_type TID |
 * TIME. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
};

struct task_body { /* for FORK and EXIT */
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

	if (size <= sizeof(ids) + sizeof(struct trailer))
		return -1;
	len = size - sizeof(ids) - sizeof(struct trailer);
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

int tr2_task_decode(const unsigned char *record, size_t size,
		    struct tr2_task_event *e)
{
	struct perf_event_header h;
	struct trailer t;
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
	default:
		return 0;
	}
}

/* Copy `n` bytes from position `at` of a ring, wrapping at its end. */
static void copy_out(unsigned char *to, const unsigned char *data, size_t size,
		     uint64_t at, size_t n)
{
	size_t from = (size_t)(at % size);
	size_t first = n < size - from ? n : size - from;

	memcpy(to, data + from, first);
	memcpy(to + first, data, n - first);
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

static void take_record(struct tr2_tasks *t, const unsigned char *record,
			size_t size)
{
	struct tr2_task_event e;
	int is = tr2_task_decode(record, size, &e);

	if (is < 0)
		t->damaged++;
	if (is <= 0)
		return;
	if (e.kind == TR2_TASK_LOST)
		t->lost += e.lost;
	if (make_room(t))
		t->batch[t->nr_batch++] = e;
	else
		t->lost++;
}

static void read_ring(struct tr2_task_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	const unsigned char *data =
		(unsigned char *)r->map + sysconf(_SC_PAGESIZE);
	static unsigned char record[RECORD_MAX];
	struct perf_event_header h;
	uint64_t head, tail = page->data_tail;

	/* Pairs with the kernel's store: earlier records are complete. */
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (tail < head) {
		copy_out((unsigned char *)&h, data, r->size_bytes, tail,
			 sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail) {
			r->tasks->damaged++;
			tail = head;
			break;
		}
		copy_out(record, data, r->size_bytes, tail, h.size);
		take_record(r->tasks, record, h.size);
		tail += h.size;
	}
	/* After the last copy: from now on the kernel may overwrite them. */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = ((const struct tr2_task_event *)a)->time_ns;
	uint64_t y = ((const struct tr2_task_event *)b)->time_ns;

	return x < y ? -1 : x > y;
}

void tr2_tasks_read(struct tr2_tasks *t)
{
	size_t i;

	for (i = 0; i < t->nr_rings; i++)
		read_ring(&t->rings[i]);
	if (t->nr_batch > 1)
		qsort(t->batch, t->nr_batch, sizeof(*t->batch), by_time);
	for (i = 0; i < t->nr_batch; i++)
		t->take(t->data, &t->batch[i]);
	t->nr_batch = 0;
}

static void ring_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_task_ring *r = (struct tr2_task_ring *)source;

	r->tasks->ready(r->tasks->data);
	/* The kernel hangs up when the last task of the event has ended. */
	if (events & (EPOLLHUP | EPOLLERR))
		tr2_loop_remove(r->tasks->loop, source);
}

static void fill_attr(struct perf_event_attr *attr, size_t ring_bytes)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->inherit = 1;
	attr->task = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(ring_bytes / 2);
}

/* Use smaller rings if the limit of locked memory is near. */
static int map_ring(struct tr2_task_ring *r, size_t size_bytes)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (; size_bytes >= page_size; size_bytes /= 2) {
		r->map = mmap(NULL, page_size + size_bytes,
			      PROT_READ | PROT_WRITE, MAP_SHARED, r->source.fd,
			      0);
		if (r->map != MAP_FAILED) {
			r->size_bytes = size_bytes;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	r->map = NULL;
	return -1;
}

/* 1: opened. 0: the CPU does not exist. -1: errno. */
static int open_ring(struct tr2_tasks *t, struct tr2_task_ring *r, pid_t pid,
		     int cpu, size_t size_bytes)
{
	struct perf_event_attr attr;
	int err;

	fill_attr(&attr, size_bytes);
	r->tasks = t;
	r->source.ready = ring_ready;
	r->source.fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
				    PERF_FLAG_FD_CLOEXEC);
	if (r->source.fd < 0)
		return errno == ENODEV ? 0 : -1;
	if (!map_ring(r, size_bytes) &&
	    !tr2_loop_add(t->loop, &r->source, EPOLLIN))
		return 1;
	err = errno;
	if (r->map)
		munmap(r->map, (size_t)sysconf(_SC_PAGESIZE) + r->size_bytes);
	close(r->source.fd);
	errno = err;
	return -1;
}

static void say_why_not(struct tr2_tasks *t, int err)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (err == ENOSYS)
		snprintf(t->why_not, sizeof(t->why_not),
			 "this kernel has no perf_event_open");
	else if (f && (err == EACCES || err == EPERM) &&
		 fscanf(f, "%d", &level) == 1 && level > 2)
		snprintf(t->why_not, sizeof(t->why_not),
			 "perf_event_open: %s (kernel.perf_event_paranoid is "
			 "%d; at most 2 is needed)", strerror(err), level);
	else
		snprintf(t->why_not, sizeof(t->why_not),
			 "perf_event_open: %s%s", strerror(err),
			 err == EPERM ? " (a seccomp filter, as in containers?)"
				      : "");
	if (f)
		fclose(f);
}

static size_t ring_bytes(long nr_cpus)
{
	size_t size = RING_MAX_BYTES;

	while (size > RING_MIN_BYTES && size * (size_t)nr_cpus > ALL_RINGS_BYTES)
		size /= 2;
	return size;
}

bool tr2_tasks_open(struct tr2_tasks *t, struct tr2_loop *loop, pid_t pid)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF), cpu;
	int opened = 1, err;

	t->loop = loop;
	if (nr_cpus < 1)
		nr_cpus = 1;
	t->rings = calloc((size_t)nr_cpus, sizeof(*t->rings));
	for (cpu = 0; t->rings && cpu < nr_cpus && opened >= 0; cpu++) {
		opened = open_ring(t, &t->rings[t->nr_rings], pid, (int)cpu,
				   ring_bytes(nr_cpus));
		t->nr_rings += opened > 0;
	}
	if (t->nr_rings && opened >= 0)
		return true;
	err = t->rings ? errno : ENOMEM;
	tr2_tasks_release(t);
	say_why_not(t, err);
	return false;
}

void tr2_tasks_release(struct tr2_tasks *t)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), i;

	for (i = 0; i < t->nr_rings; i++) {
		munmap(t->rings[i].map, page_size + t->rings[i].size_bytes);
		tr2_loop_close(t->loop, &t->rings[i].source);
	}
	free(t->rings);
	free(t->batch);
	t->rings = NULL;
	t->batch = NULL;
	t->nr_rings = t->nr_batch = t->alloc_batch = 0;
}
