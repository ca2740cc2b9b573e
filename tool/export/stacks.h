/* SPDX-License-Identifier: MIT */
/*
 * stacks - the call path of a sample as text, for formats that have a row for
 * each sample. It has the functions, the outermost first, separated by
 * semicolons. A call into which functions were inlined has all of them.
 *
 * An address is looked up once per process, and a function's name is redacted
 * once: a million samples mostly have the same few hundred functions.
 */
#pragma once

#include "export/export.h"

struct tr2_stacks;

/* Return the export's lookups. The first call creates them; the end of the
 * export frees them. */
struct tr2_stacks *tr2_stacks(struct tr2_export *x);
/* Print why functions have no names. s may be NULL. */
void tr2_stacks_end(struct tr2_stacks *s);

/* Append the call path, redacted, and set *innermost to the position of the
 * innermost function in b. Append nothing for a sample without calls. */
void tr2_stacks_add(struct tr2_export *x, struct tr2_buf *b,
		    const struct tr2_model_sample *sample, size_t *innermost);
