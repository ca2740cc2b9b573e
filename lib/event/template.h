/* SPDX-License-Identifier: MIT */
/*
 * template - the text templates of the event table, read once into operations
 * so that an event costs no search for names.
 */
#ifndef TR2_EVENT_TEMPLATE_H
#define TR2_EVENT_TEMPLATE_H

#include "event/event.h"

enum tr2_op_kind {
	TR2_OP_END,
	TR2_OP_TEXT, /* text, len */
	TR2_OP_IF, /* field; absent: skip the next `len` operations */
	/* A field, by its type and its form in the template: */
	TR2_OP_STR,
	TR2_OP_WORD, /* as a shell word */
	TR2_OP_WORDS, /* shell words */
	TR2_OP_ARROWS, /* words joined by " <- " */
	TR2_OP_INT,
	TR2_OP_UINT,
	TR2_OP_SECONDS,
	TR2_OP_WIDE, /* seconds at least 8 wide */
	TR2_OP_T_ABS,
	TR2_OP_T_REL,
	TR2_OP_NESTING
};

struct tr2_op {
	uint8_t kind, field;
	uint16_t len;
	const char *text;
};

struct tr2_templates {
	const struct tr2_op *normal, *perf_category, *perf_message;
};

/* Where the row has no template, one that shows nothing. After _prepare only. */
extern struct tr2_templates tr2_templates[TR2_EVENT_NR];

/* Reads the table; a second call does nothing. Not thread-safe at first. */
void tr2_templates_prepare(void);

#endif
