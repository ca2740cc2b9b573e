/* SPDX-License-Identifier: MIT */
/* map - open addressing, and a fast hash for short strings. */
#include "common/map.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static inline uint64_t load8(const char *s)
{
	uint64_t v;

	memcpy(&v, s, 8);
	return v;
}

/* Load a short string, of at most 8 bytes, into one number. */
static inline uint64_t load_short(const char *s, size_t len)
{
	uint32_t a, b;

	if (len >= 4) {
		memcpy(&a, s, 4);
		memcpy(&b, s + len - 4, 4);
		return (uint64_t)a << 32 | b;
	}
	if (!len)
		return 0;
	return (uint64_t)(unsigned char)s[0] << 16 |
	       (uint64_t)(unsigned char)s[len / 2] << 8 |
	       (unsigned char)s[len - 1];
}

uint64_t tr2_hash(const char *s, size_t len)
{
	uint64_t h = len;
	size_t i;

	if (len <= 8)
		return tr2_mix(h, load_short(s, len));
	if (len <= 16)
		return tr2_mix(h ^ load8(s), load8(s + len - 8));
	for (i = 0; i + 16 < len; i += 16)
		h = tr2_mix(h ^ load8(s + i), load8(s + i + 8));
	return tr2_mix(h ^ load8(s + len - 16), load8(s + len - 8));
}

static uint32_t map_find(const struct tr2_map *map, uint64_t key)
{
	uint32_t at = (uint32_t)tr2_mix(key, 0) & map->mask;

	while (map->keys[at] && map->keys[at] != key)
		at = (at + 1) & map->mask;
	return at;
}

static void map_grow(struct tr2_map *map)
{
	struct tr2_map new = { NULL, NULL, map->nr, 0 };
	uint32_t size = map->keys ? (map->mask + 1) * 2 : 64, i, at;

	tr2_must(size);
	new.mask = size - 1;
	new.keys = tr2_hash_table(size, sizeof(*new.keys));
	new.values = tr2_hash_table(size, sizeof(*new.values));
	for (i = 0; map->keys && i <= map->mask; i++) {
		if (!map->keys[i])
			continue;
		at = map_find(&new, map->keys[i]);
		new.keys[at] = map->keys[i];
		new.values[at] = map->values[i];
	}
	tr2_map_release(map);
	*map = new;
}

uint32_t *tr2_map_slot(struct tr2_map *map, uint64_t key)
{
	uint32_t at;

	if (!map->keys || map->nr > map->mask / 2)
		map_grow(map);
	at = map_find(map, key);
	if (!map->keys[at]) {
		map->keys[at] = key;
		map->nr++;
	}
	return &map->values[at];
}

uint32_t tr2_map_get(const struct tr2_map *map, uint64_t key)
{
	return map->keys ? map->values[map_find(map, key)] : 0;
}

void tr2_map_release(struct tr2_map *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct tr2_map){ NULL, NULL, 0, 0 };
}
