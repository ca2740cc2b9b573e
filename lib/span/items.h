/* SPDX-License-Identifier: MIT */
/*
 * items - set names, attributes and intervals of an open span. Items that do
 * not fit are counted in the span. Secrets are hidden here, once for all
 * targets.
 */
#pragma once

#include "span/table.h"

#define TR2_SPAN_CATEGORY_MAX 100u
#define TR2_SPAN_NAME_MAX 200u
#define TR2_SPAN_KEY_MAX 64u
#define TR2_SPAN_STRING_MAX 256u
/* Attributes leave room for the reason of a failure; intervals also leave room
 * for attributes. */
#define TR2_SPAN_ATTRIBUTES_MAX (TR2_SPAN_ROOM - TR2_SPAN_REASON_MAX - 4)
#define TR2_SPAN_INTERVALS_MAX (TR2_SPAN_ROOM * 3 / 4)
#define TR2_SPAN_REASON_MAX 128u

/* Set the names of the span, before any other item. */
void tr2_span_set_names(struct tr2_open_span *span,
			struct trace2_text_ category, struct trace2_text_ name,
			bool redact);

/* Set a number. type: INT, DOUBLE or BOOL. */
void tr2_span_set_number(struct tr2_open_span *span, struct trace2_text_ key,
			 enum tr2_item_type type, uint64_t value, bool redact);
/* Set a text. type: STRING, or FAILED or STATE, which have no key. */
void tr2_span_set_text(struct tr2_open_span *span, struct trace2_text_ key,
		       enum tr2_item_type type, struct trace2_text_ text,
		       bool redact);

struct tr2_interval {
	const char *thread;
	uint32_t tid;
	uint64_t from_ns, to_ns;
};
#define TR2_SPAN_NO_KEY ((struct trace2_text_){ "", 0 })
void tr2_span_add_interval(struct tr2_open_span *span,
			   const struct tr2_interval *interval);
