/* SPDX-License-Identifier: MIT */
/*
 * The memory of open regions: first the memory in the thread's context, then
 * mappings. This code is not in region.c, so that a program with few regions
 * looks up no functions for it.
 */
#include "thread/region.h"

#include <sys/mman.h>

#include "base/mask.h"
#include "ring/layout.h"

/* The most regions that are kept, for programs that forget to leave regions. */
#define MAX_REGIONS 16384

/* Memory for more regions than the home has room for. */
struct more {
	struct tr2_region *smaller; /* the memory that this one replaced */
	size_t bytes;
	struct tr2_region at[];
};

/* Return how many regions the records of the fast path can count. */
static size_t fastpath_alloc(const struct tr2_regions *regions)
{
	return regions->alloc < TR2_MISC_NESTING_MAX ? regions->alloc :
						       TR2_MISC_NESTING_MAX;
}

void tr2_regions_init(struct tr2_regions *regions, struct tr2_region *home)
{
	regions->at = regions->home = home;
	regions->alloc = TR2_FIRST_REGIONS;
	tr2_regions_end(regions, false);
}

void tr2_regions_release(struct tr2_regions *regions)
{
	struct tr2_region *at = regions->at, *smaller;
	struct more *more;
	size_t i;

	while (at != regions->home) {
		more = (struct more *)(void *)((char *)at -
					       offsetof(struct more, at));
		smaller = more->smaller;
		munmap(more, more->bytes);
		at = smaller;
	}
	for (i = 0; i < TR2_FIRST_REGIONS && at[i].start_ns; i++)
		at[i].start_ns = 0;
	tr2_regions_init(regions, at);
}

void tr2_regions_end(struct tr2_regions *regions, bool forgive)
{
	regions->nr_implicit_leaves =
		forgive ? regions->nr_implicit_leaves + regions->nr_open : 0;
	regions->nr_open = 0;
	tr2_region_trust(regions);
}

/* Map larger memory, and keep the smaller one: a signal handler may have
 * interrupted its use. */
static bool grow_regions(struct tr2_regions *regions)
{
	size_t alloc = regions->alloc * 2;
	size_t bytes = offsetof(struct more, at) + alloc * TR2_REGION_BYTES;
	struct more *more = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (more == MAP_FAILED)
		return false;
	more->smaller = regions->at;
	more->bytes = bytes;
	memcpy(more->at, regions->at, regions->alloc * TR2_REGION_BYTES);
	regions->at = more->at;
	regions->alloc = alloc;
	tr2_region_trust(regions);
	return true;
}

bool tr2_regions_make_room(struct tr2_regions *regions)
{
	struct tr2_mask before;
	bool ok;

	if (regions->nr_open > regions->alloc || regions->alloc >= MAX_REGIONS)
		return false;
	tr2_mask_begin(&before);
	ok = grow_regions(regions);
	tr2_mask_end(&before);
	return ok;
}

void tr2_regions_copy(struct tr2_regions *to, const struct tr2_regions *from)
{
	size_t nr = from->nr_open < from->alloc ? from->nr_open : from->alloc;

	tr2_regions_end(to, false);
	while (to->alloc < nr && tr2_regions_make_room(to))
		;
	if (nr > to->alloc)
		nr = to->alloc;
	memcpy(to->at, from->at, nr * TR2_REGION_BYTES);
	to->nr_open = from->nr_open;
	to->nr_implicit_leaves = from->nr_implicit_leaves;
	to->in_doubt = from->in_doubt;
	to->fastpath_alloc = from->fastpath_alloc ? fastpath_alloc(to) : 0;
}

void tr2_region_doubt(struct tr2_regions *regions)
{
	regions->in_doubt = regions->nr_open;
	regions->fastpath_alloc = 0;
}

void tr2_region_trust(struct tr2_regions *regions)
{
	regions->in_doubt = 0;
	regions->fastpath_alloc = fastpath_alloc(regions);
}
