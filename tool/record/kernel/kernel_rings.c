/* SPDX-License-Identifier: MIT */
/* Scan and empty the kernel's rings. */
#include "record/kernel/kernel_rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/perf_file.h"
#include "common/procfs.h"
#include "record/kernel/exec_args.h"

/*
 * Sizes of a ring, which are reduced if the rings of all CPUs exceed ALL_BYTES.
 * With records of tasks alone, 256 KiB hold 4000 records. With states, a CPU
 * may write 100 MB/s: when half of a ring is full, the recorder has 20 ms to
 * begin to copy.
 */
#define TASKS_BYTES (256u << 10)
#define STATES_BYTES (4u << 20)
#define ALL_BYTES (64u << 20)
#define MIN_BYTES (16u << 10)
/* If the rings get more than records of tasks, rings of this size or larger are
 * checked every 10 ms, and copied when a quarter is full. The recorder then has
 * 5 ms to begin to copy, or 20 ms with rings of full size. */
#define CHECKED_BYTES (STATES_BYTES / 2)
#define RECORD_MAX 65536u
/* A record that perf itself writes: records after it are not older than records
 * before the previous FINISHED_ROUND. */
#define RECORD_FINISHED_ROUND 68

static void ring_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_kernel_ring *r = (struct tr2_kernel_ring *)source;

	r->rings->ready(r->rings->data);
	if (events & (EPOLLHUP | EPOLLERR))
		tr2_loop_remove(r->rings->loop, source);
}

void tr2_kernel_rings_add(struct tr2_kernel_rings *rings, int fd, int cpu)
{
	rings->ring[rings->nr++] = (struct tr2_kernel_ring){
		.source = { .fd = fd, .ready = ring_ready },
		.cpu = cpu,
		.rings = rings,
	};
}

static size_t first_size(size_t nr, bool large)
{
	size_t size = large ? STATES_BYTES : TASKS_BYTES;

	while (size > MIN_BYTES && size * nr > ALL_BYTES)
		size /= 2;
	return size;
}

/* Unmap the first nr rings. */
static void unmap_rings(struct tr2_kernel_rings *rings, size_t nr)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + rings->size_bytes, i;

	for (i = 0; i < nr; i++) {
		tr2_loop_remove(rings->loop, &rings->ring[i].source);
		munmap(rings->ring[i].map, bytes);
	}
	rings->size_bytes = 0;
}

/*
 * Map a ring, and poll it unless it is checked. The kernel also wakes a poller
 * at each end of a process that inherited the event. With many short processes,
 * the recorder would run once for each.
 */
static bool map_one(struct tr2_kernel_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = page + r->rings->size_bytes;
	int err;

	r->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      r->source.fd, 0);
	if (r->map == MAP_FAILED)
		return false;
	r->data = (char *)r->map + page;
	if (r->rings->is_checked ||
	    !tr2_loop_add(r->rings->loop, &r->source, EPOLLIN))
		return true;
	err = errno;
	munmap(r->map, bytes);
	errno = err;
	return false;
}

static bool map_all(struct tr2_kernel_rings *rings, size_t size_bytes)
{
	size_t i;
	int err;

	rings->size_bytes = size_bytes;
	for (i = 0; i < rings->nr; i++) {
		if (map_one(&rings->ring[i]))
			continue;
		err = errno;
		unmap_rings(rings, i);
		errno = err;
		return false;
	}
	return true;
}

int tr2_kernel_rings_map(struct tr2_kernel_rings *rings, bool large)
{
	size_t size = first_size(rings->nr, large);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (;;) {
		rings->is_checked = size >= (large ? CHECKED_BYTES :
						     TASKS_BYTES);
		if (map_all(rings, size))
			return 0;
		size /= 2;
		if (size < page_size || (errno != EPERM && errno != ENOMEM))
			return -1;
	}
}

void tr2_kernel_rings_release(struct tr2_kernel_rings *rings)
{
	if (rings->size_bytes)
		unmap_rings(rings, rings->nr);
	free(rings->ring);
	tr2_map_release(&rings->chain_ids);
	tr2_machine_filter_release(&rings->filter);
	tr2_buf_release(&rings->kept);
	rings->ring = NULL;
	rings->nr = 0;
}

static uint64_t head_of(const struct tr2_kernel_ring *r)
{
	const struct perf_event_mmap_page *page = r->map;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

void tr2_kernel_rings_check(struct tr2_kernel_rings *rings)
{
	const struct perf_event_mmap_page *page;
	size_t i;

	for (i = 0; rings->is_checked && i < rings->nr; i++) {
		page = rings->ring[i].map;
		if (head_of(&rings->ring[i]) - page->data_tail <
		    rings->size_bytes / 4)
			continue;
		rings->ready(rings->data);
		return;
	}
}

/* Split `n` bytes from position `at`, which may wrap. Return the number of
 * parts. */
static int parts_of(const struct tr2_kernel_ring *r, uint64_t at, size_t n,
		    struct iovec part[2])
{
	size_t size = r->rings->size_bytes, from = (size_t)at & (size - 1);
	size_t first = n < size - from ? n : size - from;

	part[0] = (struct iovec){ r->data + from, first };
	part[1] = (struct iovec){ r->data, n - first };
	return n > first ? 2 : 1;
}

/* Return the record at a position, in contiguous memory. */
static const unsigned char *record_at(const struct tr2_kernel_ring *r,
				      uint64_t at, size_t size)
{
	static unsigned char copy[RECORD_MAX];
	struct iovec part[2];

	if (parts_of(r, at, size, part) == 1)
		return part[0].iov_base;
	memcpy(copy, part[0].iov_base, part[0].iov_len);
	memcpy(copy + part[0].iov_len, part[1].iov_base, part[1].iov_len);
	return copy;
}

/* Return the identifier of a sample's event; UINT64_MAX: there is none. */
static uint64_t id_of(const struct tr2_kernel_ring *r,
		      const struct perf_event_header *h, uint64_t at)
{
	uint64_t id = UINT64_MAX;

	if (h->size >= sizeof(*h) + sizeof(id))
		memcpy(&id, record_at(r, at + sizeof(*h), sizeof(id)),
		       sizeof(id));
	return id;
}

static bool has_args(const struct tr2_kernel_ring *r,
		     const struct perf_event_header *h, uint64_t at)
{
	return r->args_id && h->type == PERF_RECORD_SAMPLE &&
	       id_of(r, h, at) == r->args_id;
}

static void scan_args(const struct tr2_kernel_ring *r,
		      const struct perf_event_header *h, uint64_t at)
{
	struct tr2_task_event e;

	if (tr2_exec_args_decode(record_at(r, at, h->size), h->size, &e))
		tr2_tasks_add_event(r->rings->tasks, &e);
	else
		r->rings->tasks->damaged++;
}

/* Pass the callchain of a sample, if it has one. */
static void scan_sample(const struct tr2_kernel_ring *r,
			const struct perf_event_header *h, uint64_t at)
{
	uint32_t chain = tr2_map_get(&r->rings->chain_ids, id_of(r, h, at) + 1);

	if (chain)
		tr2_callchains_add(r->rings->chains, record_at(r, at, h->size),
				   h->size, chain == TR2_CHAIN_OF_WAIT);
}

/* Pass the recording's threads to the filter: FORK has pid, ppid, tid, ptid,
 * time; COMM has pid, tid. */
static void scan_task(const struct tr2_kernel_ring *r,
		      const struct perf_event_header *h, uint64_t at)
{
	const unsigned char *record = record_at(r, at, h->size);
	struct tr2_machine_filter *filter = &r->rings->filter;
	struct tr2_task_event e;

	if (tr2_task_decode(record, h->size, &e) <= 0)
		return;
	if (e.kind == TR2_TASK_FORK)
		tr2_machine_filter_begin_thread(filter, e.tid, e.time_ns);
	else if (e.kind == TR2_TASK_EXEC)
		tr2_machine_filter_exec(filter, e.tid, e.time_ns);
}

/* Return the position after the record at `at`; 0: the record is invalid. */
static uint64_t scan_record(struct tr2_kernel_ring *r, uint64_t at,
			    uint64_t head)
{
	struct perf_event_header h;

	if (head - at < sizeof(h))
		return 0;
	memcpy(&h, record_at(r, at, sizeof(h)), sizeof(h));
	if (h.size < sizeof(h) || h.size > head - at)
		return 0;
	if (tr2_tasks_wants(h.type)) {
		tr2_tasks_add(r->rings->tasks, record_at(r, at, h.size),
			      h.size);
		if (r->rings->filter.formats)
			scan_task(r, &h, at);
	} else if (has_args(r, &h, at)) {
		scan_args(r, &h, at);
	} else if (h.type == PERF_RECORD_SAMPLE && r->rings->chain_ids.nr) {
		scan_sample(r, &h, at);
	}
	return at + h.size;
}

static void scan_ring(struct tr2_kernel_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	bool whole = r->whole == r->scanned;
	uint64_t head, next;

	/* Acquire: pairs with the kernel's store of data_head, before which it
	 * completed the records. */
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	while (r->scanned < head) {
		next = scan_record(r, r->scanned, head);
		if (!next) {
			r->rings->tasks->damaged++;
			r->scanned = head;
			break;
		}
		r->scanned = next;
		r->nr_whole += whole;
		if (whole)
			r->whole = next;
	}
}

void tr2_kernel_rings_scan(struct tr2_kernel_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->nr; i++)
		scan_ring(&rings->ring[i]);
	tr2_tasks_deliver(rings->tasks);
}

static bool copy_ring(struct tr2_kernel_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t tail = page->data_tail;
	struct iovec part[2];
	bool any = r->whole > tail;
	int nr;

	if (any && r->rings->file) {
		nr = parts_of(r, tail, (size_t)(r->whole - tail), part);
		tr2_kernel_file_append(r->rings->file, part, nr, r->nr_whole);
	}
	r->whole = r->scanned;
	r->nr_whole = 0;
	/* Release after the copy: from now on the kernel may overwrite the
	 * records. */
	__atomic_store_n(&page->data_tail, r->scanned, __ATOMIC_RELEASE);
	return any;
}

/* Pass the samples before the bound to the filter. */
static void filter_ring(const struct tr2_kernel_ring *r)
{
	const struct perf_event_mmap_page *page = r->map;
	struct tr2_machine_filter *filter = &r->rings->filter;
	struct perf_event_header h;
	uint64_t at;

	for (at = page->data_tail; at < r->bound; at += h.size) {
		memcpy(&h, record_at(r, at, sizeof(h)), sizeof(h));
		if (h.type == PERF_RECORD_SAMPLE &&
		    tr2_machine_filter_takes(filter, id_of(r, &h, at)))
			tr2_machine_filter_add(filter, record_at(r, at, h.size),
					       h.size);
	}
}

/* Append the name of a thread outside of the recording that woke a thread of
 * the recording. The record has the time of the sample. comm may be NULL if the
 * waker may still run: its name is then read from /proc. */
static void add_name(struct tr2_kernel_rings *rings, int32_t tid,
		     const char *comm, const unsigned char *sample)
{
	struct tr2_task_trailer trailer = { .pid = (uint32_t)tid,
					    .tid = (uint32_t)tid };
	struct tr2_buf *b = &rings->kept;
	char text[TR2_COMM_SIZE] = "";
	size_t at;
	ssize_t n;

	if (tid <= 0)
		return;
	if (!comm) {
		n = tr2_procfs_read(tid, "comm", text, sizeof(text));
		text[n > 0 ? n - 1 : 0] = '\0'; /* replaces the newline */
		comm = text;
	}
	memcpy(&trailer.id, sample + sizeof(struct perf_event_header),
	       sizeof(trailer.id));
	memcpy(&trailer.time_ns, sample + TR2_SAMPLE_TIME_AT,
	       sizeof(trailer.time_ns));
	at = tr2_perf_begin_record(b, PERF_RECORD_COMM, 0);
	tr2_perf_add_u32(b, (uint32_t)tid);
	tr2_perf_add_u32(b, (uint32_t)tid);
	tr2_perf_add_padded(b, comm, TR2_COMM_SIZE);
	tr2_buf_add(b, &trailer, sizeof(trailer));
	tr2_perf_end_record(b, at);
}

/* Append the records that the filter keeps, up to the bound. Return their
 * number. */
static uint64_t keep_from(const struct tr2_kernel_ring *r)
{
	const struct perf_event_mmap_page *page = r->map;
	struct tr2_kernel_rings *rings = r->rings;
	enum tr2_machine_kept kept;
	const unsigned char *record;
	struct perf_event_header h;
	const char *comm = NULL;
	uint64_t at, nr = 0;
	int32_t tid = 0;

	for (at = page->data_tail; at < r->bound; at += h.size) {
		memcpy(&h, record_at(r, at, sizeof(h)), sizeof(h));
		kept = has_args(r, &h, at) ? TR2_MACHINE_DROP :
					     TR2_MACHINE_KEEP;
		if (h.type == PERF_RECORD_SAMPLE &&
		    tr2_machine_filter_takes(&rings->filter, id_of(r, &h, at)))
			kept = tr2_machine_filter_next(&rings->filter, &tid,
						       &comm);
		if (kept == TR2_MACHINE_DROP)
			continue;
		record = record_at(r, at, h.size);
		if (kept == TR2_MACHINE_OWN)
			tr2_callchains_add(rings->chains, record, h.size, true);
		else if (kept == TR2_MACHINE_OUTSIDE)
			add_name(rings, tid, comm, record);
		tr2_buf_add(&rings->kept, record, h.size);
		nr++;
	}
	return nr;
}

static bool copy_kept(struct tr2_kernel_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	struct tr2_kernel_rings *rings = r->rings;
	struct iovec part;
	uint64_t nr;

	tr2_buf_reset(&rings->kept);
	nr = keep_from(r);
	part = (struct iovec){ rings->kept.p, rings->kept.len };
	if (rings->kept.failed)
		rings->file->lost += nr;
	else if (nr)
		tr2_kernel_file_append(rings->file, &part, 1, nr);
	/* Skip everything after an invalid record. */
	r->nr_whole = 0;
	if (r->bound < r->whole || r->whole == r->scanned) {
		__atomic_store_n(&page->data_tail, r->bound, __ATOMIC_RELEASE);
		return nr;
	}
	r->whole = r->scanned;
	__atomic_store_n(&page->data_tail, r->scanned, __ATOMIC_RELEASE);
	return nr;
}

/* Copy only up to the bound: later samples may belong to threads whose fork was
 * not scanned. */
static bool copy_filtered(struct tr2_kernel_rings *rings)
{
	bool any = false;
	size_t i;

	for (i = 0; i < rings->nr; i++)
		rings->ring[i].bound = head_of(&rings->ring[i]);
	tr2_kernel_rings_scan(rings);
	for (i = 0; i < rings->nr; i++) {
		if (rings->ring[i].bound > rings->ring[i].whole)
			rings->ring[i].bound = rings->ring[i].whole;
		filter_ring(&rings->ring[i]);
	}
	tr2_machine_filter_decide(&rings->filter);
	for (i = 0; i < rings->nr; i++)
		any |= copy_kept(&rings->ring[i]);
	tr2_machine_filter_end_pass(&rings->filter);
	return any;
}

static bool copy_all(struct tr2_kernel_rings *rings)
{
	bool any = false;
	size_t i;

	tr2_kernel_rings_scan(rings);
	for (i = 0; i < rings->nr; i++)
		any |= copy_ring(&rings->ring[i]);
	return any;
}

void tr2_kernel_rings_copy(struct tr2_kernel_rings *rings)
{
	struct perf_event_header end = { RECORD_FINISHED_ROUND, 0,
					 sizeof(end) };
	struct iovec part = { &end, sizeof(end) };
	bool any = rings->filter.formats && rings->file ? copy_filtered(rings) :
							  copy_all(rings);

	if (any && rings->file)
		tr2_kernel_file_append(rings->file, &part, 1, 0);
}
