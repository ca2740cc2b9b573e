/* SPDX-License-Identifier: MIT */
/*
 * ring_event - convert one event's record of a ring into a struct
 * tr2_parsed_event.
 */
#ifndef TR2_FORMAT_RING_RING_EVENT_H
#define TR2_FORMAT_RING_RING_EVENT_H

#include "base/buf.h"
#include "format/ring/ring_file.h"
#include "model/parsed_event.h"
#include "ring/layout.h"

/* The memory for an event's fields that are not in the record. Zeroed means
 * initialised. */
struct tr2_ring_event {
	struct tr2_buf text, argv, histogram, buckets;
};

/*
 * Fill `ev`, except its times, session and thread. Views are valid as long as
 * the record, and until the next call. If a record is too short for its fields,
 * those that are present are taken. f: has the rows of sites. false: it is not
 * an event.
 */
bool tr2_ring_event(struct tr2_ring_event *e, const struct tr2_ring_file *f,
		    const struct tr2_record *record,
		    struct tr2_parsed_event *ev);

/* Is it an event, with a whole head? */
bool tr2_ring_is_event(const struct tr2_record *record);
/* Return the thread of an event. */
uint32_t tr2_ring_event_tid(const struct tr2_record *record);
void tr2_ring_event_release(struct tr2_ring_event *e);

/* Append one more bucket of a histogram, in the event target's form without the
 * closing ]: in seconds, or as it is. */
void tr2_ring_add_bucket(struct tr2_buf *out, uint64_t upper, uint64_t count,
			 bool is_time);

#endif
