/* SPDX-License-Identifier: MIT */
/*
 * kernel_data_merge - pass the kernel's records of a file in the order of time.
 * Each ring is already in order, and a heap has the next record of each ring.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "format/kernel/kernel_data.h"

#define WINDOW_BYTES (256u << 10)
#define MAX_RECORD 65536u

/* A part of the file in memory. */
struct window {
	const struct tr2_kernel_data *f;
	unsigned char *p;
	size_t size;
	uint64_t at;
	size_t len; /* number of bytes of the file in memory, from `at` on */
};

/* Make a window of `bytes` bytes, but not more than WINDOW_BYTES. */
static void make_window(struct window *w, uint64_t bytes)
{
	w->size = bytes < WINDOW_BYTES ? (size_t)bytes : WINDOW_BYTES;
	w->p = tr2_calloc(1, w->size + 1);
}

/* Return n bytes of the file at `at`. `end` limits how much is read ahead.
 * NULL: the bytes cannot be read. */
static const unsigned char *see(struct window *w, uint64_t at, size_t n,
				uint64_t end)
{
	size_t len;

	if (at < w->at || at - w->at > w->len || n > w->len - (at - w->at)) {
		len = end - at < w->size ? (size_t)(end - at) : w->size;
		if (n > len || !tr2_kernel_data_read(w->f, at, w->p, len))
			return NULL;
		w->at = at;
		w->len = len;
	}
	return w->p + (at - w->at);
}

/* Return the record at `at`, and set its size. NULL: there is no whole
 * record. */
static const unsigned char *see_record(struct window *w, uint64_t at,
				       uint64_t end, size_t *size)
{
	struct perf_event_header header;
	const unsigned char *p;

	if (end - at < sizeof(header))
		return NULL;
	p = see(w, at, sizeof(header), end);
	if (!p)
		return NULL;
	memcpy(&header, p, sizeof(header));
	*size = header.size;
	if (*size < sizeof(header) || *size > end - at)
		return NULL;
	return see(w, at, *size, end);
}

static void add_extent(struct tr2_data_ring *ring, uint64_t at, size_t len)
{
	struct tr2_data_extent *last =
		ring->nr ? &ring->extents[ring->nr - 1] : NULL;

	ring->bytes += len;
	if (last && last->at + last->len == at) {
		last->len += len;
		return;
	}
	tr2_grow(ring->extents, ring->nr, ring->alloc);
	ring->extents[ring->nr++] = (struct tr2_data_extent){ at, len };
}

bool tr2_kernel_data_scan(struct tr2_kernel_data *f, tr2_kernel_record_fn *fn,
			  void *data)
{
	struct window w = { .f = f };
	uint64_t at = f->data_at;
	struct tr2_kernel_record r;
	const unsigned char *p;
	bool go_on = true;
	size_t size;

	make_window(&w, f->data_end - f->data_at);
	while (go_on && at < f->data_end) {
		p = see_record(&w, at, f->data_end, &size);
		if (!p)
			break;
		if (tr2_kernel_record_parse(f, p, size, &r)) {
			r.at += at;
			add_extent(&f->rings[r.ring], at, size);
			go_on = fn(data, &r);
		}
		at += size;
	}
	free(w.p);
	/* Report no damage if the recorder still runs: it may have written only
	 * a part of the last record. */
	if (go_on && at < f->data_end && !f->problem &&
	    !(f->growing && f->data_end - at < MAX_RECORD))
		f->problem = "a record is damaged: the records after it are "
			     "not read";
	return go_on;
}

/* The next record of a ring. */
struct cursor {
	uint64_t time_ns;
	const struct tr2_data_ring *ring;
	struct window window;
	uint32_t extent;
	uint64_t at; /* the offset after the record, within the extent */
	struct tr2_kernel_record record;
};

/* Move the cursor to its next record. Return false after the last record, or if
 * the file has changed. */
static bool advance(struct cursor *c)
{
	const struct tr2_data_extent *e;
	const unsigned char *p;
	size_t size;

	for (; c->extent < c->ring->nr; c->extent++, c->at = 0) {
		e = &c->ring->extents[c->extent];
		if (c->at >= e->len)
			continue;
		p = see_record(&c->window, e->at + c->at, e->at + e->len,
			       &size);
		/* Fail only if the file has changed: tr2_kernel_data_scan() has
		 * already read the record. */
		if (!p || !tr2_kernel_record_parse(c->window.f, p, size,
						   &c->record))
			return false;
		c->record.at += e->at + c->at;
		c->at += size;
		c->time_ns = c->record.time_ns;
		return true;
	}
	return false;
}

static void sift_down(struct cursor **heap, uint32_t nr, uint32_t i)
{
	struct cursor *moved = heap[i];
	uint32_t child;

	for (; (child = 2 * i + 1) < nr; i = child) {
		if (child + 1 < nr &&
		    heap[child + 1]->time_ns < heap[child]->time_ns)
			child++;
		if (heap[child]->time_ns >= moved->time_ns)
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

static void pass_all(struct cursor **heap, uint32_t nr,
		     tr2_kernel_record_fn *fn, void *data)
{
	uint32_t i;

	for (i = nr / 2; i--;)
		sift_down(heap, nr, i);
	while (nr && fn(data, &heap[0]->record)) {
		if (!advance(heap[0]))
			heap[0] = heap[--nr];
		if (nr)
			sift_down(heap, nr, 0);
	}
}

void tr2_kernel_data_merge(struct tr2_kernel_data *f, tr2_kernel_record_fn *fn,
			   void *data)
{
	struct cursor *cursors = tr2_calloc(f->nr_rings, sizeof(*cursors));
	struct cursor **heap = tr2_calloc(f->nr_rings, sizeof(struct cursor *));
	uint32_t i, nr = 0;

	for (i = 0; i < f->nr_rings; i++) {
		struct cursor *c = &cursors[i];

		c->ring = &f->rings[i];
		if (!c->ring->nr)
			continue;
		c->window.f = f;
		make_window(&c->window, c->ring->bytes);
		if (advance(c))
			heap[nr++] = c;
	}
	pass_all(heap, nr, fn, data);
	for (i = 0; i < f->nr_rings; i++)
		free(cursors[i].window.p);
	free(cursors);
	free(heap);
}
