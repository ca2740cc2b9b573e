/* SPDX-License-Identifier: MIT */
/*
 * unwind - find the calls on a copied stack, by the tables that programs have for
 * exceptions (.eh_frame), or else by debugging information (.debug_frame).
 */
#pragma once

#include "model/model.h"
#include "samples/files.h"
#include "samples/mappings.h"

/* Replace the copies of stacks in the model by the calls in them. Where a table
 * is missing, the path ends. */
void tr2_unwind_samples(struct tr2_model *m, const struct tr2_mappings *maps,
			struct tr2_samples_files *files);
/* The same for the innermost call alone, which needs no table; the copies stay. */
void tr2_unwind_innermost(struct tr2_model *m);
