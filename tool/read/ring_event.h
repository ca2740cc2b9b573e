/* SPDX-License-Identifier: MIT */
/*
 * ring_event - one event's record of a ring into a struct
 * tr2_parsed_event.
 */
#ifndef TR2_READ_RING_EVENT_H
#define TR2_READ_RING_EVENT_H

#include "base/buf.h"
#include "model/parsed_event.h"
#include "ring/layout.h"

/* What the fields of an event point into, beside the record. Zeroed is initialised.
 */
struct tr2_ring_event {
	struct tr2_buf text, argv, histogram, buckets;
	unsigned int nesting; /* 1 + open regions, as the record has it */
};

/*
 * Fills `ev` but for its times, session and thread. Views last as long as the
 * record, or until the next call. Of a record that is too short for its fields,
 * those that are there are taken. false: it is no event, or there is no memory.
 */
bool tr2_ring_event(struct tr2_ring_event *e, const struct tr2_record *record,
		    struct tr2_parsed_event *ev);
void tr2_ring_event_release(struct tr2_ring_event *e);

/* One more bucket of a histogram, in the event target's form but for the ]
 * at its end. */
void tr2_ring_add_bucket(struct tr2_buf *out, uint64_t upper_ns,
			 uint64_t count);

#endif
