/* SPDX-License-Identifier: MIT */
/*
 * put_hex - write a number in hexadecimal at a cursor.
 *
 * Separate from base/put.h, because the compiler takes long for the header of
 * the vector instructions.
 */
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <endian.h>
#endif

#include <stdint.h>

#include "base/put.h"

#if defined(__SSE2__)
/* Write exactly 16 digits. */
static inline char *tr2_put_hex16(char *p, uint64_t value)
{
	const __m128i fifteen = _mm_set1_epi8(15);
	__m128i x = _mm_cvtsi64_si128((long long)__builtin_bswap64(value));

	/* Spread the half bytes, each to a byte of its own. */
	x = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), fifteen),
			      _mm_and_si128(x, fifteen));
	x = _mm_add_epi8(_mm_add_epi8(x, _mm_set1_epi8('0')),
			 _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(9)),
				       _mm_set1_epi8('a' - '0' - 10)));
	_mm_storeu_si128((__m128i *)(void *)p, x);
	return p + 16;
}
#else
/* Return the 8 hexadecimal digits of a number, the first one in the lowest
 * byte. */
static inline uint64_t tr2_hex_8(uint32_t value)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x = __builtin_bswap32(value);

	/* Spread the half bytes, each to a byte of its own. */
	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x >> 4 & (ones * 15)) | (x & UINT64_C(0x000f000f000f000f)) << 8;
	return x + ones * '0' + ((x + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
}

/* Write exactly 16 digits. */
static inline char *tr2_put_hex16(char *p, uint64_t value)
{
	const uint64_t text[2] = {
		htole64(tr2_hex_8((uint32_t)(value >> 32))),
		htole64(tr2_hex_8((uint32_t)value)),
	};

	return tr2_put(p, (const char *)text, sizeof(text));
}
#endif
