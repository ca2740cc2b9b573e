/* SPDX-License-Identifier: MIT */
/* SHA-1 as in FIPS 180-4. */
#include "base/sha1.h"

#include <string.h>

static uint32_t rotate_left(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* The round's function and constant (FIPS 180-4, 4.1.1 and 4.2.1). */
static uint32_t mix_round(unsigned int t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t h[5], const uint8_t *block)
{
	uint32_t w[80], v[5], next;
	unsigned int t;

	for (t = 0; t < 16; t++)
		w[t] = load_be32(block + 4 * t);
	for (; t < 80; t++)
		w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16],
				   1);
	memcpy(v, h, sizeof(v));
	for (t = 0; t < 80; t++) {
		next = rotate_left(v[0], 5) + mix_round(t, v[1], v[2], v[3]) +
		       v[4] + w[t];
		v[4] = v[3];
		v[3] = v[2];
		v[2] = rotate_left(v[1], 30);
		v[1] = v[0];
		v[0] = next;
	}
	for (t = 0; t < 5; t++)
		h[t] += v[t];
}

void tr2_sha1(const void *data, size_t size_bytes, uint8_t digest[20])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
			  0xc3d2e1f0 };
	const uint8_t *p = data;
	uint64_t bits = (uint64_t)size_bytes * 8;
	uint8_t tail[128] = { 0 };
	size_t rest, i;

	for (rest = size_bytes; rest >= 64; rest -= 64, p += 64)
		add_block(h, p);
	memcpy(tail, p, rest);
	tail[rest] = 0x80;
	size_bytes = rest < 56 ? 64 : 128;
	for (i = 0; i < 8; i++)
		tail[size_bytes - 1 - i] = (uint8_t)(bits >> 8 * i);
	for (i = 0; i < size_bytes; i += 64)
		add_block(h, tail + i);
	for (i = 0; i < 20; i++)
		digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
