/* SPDX-License-Identifier: MIT */
/* The ring of records that a sampling event writes and the program reads. */
#include "pmu/buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_PAGES (1u << 18)
#define ENDS_AT 1024 /* offset of head and tail in the page, as in the kernel's
		      * layout */

struct ends {
	uint64_t head, tail;
};

static struct ends *ends_of(const struct tr2_buffer *buffer)
{
	return (struct ends *)(void *)(buffer->base + ENDS_AT);
}

int tr2_buffer_map(struct tr2_buffer *buffer, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p;

	if (!pages || (pages & (pages - 1)) || pages > MAX_PAGES)
		return -EINVAL;
	p = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, flags,
		 fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	buffer->base = p;
	buffer->page_size = page_size;
	buffer->size = pages * page_size;
	return 0;
}

void tr2_buffer_unmap(struct tr2_buffer *buffer)
{
	if (buffer->base)
		munmap(buffer->base, buffer->page_size + buffer->size);
	buffer->base = NULL;
}

uint64_t tr2_buffer_head(const struct tr2_buffer *buffer)
{
	/* Acquire: pairs with the kernel's release after its records. */
	return __atomic_load_n(&ends_of(buffer)->head, __ATOMIC_ACQUIRE);
}

static uint64_t tail_of(const struct tr2_buffer *buffer)
{
	return __atomic_load_n(&ends_of(buffer)->tail, __ATOMIC_RELAXED);
}

bool tr2_buffer_is_empty(const struct tr2_buffer *buffer)
{
	return tr2_buffer_head(buffer) == tail_of(buffer);
}

void tr2_buffer_consume(struct tr2_buffer *buffer, size_t bytes)
{
	/* Release: the record is read before the kernel overwrites it. */
	__atomic_store_n(&ends_of(buffer)->tail, tail_of(buffer) + bytes,
			 __ATOMIC_RELEASE);
}

/* Copy a record in two parts: up to the ring's end, and from the ring's
 * beginning. */
static void copy_wrapped(char *data, size_t size, uint64_t from, void *memory,
			 size_t bytes, bool in)
{
	size_t at = (size_t)(from & (size - 1));
	size_t first = bytes < size - at ? bytes : size - at;
	char *p = memory;

	memcpy(in ? data + at : p, in ? p : data + at, first);
	memcpy(in ? data : p + first, in ? p + first : data, bytes - first);
}

void tr2_buffer_copy(const struct tr2_buffer *buffer, size_t at, void *to,
		     size_t bytes)
{
	copy_wrapped(buffer->base + buffer->page_size, buffer->size,
		     tail_of(buffer) + at, to, bytes, false);
}

size_t tr2_buffer_peek(struct tr2_buffer *buffer,
		       struct trace2_perf_record *head)
{
	uint64_t there = tr2_buffer_head(buffer) - tail_of(buffer);

	if (there < sizeof(*head) || there > buffer->size)
		return 0;
	tr2_buffer_copy(buffer, 0, head, sizeof(*head));
	if (head->size >= sizeof(*head) && !(head->size % 8) &&
	    head->size <= there)
		return head->size;
	/* The size is invalid, so the records after it cannot be found: drop
	 * them all. */
	tr2_buffer_consume(buffer, there);
	return 0;
}

size_t tr2_buffer_room(const struct tr2_buffer *buffer)
{
	return buffer->size -
	       (size_t)(tr2_buffer_head(buffer) - tail_of(buffer));
}

void tr2_buffer_put(struct tr2_buffer *buffer,
		    const struct trace2_perf_record *record)
{
	uint64_t head = tr2_buffer_head(buffer);

	copy_wrapped(buffer->base + buffer->page_size, buffer->size, head,
		     (void *)(uintptr_t)record, record->size, true);
	__atomic_store_n(&ends_of(buffer)->head, head + record->size,
			 __ATOMIC_RELEASE);
}
