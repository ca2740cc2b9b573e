/* SPDX-License-Identifier: MIT */
/* Open and find regions by their names. Their memory is in region_room.c. */
#include "thread/region.h"

/* Search at most this many ended regions above the innermost open one. */
#define MAX_ENDED 16

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void fill_cut(struct tr2_region *region,
		     const struct tr2_region_names *names, uint64_t start_ns,
		     int repo_id)
{
	struct tr2_region_names cut = *names;

	cut.category_len = smaller_of(cut.category_len, TR2_REGION_CATEGORY);
	cut.label_len = smaller_of(cut.label_len,
				   TR2_REGION_TEXT - 2 - cut.category_len);
	tr2_region_fill(region, &cut, start_ns, repo_id, TR2_REGION_SLOW);
	region->category_len = (uint32_t)names->category_len;
	region->label_len = (uint32_t)names->label_len;
	region->is_whole = false;
}

void tr2_region_push(struct tr2_regions *regions, uint64_t start_ns,
		     const char *category, const char *label, int repo_id)
{
	const struct tr2_region_names names = {
		category, label, category ? strlen(category) : 0,
		label ? strlen(label) : 0
	};

	if (regions->nr_open >= regions->alloc &&
	    !tr2_regions_make_room(regions))
		regions->nr_open++;
	else if (tr2_region_have_room(&names))
		tr2_region_fill(tr2_region_count(regions), &names, start_ns,
				repo_id, TR2_REGION_SLOW);
	else
		fill_cut(tr2_region_count(regions), &names, start_ns, repo_id);
}

/* Return whether `name` may be the name that was kept. kept: the copied
 * beginning of a name with len bytes. */
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

/* Return the region with these names, among the regions that ended last; NULL:
 * no such region. */
static struct tr2_region *find_ended(const struct tr2_regions *regions,
				     const char *category, const char *label)
{
	struct tr2_region *region = regions->at + regions->nr_open;
	struct tr2_region *end = regions->at +
				 smaller_of(regions->nr_open + MAX_ENDED,
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
