/* SPDX-License-Identifier: MIT */
/*
 * sides - what is to be said of the two sides of a comparison beside their
 * numbers: where they were made, and what failed there.
 */
#ifndef TR2_CMD_SIDES_H
#define TR2_CMD_SIDES_H

#include "out/table.h"
#include "stat/measure.h"

/* Below the comparison: a note on
 * machines that differ; in JSON "sides". What was lost or failed is said on
 * stderr. */
void tr2_sides_print(struct tr2_output *out, const struct tr2_measures *base,
		     const struct tr2_measures *new);

#endif
