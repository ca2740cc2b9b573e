/* SPDX-License-Identifier: MIT */
/* file - the arena's file: its space, its pages. For arena.c and define.c. */
#ifndef TR2_ARENA_FILE_H
#define TR2_ARENA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/layout.h"

/* Takes over a descriptor that its owner may close. false: errno. */
bool tr2_file_use(int fd);

/* To a page of this machine: a page that is touched needs space for all of it. */
uint64_t tr2_file_round_up(uint64_t offset);

/* A part of the file that nobody has used yet. */
struct tr2_file_piece {
	uint64_t offset, size_bytes;
};

/*
 * Has the space for them, which then are zeros: whoever touches them meets no
 * SIGBUS where the disk is full. Nor does SIGXFSZ come. Pieces of size 0 are
 * nothing. Any thread, for pieces of its own. false: errno.
 */
bool tr2_file_back(const struct tr2_file_piece *pieces, unsigned int nr);

/*
 * Maps a part of the file, which becomes as long if need be, once there is
 * space for those pieces of it. The rest is a hole, and may not even be read.
 * Under the process's lock. NULL: errno.
 */
void *tr2_file_map(const struct tr2_file_piece *part,
		   const struct tr2_file_piece *pieces, unsigned int nr);

/* Reserves no space and touches nothing any more. */
void tr2_file_forget(void);

/* The parts of the file before the slots, while there is one. */
extern struct tr2_arena_header *tr2_file_header;

/* For a new file: forgets which strings and rows were written. These have their
 * space with the header. */
void tr2_define_reset(void);
#define TR2_DEFINE_FIRST_BYTES 4096u /* of each of both */

#endif
