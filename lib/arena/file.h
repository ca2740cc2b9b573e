/* SPDX-License-Identifier: MIT */
/* file - the arena's file: its space and its pages. For arena.c and
 * define.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/layout.h"

/* Use the file of a descriptor. The owner of the descriptor may close the
 * descriptor later. false: errno is set. */
bool tr2_file_use(int fd);

/* Round up to a page of this machine: touching a page needs space for all of
 * it. */
uint64_t tr2_file_round_up(uint64_t offset);

/* A part of the file that is not used yet. */
struct tr2_file_piece {
	uint64_t offset, size_bytes;
};

/*
 * Get space for the pieces, filled with zeros: then touching them causes no
 * SIGBUS if the disk is full. The call causes no SIGXFSZ. Pieces of size 0 are
 * skipped. Any thread, for pieces of its own. false: errno.
 */
bool tr2_file_back(const struct tr2_file_piece *pieces, unsigned int nr);

/*
 * Get space for the pieces, extending the file if needed; then map `part`, the
 * part of the file that contains the pieces. The rest of the part is a hole,
 * which must not even be read. Call it under the process's lock. NULL: errno.
 */
void *tr2_file_map(const struct tr2_file_piece *part,
		   const struct tr2_file_piece *pieces, unsigned int nr);

/* Forget the file: no call gets space in it from now on. */
void tr2_file_forget(void);

/* The parts of the file before the slots; NULL without a file. */
extern struct tr2_arena_header *tr2_file_header;

#define TR2_DEFINE_FIRST_BYTES 4096u /* space that strings and definitions each
				      * get at first */
