/* SPDX-License-Identifier: MIT */
/* mappings - look up mappings by address and time. */
#include "samples/mappings.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"

static const struct tr2_model *sorted_model;

static uint64_t end_of(const struct tr2_mapping *mapping)
{
	return mapping->len > UINT64_MAX - mapping->addr ?
		       UINT64_MAX : mapping->addr + mapping->len;
}

static int compare_mappings(const void *va, const void *vb)
{
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct tr2_mapping *a = &sorted_model->mappings[ia];
	const struct tr2_mapping *b = &sorted_model->mappings[ib];

	return TR2_UP(space) ?: TR2_UP(addr) ?: tr2_order(ia, ib);
}

void tr2_mappings_init(struct tr2_mappings *maps, const struct tr2_model *m)
{
	const struct tr2_mapping *mapping;
	uint64_t reach = 0;
	uint32_t i, space = 0;

	*maps = (struct tr2_mappings){ .m = m, .nr = m->nr_mappings - 1 };
	maps->by_address = tr2_calloc(m->nr_mappings,
				      sizeof(*maps->by_address));
	maps->reach = tr2_calloc(m->nr_mappings, sizeof(*maps->reach));
	for (i = 0; i < maps->nr; i++)
		maps->by_address[i] = i + 1;
	sorted_model = m;
	qsort(maps->by_address, maps->nr, sizeof(*maps->by_address),
	      compare_mappings);
	for (i = 0; i < maps->nr; i++) {
		mapping = &m->mappings[maps->by_address[i]];
		if (mapping->space != space || end_of(mapping) > reach)
			reach = end_of(mapping);
		space = mapping->space;
		maps->reach[i] = reach;
	}
}

void tr2_mappings_release(struct tr2_mappings *maps)
{
	free(maps->by_address);
	free(maps->reach);
	*maps = (struct tr2_mappings){ .m = NULL };
}

/* Count the mappings that begin at or before this address of the space, or in
 * an earlier space. */
static uint32_t count_until(const struct tr2_mappings *maps, uint32_t space,
			    uint64_t address)
{
	uint32_t low = 0, high = maps->nr, middle;
	const struct tr2_mapping *mapping;

	while (low < high) {
		middle = low + (high - low) / 2;
		mapping = &maps->m->mappings[maps->by_address[middle]];
		if (mapping->space < space ||
		    (mapping->space == space && mapping->addr <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Go back from position *at to the next mapping of the space that reaches
 * beyond the address, and return this mapping; 0: there is none. */
static uint32_t mapping_before(const struct tr2_mappings *maps, uint32_t space,
			       uint64_t address, uint32_t *at)
{
	uint32_t i;

	while (*at) {
		i = maps->by_address[--*at];
		if (maps->m->mappings[i].space != space ||
		    maps->reach[*at] <= address)
			return 0;
		if (end_of(&maps->m->mappings[i]) > address)
			return i;
	}
	return 0;
}

/* If two mappings contain an address, is `a` the better one for that time? */
static bool is_better(const struct tr2_model *m, uint32_t a, uint32_t b,
		      int64_t at_ns)
{
	int64_t a_ns = m->mappings[a].at_ns, b_ns = m->mappings[b].at_ns;

	if ((a_ns <= at_ns) != (b_ns <= at_ns))
		return a_ns <= at_ns;
	if (a_ns != b_ns)
		return (a_ns > b_ns) == (a_ns <= at_ns);
	return a > b;
}

static uint32_t find_own(const struct tr2_mappings *maps, uint32_t space,
			 uint64_t address, int64_t at_ns, bool *always)
{
	uint32_t at = count_until(maps, space, address), best = 0, i;

	while ((i = mapping_before(maps, space, address, &at))) {
		*always = !best;
		if (!best || is_better(maps->m, i, best, at_ns))
			best = i;
	}
	return best;
}

uint32_t tr2_mappings_find(const struct tr2_mappings *maps, uint32_t space,
			   uint64_t address, int64_t at_ns, bool *always)
{
	const struct tr2_model *m = maps->m;
	uint32_t best = 0, i;

	*always = true;
	/* Search the parents' spaces, too: a process has its parent's mappings
	 * from before the fork. */
	for (; space; space = m->spaces[space].parent) {
		i = find_own(maps, space, address, at_ns, always);
		*always &= !best || !i;
		if (i && (!best || m->mappings[i].at_ns <= at_ns))
			best = i;
		if (best && m->mappings[best].at_ns <= at_ns)
			break;
		if (m->spaces[space].start_ns < at_ns)
			at_ns = m->spaces[space].start_ns;
	}
	return best;
}

bool tr2_mappings_is_first(const struct tr2_mappings *maps, uint32_t mapping)
{
	const struct tr2_mapping *this = &maps->m->mappings[mapping];
	uint32_t at = count_until(maps, this->space, end_of(this) - 1), i;

	while ((i = mapping_before(maps, this->space, this->addr, &at)))
		if (i < mapping)
			return false;
	return true;
}
