/* SPDX-License-Identifier: MIT */
/* critical_private - shared by the ways to find the critical path. */
#ifndef TR2_MODEL_CRITICAL_PRIVATE_H
#define TR2_MODEL_CRITICAL_PRIVATE_H

#include "model/critical.h"

/*
 * Order steps by their start, each before its inner steps. more[nr] (NULL: none)
 * chains, by 1 + the index, further steps of the same owner, which have its
 * parent and no inner steps; they follow it. The caller frees *out. Return the
 * number of steps.
 */
size_t tr2_steps_order(const struct tr2_step *steps, uint32_t nr,
		       const uint32_t *more, struct tr2_step **out);

/* The walk over wake-ups. */
size_t tr2_critical_states(const struct tr2_model *m, uint32_t root,
			   struct tr2_step **steps);

/* Pass each piece of that path in which a thread ran, the last first. */
typedef void tr2_run_fn(void *data, uint32_t task_thread, int64_t from_ns,
			int64_t to_ns);
void tr2_critical_runs(const struct tr2_model *m, uint32_t root, tr2_run_fn *fn,
		       void *data);

#endif
