/* SPDX-License-Identifier: MIT */
/* site - the rows of the program's sites in the ring's file. */
#pragma once

#include <stdint.h>

#include "site/site.h"

/*
 * The data of a site, at the index of its number. `key` is written last, with
 * release order. It equals trace2_site.number only if the site has a row.
 */
struct tr2_ring_site {
	uint32_t key;
	uint32_t row; /* the offset of the row; 0: not requested yet */
	uint32_t names; /* the value of tr2_site.names */
	const struct tr2_site *site;
};
extern struct tr2_ring_site tr2_ring_sites[TR2_MAX_SITES] TR2_HIDDEN;
#define TR2_RING_NO_ROW UINT32_MAX

/* Return the entry of the only site that may have this key. */
static inline const struct tr2_ring_site *tr2_ring_site_at(uint32_t key)
{
	return &tr2_ring_sites[key % TR2_MAX_SITES];
}

/* Return the entry of the site; NULL: the site has no row. */
static inline const struct tr2_ring_site *
tr2_ring_find_site(const struct tr2_site *site)
{
	const struct tr2_ring_site *found = tr2_ring_site_at(site->key);

	/* Acquire: pairs with the release in tr2_ring_add_site(). */
	return __atomic_load_n(&found->key, __ATOMIC_ACQUIRE) == site->key ?
		       found :
		       NULL;
}

/* Write the site's row, if there is room. may: the site may have a row; false:
 * record only that it has none. Call it under the process's lock. */
void tr2_ring_add_site(const struct tr2_site *site, bool may);

/* Forget all rows: the process has another file, or no file. */
void tr2_ring_forget_sites(void);
