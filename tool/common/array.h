/* SPDX-License-Identifier: MIT */
/*
 * array - growing arrays, and memory in large pages.
 */
#ifndef TR2_COMMON_ARRAY_H
#define TR2_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make room for one more element. false: no memory, or 2^32 elements. */
bool tr2_array_grow(void **array, uint32_t *alloc, uint32_t nr,
		    size_t element_bytes);

/*
 * Request large pages for much memory: allocating a gigabyte in small ones
 * takes as long as filling it. A block of that size has a mapping of its own,
 * which realloc() moves without copying.
 */
void tr2_in_large_pages(void *p, size_t bytes);

#endif
