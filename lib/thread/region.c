/* SPDX-License-Identifier: MIT */
/* Open, close and find regions by their names. */
#include "thread/region.h"

#include <string.h>
#include <sys/mman.h>

#include "base/mask.h"
#include "ring/layout.h"

/* Limit the memory of a program that forgets to leave regions. */
#define MAX_REGIONS 16384
/* The number of ended regions above the innermost one that are searched. */
#define MAX_ENDED 16

/* Memory for more regions than the home has room for. */
struct more {
	struct tr2_region *smaller; /* the previous memory */
	size_t bytes;
	struct tr2_region at[];
};

/* The records of the fast path have room for so many. */
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

/* Keep the smaller memory: a signal handler may have interrupted its use. */
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

/* Regions without room are only counted. */
static bool make_room(struct tr2_regions *regions)
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

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void fill_cut(struct tr2_region *region,
		     const struct tr2_region_names *names, uint64_t start_ns,
		     int repo_id)
{
	struct tr2_region_names cut = *names;

	cut.category_len = smaller(cut.category_len, TR2_REGION_CATEGORY);
	cut.label_len = smaller(cut.label_len,
				TR2_REGION_TEXT - 2 - cut.category_len);
	tr2_region_fill(region, &cut, start_ns, repo_id, TR2_REGION_SLOW);
	region->category_len = (uint32_t)names->category_len;
	region->label_len = (uint32_t)names->label_len;
	region->is_whole = false;
}

void tr2_regions_copy(struct tr2_regions *to, const struct tr2_regions *from)
{
	size_t nr = smaller(from->nr_open, from->alloc);

	tr2_regions_end(to, false);
	while (to->alloc < nr && make_room(to))
		;
	memcpy(to->at, from->at, smaller(nr, to->alloc) * TR2_REGION_BYTES);
	to->nr_open = from->nr_open;
	to->nr_implicit_leaves = from->nr_implicit_leaves;
	to->in_doubt = from->in_doubt;
	to->fastpath_alloc = from->fastpath_alloc ? fastpath_alloc(to) : 0;
}

void tr2_region_push(struct tr2_regions *regions, uint64_t start_ns,
		     const char *category, const char *label, int repo_id)
{
	const struct tr2_region_names names = {
		category, label, category ? strlen(category) : 0,
		label ? strlen(label) : 0
	};

	if (regions->nr_open >= regions->alloc && !make_room(regions))
		regions->nr_open++;
	else if (tr2_region_have_room(&names))
		tr2_region_fill(tr2_region_count(regions), &names, start_ns,
				repo_id, TR2_REGION_SLOW);
	else
		fill_cut(tr2_region_count(regions), &names, start_ns, repo_id);
}

/* kept: the copied beginning of a name of len bytes. */
static bool is_name(const char *name, uint32_t len, const char *kept)
{
	name = name ? name : "";
	return (uint32_t)strlen(name) == len &&
	       !strncmp(name, kept, strlen(kept));
}

bool tr2_region_has_names(const struct tr2_region *region, const char *category,
			  const char *label)
{
	const struct tr2_site *site = region->site;

	if (site)
		return is_name(category, site->category_len, site->category) &&
		       is_name(label, site->name_len, site->name);
	return is_name(category, region->category_len, region->text) &&
	       is_name(label, region->label_len,
		       region->text + region->label_at);
}

/* Return the region with these names among those that ended last; NULL:
 * none. */
static struct tr2_region *find_ended(const struct tr2_regions *regions,
				     const char *category, const char *label)
{
	struct tr2_region *region = regions->at + regions->nr_open;
	struct tr2_region *end = regions->at +
				 smaller(regions->nr_open + MAX_ENDED,
					 regions->alloc);

	for (; region < end && region->start_ns; region++)
		if (tr2_region_is(region, category, label))
			return region;
	return NULL;
}

enum tr2_region_match tr2_region_find(struct tr2_regions *regions,
				      const char *category, const char *label,
				      size_t *nr_inside)
{
	const struct tr2_region *top = tr2_region_top(regions);
	struct tr2_region *ended;
	size_t i;

	if (!regions->nr_open)
		return TR2_REGION_NONE_OPEN;
	if (!top || tr2_region_is(top, category, label))
		return TR2_REGION_INNERMOST;
	for (i = 1; i < regions->nr_open; i++) {
		*nr_inside = i;
		if (tr2_region_is(top - i, category, label))
			return TR2_REGION_OUTER;
	}
	ended = find_ended(regions, category, label);
	if (!ended)
		return TR2_REGION_UNKNOWN;
	if (!ended->was_implied)
		return TR2_REGION_ENDED;
	ended->was_implied = false;
	return TR2_REGION_IMPLIED;
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
