/* SPDX-License-Identifier: MIT */
/*
 * ring_event - convert one event's record of a ring into a struct
 * tr2_parsed_event.
 */
#pragma once

#include "base/buf.h"
#include "common/map.h"
#include "format/ring/ring_file.h"
#include "model/parsed_event.h"
#include "ring/layout.h"

/* The memory for fields of an event that are not in the record. Initialize this
 * with zeros. */
struct tr2_ring_event {
	struct tr2_buf text, argv, histogram, buckets;
};

/*
 * Fill `ev`, except its times, session and thread. Views are valid as long as
 * the record, and until the next call. If a record is too short for its fields,
 * fill only the fields that it has. f has the rows of sites. Return false if
 * the record is not an event.
 */
bool tr2_ring_event(struct tr2_ring_event *e, const struct tr2_ring_file *f,
		    const struct tr2_record *record,
		    struct tr2_parsed_event *ev);

/* Does the record belong to an event, and is its head whole? */
bool tr2_ring_is_event(const struct tr2_record *record);
/* Return the thread of an event. */
uint32_t tr2_ring_event_tid(const struct tr2_record *record);
void tr2_ring_event_release(struct tr2_ring_event *e);

/* Append one more bucket of a histogram, in the event target's form without the
 * closing ]. is_time: give the bound in seconds. */
void tr2_ring_add_bucket(struct tr2_buf *out, uint64_t upper, uint64_t count,
			 bool is_time);

/*
 * Converts spans to the data_json events that other targets have. A span whose
 * end was not written becomes an unfinished span, after all other events.
 * Initialize this with zeros.
 */
struct tr2_ring_spans {
	struct tr2_map open; /* maps a span's id to 1 + the index in `start` */
	const struct tr2_record_span **start; /* records of starts; NULL: the
					       * span has ended */
	uint32_t nr, alloc;
};

/* Does the record belong to a span or a trace, and is its head whole? */
bool tr2_ring_is_span(const struct tr2_record *record);

/* Fill `ev` as tr2_ring_event() does. Return false if the record gives no
 * event, such as the start of a span. */
bool tr2_ring_span(struct tr2_ring_spans *s, struct tr2_ring_event *e,
		   const struct tr2_ring_file *f,
		   const struct tr2_record_span *record,
		   struct tr2_parsed_event *ev);

/* Fill `ev` with the unfinished span of start[i]. Return false if that span has
 * ended. */
bool tr2_ring_span_unfinished(const struct tr2_ring_spans *s, uint32_t i,
			      struct tr2_ring_event *e,
			      const struct tr2_ring_file *f, uint64_t end_ns,
			      struct tr2_parsed_event *ev);

void tr2_ring_spans_reset(struct tr2_ring_spans *s);
void tr2_ring_spans_release(struct tr2_ring_spans *s);
