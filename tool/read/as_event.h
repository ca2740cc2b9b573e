/* SPDX-License-Identifier: MIT */
/*
 * as_event - what a loader read, as the library's struct tr2_event, so that
 * lib/event/render.h writes it in any of Git's formats.
 */
#ifndef TR2_READ_AS_EVENT_H
#define TR2_READ_AS_EVENT_H

#include "event/event.h"
#include "model/build.h"

/* An event and the memory that it points into. Zeroed is initialised. */
struct tr2_as_event {
	struct tr2_event event;
	struct tr2_who who;
	struct tr2_value values[TR2_MAX_FIELDS];
	struct tr2_buf text, head, perf_head, words, histogram;
};

/*
 * Fills e->event from `in`, which is of a known kind; `nesting` is 1 + the
 * open regions of its thread. It lasts until the next call. false: no memory.
 */
bool tr2_as_event(struct tr2_as_event *e, const struct tr2_model *m,
		  const struct tr2_in *in, unsigned int nesting);
void tr2_as_event_release(struct tr2_as_event *e);

#endif
