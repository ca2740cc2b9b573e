/* SPDX-License-Identifier: MIT */
/*
 * array - arrays that grow, and memory in large pages.
 */
#ifndef TR2_COMMON_ARRAY_H
#define TR2_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one more element. false: no memory, or 2^32 of them. */
bool tr2_array_grow(void **array, uint32_t *alloc, uint32_t nr,
		    size_t element_bytes);

/*
 * Ask for large pages where there is much: a gigabyte in small ones costs as
 * long to hand out as to fill. So large a block has a mapping of its own, and
 * stays one: realloc() moves it without copying.
 */
void tr2_in_large_pages(void *p, size_t bytes);

#endif
