/* SPDX-License-Identifier: MIT */
/*
 * template - the text templates of the event table, compiled once into
 * operations, so that rendering an event searches for no names.
 */
#pragma once

#include "event/event.h"

enum tr2_op_kind {
	TR2_OP_END,
	TR2_OP_TEXT, /* text, len */
	TR2_OP_IF, /* skip the next `len` operations unless `field` is
		    * present */
	/* Append the value of a field. The type of the field and its form in
	 * the template choose the operation: */
	TR2_OP_STR,
	TR2_OP_LAST_STR, /* a string at the end of the line */
	TR2_OP_FREE_STR, /* a string of a field with TR2_F_FREE at the end of
			  * the line */
	TR2_OP_WORD, /* a string as a shell word */
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

/*
 * The templates of each event; a row without a template gets a template that
 * shows nothing. NULL before it is compiled.
 */
extern struct tr2_templates tr2_templates[TR2_EVENT_NR];

/* Compile the templates of these targets, unless they are compiled already. Not
 * thread-safe. */
void tr2_templates_prepare(bool normal, bool perf);
