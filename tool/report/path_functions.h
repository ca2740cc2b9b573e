/* SPDX-License-Identifier: MIT */
/*
 * path_functions - for each part of the critical path in which a thread ran,
 * find the function with most samples there.
 */
#pragma once

#include "model/path/critical.h"

struct tr2_path_functions;

/* Return NULL if there are no samples, or no states. All functions below accept
 * NULL. */
struct tr2_path_functions *tr2_path_functions_new(struct tr2_model *m);
void tr2_path_functions_free(struct tr2_path_functions *f);

/*
 * Return the function with most samples in a step or, unless kind is 0, in all
 * steps in processes of this kind and in regions of the step's name. Set *share
 * to the function's share of these samples, which is at least a third. Prefer a
 * function of a program to a function of a library or the kernel. Return NULL
 * if no function has such a share, or if there are too few samples.
 */
const char *tr2_path_function(const struct tr2_path_functions *f,
			      const struct tr2_step *step, tr2_str kind,
			      double *share);
