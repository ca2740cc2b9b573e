/* SPDX-License-Identifier: MIT */
/*
 * text_scan - look for special bytes in a string, a vector at a time.
 *
 * Only renderers include it, because the compiler takes long for the header of
 * the vector instructions.
 */
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* Classes of bytes that a renderer must treat specially. */
#define TR2_TEXT_CONTROL (1u << 0) /* below 0x20, or DEL */
#define TR2_TEXT_JSON (1u << 1) /* a quote, a backslash, 0x80 and above */
#define TR2_TEXT_MARK (1u << 2) /* ':' or '=': possibly a secret */

/*
 * Load s[0..n), n below 8, into 8 bytes. Some bytes of s may occur twice, and
 * letters fill the rest.
 */
static inline uint64_t tr2_text_load_short(const char *s, size_t n)
{
	const uint64_t letters = UINT64_C(0x6161616161616161);
	uint32_t first, last;

	if (n >= 4) {
		memcpy(&first, s, 4);
		memcpy(&last, s + n - 4, 4);
		return first | (uint64_t)last << 32;
	}
	if (!n)
		return letters;
	return letters << 24 | (unsigned char)s[0] |
	       (uint64_t)(unsigned char)s[n / 2] << 8 |
	       (uint64_t)(unsigned char)s[n - 1] << 16;
}

static inline uint64_t tr2_text_load(const char *s)
{
	uint64_t x;

	memcpy(&x, s, 8);
	return x;
}

/*
 * Return the classes of bytes in s[0..n). The result has every class that
 * occurs, and may also have a class that does not occur. The function reads 16
 * or 8 bytes at a time, the last ones possibly twice.
 */
#if defined(__SSE2__)
static inline unsigned int tr2_text_classify(const char *s, size_t n)
{
	__m128i control = _mm_setzero_si128(), json = control, mark = control;
	const char *last = s + n - 16; /* read only if n is at least 16 */
	__m128i x;

	if (n >= 16)
		x = _mm_loadu_si128((const __m128i *)(const void *)s);
	else if (n >= 8)
		x = _mm_set_epi64x((long long)tr2_text_load(s + n - 8),
				   (long long)tr2_text_load(s));
	else
		x = _mm_set1_epi64x((long long)tr2_text_load_short(s, n));
	for (;;) {
#define IS(c) _mm_cmpeq_epi8(x, _mm_set1_epi8(c))
#define OR(a, b) _mm_or_si128(a, b)
		/* A byte is below 0x20 if it equals the minimum of itself and
		 * 0x1f. */
		control = OR(control, OR(IS(0x7f),
					 _mm_cmpeq_epi8(_mm_min_epu8(
						 x, _mm_set1_epi8(0x1f)), x)));
		json = OR(json, OR(x, OR(IS('"'), IS('\\'))));
		mark = OR(mark, OR(IS(':'), IS('=')));
#undef OR
#undef IS
		if (n <= 16 || s >= last)
			break;
		s = last - s > 16 ? s + 16 : last;
		x = _mm_loadu_si128((const __m128i *)(const void *)s);
	}
	/* In each vector, the top bit of a byte is set if the byte belongs to
	 * the class. movemask collects these bits. */
	return (_mm_movemask_epi8(control) ? TR2_TEXT_CONTROL : 0) |
	       (_mm_movemask_epi8(json) ? TR2_TEXT_JSON : 0) |
	       (_mm_movemask_epi8(mark) ? TR2_TEXT_MARK : 0);
}
#else
/* Search without vectors: (x - 0x01…) & ~x & 0x80… is not 0 if a byte of x is 0
 * (Mycroft 1987). */
static inline unsigned int tr2_text_classify(const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t control = 0, json = 0, mark = 0, x;
	bool more;

	do {
		more = n > 8;
		x = n < 8 ? tr2_text_load_short(s, n) : tr2_text_load(s);
#define HAS(c) (((x ^ ones * (c)) - ones) & ~(x ^ ones * (c)))
		control |= ((x - ones * 0x20) & ~x) | HAS(0x7fu);
		json |= x | HAS(0x22u) | HAS(0x5cu);
		mark |= HAS(0x3au) | HAS(0x3du);
#undef HAS
		s += 8;
		n -= more ? 8 : n;
	} while (more);
	return (control & tops ? TR2_TEXT_CONTROL : 0) |
	       (json & tops ? TR2_TEXT_JSON : 0) |
	       (mark & tops ? TR2_TEXT_MARK : 0);
}
#endif

/* Return whether s[0..n), n at most 16, contains no mark, dash or NUL. */
#if defined(__SSE2__)
static inline bool tr2_text_is_unmarked(const char *s, size_t n)
{
	__m128i x, odd;

	if (n >= 8)
		x = _mm_set_epi64x((long long)tr2_text_load(s + n - 8),
				   (long long)tr2_text_load(s));
	else
		x = _mm_cvtsi64_si128((long long)tr2_text_load_short(s, n));
#define IS(c) _mm_cmpeq_epi8(x, _mm_set1_epi8(c))
	odd = _mm_or_si128(_mm_or_si128(IS(':'), IS('=')),
			   _mm_or_si128(IS('-'), IS('\0')));
#undef IS
	return !(_mm_movemask_epi8(odd) & (n >= 8 ? 0xffff : 0xff));
}
#else
static inline bool tr2_text_is_unmarked(const char *s, size_t n)
{
	return !(tr2_text_classify(s, n) &
		 (TR2_TEXT_MARK | TR2_TEXT_CONTROL)) && !memchr(s, '-', n);
}
#endif

/*
 * Copy s[0..n) to `to`. true: no byte needs an escape in any target, and no
 * byte is a mark of a secret. false: some byte may need an escape, or may be
 * such a mark.
 */
#if defined(__SSE2__)
/* Return a vector that is not 0 in each byte that is a control, a quote, a
 * backslash, a mark, or not ASCII. As a signed number, x + 1 is below 0x21 for
 * 0x7f to 0xff, too. */
static inline __m128i tr2_text_odd(__m128i x)
{
#define IS(c) _mm_cmpeq_epi8(x, _mm_set1_epi8(c))
#define OR(a, b) _mm_or_si128(a, b)
	return OR(_mm_cmplt_epi8(_mm_add_epi8(x, _mm_set1_epi8(1)),
				 _mm_set1_epi8(0x21)),
		  OR(OR(IS('"'), IS('\\')), OR(IS(':'), IS('='))));
#undef OR
#undef IS
}

static inline bool tr2_text_copy_short(char *to, const char *s, size_t n)
{
	uint64_t low, high;

	if (n >= 8) {
		low = tr2_text_load(s);
		high = tr2_text_load(s + n - 8);
		memcpy(to, &low, 8);
		memcpy(to + n - 8, &high, 8);
	} else {
		low = high = tr2_text_load_short(s, n);
		if (n >= 4) {
			memcpy(to, s, 4);
			memcpy(to + n - 4, s + n - 4, 4);
		} else if (n) {
			to[0] = s[0];
			to[n / 2] = s[n / 2];
			to[n - 1] = s[n - 1];
		}
	}
	return !_mm_movemask_epi8(tr2_text_odd(
		_mm_set_epi64x((long long)high, (long long)low)));
}

static inline bool tr2_text_copy(char *to, const char *s, size_t n)
{
	__m128i odd = _mm_setzero_si128(), x;
	size_t at;

	if (n < 16)
		return tr2_text_copy_short(to, s, n);
	if (n >= TR2_TEXT_WIDE_BYTES && tr2_text_has_wide)
		return tr2_text_copy_wide(to, s, n);
	for (at = 0;; at = at + 32 <= n ? at + 16 : n - 16) {
		x = _mm_loadu_si128((const __m128i *)(const void *)(s + at));
		_mm_storeu_si128((__m128i *)(void *)(to + at), x);
		odd = _mm_or_si128(odd, tr2_text_odd(x));
		if (at + 16 == n)
			return !_mm_movemask_epi8(odd);
	}
}
#else
static inline bool tr2_text_copy(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return !tr2_text_classify(s, n);
}
#endif
