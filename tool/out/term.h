/* SPDX-License-Identifier: MIT */
/*
 * term - where text goes: its width, its colours, a pager.
 *
 * Piped text is stable and whole: no colour, no pager, no line is cut.
 */
#ifndef TR2_OUT_TERM_H
#define TR2_OUT_TERM_H

#include <stdbool.h>

enum tr2_color {
	TR2_COLOR_NONE,
	TR2_COLOR_HEADING, /* bold */
	TR2_COLOR_DIM,     /* lines of trees, what is uncertain */
	TR2_COLOR_HOT,     /* much of the time */
	TR2_COLOR_WARM,
	TR2_COLOR_BAD,     /* errors, codes other than 0 */
	TR2_COLOR_GOOD
};

/* Decides on colour and width, and starts a pager when stdout is a terminal
 * and `pager` and the options say so. Called before output, and again when
 * descriptor 1 has become another. */
void tr2_term_start(bool pager);
/* Waits for the pager. */
void tr2_term_end(void);

unsigned int tr2_term_width(void); /* in columns; 0: it is no terminal */
/* The sequences around text of a colour; "" without colours. */
const char *tr2_color_on(enum tr2_color color);
const char *tr2_color_off(enum tr2_color color);

#endif
