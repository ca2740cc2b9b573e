/* SPDX-License-Identifier: MIT */
/*
 * inlined - find the functions that were inlined at an address. libdw would
 * read all of a compilation unit for each address; here a unit is read once.
 */
#pragma once

#ifdef HAVE_LIBDW

#include <elfutils/libdw.h>
#include <stdint.h>

#include "common/map.h"

/* Initialize the struct with zeros. */
struct tr2_inlined {
	struct tr2_unit_scopes *unit;
	uint32_t nr, alloc;
	struct tr2_map by_offset; /* maps the offset of a unit to 1 + its
				   * index */
};

/* Find the calls that were inlined at an address of a unit, the innermost first
 * and at most `most`. Leave out artificial calls, which count as parts of their
 * callers. Return the number of calls. */
unsigned int tr2_inlined_find(struct tr2_inlined *t, Dwarf_Die *unit,
			      Dwarf_Addr address, Dwarf_Die *die,
			      unsigned int most);
void tr2_inlined_release(struct tr2_inlined *t);

#endif
