/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `test-tool fault` that have their own file.
 */
#pragma once

#include "test-tool.h"

extern const struct tool_verb tool_verbs_reader[];
