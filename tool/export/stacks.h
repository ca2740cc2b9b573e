/* SPDX-License-Identifier: MIT */
/*
 * stacks - write the call path of a sample as text, for formats that have a row
 * for each sample. The text has the names of functions, the outermost first,
 * separated by semicolons. It includes functions that were inlined into a call.
 *
 * An address is looked up once for each process, and a function's name is
 * redacted once: even a million samples mostly have the same few hundred
 * functions.
 */
#pragma once

#include "export/export.h"

struct tr2_stacks;

/* Return the export's lookups. The first call creates them; the end of the
 * export frees them. */
struct tr2_stacks *tr2_stacks(struct tr2_export *x);
/* Free the lookups. If functions have no names, print why. s may be NULL. */
void tr2_stacks_end(struct tr2_stacks *s);

/* Append the call path, redacted, and set *innermost to the position of the
 * innermost function in b. Append nothing for a sample without calls. */
void tr2_stacks_add(struct tr2_export *x, struct tr2_buf *b,
		    const struct tr2_model_sample *sample, size_t *innermost);
