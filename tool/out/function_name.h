/* SPDX-License-Identifier: MIT */
/* function_name - shorten names of functions to fit a table. */
#pragma once

#include "out/table.h"

/*
 * Return a function's name for a table. A long C++ name loses the arguments of
 * its templates and calls, unless lines are not to be cut:
 * std::vector<…>::push_back(…). The text is valid as long as a text of
 * tr2_next_text().
 */
const char *tr2_function_name(const struct tr2_output *out, const char *name);
