/* SPDX-License-Identifier: MIT */
/*
 * ring - the target whose destination is the calling thread's ring: an event
 * as one record (see ring/layout.h), its fields as its row in the table has
 * them.
 */
#ifndef TR2_TARGET_RING_H
#define TR2_TARGET_RING_H

#include "event/render.h"

/*
 * Puts the record together in r->line. brief: without file and line. See
 * tr2_target_put() for where it goes.
 */
void tr2_render_ring(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief);

#endif
