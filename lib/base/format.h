/* SPDX-License-Identifier: MIT */
/*
 * format - whether a format of printf() may be handed to the C library.
 *
 * A width or a precision is often computed, and a wrong value may be INT_MAX.
 * The C library would then make 2 GB of blanks or zeros, and glibc takes 4 to
 * 10 GB of memory for that. With _FORTIFY_SOURCE, glibc ends the process for a
 * format in writable memory that writes (%n). It also ends the process for a
 * position that is left out, as %1$s in "%2$s", whose type is unknown.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

/* A text with more blanks or zeros than this is no message. */
#define TR2_FORMAT_MAX_WIDTH (1u << 20)

/* Return false if a width, or the precision of a number, exceeds
 * TR2_FORMAT_MAX_WIDTH, if the format writes (%n), or if only some arguments
 * have a position. Leave ap usable. Signal-safe. */
bool tr2_format_is_safe(const char *fmt, va_list ap);
