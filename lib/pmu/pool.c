/* SPDX-License-Identifier: MIT */
/* Memory for events, in blocks of one size, from mmap. */
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

/* The list of the mapped chunks of all pools. Each chunk begins with its
 * link. */
static struct chunk {
	alignas(max_align_t) struct chunk *next;
} *chunks;

static void grow_pool(struct tr2_pool *pool)
{
	size_t size = size_of(pool), at;
	struct chunk *chunk;
	void *p = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	chunk = p;
	chunk->next = chunks;
	chunks = chunk;
	for (at = sizeof(*chunk); at + size <= CHUNK_BYTES; at += size)
		tr2_pool_put(pool, (char *)p + at);
}

void tr2_pool_release_all(void)
{
	struct chunk *next;

	for (; chunks; chunks = next) {
		next = chunks->next;
		munmap(chunks, CHUNK_BYTES);
	}
}

void *tr2_pool_get(struct tr2_pool *pool)
{
	struct tr2_pool_block *block;

	if (!pool->free)
		grow_pool(pool);
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
