/* SPDX-License-Identifier: MIT */
/*
 * ring_nesting - correct the nesting of events in a ring by their order.
 *
 * A signal handler may interrupt its thread between the record of an enter and
 * the count of open regions: its events then say one less than is open. With a
 * leave, they say one more.
 */
#ifndef TR2_FORMAT_RING_RING_NESTING_H
#define TR2_FORMAT_RING_RING_NESTING_H

#include <stdbool.h>

#include "model/parsed_event.h"

/* Of a thread. Zeroed means that nothing is known. */
struct tr2_ring_nesting {
	int64_t open; /* regions, by the records so far */
	/* How much more than is open an interrupting handler's events would
	 * say, and those of the present one do. */
	int may_be_off, off;
};

/*
 * Correct ev->nesting, which the record has. Call it in the order of the ring.
 * is_behind_loss: records before it were lost, so that it is right.
 */
void tr2_ring_nesting_correct(struct tr2_ring_nesting *n, bool is_behind_loss,
			      struct tr2_parsed_event *ev);

#endif
