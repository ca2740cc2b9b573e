/* SPDX-License-Identifier: MIT */
/*
 * span - a span of the program as one piece of data, and as JSON.
 *
 * The names, attributes and intervals are bytes, the same in the table of open
 * spans and in a ring's records:
 *
 *	u8 length, that many bytes	the category
 *	u8 length, that many bytes	the name
 *	items, each: u8 type, u8 length, that many bytes of a key, and by type
 *		INT, DOUBLE	u64: two's complement; the bits of a double
 *		BOOL		u8
 *		STRING		u16 length, that many bytes
 *		FAILED, STATE	the same, without a key: the reason; tracestate
 *		INTERVAL	u32 tid, u64 from, u64 to, monotonic; the key is
 *				the name of the thread that worked for it
 *
 * Nothing is aligned. A reader stops at a type that it does not know. Of
 * several values of one key the last one counts. Signal-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The category and keys of the events. */
#define TR2_SPAN_EVENT_CATEGORY "trace2"
#define TR2_SPAN_EVENT_KEY "span"
#define TR2_TRACE_EVENT_KEY "trace"

enum tr2_item_type {
	TR2_ITEM_INT = 1,
	TR2_ITEM_DOUBLE,
	TR2_ITEM_BOOL,
	TR2_ITEM_STRING,
	TR2_ITEM_FAILED,
	TR2_ITEM_STATE,
	TR2_ITEM_INTERVAL
};

/* The W3C's ids: they identify a span, and its trace. */
struct tr2_context {
	uint64_t trace[2]; /* trace[0] is the high half */
	uint64_t id; /* 0: no span */
};

/* Flags of a span. */
#define TR2_SPAN_DATA_SAMPLED (1u << 0)
#define TR2_SPAN_DATA_REMOTE (1u << 1) /* the parent of the span is in another
					* process */
#define TR2_SPAN_DATA_UNFINISHED (1u << 2) /* the span was open when the process
					    * ended */
#define TR2_SPAN_DATA_FAILED (1u << 3) /* the item FAILED, if present, has the
					* reason */

struct tr2_span_data {
	struct tr2_context self;
	uint64_t parent; /* 0: none */
	uint64_t start_ns, end_ns; /* monotonic */
	uint32_t flags;
	uint32_t one_in; /* the number of spans that this sampled span
			  * represents */
	uint32_t lost; /* number of attributes and intervals that did not fit */
	uint32_t nesting; /* 1 + the number of open regions of the thread that
			   * ended the span */
	const char *bytes;
	size_t len;
};

/* Append the JSON object of the event. If there is no memory, append nothing
 * and set b->failed. Times count from start_ns. */
void tr2_span_data_json(struct tr2_buf *b, const struct tr2_span_data *span,
			uint64_t start_ns);

/* Append the JSON object for a session that is in a trace. */
void tr2_trace_data_json(struct tr2_buf *b, const struct tr2_context *self,
			 uint64_t parent, bool sampled);

/* Append an id in the W3C's form. */
void tr2_context_add_trace(struct tr2_buf *b,
			   const struct tr2_context *context);
void tr2_context_add_id(struct tr2_buf *b, uint64_t id);

#define TR2_TRACEPARENT_BYTES 55

/* Write a traceparent, with a NUL. */
void tr2_context_format(char out[TR2_TRACEPARENT_BYTES + 1],
			const struct tr2_context *context, bool sampled);

/* Parse a traceparent of version 00, or of a later version that begins like it.
 * s may be NULL. false: invalid. */
bool tr2_context_parse(const char *s, struct tr2_context *context,
		       bool *sampled);

/* Return the id that stands for a child process in its traceparent. id: the id
 * of the session or span that starts it; number: the number of the
 * child_start. */
uint64_t tr2_context_child(uint64_t id, uint64_t number);

/* Mix all bits; different numbers give different results. */
static inline uint64_t tr2_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}
