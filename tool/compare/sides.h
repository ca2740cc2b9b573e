/* SPDX-License-Identifier: MIT */
/*
 * sides - the two sides of a comparison besides their numbers: where they were
 * recorded, and what failed.
 */
#ifndef TR2_COMPARE_SIDES_H
#define TR2_COMPARE_SIDES_H

#include "compare/measure.h"
#include "out/table.h"

/* Print a note on differing machines below the comparison; in JSON "sides".
 * Losses and failures go to stderr. */
void tr2_sides_print(struct tr2_output *out, const struct tr2_measures *base,
		     const struct tr2_measures *new);

#endif
