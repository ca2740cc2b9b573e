/* SPDX-License-Identifier: MIT */
/* what_if_changes - parse the text of a change. */
#pragma once

#include "model/path/what_if_times.h"

/*
 * Parse a change: NAME=FACTOR, -j N or NAME=-jN. NAME is the glob of a process,
 * `category/label` of a region, `wait`, `wait:CAUSE` or `ready`. FACTOR is 0,
 * 50% or 2x (twice as fast). c->name is allocated. Return NULL, or the error in
 * the text.
 */
const char *tr2_change_parse(const char *text, struct tr2_change *c);
