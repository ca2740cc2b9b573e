/* SPDX-License-Identifier: MIT */
/* record - spans as records of a ring. */
#pragma once

#include <string.h>

#include "event/span.h"
#include "ring/ring.h"

/* Fill a record of n bytes. Clear its last word first, so that bytes after the
 * span's bytes stay zero. */
TR2_RING_INLINE void tr2_span_fill_record(char *p, uint32_t type, size_t n,
					  const struct tr2_span_data *span,
					  uint32_t tid)
{
	struct tr2_record_span *record = (void *)p;

	memset(p + n - TR2_RECORD_ALIGN, 0, TR2_RECORD_ALIGN);
	record->head.type = type;
	record->head.misc = (uint16_t)(span->nesting << TR2_MISC_NESTING_SHIFT);
	record->head.size = (uint16_t)n;
	record->time = type == TR2_RECORD_SPAN_END ? span->end_ns :
						     span->start_ns;
	record->tid = tid;
	record->flags = span->flags;
	record->trace[0] = span->self.trace[0];
	record->trace[1] = span->self.trace[1];
	record->id = span->self.id;
	record->parent = span->parent;
	record->start_ns = span->start_ns;
	record->one_in = span->one_in;
	record->lost = span->lost;
	record->bytes = (uint32_t)span->len;
	record->reserved = 0;
	memcpy(p + sizeof(*record), span->bytes, span->len);
}

/*
 * Write a record into a slot's ring; type: TR2_RECORD_SPAN_… or _TRACE. false:
 * the record was lost, and counted. in_call: the end of the session waits for
 * the caller; otherwise the session may be over already, and the record becomes
 * a filler.
 */
TR2_RING_INLINE bool tr2_span_put_record(struct tr2_slot *slot, uint32_t type,
					 const struct tr2_span_data *span,
					 uint32_t tid, bool in_call)
{
	size_t n = (sizeof(struct tr2_record_span) + span->len +
		    TR2_RECORD_ALIGN - 1) & -(size_t)TR2_RECORD_ALIGN;
	struct tr2_record filler = { TR2_RECORD_FILLER, 0, (uint16_t)n };
	struct tr2_ring_write w;
	struct tr2_call_mark in;

	if (!tr2_ring_begin(&w, slot, (uint32_t)n, &in))
		return false;
	/* Pairs with the barrier at the end of the session: the end switches
	 * tracing off, calls the barrier, and waits for writes that have
	 * begun. */
	if (likely(in_call || trace2_is_enabled()))
		tr2_span_fill_record(w.p, type, n, span, tid);
	else
		memcpy(w.p, &filler, sizeof(filler));
	tr2_ring_end(&w);
	return true;
}
