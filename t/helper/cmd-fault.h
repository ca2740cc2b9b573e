/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `test-tool fault` that stand in a file of their own.
 */
#ifndef CMD_FAULT_H
#define CMD_FAULT_H

#include "test-tool.h"

extern const struct tool_verb tool_verbs_reader[], tool_verbs_fuse[];

#endif
