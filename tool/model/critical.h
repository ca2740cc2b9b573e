/* SPDX-License-Identifier: MIT */
/*
 * critical - the critical path: the chain of processes and regions for which
 * the end of the recording waited. Seen from the end, at each time it is the
 * deepest item that ended last: a child for which its parent waited, a thread
 * that was joined, or a region. Time between two of them belongs to their
 * owner.
 */
#ifndef TR2_MODEL_CRITICAL_H
#define TR2_MODEL_CRITICAL_H

#include "model/model.h"

/* The time on the path of one owner itself, summed over its pieces. */
struct tr2_step {
	uint32_t node;
	uint32_t span;  /* one of its regions; 0: outside regions */
	uint32_t parent; /* step around it, 1 + its index; 0: none */
	int64_t ns;      /* on the path, its own; 0 if all is in inner steps */
	int64_t start_ns; /* wall; when the path first reaches it */
};

/* Return the root that took longest, whose path is the interesting one. 0:
 * none. */
uint32_t tr2_longest_root(const struct tr2_model *m);

/* Return the path below a root, by time, each step before its inner steps. The
 * caller frees *steps. Return the number of steps. */
size_t tr2_critical_path(const struct tr2_model *m, uint32_t root,
			 struct tr2_step **steps);

#endif
