/* SPDX-License-Identifier: MIT */
/* inlined - read the scopes of a compilation unit, and their addresses. */
#include "samples/inlined.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"

/* Read nested scopes only down to this depth. */
#define MOST_LEVELS 256

/* A scope: a function, or a call that was inlined. */
struct scope {
	Dwarf_Die die;
	uint32_t parent; /* 1 + index of the scope around this one; 0: a
			  * function */
	uint32_t function, depth;
};

struct range {
	Dwarf_Addr start, end;
	Dwarf_Addr reach; /* the largest end of this range and the ranges before
			   * it */
	uint32_t scope;
};

struct tr2_unit_scopes {
	struct scope *scope;
	uint32_t nr_scopes, alloc_scopes;
	struct range *range;
	uint32_t nr_ranges, alloc_ranges;
};

/* Add a scope. Return 1 + the scope's index. */
static uint32_t add_scope(struct tr2_unit_scopes *u, Dwarf_Die *die,
			  uint32_t parent)
{
	const struct scope *in = parent ? &u->scope[parent - 1] : NULL;
	struct scope scope = { .die = *die, .parent = parent,
			       .function = in ? in->function : u->nr_scopes,
			       .depth = in ? in->depth + 1 : 0 };
	struct range range = { .scope = u->nr_scopes };
	ptrdiff_t at = 0;
	Dwarf_Addr base;

	tr2_grow(u->scope, u->nr_scopes, u->alloc_scopes);
	u->scope[u->nr_scopes++] = scope;
	while ((at = dwarf_ranges(die, at, &base, &range.start,
				  &range.end)) > 0) {
		tr2_grow(u->range, u->nr_ranges, u->alloc_ranges);
		u->range[u->nr_ranges++] = range;
	}
	return u->nr_scopes;
}

/* Can an entry with this tag contain scopes? Types contain none, and are
 * skipped. */
static bool has_scopes(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void read_children(struct tr2_unit_scopes *u, Dwarf_Die *parent,
			  uint32_t scope, unsigned int level)
{
	uint32_t inside;
	Dwarf_Die die;
	int tag, end;

	for (end = dwarf_child(parent, &die); !end;
	     end = dwarf_siblingof(&die, &die)) {
		tag = dwarf_tag(&die);
		if (!has_scopes(tag) || level == MOST_LEVELS)
			continue;
		inside = tag == DW_TAG_subprogram ? add_scope(u, &die, 0) :
			 tag == DW_TAG_inlined_subroutine && scope ?
				add_scope(u, &die, scope) : scope;
		read_children(u, &die, inside, level + 1);
	}
}

TR2_ORDER(compare, struct range, TR2_UP(start) ?: TR2_UP(scope))

static void read_unit(struct tr2_unit_scopes *u, Dwarf_Die *unit)
{
	Dwarf_Addr reach = 0;
	uint32_t i;

	read_children(u, unit, 0, 0);
	if (u->nr_ranges)
		qsort(u->range, u->nr_ranges, sizeof(*u->range), compare);
	for (i = 0; i < u->nr_ranges; i++) {
		if (u->range[i].end > reach)
			reach = u->range[i].end;
		u->range[i].reach = reach;
	}
}

static const struct tr2_unit_scopes *unit_of(struct tr2_inlined *t,
					     Dwarf_Die *unit)
{
	uint32_t *slot = tr2_map_slot(&t->by_offset, dwarf_dieoffset(unit) + 1);

	if (!*slot) {
		tr2_grow(t->unit, t->nr, t->alloc);
		t->unit[t->nr] = (struct tr2_unit_scopes){ .scope = NULL };
		read_unit(&t->unit[t->nr], unit);
		*slot = ++t->nr;
	}
	return &t->unit[*slot - 1];
}

/* Count the ranges that begin at or before an address. */
static uint32_t count_until(const struct tr2_unit_scopes *u, Dwarf_Addr address)
{
	uint32_t low = 0, high = u->nr_ranges, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (u->range[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is `a` the better one of two scopes that contain the address? Of functions
 * with the same code, the first is better. */
static bool is_better(const struct scope *a, const struct scope *b)
{
	return a->function != b->function ? a->function < b->function :
					    a->depth > b->depth;
}

/* Return the innermost scope at an address; NULL: none. */
static const struct scope *find_scope(const struct tr2_unit_scopes *u,
				      Dwarf_Addr address)
{
	const struct scope *best = NULL, *scope;
	uint32_t i;

	for (i = count_until(u, address); i && u->range[i - 1].reach > address;
	     i--) {
		scope = &u->scope[u->range[i - 1].scope];
		if (u->range[i - 1].end > address &&
		    (!best || is_better(scope, best)))
			best = scope;
	}
	return best;
}

unsigned int tr2_inlined_find(struct tr2_inlined *t, Dwarf_Die *unit,
			      Dwarf_Addr address, Dwarf_Die *die,
			      unsigned int most)
{
	const struct tr2_unit_scopes *u = unit_of(t, unit);
	const struct scope *scope = find_scope(u, address);
	unsigned int nr = 0;

	for (; scope && scope->parent && nr < most;
	     scope = &u->scope[scope->parent - 1]) {
		die[nr] = scope->die;
		nr += !dwarf_hasattr_integrate(&die[nr], DW_AT_artificial);
	}
	return nr;
}

void tr2_inlined_release(struct tr2_inlined *t)
{
	uint32_t i;

	for (i = 0; i < t->nr; i++) {
		free(t->unit[i].scope);
		free(t->unit[i].range);
	}
	free(t->unit);
	tr2_map_release(&t->by_offset);
}

#endif
