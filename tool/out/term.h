/* SPDX-License-Identifier: MIT */
/*
 * term - properties of the output: width, colours, a pager.
 *
 * Piped text is stable: no colour, no pager.
 */
#pragma once

#include <stdbool.h>

enum tr2_color {
	TR2_COLOR_NONE,
	TR2_COLOR_HEADING, /* bold */
	TR2_COLOR_DIM,     /* for lines of trees, and for uncertain values */
	TR2_COLOR_HOT,     /* for a large part of the time */
	TR2_COLOR_WARM,
	TR2_COLOR_BAD,     /* for errors, and for exit codes other than 0 */
	TR2_COLOR_GOOD
};

/* Find the size of the terminal, and whether to use colours. color: "auto",
 * "always" or "never"; NULL: the output is for programs. Start a pager if
 * `pager` is set and stdout is a terminal. Call this before any output, and
 * again when descriptor 1 is redirected or the size has changed. */
void tr2_term_start(const char *color, bool pager);
/* End the output, and wait until the pager has ended. */
void tr2_term_end(void);

unsigned int tr2_term_width(void); /* Return the width in columns; 0: stdout is
				    * not a terminal. */
unsigned int tr2_term_height(void); /* Return the height in lines; 0: stdout is
				     * not a terminal. */
/* Return `utf8` if the locale has UTF-8, else `ascii`. */
const char *tr2_term_text(const char *utf8, const char *ascii);
/* Return the sequence before a coloured text, or after it; "" without
 * colours. */
const char *tr2_color_on(enum tr2_color color);
const char *tr2_color_off(enum tr2_color color);
