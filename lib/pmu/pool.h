/* SPDX-License-Identifier: MIT */
/*
 * pool - memory for events and their parts, in blocks of one size. The memory
 * comes from mmap, never from malloc: a forked child opens its events at its
 * first call, which may come from a signal handler. Freed blocks are reused;
 * chunks are unmapped all at once. The caller holds the process's lock.
 */
#pragma once

#include <stddef.h>

struct tr2_pool {
	size_t block_bytes;
	struct tr2_pool_block {
		struct tr2_pool_block *next;
	} *free;
};

/* Return a zeroed block; NULL: no memory. */
void *tr2_pool_get(struct tr2_pool *pool);
/* Unmap the chunks of all pools; no block may be in use. */
void tr2_pool_release_all(void);
/* Free a block. NULL is allowed. */
void tr2_pool_put(struct tr2_pool *pool, void *block);
