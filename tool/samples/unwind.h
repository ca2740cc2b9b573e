/* SPDX-License-Identifier: MIT */
/*
 * unwind - find the calls on a copied stack, by the tables that programs have
 * for exceptions (.eh_frame), else by debugging information (.debug_frame).
 */
#pragma once

#include "model/model.h"
#include "samples/files.h"
#include "samples/mappings.h"

/* Replace the copies of stacks in the model by the calls on them. A path of
 * calls ends where a table is missing. */
void tr2_unwind_samples(struct tr2_model *m, const struct tr2_mappings *maps,
			struct tr2_samples_files *files);
/* Find only the innermost calls, without any table; the copies stay. */
void tr2_unwind_innermost(struct tr2_model *m);
