/* SPDX-License-Identifier: MIT */
/* Reading an arena's file, for the verbs of `test-tool ring`. */
#pragma once

#include "arena/layout.h"
#include "ring/layout.h"
#include "test-tool.h"

extern const struct tool_verb tool_verbs_ring_stress[];
extern const struct tool_verb tool_verbs_ring_wait[];

struct tool_arena {
	char *base;
	uint64_t size;
	struct tr2_arena_header *header;
};

/* The following functions end the program if the file does not match the
 * layout. */
void tool_arena_open(struct tool_arena *arena, const char *path, bool writable);
unsigned int tool_arena_nr_slots(const struct tool_arena *arena);
struct tr2_slot *tool_arena_slot(const struct tool_arena *arena,
				 unsigned int i);
const char *tool_arena_string(const struct tool_arena *arena, uint32_t at);

/* Return the record at a position, which is before `head`. */
const struct tr2_record *tool_ring_record(const struct tr2_slot *slot,
					  uint64_t at, uint64_t head);
/* Print a record on one line. */
void tool_record_print(const struct tool_arena *arena,
		       const struct tr2_record *record);
