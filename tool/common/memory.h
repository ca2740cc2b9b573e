/* SPDX-License-Identifier: MIT */
/*
 * memory - allocate memory, or end the command with `out of memory` and exit
 * code 128. No function here returns NULL. Do not use these functions in
 * `trace2 record` while its command runs: the recorder must return the
 * command's exit code, and drops and counts a line for which there is no
 * memory. Do not use them for a size that an input claims: refuse the input,
 * and read the next one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

void tr2_no_memory(void) __attribute__((noreturn, cold));

/* End the command unless `ok`, the result of a function that may find memory
 * short. */
static inline void tr2_must(bool ok)
{
	if (unlikely(!ok))
		tr2_no_memory();
}

/* Allocate zeroed memory. */
void *tr2_calloc(size_t nr, size_t size_bytes)
	__attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *tr2_realloc(void *p, size_t nr, size_t size_bytes)
	__attribute__((alloc_size(2, 3), returns_nonnull));
char *tr2_strdup(const char *s) __attribute__((malloc, returns_nonnull));
/* Print into a new string. */
char *tr2_strf(const char *fmt, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
/* Print to the end of a buffer. */
struct tr2_buf;
void tr2_addf(struct tr2_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Make room for one more element after the `nr` elements of an array. The
 * macro sets `array` and `alloc` (uint32_t). */
#define tr2_grow(array, nr, alloc)                                        \
	do {                                                              \
		if ((nr) >= (alloc))                                      \
			(array) = tr2_grow_array(array, nr, &(alloc),     \
						 sizeof(*(array)));       \
	} while (0)
void *tr2_grow_array(void *array, uint32_t nr, uint32_t *alloc,
		     size_t element_bytes) __attribute__((returns_nonnull));

/* Request large pages for a block: to allocate a gigabyte in small pages takes
 * as long as to fill it. A large block has a mapping of its own, which
 * realloc() moves without copying. */
void tr2_in_large_pages(void *p, size_t bytes);

/* Return zeroed memory for a hash table, all of whose pages will be touched. */
void *tr2_hash_table(size_t nr, size_t size_bytes)
	__attribute__((malloc, alloc_size(1, 2), returns_nonnull));

/* Return TR2_LARGE_PAGE_BYTES of memory, aligned to this size, in a large page
 * if the kernel has one. */
#define TR2_LARGE_PAGE_BYTES (2u << 20)
void *tr2_large_page(void)
	__attribute__((malloc, returns_nonnull));
