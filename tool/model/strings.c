/* SPDX-License-Identifier: MIT */
/*
 * strings - interned texts in a hash table. Recently used texts, and SIDs, have
 * tables of their own.
 */
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/model.h"
#include "model/private.h"

static void rehash_strings(struct tr2_model_private *p)
{
	uint32_t size = p->buckets ? (p->bucket_mask + 1) * 2 : 1024;
	uint32_t *buckets = tr2_hash_table(size, sizeof(*buckets));
	uint32_t i, at;

	for (i = 1; i < p->nr_strings; i++) {
		at = p->strings[i].hash & (size - 1);
		while (buckets[at])
			at = (at + 1) & (size - 1);
		buckets[at] = i;
	}
	free(p->buckets);
	p->buckets = buckets;
	p->bucket_mask = size - 1;
}

/* Return the bucket with the string, or the free bucket for it. */
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
	tr2_grow(p->strings, p->nr_strings, p->alloc_strings);
	if (!p->buckets || p->nr_strings > p->bucket_mask / 2)
		rehash_strings(p);
	copy = tr2_model_copy(m, s, len);
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

const char *tr2_s(const struct tr2_model *m, tr2_str id)
{
	return id && id < m->priv->nr_strings ? m->priv->strings[id].p : "";
}

const char *tr2_model_keep(struct tr2_model *m, const char *s, size_t len)
{
	struct tr2_copy *c;

	if (len > TR2_COPY_MAX_BYTES)
		return tr2_model_copy(m, s, len);
	c = &m->priv->copies[tr2_hash(s, len) >> (64 - TR2_COPIES_BITS)];
	if (!c->text || c->len != len || memcmp(c->text, s, len) != 0)
		*c = (struct tr2_copy){ tr2_model_copy(m, s, len), len };
	return c->text;
}

#ifdef __SSE2__
/* 32 bytes from keep + 32 - n are a mask that keeps n bytes and clears the
 * rest. */
static const unsigned char keep[2 * TR2_RECENT_BYTES] = {
#define KEEP 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	KEEP, KEEP, KEEP, KEEP
#undef KEEP
};

static inline __m128i load16(const void *p)
{
	return _mm_loadu_si128(p);
}

/* Return the slot for the text of these 32 bytes. */
static inline uint32_t recent_slot(__m128i a, __m128i b)
{
	uint64_t h = (uint64_t)_mm_cvtsi128_si64(a) * 0x9e3779b97f4a7c15ull;

	h += (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(a, a)) *
	     0xc4ceb9fe1a85ec53ull;
	h += (uint64_t)_mm_cvtsi128_si64(b) * 0xff51afd7ed558ccdull;
	h += (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(b, b)) *
	     0x8ebc6af09c88c6e3ull;
	return (uint32_t)(h >> (64 - TR2_RECENT_BITS));
}

tr2_str tr2_intern_padded(struct tr2_model *m, const char *s, size_t len)
{
	struct tr2_recent *r;
	__m128i a, b, same;

	if (len - 1 >= TR2_RECENT_BYTES) /* or 0 bytes */
		return tr2_intern(m, s, len);
	a = _mm_and_si128(load16(s), load16(keep + TR2_RECENT_BYTES - len));
	b = _mm_and_si128(load16(s + 16),
			  load16(keep + TR2_RECENT_BYTES - len + 16));
	r = &m->priv->recent[recent_slot(a, b)];
	same = _mm_and_si128(_mm_cmpeq_epi8(a, load16(r->text)),
			     _mm_cmpeq_epi8(b, load16(r->text + 16)));
	if (r->len == len && _mm_movemask_epi8(same) == 0xffff)
		return r->id;
	_mm_storeu_si128((__m128i *)(void *)r->text, a);
	_mm_storeu_si128((__m128i *)(void *)(r->text + 16), b);
	r->len = (uint32_t)len;
	r->id = tr2_intern(m, s, len);
	return r->id;
}
#else
tr2_str tr2_intern_padded(struct tr2_model *m, const char *s, size_t len)
{
	return tr2_intern(m, s, len);
}
#endif

static inline bool has_sid(const struct tr2_model *m,
			   const struct tr2_sid_slot *slot, const char *sid,
			   size_t len, uint32_t hash)
{
	const char *have;

	/* Load the session only if its hash is equal: the session is seldom in
	 * the processor's cache. */
	if (slot->hash != hash)
		return false;
	have = m->sessions[slot->session].sid;
	return !strncmp(have, sid, len) && !have[len];
}

/* Return the slot with the SID, or the free slot for it. */
static struct tr2_sid_slot *sid_slot(const struct tr2_model *m, const char *sid,
				     size_t len, uint32_t hash)
{
	const struct tr2_sids *sids = &m->priv->sids;
	uint32_t at = hash & sids->mask;

	while (sids->slots[at].session &&
	       !has_sid(m, &sids->slots[at], sid, len, hash))
		at = (at + 1) & sids->mask;
	return &sids->slots[at];
}

uint32_t tr2_sid_find(const struct tr2_model *m, const char *sid, size_t len)
{
	if (!m->priv->sids.slots)
		return 0;
	return sid_slot(m, sid, len, (uint32_t)tr2_hash(sid, len))->session;
}

static void sids_grow(struct tr2_sids *sids)
{
	uint32_t size = sids->slots ? (sids->mask + 1) * 2 : 64, i, at;
	struct tr2_sid_slot *slots = tr2_hash_table(size, sizeof(*slots));

	for (i = 0; sids->slots && i <= sids->mask; i++) {
		if (!sids->slots[i].session)
			continue;
		at = sids->slots[i].hash & (size - 1);
		while (slots[at].session)
			at = (at + 1) & (size - 1);
		slots[at] = sids->slots[i];
	}
	free(sids->slots);
	sids->slots = slots;
	sids->mask = size - 1;
}

void tr2_sid_set(struct tr2_model *m, uint32_t session)
{
	struct tr2_sids *sids = &m->priv->sids;
	const char *sid = m->sessions[session].sid;
	size_t len = strlen(sid);
	uint32_t hash = (uint32_t)tr2_hash(sid, len);
	struct tr2_sid_slot *slot;

	/* Keep the table at most three quarters full. */
	if (!sids->slots || sids->nr >= sids->mask - sids->mask / 4)
		sids_grow(sids);
	slot = sid_slot(m, sid, len, hash);
	sids->nr += !slot->session;
	sids->again |= slot->session;
	slot->hash = hash;
	slot->session = session;
}
