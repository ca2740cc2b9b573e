/* SPDX-License-Identifier: MIT */
/* array - see array.h. */
#include "common/array.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

bool tr2_array_grow(void **array, uint32_t *alloc, uint32_t nr,
		    size_t element_bytes)
{
	uint64_t want = nr < 32 ? 64 : (uint64_t)nr * 2;
	void *p;

	if (want > UINT32_MAX)
		want = UINT32_MAX;
	if (nr >= want || want > SIZE_MAX / element_bytes)
		return false;
	/* The kernel moves large arrays, and pages that were never touched cost
	 * nothing: doubling is cheap. */
	p = realloc(*array, want * element_bytes);
	if (!p)
		return false;
	tr2_in_large_pages(p, want * element_bytes);
	*array = p;
	*alloc = (uint32_t)want;
	return true;
}
