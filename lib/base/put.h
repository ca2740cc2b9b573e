/* SPDX-License-Identifier: MIT */
/*
 * put - write at a cursor into memory with enough room.
 *
 * The fast half of buf: a renderer asks once for the room of a whole line and
 * then writes without checks. Every function returns the cursor after its
 * output; `slack` is the number of bytes after the output that it may
 * overwrite.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

static inline char *tr2_put(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

/* Copy short texts as two overlapping pieces: faster than any loop. s may be
 * NULL if n is 0. */
TR2_INLINE char *
tr2_put_short(char *p, const char *s, size_t n)
{
	if (n > 16) {
		memcpy(p, s, n);
	} else if (n >= 8) {
		memcpy(p, s, 8);
		memcpy(p + n - 8, s + n - 8, 8);
	} else if (n >= 4) {
		memcpy(p, s, 4);
		memcpy(p + n - 4, s + n - 4, 4);
	} else if (n) {
		p[0] = s[0];
		p[n / 2] = s[n / 2];
		p[n - 1] = s[n - 1];
	}
	return p + n;
}

/* Copy n bytes in whole blocks, at least one block. The rest of the last block
 * is read after s[n - 1] and written after the copy: both memories need room
 * for this slack. */
#define TR2_PUT_BLOCK 64
TR2_INLINE char *
tr2_put_blocks(char *p, const char *s, size_t n)
{
	size_t at = TR2_PUT_BLOCK;

	memcpy(p, s, TR2_PUT_BLOCK);
	for (; unlikely(at < n); at += TR2_PUT_BLOCK)
		memcpy(p + at, s + at, TR2_PUT_BLOCK);
	return p + n;
}

/* Put c n times; the slack is 15 bytes. c must be a constant: else the compiler
 * would call a function. */
TR2_INLINE char *tr2_put_chars(char *p, char c, size_t n)
{
	size_t at;

	for (at = 0; at < n; at += 16)
		memset(p + at, c, 16);
	return p + n;
}

#define tr2_put_lit(p, literal) tr2_put((p), "" literal, sizeof(literal) - 1)

/* A key of at most TR2_KEY_MAX bytes, copied in one piece; the slack is
 * TR2_KEY_MAX. */
#define TR2_KEY_MAX 32
struct tr2_key {
	char text[TR2_KEY_MAX];
	uint8_t len;
};
#define TR2_KEY(literal) { literal, sizeof(literal) - 1 }

static inline char *tr2_put_key(char *p, const struct tr2_key *key)
{
	memcpy(p, key->text, TR2_KEY_MAX);
	return p + key->len;
}

extern const char tr2_two_digits[200] TR2_HIDDEN; /* the digits "00" to "99",
						   * one after the other */

static inline char *tr2_put_2(char *p, uint64_t value)
{
	memcpy(p, tr2_two_digits + 2 * value, 2);
	return p + 2;
}

static inline char *tr2_put_1_or_2(char *p, unsigned int value)
{
	if (value >= 10)
		return tr2_put_2(p, value);
	*p = (char)('0' + value);
	return p + 1;
}

/* Write the next two digits of a fraction of 2^64; leave the rest. Multiply by
 * assembly: gcc makes seven instructions of a product of 128 bits, and five
 * suffice. */
TR2_INLINE char *tr2_put_next_2(char *p, uint64_t *fraction)
{
#if defined(__x86_64__)
	uint64_t digits;

	__asm__("mulq %2"
		: "+a"(*fraction), "=d"(digits)
		: "r"(UINT64_C(100))
		: "cc");
#else
	unsigned __int128 x = (unsigned __int128)*fraction * 100;
	uint64_t digits = (uint64_t)(x >> 64);

	*fraction = (uint64_t)x;
#endif
	return tr2_put_2(p, digits);
}

/* Write the first 6 digits of a fraction of 2^64. */
TR2_INLINE char *tr2_put_fraction_6(char *p, uint64_t fraction)
{
	p = tr2_put_next_2(p, &fraction);
	p = tr2_put_next_2(p, &fraction);
	return tr2_put_next_2(p, &fraction);
}

/* Return the fraction of 2^64 that is value / divisor, or a little more. */
#define TR2_FRACTION(value, divisor) ((value) * (UINT64_MAX / (divisor) + 1))

/* Write exactly 6 digits. */
TR2_INLINE char *
tr2_put_6(char *p, uint32_t value)
{
	return tr2_put_fraction_6(p, TR2_FRACTION(value, 1000000u));
}

/* Write exactly 9 digits. */
static inline char *tr2_put_9(char *p, uint32_t value)
{
	uint32_t high = value / 1000000u;

	*p++ = (char)('0' + high / 100);
	p = tr2_put_2(p, high % 100);
	return tr2_put_6(p, value - high * 1000000u);
}

/* Write a number: at most 20 bytes. tr2_put_u64_slow() writes numbers of any
 * length. */
char *tr2_put_u64_slow(char *p, uint64_t value);

static inline char *tr2_put_u64(char *p, uint64_t value)
{
	if (likely(value < 10)) {
		*p = (char)('0' + value);
		return p + 1;
	}
	if (value < 100)
		return tr2_put_2(p, value);
	if (value < 10000) {
		p = tr2_put_1_or_2(p, (unsigned int)value / 100);
		return tr2_put_2(p, (unsigned int)value % 100);
	}
	return tr2_put_u64_slow(p, value);
}

/* Write a number: at most 20 bytes. */
static inline char *tr2_put_i64(char *p, int64_t value)
{
	uint64_t size = (uint64_t)value;

	if (value < 0) {
		*p++ = '-';
		size = -size;
	}
	return tr2_put_u64(p, size);
}

/* A time in seconds for output with 6 decimals, rounded as by "%.6f". */
struct tr2_seconds {
	uint64_t s, fraction; /* of 2^64 */
};
static inline struct tr2_seconds tr2_seconds_rounded(uint64_t ns)
{
	/* Count in units of 4 ns: adding 500 ns to any ns for the rounding does
	 * not overflow. */
	uint64_t n = ns / 4 + 125, s = n / 250000000u;

	return (struct tr2_seconds){
		s, TR2_FRACTION(n - s * 250000000u, 250000000u)
	};
}

/* Write nanoseconds as seconds with 6 decimals. At most 18 bytes. */
TR2_INLINE char *
tr2_put_seconds(char *p, uint64_t ns)
{
	struct tr2_seconds seconds = tr2_seconds_rounded(ns);

	p = tr2_put_u64(p, seconds.s);
	*p++ = '.';
	return tr2_put_fraction_6(p, seconds.fraction);
}

/* Write nanoseconds as seconds with all decimals. At most 21 bytes. */
static inline char *tr2_put_seconds9(char *p, uint64_t ns)
{
	uint64_t s = ns / 1000000000u;

	p = tr2_put_u64(p, s);
	*p++ = '.';
	return tr2_put_9(p, (uint32_t)(ns - s * 1000000000u));
}
