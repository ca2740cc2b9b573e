/* SPDX-License-Identifier: MIT */
/*
 * no_match - report options that select nothing: most likely they are mistyped.
 */
#ifndef TR2_REPORT_NO_MATCH_H
#define TR2_REPORT_NO_MATCH_H

#include "model/filter.h"

/* Does each of --cmd, --sid, --pid and -N match something in the model, and some
 * process all of the first three? false: an error was printed. */
bool tr2_check_filter(const struct tr2_filter *f, const struct tr2_model *m);

#endif
