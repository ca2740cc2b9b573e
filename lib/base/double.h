/* SPDX-License-Identifier: MIT */
/*
 * double - decimal text of a number, in integer arithmetic alone.
 *
 * The host may trap floating-point exceptions, or test their flags. The library
 * therefore reads only the bits of the host's numbers, and never computes with,
 * compares or converts them: even a comparison raises an exception for a
 * signalling NaN.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tr2_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Return whether the number is finite: not infinite, not NaN. */
static inline bool tr2_double_is_finite(uint64_t bits)
{
	return (bits >> 52 & 0x7ff) != 0x7ff;
}

/*
 * Put the text of printf()'s "%.15g"; if this text reads back as another
 * number, put the text of "%.17g". The text has at most TR2_DOUBLE_BYTES bytes
 * and no NUL: 0.1, 1e+100, NaN, Infinity, -Infinity. Return its end.
 * Signal-safe.
 */
#define TR2_DOUBLE_BYTES 32
char *tr2_put_double(char *p, uint64_t bits);
