/* SPDX-License-Identifier: MIT */
#include "pmu/pool.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_BYTES 16384u

static size_t size_of(const struct tr2_pool *pool)
{
	const size_t align = alignof(max_align_t);

	return (pool->block_bytes + align - 1) / align * align;
}

static void grow(struct tr2_pool *pool)
{
	size_t size = size_of(pool), at;
	char *chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return;
	for (at = 0; at + size <= CHUNK_BYTES; at += size)
		tr2_pool_put(pool, chunk + at);
}

void *tr2_pool_get(struct tr2_pool *pool)
{
	struct tr2_pool_block *block;

	if (!pool->free)
		grow(pool);
	block = pool->free;
	if (!block)
		return NULL;
	pool->free = block->next;
	return memset(block, 0, pool->block_bytes);
}

void tr2_pool_put(struct tr2_pool *pool, void *block)
{
	struct tr2_pool_block *given = block;

	if (!given)
		return;
	given->next = pool->free;
	pool->free = given;
}
