/* SPDX-License-Identifier: MIT */
/*
 * nameless - say in which files the functions have no names, and why.
 */
#pragma once

#include "samples/files.h"

/* Print a warning for each reason that is known. nr_samples: of all files. */
void tr2_nameless_explain(const struct tr2_samples_files *files,
			  const struct tr2_model *m, uint32_t nr_samples);
