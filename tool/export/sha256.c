/* SPDX-License-Identifier: MIT */
/* sha256 - implements export/sha256.h, with the names of the standard. */
#include <string.h>

#include "export/sha256.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static void expand_block(uint32_t W[64], const uint8_t *block)
{
	uint32_t s0, s1;
	int t;

	for (t = 0; t < 16; t++)
		W[t] = big_endian(block + 4 * t);
	for (; t < 64; t++) {
		s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
		s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
		W[t] = s1 + W[t - 7] + s0 + W[t - 16];
	}
}

static void compress(uint32_t H[8], const uint8_t *block)
{
	uint32_t W[64], v[8], T1, T2;
	int t;

	expand_block(W, block);
	memcpy(v, H, sizeof(v));
	for (t = 0; t < 64; t++) {
		T1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + W[t];
		T2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += T1;
		v[0] = T1 + T2;
	}
	for (t = 0; t < 8; t++)
		H[t] += v[t];
}

/* Process the end of the message: its rest, a bit 1, zeros, and its length in
 * bits. */
static void finish_hash(uint32_t H[8], const uint8_t *rest, size_t n,
			uint64_t size_bytes)
{
	uint8_t last[128] = { 0 };
	size_t size = n < 56 ? 64 : 128;
	int i;

	memcpy(last, rest, n);
	last[n] = 0x80;
	for (i = 0; i < 8; i++)
		last[size - 1 - (size_t)i] = (uint8_t)(size_bytes * 8 >> 8 * i);
	compress(H, last);
	if (size == 128)
		compress(H, last + 64);
}

void tr2_sha256(const void *data, size_t size_bytes, uint8_t digest[32])
{
	/* The first 32 bits of the fractional parts of the square roots of the
	 * first 8 primes. */
	uint32_t H[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const uint8_t *p = data;
	size_t left = size_bytes;
	int i;

	for (; left >= 64; left -= 64, p += 64)
		compress(H, p);
	finish_hash(H, p, left, size_bytes);
	for (i = 0; i < 32; i++)
		digest[i] = (uint8_t)(H[i / 4] >> (24 - i % 4 * 8));
}
