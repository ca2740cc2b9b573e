/* SPDX-License-Identifier: MIT */
/*
 * path_functions - for the parts of the critical path in which a thread ran: the
 * function in which many of the samples there were taken.
 */
#pragma once

#include "model/path/critical.h"

struct tr2_path_functions;

/* NULL: there are no samples, or no states. NULL is allowed everywhere. */
struct tr2_path_functions *tr2_path_functions_new(struct tr2_model *m);
void tr2_path_functions_free(struct tr2_path_functions *f);

/*
 * Return the function of a step, or of all steps of this kind of processes in
 * regions of its name (0: of the step), and its share of the samples there: at
 * least a third. Of those, a function of a program comes before one of a
 * library or the kernel. NULL: none, or too few samples.
 */
const char *tr2_path_function(const struct tr2_path_functions *f,
			      const struct tr2_step *step, tr2_str kind,
			      double *share);
