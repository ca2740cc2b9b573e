/* SPDX-License-Identifier: MIT */
/*
 * objects - what threads waited for, by name, as the observer saw it during the
 * wait. A wait between two looks has no object.
 */
#pragma once

#include "model/model.h"

/* Return the object of a wait of a task thread; NULL: unknown, or the state is
 * no wait. */
const struct tr2_observed_object *
tr2_object_of(const struct tr2_model *m, uint32_t task_thread, uint32_t state);

/* The same in words; 0: unknown. */
tr2_str tr2_object_text(const struct tr2_model *m, uint32_t task_thread,
			uint32_t state);

/* Return the object for which the threads of a task waited longest, and for how
 * long in all; NULL: none is known. */
const struct tr2_observed_object *
tr2_object_of_task(const struct tr2_model *m, uint32_t task, int64_t *ns);

/* Add a wait in words, without what its cause and its object both say: "poll:
 * tcp 10.1.2.3:443", "pipe to sort", "sleep 5 s". object may be 0. */
struct tr2_buf;
void tr2_wait_add_text(struct tr2_buf *b, const struct tr2_model *m,
		       enum tr2_cause cause, tr2_str object);
