/* SPDX-License-Identifier: MIT */
/*
 * region - the open regions of a thread, the innermost last, with the names of
 * their enters: a program may leave another region than it means.
 *
 * A signal handler of the thread may open and close regions at any instruction.
 * Its regions are above the interrupted ones, and gone when it returns. Entries
 * above the innermost one are regions that have ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/put.h"
#include "site/site.h"

#define TR2_REGION_BYTES 256u
#define TR2_REGION_TEXT (TR2_REGION_BYTES - 51u)
#define TR2_REGION_SLOW 0u /* value of fastpath_names: the names may be cut, or
			    * contain secrets */
#define TR2_REGION_OWN_NAMES UINT32_MAX /* value of fastpath_names: the region
					 * has no site, but names of its own */
#define TR2_REGION_CATEGORY 100u /* the number of bytes that are kept of a
				  * category */
/* The number of regions in the memory of the thread's context. */
#define TR2_FIRST_REGIONS 32

struct tr2_region {
	uint64_t start_ns; /* monotonic; 0: the entry was never used */
	/* The program's strings: compare the pointers, never read them. */
	const char *category, *label;
	/* The site with the names; NULL: `text` has them. */
	const struct tr2_site *site;
	/* The lengths of the program's strings, in a region without a site. */
	uint32_t category_len, label_len;
	int repo_id;
	/* For the fast path: the number of the names, or one of the constants
	 * above. */
	uint32_t fastpath_names;
	uint8_t label_at; /* in text */
	bool is_whole; /* false: the copies are cut */
	bool was_implied; /* the leave of another region ended this region */
	/* Copies of category and label, with a NUL each. The last byte is
	 * always NUL, so that a half-written name that a handler finds ends,
	 * too. */
	char text[TR2_REGION_TEXT];
};
_Static_assert(sizeof(struct tr2_region) == TR2_REGION_BYTES, "a power of two");

struct tr2_regions {
	struct tr2_region *at, *home;
	/* nr_open also counts regions for which there was no room. */
	size_t nr_open, alloc;
	size_t fastpath_alloc; /* the fast path may open up to this many
				* regions; 0: it may open none while a leave is
				* in doubt */
	size_t in_doubt; /* nr_open when the doubt began: see
			  * tr2_region_doubt() */
	size_t nr_implicit_leaves; /* number of ended regions whose leaves may
				    * still come */
};

/* Initialise without regions. home: TR2_FIRST_REGIONS zeroed entries. */
void tr2_regions_init(struct tr2_regions *regions, struct tr2_region *home);
/* Release memory beyond the home, and empty the home. */
void tr2_regions_release(struct tr2_regions *regions);
/* End all regions. forgive: accept leaves of these regions that may still
 * come. */
void tr2_regions_end(struct tr2_regions *regions, bool forgive);

/* Make room for one more region; false: there is no room, and the region is
 * only counted. */
bool tr2_regions_make_room(struct tr2_regions *regions);

/* Replace the regions of `to` by copies of the open regions of `from`. Regions
 * for which there is no memory are lost. */
void tr2_regions_copy(struct tr2_regions *to, const struct tr2_regions *from);

struct tr2_region_names {
	const char *category, *label; /* may be NULL */
	size_t category_len, label_len;
};

static inline bool tr2_region_have_room(const struct tr2_region_names *names)
{
	return names->category_len <= TR2_REGION_CATEGORY &&
	       names->category_len + names->label_len <= TR2_REGION_TEXT - 2;
}

/* Count one more open region, for which there is room. Count before the write,
 * so that a signal handler opens its regions above this one. */
static inline struct tr2_region *tr2_region_count(struct tr2_regions *regions)
{
	size_t nr = regions->nr_open;

	__atomic_store_n(&regions->nr_open, nr + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return &regions->at[nr];
}

/* Write a region without a site, whose names fit. */
TR2_INLINE void
tr2_region_fill(struct tr2_region *region, const struct tr2_region_names *names,
		uint64_t start_ns, int repo_id, uint32_t fastpath_names)
{
	char *p;

	/* Until the rest is written, send the fast path of a signal handler to
	 * the slow path. */
	region->fastpath_names = TR2_REGION_SLOW;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	region->site = NULL;
	region->start_ns = start_ns;
	region->category = names->category;
	region->label = names->label;
	region->category_len = (uint32_t)names->category_len;
	region->label_len = (uint32_t)names->label_len;
	region->repo_id = repo_id;
	region->label_at = (uint8_t)(names->category_len + 1);
	region->is_whole = true;
	region->was_implied = false;
	p = tr2_put_short(region->text, names->category, names->category_len);
	*p = '\0';
	p = tr2_put_short(p + 1, names->label, names->label_len);
	*p = '\0';
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	region->fastpath_names = fastpath_names;
}

/* Write a region of a site. */
TR2_INLINE void
tr2_region_fill_at(struct tr2_region *region, const struct tr2_site *site,
		   const char *category, const char *label, uint64_t start_ns,
		   int repo_id, uint32_t fastpath_names)
{
	region->fastpath_names = TR2_REGION_SLOW;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	region->start_ns = start_ns;
	region->category = category;
	region->label = label;
	region->site = site;
	region->repo_id = repo_id;
	region->is_whole = true;
	region->was_implied = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	region->fastpath_names = fastpath_names;
}

/* Open a region. Only the beginning of long names is kept. Of very many
 * regions, only the number is kept. */
void tr2_region_push(struct tr2_regions *regions, uint64_t start_ns,
		     const char *category, const char *label, int repo_id);

/* Return the innermost region; NULL: none is open, or it was only counted. */
static inline struct tr2_region *
tr2_region_top(const struct tr2_regions *regions)
{
	size_t top = regions->nr_open - 1;

	return top < regions->alloc ? &regions->at[top] : NULL;
}

static inline void tr2_region_pop(struct tr2_regions *regions)
{
	__atomic_store_n(&regions->nr_open, regions->nr_open - 1,
			 __ATOMIC_RELAXED);
}

/* Return the kept category or label; NULL: the program gave none, or region is
 * NULL. */
static inline const char *tr2_region_category(const struct tr2_region *region)
{
	if (!region || !region->category)
		return NULL;
	return region->site ? region->site->category : region->text;
}
static inline const char *tr2_region_label(const struct tr2_region *region)
{
	if (!region || !region->label)
		return NULL;
	return region->site ? region->site->name :
			      region->text + region->label_at;
}

/* Return whether the region has these names. NULL equals an empty name. */
bool tr2_region_has_names(const struct tr2_region *region, const char *category,
			  const char *label);
static inline bool tr2_region_is(const struct tr2_region *region,
				 const char *category, const char *label)
{
	return likely(region->category == category && region->label == label) ||
	       tr2_region_has_names(region, category, label);
}

enum tr2_region_match {
	TR2_REGION_INNERMOST, /* the innermost region, also if no decision is
			       * possible */
	TR2_REGION_OUTER, /* a region around the innermost one */
	TR2_REGION_IMPLIED, /* no open region; the leave of another region
			     * recently ended this one */
	TR2_REGION_ENDED, /* no open region; a region with these names ended
			   * recently */
	TR2_REGION_UNKNOWN, /* no open region, and no region with these names
			     * ended recently */
	TR2_REGION_NONE_OPEN
};

/* Find the region that the program means. *nr_inside: the number of regions
 * inside an outer one. */
enum tr2_region_match tr2_region_find(struct tr2_regions *regions,
				      const char *category, const char *label,
				      size_t *nr_inside);

/*
 * Record that a region seemed to be left twice. If the innermost open region is
 * then entered directly in itself, the second leave was meant for it.
 */
void tr2_region_doubt(struct tr2_regions *regions);
/* Forget the doubt, after the region in question has ended. */
void tr2_region_trust(struct tr2_regions *regions);
