/* SPDX-License-Identifier: MIT */
/*
 * model - its memory: arrays, strings, and the maps that loaders use. What
 * runs out of memory leaves the model valid and the newest thing out.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/private.h"

#define BLOCK_BYTES (256u * 1024)

struct tr2_block {
	struct tr2_block *next;
	char data[];
};

static bool start_arrays(struct tr2_model *m)
{
	/* Element 0 of each is "none". */
	(void)tr2_add(m, sessions);
	(void)tr2_add(m, threads);
	(void)tr2_add(m, spans);
	(void)tr2_add(m, children);
	(void)tr2_add(m, points);
	(void)tr2_add(m, metrics);
	(void)tr2_add(m, tasks);
	(void)tr2_add(m, nodes);
	(void)tr2_add(m, problems);
	return m->sessions && m->threads && m->spans && m->children &&
	       m->points && m->metrics && m->tasks && m->nodes && m->problems;
}

struct tr2_model *tr2_model_new(void)
{
	struct tr2_model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->priv = calloc(1, sizeof(*m->priv));
	if (!m->priv || !start_arrays(m)) {
		tr2_model_free(m);
		return NULL;
	}
	return m;
}

static void release_private(struct tr2_model_private *p)
{
	struct tr2_block *b, *next;

	for (b = p->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	free(p->strings);
	free(p->buckets);
	tr2_map_release(&p->sids);
	tr2_map_release(&p->threads);
	tr2_map_release(&p->children);
	tr2_map_release(&p->execs);
	tr2_map_release(&p->tasks);
	tr2_map_release(&p->problems);
	free(p);
}

void tr2_model_free(struct tr2_model *m)
{
	if (!m)
		return;
	if (m->priv)
		release_private(m->priv);
	free(m->sessions);
	free(m->threads);
	free(m->spans);
	free(m->children);
	free(m->points);
	free(m->metrics);
	free(m->tasks);
	free(m->nodes);
	free(m->lines);
	free(m->problems);
	free(m);
}

bool tr2_array_grow(void **array, uint32_t *alloc, uint32_t nr,
		    size_t element_bytes)
{
	uint64_t want = nr < 32 ? 64 : (uint64_t)nr * 2;
	void *p;

	if (want > UINT32_MAX)
		want = UINT32_MAX;
	if (nr >= want || want > SIZE_MAX / element_bytes)
		return false;
	/* Large arrays are moved by the kernel, and pages that were never
	 * touched cost nothing: doubling is cheap. */
	p = realloc(*array, want * element_bytes);
	if (!p)
		return false;
	*array = p;
	*alloc = (uint32_t)want;
	return true;
}

/* ---- strings ------------------------------------------------------------ */

static char *arena_take(struct tr2_model_private *p, size_t n)
{
	struct tr2_block *b;
	size_t size = n > BLOCK_BYTES / 4 ? n : BLOCK_BYTES;
	char *s;

	if (n <= p->left) {
		s = p->next;
		p->next += n;
		p->left -= n;
		return s;
	}
	b = malloc(sizeof(*b) + size);
	if (!b)
		return NULL;
	b->next = p->blocks;
	p->blocks = b;
	if (size == n) /* its own block: the one in use stays in use */
		return b->data;
	p->next = b->data + n;
	p->left = size - n;
	return b->data;
}

char *tr2_model_copy(struct tr2_model *m, const char *s, size_t len)
{
	char *copy = len < SIZE_MAX - 1 ? arena_take(m->priv, len + 1) : NULL;

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

static inline uint64_t load8(const char *s)
{
	uint64_t v;

	memcpy(&v, s, 8);
	return v;
}

/* The up to 8 bytes of a short string in one number. */
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

static bool rehash_strings(struct tr2_model_private *p)
{
	uint32_t size = p->buckets ? (p->bucket_mask + 1) * 2 : 1024;
	uint32_t *buckets = calloc(size, sizeof(*buckets));
	uint32_t i, at;

	if (!buckets)
		return false;
	for (i = 1; i < p->nr_strings; i++) {
		at = p->strings[i].hash & (size - 1);
		while (buckets[at])
			at = (at + 1) & (size - 1);
		buckets[at] = i;
	}
	free(p->buckets);
	p->buckets = buckets;
	p->bucket_mask = size - 1;
	return true;
}

/* The bucket that has the string, or where it belongs. */
static inline uint32_t *find_string(const struct tr2_model_private *p,
				    const char *s, size_t len, uint32_t hash)
{
	uint32_t at = hash & p->bucket_mask;

	for (;; at = (at + 1) & p->bucket_mask) {
		const struct tr2_string *have = &p->strings[p->buckets[at]];

		if (!p->buckets[at] ||
		    (have->hash == hash && have->len == len &&
		     !memcmp(have->p, s, len)))
			return &p->buckets[at];
	}
}

static tr2_str add_string(struct tr2_model *m, const char *s, size_t len,
			  uint32_t hash)
{
	struct tr2_model_private *p = m->priv;
	struct tr2_string *new;
	char *copy;

	if (!p->nr_strings)
		p->nr_strings = 1;
	if (p->nr_strings >= p->alloc_strings &&
	    !tr2_array_grow((void **)&p->strings, &p->alloc_strings,
			    p->nr_strings, sizeof(*p->strings)))
		return 0;
	if ((!p->buckets || p->nr_strings > p->bucket_mask / 2) &&
	    !rehash_strings(p))
		return 0;
	copy = tr2_model_copy(m, s, len);
	if (!copy)
		return 0;
	new = &p->strings[p->nr_strings];
	*new = (struct tr2_string){ copy, (uint32_t)len, hash };
	*find_string(p, s, len, hash) = p->nr_strings;
	return p->nr_strings++;
}

tr2_str tr2_intern(struct tr2_model *m, const char *s, size_t len)
{
	struct tr2_model_private *p = m->priv;
	uint32_t hash, have;

	if (!s || !len || len > UINT32_MAX)
		return 0;
	hash = (uint32_t)tr2_hash(s, len);
	have = p->buckets ? *find_string(p, s, len, hash) : 0;
	return have ? have : add_string(m, s, len, hash);
}

tr2_str tr2_interned_n(const struct tr2_model *m, const char *s, size_t len)
{
	if (!len || !m->priv->buckets)
		return 0;
	return *find_string(m->priv, s, len, (uint32_t)tr2_hash(s, len));
}

tr2_str tr2_interned(const struct tr2_model *m, const char *s)
{
	return tr2_interned_n(m, s, strlen(s));
}

const char *tr2_s(const struct tr2_model *m, tr2_str id)
{
	return id && id < m->priv->nr_strings ? m->priv->strings[id].p : "";
}

/* ---- maps --------------------------------------------------------------- */

static uint32_t map_find(const struct tr2_map *map, uint64_t key)
{
	uint32_t at = (uint32_t)tr2_mix(key, 0) & map->mask;

	while (map->keys[at] && map->keys[at] != key)
		at = (at + 1) & map->mask;
	return at;
}

static bool map_grow(struct tr2_map *map)
{
	struct tr2_map new = { NULL, NULL, map->nr, 0 };
	uint32_t size = map->keys ? (map->mask + 1) * 2 : 64, i, at;

	new.mask = size - 1;
	new.keys = calloc(size, sizeof(*new.keys));
	new.values = calloc(size, sizeof(*new.values));
	if (!size || !new.keys || !new.values) {
		tr2_map_release(&new);
		return false;
	}
	for (i = 0; map->keys && i <= map->mask; i++) {
		if (!map->keys[i])
			continue;
		at = map_find(&new, map->keys[i]);
		new.keys[at] = map->keys[i];
		new.values[at] = map->values[i];
	}
	tr2_map_release(map);
	*map = new;
	return true;
}

uint32_t *tr2_map_slot(struct tr2_map *map, uint64_t key)
{
	uint32_t at;

	if ((!map->keys || map->nr > map->mask / 2) && !map_grow(map))
		return NULL;
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
