/* SPDX-License-Identifier: MIT */
/* random - made-up measures. */
#pragma once

#include "../helper/system.h"

static uint64_t seed;

/* Return a number between 0 and 1, exclusive (Marsaglia, "Xorshift RNGs",
 * 2003). */
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}
