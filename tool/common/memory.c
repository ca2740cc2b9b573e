/* SPDX-License-Identifier: MIT */
/* memory - allocate or end the command; arrays in large pages. */
#include "common/memory.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/options.h"

/* Without tr2_error(), which allocates. */
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

/* Large pages pay off from this size on. */
#define LARGE_BYTES (4u << 20)
void tr2_in_large_pages(void *p, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);

	if (bytes >= LARGE_BYTES)
		(void)madvise((void *)start,
			      ((uintptr_t)p + bytes - start + page - 1) & ~(page - 1),
			      MADV_HUGEPAGE);
}

/* The kernel moves large arrays, and pages that were never touched cost nothing:
 * doubling is cheap. */
void *tr2_grow_array(void *array, uint32_t nr, uint32_t *alloc,
		     size_t element_bytes)
{
	uint64_t want = nr < 4 ? 8 : (uint64_t)nr * 2;

	if (want > UINT32_MAX)
		want = UINT32_MAX;
	tr2_must(nr < want);
	array = tr2_realloc(array, want, element_bytes);
	tr2_in_large_pages(array, want * element_bytes);
	*alloc = (uint32_t)want;
	return array;
}
