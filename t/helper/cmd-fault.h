/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `test-tool fault` that have their own file.
 */
#ifndef CMD_FAULT_H
#define CMD_FAULT_H

#include "test-tool.h"

extern const struct tool_verb tool_verbs_reader[];

#endif
