/* SPDX-License-Identifier: MIT */
/*
 * stacks - the calls that led to a sample as text, for the formats that have a
 * row for each: the functions, the outermost first, with semicolons between
 * them. A call that several functions were inlined into is all of them.
 *
 * An address is looked up once a process, and a function's name is made fit to
 * leave once: a million samples mostly have the same few hundred.
 */
#ifndef TR2_EXPORT_STACKS_H
#define TR2_EXPORT_STACKS_H

#include "export/export.h"

struct tr2_stacks;

/* Made at the first call, and kept in the export, which ends it. NULL: an
 * error was printed, and the export has failed. */
struct tr2_stacks *tr2_stacks(struct tr2_export *x);
/* Says why functions have no names. NULL is nothing. */
void tr2_stacks_end(struct tr2_stacks *s);

/* Appends the calls, redacted; where the innermost function stands in b is put
 * into *innermost. What has no calls is nothing. */
void tr2_stacks_add(struct tr2_export *x, struct tr2_buf *b,
		    const struct tr2_model_sample *sample, size_t *innermost);

/* The thread of the model that it was taken in. 0: its events say nothing of
 * that one. */
uint32_t tr2_stacks_thread(struct tr2_export *x,
			   const struct tr2_model_sample *sample);

#endif
