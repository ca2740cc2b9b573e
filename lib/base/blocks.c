/* SPDX-License-Identifier: MIT */
/* Chunks of blocks: mapping, taking, putting back, and unmapping them. */
#include "base/blocks.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

#define HEAD_BYTES 4096u /* size of a chunk's head, or a page if that is
			  * larger */
#define WORD_BITS 64u
#define MAX_WORDS ((HEAD_BYTES - sizeof(struct tr2_blocks_chunk)) / 8)
#define GROWTH 8u
/* Avoid transparent huge pages: they would allocate unused memory. */
#define HUGE_BYTES (2u << 20)

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) & -page;
}

static size_t stride_of(const struct tr2_blocks *blocks)
{
	return whole_pages(blocks->block_bytes);
}

static char *block_at(const struct tr2_blocks *blocks,
		      const struct tr2_blocks_chunk *chunk, unsigned int i)
{
	return chunk->first + i * stride_of(blocks);
}

/* Size and number of blocks never change while the chunk is in the list: a
 * forked child relies on them. */
static struct tr2_blocks_chunk *map_chunk(struct tr2_blocks *blocks,
					  unsigned int nr)
{
	bool at_home = !blocks->chunks && nr <= WORD_BITS;
	size_t head = at_home ? 0 : whole_pages(HEAD_BYTES);
	size_t size = head + nr * stride_of(blocks);
	struct tr2_blocks_chunk *chunk;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (size >= HUGE_BYTES)
		(void)madvise(p, size, MADV_NOHUGEPAGE);
	chunk = at_home ? &blocks->home : p;
	if (at_home)
		blocks->home_used = 0;
	*chunk = (struct tr2_blocks_chunk){
		.mapping = p,
		.first = (char *)p + head,
		.used = at_home ? &blocks->home_used : (uint64_t *)&chunk[1],
		.size_bytes = size,
		.nr = nr,
	};
	return chunk;
}

/* Map a chunk of as many blocks as blocks.h says; fewer if memory is short. */
static struct tr2_blocks_chunk *grow_blocks(struct tr2_blocks *blocks)
{
	struct tr2_blocks_chunk *chunk = NULL, **end = &blocks->chunks;
	unsigned int nr = blocks->nr / GROWTH;

	if (nr < blocks->first)
		nr = blocks->first;
	if (nr > MAX_WORDS * WORD_BITS)
		nr = MAX_WORDS * WORD_BITS;
	while (nr && !(chunk = map_chunk(blocks, nr)))
		nr /= 2;
	if (!chunk)
		return NULL;
	while (*end)
		end = &(*end)->next;
	blocks->nr += nr;
	/* Release: a forked child finds the chunk complete. */
	__atomic_store_n(end, chunk, __ATOMIC_RELEASE);
	return chunk;
}

/* Find a free block; call it only if the chunk has one. */
static unsigned int find_free(const struct tr2_blocks_chunk *chunk)
{
	unsigned int word = 0;

	while (!~chunk->used[word])
		word++;
	return word * WORD_BITS +
	       (unsigned int)__builtin_ctzll(~chunk->used[word]);
}

void *tr2_blocks_get(struct tr2_blocks *blocks)
{
	struct tr2_blocks_chunk *chunk = blocks->chunks;
	unsigned int i;

	if (blocks->nr_used == blocks->nr)
		chunk = grow_blocks(blocks);
	while (chunk && chunk->nr_used == chunk->nr)
		chunk = chunk->next;
	if (!chunk)
		return NULL;
	i = find_free(chunk);
	chunk->used[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
	chunk->nr_used++;
	blocks->nr_used++;
	return block_at(blocks, chunk, i);
}

static void clear_bytes(void *p, size_t bytes)
{
	/* If madvise() fails, the host has locked the memory: clear it by
	 * hand. */
	if (bytes && madvise(p, bytes, MADV_DONTNEED))
		memset(p, 0, bytes);
}

static bool is_in(const struct tr2_blocks_chunk *chunk, const void *block)
{
	return (uintptr_t)block - (uintptr_t)chunk->mapping <
	       chunk->size_bytes;
}

/* Unmap an empty chunk, unless it has the only free blocks: the next thread
 * needs a block. */
static void unmap_chunk(struct tr2_blocks *blocks, struct tr2_blocks_chunk **at)
{
	struct tr2_blocks_chunk *chunk = *at;

	if (blocks->nr - blocks->nr_used == chunk->nr)
		return;
	blocks->nr -= chunk->nr;
	/* Take the chunk from the list first, for a child that is forked in
	 * between. */
	__atomic_store_n(at, chunk->next, __ATOMIC_RELEASE);
	munmap(chunk->mapping, chunk->size_bytes);
}

void tr2_blocks_put(struct tr2_blocks *blocks, void *block)
{
	struct tr2_blocks_chunk **at = &blocks->chunks, *chunk;
	size_t i;

	if (!block)
		return;
	while (*at && !is_in(*at, block))
		at = &(*at)->next;
	chunk = *at;
	if (!chunk) {
		TR2_CHECK(false);
		return;
	}
	i = (size_t)((char *)block - block_at(blocks, chunk, 0)) /
	    stride_of(blocks);
	TR2_CHECK(chunk->used[i / WORD_BITS] & UINT64_C(1) << i % WORD_BITS);
	clear_bytes(block, stride_of(blocks));
	chunk->used[i / WORD_BITS] &= ~(UINT64_C(1) << i % WORD_BITS);
	blocks->nr_used--;
	if (!--chunk->nr_used)
		unmap_chunk(blocks, at);
}

void tr2_blocks_release(struct tr2_blocks *blocks)
{
	struct tr2_blocks_chunk *chunk = blocks->chunks, *next;

	blocks->nr = blocks->nr_used = 0;
	blocks->chunks = NULL;
	for (; chunk; chunk = next) {
		next = chunk->next;
		munmap(chunk->mapping, chunk->size_bytes);
	}
}

static bool is_one_of(const void *block, const void *const *kept, size_t nr)
{
	while (nr && kept[nr - 1] != block)
		nr--;
	return nr;
}

/* Clear the blocks between kept ones, a run at a time. */
static void clear_blocks(struct tr2_blocks *blocks,
			 struct tr2_blocks_chunk *chunk,
			 const void *const *kept, size_t nr_kept)
{
	char *start = block_at(blocks, chunk, 0), *p;
	unsigned int i;

	memset(chunk->used, 0, (chunk->nr + WORD_BITS - 1) / WORD_BITS * 8);
	chunk->nr_used = 0;
	for (i = 0; i < chunk->nr; i++) {
		p = block_at(blocks, chunk, i);
		if (!is_one_of(p, kept, nr_kept))
			continue;
		clear_bytes(start, (size_t)(p - start));
		start = block_at(blocks, chunk, i + 1);
		chunk->used[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
		chunk->nr_used++;
	}
	clear_bytes(start, (size_t)(block_at(blocks, chunk, i) - start));
	blocks->nr += chunk->nr;
	blocks->nr_used += chunk->nr_used;
}

void tr2_blocks_after_fork(struct tr2_blocks *blocks, const void *const *kept,
			   size_t nr_kept)
{
	struct tr2_blocks_chunk *chunk;

	blocks->nr = blocks->nr_used = 0;
	for (chunk = blocks->chunks; chunk; chunk = chunk->next)
		clear_blocks(blocks, chunk, kept, nr_kept);
}

void tr2_blocks_forget(struct tr2_blocks *blocks)
{
	blocks->chunks = NULL;
	blocks->nr = blocks->nr_used = 0;
}
