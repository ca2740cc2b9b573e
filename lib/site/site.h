/* SPDX-License-Identifier: MIT */
/*
 * site - the places in the program that emit events, and their constant strings
 * (struct trace2_site).
 *
 * A site gets a number from 1 at its first call. The library writes the number
 * into the program's structure, and copies all contents of the site, since the
 * module of the program may be unloaded. Sites with the same contents have one
 * number, such as those of a module that is loaded again, or of an inline
 * function.
 *
 * There is no lock: a site is complete before one instruction publishes it. All
 * functions are therefore signal-safe, a handler may jump out of them, and a
 * forked child finds a consistent registry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "trace2.h"

/* The numbers of sites are smaller than this. Further sites have no number. */
#define TR2_MAX_SITES 16384u
/* A site whose strings are longer than this has no number. */
#define TR2_SITE_TEXT_MAX 4096u

/* A site never changes, and never goes away while the library is loaded. */
struct tr2_site {
	/*
	 * The value of trace2_site.number: the number in the low bits, and a
	 * hash of the contents. By the hash, the library recognises a number
	 * that another instance of the library wrote.
	 */
	uint32_t key;
	uint32_t number;
	uint32_t names; /* equal for sites with the same category and name */
	int line;
	bool may_have_secret; /* the category or name may contain a secret: see
			       * tr2_redact() */
	/* The strings of the site, never NULL. */
	const char *file, *category, *name;
	uint32_t file_len, category_len, name_len;
	const struct tr2_site *next; /* next site in the same bucket */
	/* The pieces of the site's lines: see event/pieces.h. pieces[1] is for
	 * the leave of a region, since a site may enter and leave a region.
	 * NULL: not prepared yet. All other members are constant. */
	const struct tr2_pieces *pieces[2];
};

/* The sites by number; NULL: no site. */
extern const struct tr2_site *tr2_sites[TR2_MAX_SITES] TR2_HIDDEN;

const struct tr2_site *tr2_site_get_slow(struct trace2_site *site);

/*
 * Return the copy of a site. NULL: it has no copy, because some of its strings
 * are not constants, because there is no memory or number left, or site is
 * NULL. The caller then uses the arguments of the call.
 */
static inline const struct tr2_site *tr2_site_get(struct trace2_site *site)
{
	const struct tr2_site *found;
	uint32_t key;

	if (unlikely(!site))
		return NULL;
	/* Acquire: both loads pair with the releases in tr2_site_get_slow().
	 * The number may be another instance's. */
	key = __atomic_load_n(&site->number, __ATOMIC_ACQUIRE);
	found = __atomic_load_n(&tr2_sites[key % TR2_MAX_SITES],
				__ATOMIC_ACQUIRE);
	if (unlikely(!found || found->key != key))
		return tr2_site_get_slow(site);
	return found;
}

/* Return zeroed memory, aligned to 8 bytes, that lives as long as the sites;
 * NULL: no memory. At most TR2_SITE_MEMORY_MAX bytes. */
#define TR2_SITE_MEMORY_MAX 32768u
void *tr2_site_memory(size_t bytes);

/* Release all memory, when the library is unloaded. */
void tr2_site_release(void);
