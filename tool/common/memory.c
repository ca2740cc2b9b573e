/* SPDX-License-Identifier: MIT */
/* memory - allocate memory, or end the command; put large arrays into large
 * pages. */
#include "common/memory.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/options.h"

/* Print the message without tr2_error(), which allocates. */
void tr2_no_memory(void)
{
	fflush(stdout);
	fputs("trace2: out of memory\n", stderr);
	exit(TR2_EXIT_FATAL);
}

void *tr2_calloc(size_t nr, size_t size_bytes)
{
	void *p = calloc(nr ? nr : 1, size_bytes);

	tr2_must(p);
	return p;
}

void *tr2_realloc(void *p, size_t nr, size_t size_bytes)
{
	p = reallocarray(p, nr, size_bytes);
	tr2_must(p);
	return p;
}

char *tr2_strdup(const char *s)
{
	char *copy = strdup(s);

	tr2_must(copy);
	return copy;
}

char *tr2_strf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	tr2_must(n >= 0);
	return text;
}

void tr2_addf(struct tr2_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(b, fmt, ap);
	va_end(ap);
}

/* The least size of a block for which large pages pay off. */
#define LARGE_BYTES (4u << 20)
void tr2_in_large_pages(void *p, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);

	if (bytes >= LARGE_BYTES)
		(void)madvise((void *)start,
			      ((uintptr_t)p + bytes - start + page - 1) &
				      ~(page - 1),
			      MADV_HUGEPAGE);
}

static void *large_pages(size_t bytes)
{
	void *p = aligned_alloc(TR2_LARGE_PAGE_BYTES, bytes);

	if (p)
		(void)madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *tr2_hash_table(size_t nr, size_t size_bytes)
{
	size_t bytes = nr * size_bytes;
	void *p = bytes % TR2_LARGE_PAGE_BYTES ? NULL : large_pages(bytes);

	return p ? memset(p, 0, bytes) : tr2_calloc(nr, size_bytes);
}

void *tr2_large_page(void)
{
	void *p = large_pages(TR2_LARGE_PAGE_BYTES);

	tr2_must(p);
	return p;
}

/* The size from which an array moves to large pages: half of a large page.
 * realloc() would break large pages into small ones. Reserve ample room, so
 * that the array seldom moves again; untouched pages cost nothing. */
#define MOVES_FROM_BYTES (TR2_LARGE_PAGE_BYTES / 2)
#define ROOM_BYTES (32u << 20)

/* Move bytes, and release their old pages on the way, so that there are never
 * two copies of a large array. */
static void move_bytes(char *to, char *from, size_t bytes)
{
	size_t at, step = TR2_LARGE_PAGE_BYTES;

	for (at = 0; bytes - at > step; at += step) {
		memcpy(to + at, from + at, step);
		(void)madvise(from + at, step, MADV_DONTNEED);
	}
	memcpy(to + at, from + at, bytes - at);
	free(from);
}

/* Move the array to large pages, and return its new address. NULL: no memory of
 * that size is available. */
static void *move_to_large_pages(void *array, size_t bytes, uint32_t *alloc,
				 size_t element_bytes)
{
	size_t room = ROOM_BYTES;
	void *to;

	while (room / 4 < bytes)
		room *= 4;
	to = room / element_bytes > UINT32_MAX ? NULL : large_pages(room);
	if (!to)
		return NULL;
	move_bytes(to, array, bytes);
	*alloc = (uint32_t)(room / element_bytes);
	return to;
}

void *tr2_grow_array(void *array, uint32_t nr, uint32_t *alloc,
		     size_t element_bytes)
{
	uint64_t want = nr < 4 ? 8 : (uint64_t)nr * 2;
	size_t bytes = nr * element_bytes;
	void *moved = bytes < MOVES_FROM_BYTES ? NULL :
		      move_to_large_pages(array, bytes, alloc, element_bytes);

	if (moved)
		return moved;
	if (want > UINT32_MAX)
		want = UINT32_MAX;
	tr2_must(nr < want);
	*alloc = (uint32_t)want;
	return tr2_realloc(array, want, element_bytes);
}
