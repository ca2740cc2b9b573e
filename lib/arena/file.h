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

/*
 * Maps a part of the file after its space was had. NULL: errno; neither SIGXFSZ
 * nor, later, SIGBUS.
 */
void *tr2_file_pages(uint64_t offset, size_t size_bytes);

/* Reserves no space and touches nothing any more. */
void tr2_file_forget(void);

/* The parts of the file before the slots, while there is one. */
extern struct tr2_arena_header *tr2_file_header;

/* Forgets which strings and rows were written, for a new file. */
void tr2_define_reset(void);

#endif
