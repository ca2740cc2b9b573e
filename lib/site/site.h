/* SPDX-License-Identifier: MIT */
/*
 * site - the places in the program that emit events, and their constant
 * strings (struct trace2_site).
 *
 * A site gets a number from 1 at its first call, which the library writes into
 * the program's structure, and everything of it is copied: the module of the
 * program may be unloaded. Sites of the same contents, such as those of a
 * module that is loaded again, or of an inline function, have one number.
 *
 * There is no lock: a site is complete before it is published by one
 * instruction. So all functions are signal-safe, a handler may jump out of
 * them, and a forked child finds a registry that is in order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "trace2.h"

/* Further sites have no number. */
#define TR2_MAX_SITES 16384u
/* Sites with longer strings have no number. */
#define TR2_SITE_TEXT_MAX 4096u

/* Never changes, and never goes away while the library is loaded. */
struct tr2_site {
	/*
	 * What trace2_site.number holds: the number in the low bits, and a hash
	 * of the contents. So a number that another instance of the library
	 * wrote is not mistaken for this one's.
	 */
	uint32_t key;
	uint32_t number;
	uint32_t names; /* equal for sites with equal category and name */
	int line;
	bool may_have_secret; /* in category or name: see tr2_redact() */
	/* None is NULL. */
	const char *file, *category, *name;
	uint32_t file_len, category_len, name_len;
	const struct tr2_site *next; /* in the same bucket */
	/* Its lines: see event/pieces.h. Two, since a region may be entered and
	 * left at one place. NULL: not prepared yet; all else is constant. */
	const struct tr2_pieces *pieces[2];
};

/* By number; NULL: none. */
extern const struct tr2_site *tr2_sites[TR2_MAX_SITES] TR2_HIDDEN;

const struct tr2_site *tr2_site_get_slow(struct trace2_site *site);

/*
 * Return the copy of a site; NULL: it has none, because not all its strings are
 * constants, because there is no memory or number left, or site is NULL. Then
 * the caller uses the arguments of the call.
 */
static inline const struct tr2_site *tr2_site_get(struct trace2_site *site)
{
	const struct tr2_site *found;
	uint32_t key;

	if (unlikely(!site))
		return NULL;
	/* Acquire, both: pair with the releases in tr2_site_get_slow(). The
	 * number may be another instance's. */
	key = __atomic_load_n(&site->number, __ATOMIC_ACQUIRE);
	found = __atomic_load_n(&tr2_sites[key % TR2_MAX_SITES],
				__ATOMIC_ACQUIRE);
	if (unlikely(!found || found->key != key))
		return tr2_site_get_slow(site);
	return found;
}

/* Return zeroed memory, aligned to 8 bytes, that lives as long as the sites;
 * NULL: none. At most TR2_SITE_MEMORY_MAX bytes. */
#define TR2_SITE_MEMORY_MAX 32768u
void *tr2_site_memory(size_t bytes);

/* The library is unloaded: release all memory. */
void tr2_site_release(void);
