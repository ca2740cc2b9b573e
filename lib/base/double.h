/* SPDX-License-Identifier: MIT */
/*
 * double - decimal text of a number, in integer arithmetic alone.
 *
 * The host may trap floating-point exceptions, or test their flags. So its
 * numbers are never computed with, compared or converted, only their bits are
 * looked at: even a comparison raises one for a signalling NaN.
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

/* Is it neither infinite nor NaN? */
static inline bool tr2_double_is_finite(uint64_t bits)
{
	return (bits >> 52 & 0x7ff) != 0x7ff;
}

/*
 * Put the text that printf() gives with "%.15g", or, if that is another number,
 * with "%.17g", at most TR2_DOUBLE_BYTES without an end: 0.1, 1e+100, NaN,
 * Infinity, -Infinity. Return its end. Signal-safe.
 */
#define TR2_DOUBLE_BYTES 32
char *tr2_put_double(char *p, uint64_t bits);
