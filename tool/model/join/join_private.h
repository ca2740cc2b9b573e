/* SPDX-License-Identifier: MIT */
/* join_private - declarations that join.c and join_tasks.c share. */
#pragma once

#include "model/private.h"

/* Because of clock errors, a process may seem to start this much before its
 * child_start. */
#define TR2_SLOP_NS 1000000

/* Search at most this number of child spans or tasks for one that fits. */
#define TR2_MAX_CANDIDATES 256

uint32_t tr2_new_node(struct tr2_model *m, uint32_t parent, enum tr2_join join);

static inline uint32_t tr2_session_of_child(const struct tr2_model *m,
					    uint32_t child)
{
	return m->threads[m->spans[m->children[child].span].thread].session;
}

/* Join the kernel's tasks, once sessions and child spans have nodes. */
void tr2_join_tasks(struct tr2_model *m);

/* Join the two sides of Git's transports, as the last step. */
void tr2_join_transports(struct tr2_model *m);
