/* SPDX-License-Identifier: MIT */
/*
 * blocks - memory in pieces of one size, whole pages each. A process has a
 * limited number of mappings (vm.max_map_count), and threads need many pieces.
 *
 *	chunk	+-----------+---------+---------+----
 *		| its head  | block 0 | block 1 | …
 *		+-----------+---------+---------+----
 *
 * A chunk is one mapping. The head of the first chunk lies in struct
 * tr2_blocks; most processes need no other chunk. The next chunk has an eighth
 * of the present number of blocks, so that the number of mappings grows with
 * the logarithm, and little unused memory is mapped. A block that is put back
 * uses no memory, and a chunk that is no longer needed is unmapped.
 *
 * Memory comes from mmap, never from malloc. Not thread-safe by itself: the
 * caller holds the process's lock, which blocks signals.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tr2_blocks_chunk {
	struct tr2_blocks_chunk *next;
	char *mapping, *first; /* the chunk's mapping, and the first block in
				* it */
	uint64_t *used; /* a bit for each block that is in use */
	size_t size_bytes;
	unsigned int nr, nr_used;
};

struct tr2_blocks {
	size_t block_bytes;
	unsigned int first; /* number of blocks in the first chunk */
	unsigned int nr, nr_used;
	struct tr2_blocks_chunk *chunks; /* all chunks, oldest first */
	struct tr2_blocks_chunk home;
	uint64_t home_used;
};

/* Return a zeroed block, page-aligned; NULL: no memory. */
void *tr2_blocks_get(struct tr2_blocks *blocks);
/* Put a block back. NULL is ignored. */
void tr2_blocks_put(struct tr2_blocks *blocks, void *block);

/* Unmap all blocks. No block may be in use. */
void tr2_blocks_release(struct tr2_blocks *blocks);

/*
 * Call it in a forked child; the parent may have been at any point in these
 * functions. All blocks except `kept` become free and zero. They stay mapped.
 */
void tr2_blocks_after_fork(struct tr2_blocks *blocks, const void *const *kept,
			   size_t nr_kept);

/* Keep all blocks in use, and mapped, for good. Call it in a forked child, as
 * tr2_blocks_after_fork(). */
void tr2_blocks_forget(struct tr2_blocks *blocks);
