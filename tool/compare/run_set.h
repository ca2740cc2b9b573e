/* SPDX-License-Identifier: MIT */
/*
 * run_set - read the runs of one command: a recording, a file or a directory of
 * streams is one run; each recording in a directory of recordings, as made by
 * `trace2 stat -o DIR`, is a run, ordered by name (except NAME.old).
 */
#ifndef TR2_COMPARE_RUN_SET_H
#define TR2_COMPARE_RUN_SET_H

#include "compare/measure.h"

/* Add the runs of `path`. Return 0, or the exit code after an error message;
 * `quiet` suppresses warnings about problems in a recording. If there is no
 * run, a warning is printed and 0 returned. */
int tr2_set_read(struct tr2_measures *ms, const char *path, bool quiet);

#endif
