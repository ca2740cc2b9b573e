/* SPDX-License-Identifier: MIT */
/*
 * objects - find the objects for which threads waited, as the observer saw them
 * during the wait. The observer looks at threads from time to time: a wait that
 * begins and ends between two looks has no object.
 */
#pragma once

#include "model/model.h"

/* Return the object of a wait of a task thread; NULL: it is unknown, or the
 * state is not a wait. */
const struct tr2_observed_object *
tr2_object_of(const struct tr2_model *m, uint32_t task_thread, uint32_t state);

/* Return the object of a wait in words; 0: unknown. */
tr2_str tr2_object_text(const struct tr2_model *m, uint32_t task_thread,
			uint32_t state);

/* Return the time for which the observer saw the wait of m->objects[i]; the
 * wait was at least that long. 0: an earlier object belongs to the same
 * wait. */
int64_t tr2_object_seen_ns(const struct tr2_model *m, uint32_t i);

/* Return the object for which the threads of a task waited longest; NULL: none
 * is known. Set *ns to the total of these waits or, without states, to the time
 * for which the observer saw them. */
const struct tr2_observed_object *
tr2_object_of_task(const struct tr2_model *m, uint32_t task, int64_t *ns);

/* Add a wait in words: cause and object, as in "poll: tcp 10.1.2.3:443". Write
 * a word only once if both contain it: "pipe to sort", "sleep 5 s". object may
 * be 0. */
struct tr2_buf;
void tr2_wait_add_text(struct tr2_buf *b, const struct tr2_model *m,
		       enum tr2_cause cause, tr2_str object);
