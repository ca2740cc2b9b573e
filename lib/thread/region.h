/* SPDX-License-Identifier: MIT */
/*
 * region - the open regions of a thread, the innermost last, with the names
 * under which they were entered: a program may leave another one than it means.
 *
 * A signal handler of the thread may open and close regions at any instruction;
 * its own are above those that it interrupted, and gone when it returns. What is
 * above the innermost one is how regions were that have ended.
 */
#ifndef TR2_THREAD_REGION_H
#define TR2_THREAD_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/put.h"

#define TR2_REGION_BYTES 256u
#define TR2_REGION_TEXT (TR2_REGION_BYTES - 40u)
#define TR2_REGION_CATEGORY 100u /* what is kept of one, at most */
/* So many have room in the memory of the thread's context. */
#define TR2_FIRST_REGIONS 32

struct tr2_region {
	uint64_t start_ns; /* 0: there was none here yet */
	/* Where the program had its names: to compare with, never to be read. */
	const char *category, *label;
	uint32_t category_len, label_len; /* of the program's */
	int repo_id;
	uint8_t label_at; /* in text */
	bool is_whole; /* else the names are cut */
	bool is_quick; /* and nothing in them is to be redacted */
	bool was_implied; /* another one's leave ended it */
	/* Copies of category and label, with a NUL each. The last byte never is
	 * anything else, so that what a handler finds half written ends, too. */
	char text[TR2_REGION_TEXT];
};
_Static_assert(sizeof(struct tr2_region) == TR2_REGION_BYTES, "a power of two");

struct tr2_regions {
	struct tr2_region *at, *home;
	/* More may be open than are kept. */
	size_t nr_open, alloc;
	size_t quick_alloc; /* for quick.c: 0 while one is in doubt */
	size_t in_doubt; /* so many were open: see tr2_region_doubt() */
	size_t nr_forgiven; /* ended without a leave, which may still come */
};

/* home: of TR2_FIRST_REGIONS, and zero. */
void tr2_regions_init(struct tr2_regions *regions, struct tr2_region *home);
/* Gives back what is beyond the home, and empties that. */
void tr2_regions_release(struct tr2_regions *regions);
/* All have ended; where it forgives, their leaves may still come. */
void tr2_regions_end(struct tr2_regions *regions, bool forgive);

/* Those that are open, into one whose own have no meaning any more. What there is
 * no memory for is not kept. */
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

/* One more is open, for which there is room. It is counted before it is written,
 * so that a signal handler's regions are above it. */
static inline struct tr2_region *tr2_region_count(struct tr2_regions *regions)
{
	size_t nr = regions->nr_open;

	__atomic_store_n(&regions->nr_open, nr + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return &regions->at[nr];
}

/* Whose names have room. */
static inline __attribute__((always_inline)) void
tr2_region_fill(struct tr2_region *region, const struct tr2_region_names *names,
		uint64_t start_ns, int repo_id, bool is_quick)
{
	char *p;

	/* Not while a handler could find it half written. */
	region->is_quick = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
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
	region->is_quick = is_quick;
}

/* Opens one. Of long names only the beginning is kept, of very many regions
 * only the number. */
void tr2_region_push(struct tr2_regions *regions, uint64_t start_ns,
		     const char *category, const char *label, int repo_id);

/* The innermost one. NULL: none is open, or it is one too many to be kept. */
static inline struct tr2_region *
tr2_region_top(const struct tr2_regions *regions)
{
	size_t nr = regions->nr_open;

	return nr && nr <= regions->alloc ? &regions->at[nr - 1] : NULL;
}

static inline void tr2_region_pop(struct tr2_regions *regions)
{
	__atomic_store_n(&regions->nr_open, regions->nr_open - 1,
			 __ATOMIC_RELAXED);
}

/* What is kept of the names; NULL where the program gave none, or of none. */
static inline const char *tr2_region_category(const struct tr2_region *region)
{
	return region && region->category ? region->text : NULL;
}
static inline const char *tr2_region_label(const struct tr2_region *region)
{
	return region && region->label ? region->text + region->label_at :
					 NULL;
}

/* Is it of these names? A NULL is as good as an empty one. */
bool tr2_region_has_names(const struct tr2_region *region, const char *category,
			  const char *label);
static inline bool tr2_region_is(const struct tr2_region *region,
				 const char *category, const char *label)
{
	return __builtin_expect(region->category == category &&
					region->label == label,
				1) ||
	       tr2_region_has_names(region, category, label);
}

enum tr2_region_match {
	TR2_REGION_INNERMOST, /* or it cannot be told */
	TR2_REGION_OUTER, /* one that the innermost is in */
	TR2_REGION_IMPLIED, /* none; another one's leave ended it lately */
	TR2_REGION_ENDED, /* none; one of these names ended lately */
	TR2_REGION_UNKNOWN, /* none, and there was none */
	TR2_REGION_NONE_OPEN
};

/* Which one the program means. *nr_inside: how many are in an outer one. */
enum tr2_region_match tr2_region_find(struct tr2_regions *regions,
				      const char *category, const char *label,
				      size_t *nr_inside);

/*
 * It looked as if one was left twice, while this was the innermost one. If it
 * is entered again, directly in itself, that leave was meant for it.
 */
void tr2_region_doubt(struct tr2_regions *regions);
/* No doubt is left once it has ended. */
void tr2_region_trust(struct tr2_regions *regions);

#endif
