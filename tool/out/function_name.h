/* SPDX-License-Identifier: MIT */
/* function_name - shorten names of functions to fit a table. */
#pragma once

#include "out/table.h"

/*
 * Return a function's name for a table. If lines are cut, leave out the
 * arguments of templates and calls in a long C++ name:
 * std::vector<…>::push_back(…). The text is valid as long as a text of
 * tr2_next_text().
 */
const char *tr2_function_name(const struct tr2_output *out, const char *name);
