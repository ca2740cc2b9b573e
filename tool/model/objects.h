/* SPDX-License-Identifier: MIT */
/*
 * objects - what threads waited for, by name, as the observer saw it during the
 * wait. A wait between two looks has no object.
 */
#pragma once

#include "base/buf.h"
#include "model/model.h"

/* Return the object of a wait of a task thread; NULL: unknown. */
const struct tr2_observed_object *
tr2_object_of(const struct tr2_model *m, uint32_t task_thread, uint32_t state);

/* Return the node at the other end, or that held the lock; 0: unknown. */
uint32_t tr2_object_peer(const struct tr2_model *m,
			 const struct tr2_observed_object *object);

/* Add it in words: "pipe to sort", "tcp 10.1.2.3:443 x 8, timer", "lock
 * .git/index.lock, held by git gc". */
void tr2_object_add_text(struct tr2_buf *b, const struct tr2_model *m,
			 const struct tr2_observed_object *object);
