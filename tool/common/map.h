/* SPDX-License-Identifier: MIT */
/*
 * map - a map from 64-bit keys to indexes, and a hash that turns bytes into
 * keys.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A map with open addressing. A key has 64 bits and is not 0; the caller makes
 * it unique.
 */
struct tr2_map {
	uint64_t *keys;
	uint32_t *values;
	uint32_t nr, mask;
};

/* Return the slot of a key. Add a new key with the value 0. The next call may
 * move slots. */
uint32_t *tr2_map_slot(struct tr2_map *map, uint64_t key);
uint32_t tr2_map_get(const struct tr2_map *map, uint64_t key);
void tr2_map_release(struct tr2_map *map);

/* Hash bytes, for tables in memory only: never store the result. */
uint64_t tr2_hash(const char *s, size_t len);

static inline uint64_t tr2_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15ull) *
		(b ^ 0xc4ceb9fe1a85ec53ull);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Combine two halves into a key, which is never 0 and so valid. Different pairs
 * give different keys. */
static inline uint64_t tr2_key(uint32_t high, uint32_t low)
{
	return ((uint64_t)high << 32 | low) + 1;
}
