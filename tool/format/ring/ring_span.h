/* SPDX-License-Identifier: MIT */
/*
 * ring_span - convert records of spans into the data_json events that other
 * targets have of them. A span whose end was not written is told as unfinished,
 * behind all other events.
 */
#ifndef TR2_FORMAT_RING_RING_SPAN_H
#define TR2_FORMAT_RING_RING_SPAN_H

#include "common/map.h"
#include "format/ring/ring_event.h"

/* Zeroed means initialised. */
struct tr2_ring_spans {
	struct tr2_map open; /* by id: 1 + index of a start */
	const struct tr2_record_span **start; /* NULL: it has ended */
	uint32_t nr, alloc;
};

/* Is it such a record, with a whole head? */
bool tr2_ring_is_span(const struct tr2_record *record);

/* As tr2_ring_event(). false: no event, as of a start. */
bool tr2_ring_span(struct tr2_ring_spans *s, struct tr2_ring_event *e,
		   const struct tr2_ring_file *f,
		   const struct tr2_record_span *record,
		   struct tr2_parsed_event *ev);

/* Fill ev from start number i; false: it has ended. */
bool tr2_ring_span_unfinished(const struct tr2_ring_spans *s, uint32_t i,
			      struct tr2_ring_event *e,
			      const struct tr2_ring_file *f, uint64_t end_ns,
			      struct tr2_parsed_event *ev);

void tr2_ring_spans_reset(struct tr2_ring_spans *s);
void tr2_ring_spans_release(struct tr2_ring_spans *s);

#endif
