/* SPDX-License-Identifier: MIT */
/*
 * ring - the target whose destination is the calling thread's ring: an event
 * becomes one record (see ring/layout.h), with the fields of its row in the
 * table.
 */
#ifndef TR2_TARGET_RING_H
#define TR2_TARGET_RING_H

#include "event/render.h"

/*
 * Encode the record in r->line. brief: without file and line. tr2_target_put()
 * writes it.
 */
void tr2_render_ring(struct tr2_render *r, const struct tr2_event *ev,
		     bool brief);

#endif
