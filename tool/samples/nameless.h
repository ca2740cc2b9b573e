/* SPDX-License-Identifier: MIT */
/*
 * nameless - report in which files functions have no names, and why.
 */
#pragma once

#include "samples/files.h"

/* Print a warning for each known reason. nr_samples: number of samples in all
 * files. */
void tr2_nameless_explain(const struct tr2_samples_files *files,
			  const struct tr2_model *m, uint32_t nr_samples);
