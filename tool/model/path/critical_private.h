/* SPDX-License-Identifier: MIT */
/* critical_private - declarations shared by the files that find the critical
 * path. */
#pragma once

#include "model/path/critical.h"

/* The pieces of the path in the order of the walk, the last one first. */
struct tr2_path_pieces {
	struct tr2_path_piece *piece;
	uint32_t nr, alloc;
};

/* Add a piece that is earlier than all others in the list. If the last added
 * piece has the same owner and reason, extend it instead. list NULL: do
 * nothing. */
void tr2_path_add_piece(struct tr2_path_pieces *list,
			const struct tr2_path_piece *piece);

/*
 * Order steps by their start, each before its inner steps. An owner has a step
 * for each reason: more[i] is 1 + the index of the next step of step i's owner;
 * 0: none. more may be NULL. An owner's later steps have the parent of its
 * first step and no inner steps, and come directly after the first step. The
 * caller frees *out. Return the number of steps.
 */
size_t tr2_steps_order(const struct tr2_step *steps, uint32_t nr,
		       const uint32_t *more, struct tr2_step **out);

/* Find the path by a walk over wake-ups. pieces may be NULL. */
size_t tr2_critical_states(const struct tr2_model *m, uint32_t root,
			   struct tr2_step **steps,
			   struct tr2_path_pieces *pieces);
