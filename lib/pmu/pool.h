/* SPDX-License-Identifier: MIT */
/*
 * pool - memory for events and what belongs to them, in blocks of one size. It
 * comes from mmap, never from malloc: a forked child opens its events at its
 * first call, which may come from a signal handler. What is given back is used
 * again, and unmapped all at once. The caller holds the process's lock.
 */
#ifndef TR2_PMU_POOL_H
#define TR2_PMU_POOL_H

#include <stddef.h>

struct tr2_pool {
	size_t block_bytes;
	struct tr2_pool_block {
		struct tr2_pool_block *next;
	} *free;
};

/* Zeroed; NULL without memory. */
void *tr2_pool_get(struct tr2_pool *pool);
/* All blocks of all pools, none of which is used any more. */
void tr2_pool_release_all(void);
/* NULL is nothing. */
void tr2_pool_put(struct tr2_pool *pool, void *block);

#endif
