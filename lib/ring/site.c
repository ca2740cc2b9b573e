/* SPDX-License-Identifier: MIT */
/* Write the row of each site when its first event is written. */
#include "ring/site.h"

#include <string.h>

#include "arena/arena.h"
#include "base/macros.h"

TR2_LARGE struct tr2_ring_site tr2_ring_sites[TR2_MAX_SITES];

static uint32_t highest; /* the highest number with a row */
/* The file of the last row, and the offset of the file's string: sites of one
 * file usually follow each other. */
static const char *last_file;
static uint32_t last_file_at;
/* For each category and name, by their number tr2_site.names: the number of a
 * site that has a row; 0: none. */
TR2_LARGE uint16_t tr2_ring_site_named[TR2_MAX_SITES];
_Static_assert(TR2_MAX_SITES <= UINT16_MAX, "numbers of sites fit");

/*
 * Return the row of a site's number. Other processes may have changed its
 * offsets.
 */
static const struct tr2_site_row *row_of(uint32_t number)
{
	const struct tr2_arena_header *header = tr2_arena_header();
	uint32_t at = number ? tr2_ring_sites[number].row : 0;

	if (!header || !at || at == TR2_RING_NO_ROW)
		return NULL;
	return (const void *)((const char *)header + TR2_STRINGS_OFFSET + at);
}

static bool fill_row(struct tr2_site_row *row, const struct tr2_site *site)
{
	const struct tr2_site_row *same =
		row_of(tr2_ring_site_named[site->names]);

	row->line = (uint32_t)site->line;
	if (!last_file || strcmp(last_file, site->file) != 0) {
		last_file_at = tr2_arena_intern(site->file);
		last_file = site->file;
	}
	row->file = last_file_at;
	row->category = same ? same->category :
			       tr2_arena_intern(site->category);
	row->name = same ? same->name : tr2_arena_intern(site->name);
	return (row->file || !site->file_len) &&
	       (row->category || !site->category_len) &&
	       (row->name || !site->name_len);
}

void tr2_ring_add_site(const struct tr2_site *site, bool may)
{
	struct tr2_ring_site *at = &tr2_ring_sites[site->number];
	struct tr2_site_row row;
	uint32_t offset;

	if (at->row)
		return;
	offset = may && fill_row(&row, site) ? tr2_arena_add_site(&row) : 0;
	if (site->number > highest)
		highest = site->number;
	if (offset && !tr2_ring_site_named[site->names])
		tr2_ring_site_named[site->names] = (uint16_t)site->number;
	at->site = site;
	at->names = site->names;
	/* Store `row` atomically: other threads may read it at the same
	 * time. */
	__atomic_store_n(&at->row, offset ? offset : TR2_RING_NO_ROW,
			 __ATOMIC_RELAXED);
	/* Release: a thread that finds the key has a complete row. */
	if (offset)
		__atomic_store_n(&at->key, site->key, __ATOMIC_RELEASE);
}

void tr2_ring_forget_sites(void)
{
	size_t nr = (size_t)highest + 1;

	memset(tr2_ring_sites, 0, nr * sizeof(*tr2_ring_sites));
	/* No site has number 0, so no site has this key. */
	tr2_ring_sites[0].key = UINT32_MAX;
	memset(tr2_ring_site_named, 0, nr * sizeof(*tr2_ring_site_named));
	highest = 0;
	last_file = NULL;
}
