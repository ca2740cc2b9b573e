/* SPDX-License-Identifier: MIT */
/*
 * critical - the critical path: the chain of processes and regions that the
 * end of the whole waited for. Seen from the end, at each moment it is the
 * deepest thing that ended last: a child that its parent waited for, a thread
 * that was joined, a region; what lies between two of them is its owner's.
 */
#ifndef TR2_MODEL_CRITICAL_H
#define TR2_MODEL_CRITICAL_H

#include "model/model.h"

/* Time on the path that is one owner's own, its pieces put together. */
struct tr2_step {
	uint32_t node;
	uint32_t span;  /* a region of it; 0: in no region */
	uint32_t parent; /* step around it, 1 + its number; 0: none */
	int64_t ns;      /* on the path, its own; 0 where all is in others */
	int64_t start_ns; /* wall; when it begins to matter */
};

/* The root that took longest, whose path is worth a look. 0: there is none. */
uint32_t tr2_longest_root(const struct tr2_model *m);

/* The path below a root, in the order of time, a step before those in it.
 * *steps is the caller's to free(). Returns their number. */
size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps);

#endif
