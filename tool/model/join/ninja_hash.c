/* SPDX-License-Identifier: MIT */
/* ninja_hash - two hashes that other projects define. */
#include "model/join/ninja_hash.h"

#include <string.h>

/* MurmurHash64A with ninja's seed. */
static uint64_t murmur(const char *s, size_t len)
{
	const uint64_t factor = 0xc6a4a7935bd1e995;
	uint64_t h = 0xdecafbaddecafbad ^ len * factor, part;
	size_t n;

	for (; len; s += n, len -= n) {
		n = len < 8 ? len : 8;
		part = 0;
		memcpy(&part, s, n);
		if (n == 8) {
			part *= factor;
			part ^= part >> 47;
			part *= factor;
		}
		h = (h ^ part) * factor;
	}
	h = (h ^ h >> 47) * factor;
	return h ^ h >> 47;
}

#define NR_LANES 3
#define LANE_BYTES 16

static const uint64_t secret[NR_LANES] = {
	0x2d358dccaa6c78a5, 0x8bb84b93962eacc9, 0x4b33a62ed433d4a3
};

static uint64_t read8(const char *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}

static uint64_t read4(const char *s)
{
	uint32_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}

/* Multiply to 128 bits; put the halves into *a and *b. */
static void multiply_words(uint64_t *a, uint64_t *b)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)*a * *b;

	*a = (uint64_t)product;
	*b = (uint64_t)(product >> 64);
}

static uint64_t mix_words(uint64_t a, uint64_t b)
{
	multiply_words(&a, &b);
	return a ^ b;
}

/* Read up to 16 bytes into two numbers. */
static void read_short(const char *s, size_t len, uint64_t *a, uint64_t *b)
{
	const unsigned char *u = (const unsigned char *)s;
	const char *last = s + len - 4;
	size_t shift = len < 8 ? 0 : 4;

	*a = *b = 0;
	if (len >= 4) {
		*a = read4(s) << 32 | read4(last);
		*b = read4(s + shift) << 32 | read4(last - shift);
	} else if (len) {
		*a = (uint64_t)u[0] << 56 | (uint64_t)u[len / 2] << 32 |
		     u[len - 1];
	}
}

/* Mix all but the last bytes into the seed, and return the rest. */
static const char *fold_blocks(const char *s, size_t *len, uint64_t *seed)
{
	uint64_t lane[NR_LANES] = { *seed, *seed, *seed };
	size_t i;

	if (*len > NR_LANES * LANE_BYTES) {
		do {
			for (i = 0; i < NR_LANES; i++, s += LANE_BYTES)
				lane[i] = mix_words(read8(s) ^ secret[i],
						    read8(s + 8) ^ lane[i]);
			*len -= NR_LANES * LANE_BYTES;
		} while (*len >= NR_LANES * LANE_BYTES);
		*seed = lane[0] ^ lane[1] ^ lane[2];
	}
	for (i = 0; (i + 1) * LANE_BYTES < *len; i++)
		*seed = mix_words(read8(s + i * LANE_BYTES) ^ secret[2],
				  read8(s + i * LANE_BYTES + 8) ^ *seed ^
					  (i ? 0 : secret[1]));
	return s;
}

/* rapidhash, the first version, with its own seed. */
static uint64_t rapidhash(const char *s, size_t len)
{
	uint64_t seed = 0xbdd89aa982704029, a, b;
	size_t left = len;

	seed ^= mix_words(seed ^ secret[0], secret[1]) ^ len;
	if (len <= 16) {
		read_short(s, len, &a, &b);
	} else {
		s = fold_blocks(s, &left, &seed);
		a = read8(s + left - 16);
		b = read8(s + left - 8);
	}
	a ^= secret[1];
	b ^= seed;
	multiply_words(&a, &b);
	return mix_words(a ^ secret[0] ^ len, b ^ secret[1]);
}

uint64_t tr2_ninja_hash(unsigned int version, const char *command, size_t len)
{
	return version >= 7 ? rapidhash(command, len) : murmur(command, len);
}
