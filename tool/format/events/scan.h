/* SPDX-License-Identifier: MIT */
/*
 * scan - scan the parts of a line in its usual form: plain strings and plain
 * numbers, a machine word or a vector at a time.
 *
 * Each function that takes a part returns the position after it, or NULL if the
 * general parser must decide. Every line ends with a newline, and no part
 * contains one. So no scan passes the end of the line, and reads of whole words
 * stay within TR2_JSON_PADDING bytes after it.
 */
#pragma once

#include <stdbool.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/view.h"

#define TR2_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#define TR2_ONES 0x0101010101010101ull
#define TR2_HIGHS 0x8080808080808080ull

static inline uint64_t tr2_load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

#if !defined(__SSE2__) && TR2_LITTLE_ENDIAN
/* Set the high bit of each byte that ends a plain string or cannot be in one:
 * quote, backslash, below 0x20, 0x7f and above. The result is exact up to the
 * first such byte. */
static inline uint64_t tr2_special_bytes(uint64_t x)
{
	uint64_t quote = x ^ TR2_ONES * '"', backslash = x ^ TR2_ONES * '\\';
	uint64_t del = x ^ TR2_ONES * 0x7f;

	return (((quote - TR2_ONES) & ~quote) |
		((backslash - TR2_ONES) & ~backslash) |
		((del - TR2_ONES) & ~del) | ((x - TR2_ONES * 0x20) & ~x) | x) &
	       TR2_HIGHS;
}
#endif

/* Return the number of bytes before the first byte that is not plain. */
static inline size_t tr2_plain_length(const char *p)
{
	const char *start = p;
#if defined(__SSE2__)
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* After the addition of 1, bytes that were 0x7f or more are
		 * negative, and 0xff is 0: all are below 0x21. */
		__m128i up = _mm_add_epi8(x, _mm_set1_epi8(1));
		__m128i bad = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
				     _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))),
			_mm_cmplt_epi8(up, _mm_set1_epi8(0x21)));
		unsigned int mask = (unsigned int)_mm_movemask_epi8(bad);

		if (mask)
			return (size_t)(p - start) +
			       (size_t)__builtin_ctz(mask);
	}
#elif TR2_LITTLE_ENDIAN
	for (;; p += 8) {
		uint64_t special = tr2_special_bytes(tr2_load8(p));

		if (special)
			return (size_t)(p - start) +
			       (size_t)__builtin_ctzll(special) / 8;
	}
#else
	while ((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f &&
	       *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - start);
#endif
}

/* Parse a string; p is after its opening quote. Return the position after its
 * closing quote. */
static inline const char *tr2_plain_string(const char *p, struct tr2_view *out)
{
	size_t len = tr2_plain_length(p);

	if (p[len] != '"')
		return NULL;
	*out = (struct tr2_view){ p, len };
	return p + len + 1;
}

static inline bool tr2_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Convert eight digit values, the first in the lowest byte, to their number, by
 * adding neighbours: pairs, then fours, then all. */
static inline uint64_t tr2_eight_digits(uint64_t x)
{
	x = x * ((10 << 8) + 1) >> 8;
	x = (x & 0x00ff00ff00ff00ffull) * ((100 << 16) + 1) >> 16;
	return (x & 0x0000ffff0000ffffull) * ((10000ull << 32) + 1) >> 32;
}

/* Convert the six digits at p. Return false if they are not digits. 8 bytes are
 * read. */
static inline bool tr2_six_digits(const char *p, int64_t *value)
{
#if TR2_LITTLE_ENDIAN
	/* Put two zeros before the digits to make eight. */
	uint64_t x = (tr2_load8(p) ^ TR2_ONES * '0') << 16;

	if (((x + TR2_ONES * 0x76) | x) & TR2_HIGHS)
		return false;
	*value = (int64_t)tr2_eight_digits(x);
	return true;
#else
	int i;

	for (*value = 0, i = 0; i < 6; i++) {
		if (!tr2_is_digit(p[i]))
			return false;
		*value = *value * 10 + (p[i] - '0');
	}
	return true;
#endif
}

/* Return the number of digits at p, at most 18, and set their value. */
static inline size_t tr2_digits_slow(const char *p, int64_t *value)
{
	size_t n;

	for (*value = 0, n = 0; n < 19 && tr2_is_digit(p[n]); n++)
		if (n < 18)
			*value = *value * 10 + (p[n] - '0');
	return n;
}

static inline size_t tr2_digits(const char *p, int64_t *value)
{
#if TR2_LITTLE_ENDIAN
	uint64_t x = tr2_load8(p) ^ TR2_ONES * '0';
	/* Set the high bit of bytes that are not digits. This is exact up to
	 * the first such byte: the sum of a digit carries nothing into the next
	 * byte. */
	uint64_t other = ((x + TR2_ONES * 0x76) | x) & TR2_HIGHS;
	unsigned int bits;

	if (other) {
		bits = (unsigned int)__builtin_ctzll(other) & ~7u;
		/* Put zeros before the digits to make eight. */
		*value = bits ? (int64_t)tr2_eight_digits(x << (64 - bits)) : 0;
		return bits / 8;
	}
#endif
	return tr2_digits_slow(p, value);
}

static inline bool tr2_ends_value(char c)
{
	return c == ',' || c == '}';
}

static inline const char *tr2_plain_int(const char *p, int64_t *value)
{
	bool negative = *p == '-';
	size_t n = tr2_digits(p + negative, value);

	p += negative;
	/* Reject a missing or too long number, a leading zero, a point, an
	 * exponent, or any byte that cannot follow a value. */
	if (!n || n > 18 || (*p == '0' && (n > 1 || negative)) ||
	    !tr2_ends_value(p[n]))
		return NULL;
	if (negative)
		*value = -*value;
	return p + n;
}

/* Up to this limit, 13 days, seconds in a double times 1e9 are rounded to the
 * exact number. */
#define TR2_MAX_EXACT_NS (1ll << 50)

/* Convert any number of digits before and after the point to nanoseconds. */
static inline const char *tr2_plain_seconds_slow(const char *p, int64_t *ns)
{
	bool negative = *p == '-';
	int64_t whole, part = 0;
	size_t n, decimals = 0;

	p += negative;
	n = tr2_digits(p, &whole);
	if (!n || n > 9 || (*p == '0' && n > 1))
		return NULL;
	p += n;
	if (*p == '.') {
		decimals = tr2_digits(++p, &part);
		if (!decimals || decimals > 9)
			return NULL;
		p += decimals;
	}
	/* Reject an exponent, or any byte that cannot follow a value. */
	if (!tr2_ends_value(*p))
		return NULL;
	for (; decimals < 9; decimals++)
		part *= 10;
	*ns = whole * 1000000000 + part;
	/* The general parser uses a double: accept only numbers that a double
	 * gives exactly. */
	if (*ns > TR2_MAX_EXACT_NS || (negative && !*ns))
		return NULL;
	if (negative)
		*ns = -*ns;
	return p;
}

static inline const char *tr2_plain_seconds(const char *p, int64_t *ns)
{
	int64_t us;

	/* Most values are less than ten seconds, with six decimals. */
	if (p[1] == '.' && tr2_ends_value(p[8]) && tr2_is_digit(*p) &&
	    tr2_six_digits(p + 2, &us)) {
		*ns = (*p - '0') * 1000000000ll + us * 1000;
		return p + 8;
	}
	return tr2_plain_seconds_slow(p, ns);
}

static inline const char *tr2_plain_bool(const char *p, bool *value)
{
	*value = *p == 't';
	if (!memcmp(p, "true", 4))
		return p + 4;
	return memcmp(p, "false", 5) ? NULL : p + 5;
}
