/* SPDX-License-Identifier: MIT */
/*
 * blocks - memory in pieces of one size, whole pages each: a process may have
 * only so many mappings (vm.max_map_count), and threads many of such pieces.
 *
 *	chunk	+-----------+---------+---------+----
 *		| its head  | block 0 | block 1 | …
 *		+-----------+---------+---------+----
 *
 * A chunk is one mapping. The more blocks there are, the more are in the next
 * one: an eighth of those that are there, so that mappings grow with the
 * logarithm, and little is mapped that nobody uses. What is given back takes no
 * memory any more, and where the rest can do without a chunk, no mapping.
 *
 * Memory comes from mmap, never from malloc. Not thread-safe by itself: the
 * caller holds the process's lock, hence with all signals blocked.
 */
#ifndef TR2_BASE_BLOCKS_H
#define TR2_BASE_BLOCKS_H

#include <stddef.h>

struct tr2_blocks_chunk;

struct tr2_blocks {
	size_t block_bytes;
	unsigned int first; /* so many in the first chunks */
	unsigned int nr, nr_used;
	struct tr2_blocks_chunk *chunks; /* the oldest first */
};

/* Zeroed, at the beginning of a page; NULL without memory. */
void *tr2_blocks_get(struct tr2_blocks *blocks);
/* NULL is nothing. */
void tr2_blocks_put(struct tr2_blocks *blocks, void *block);

/* All of them, none of which is in use any more. */
void tr2_blocks_release(struct tr2_blocks *blocks);

/*
 * In a forked child, whose parent may have been in the midst of anything here:
 * all but these are free, and zero. They stay mapped.
 */
void tr2_blocks_after_fork(struct tr2_blocks *blocks, const void *const *kept,
			   size_t nr_kept);

#endif
