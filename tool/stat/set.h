/* SPDX-License-Identifier: MIT */
/*
 * set - runs of one command, wherever they are: a recording, a file or a
 * directory of streams is one run; a directory of recordings, such as `trace2
 * stat -o DIR` makes, is a run for each of them, by name (but for NAME.old).
 */
#ifndef TR2_STAT_SET_H
#define TR2_STAT_SET_H

#include "stat/measure.h"

/* Adds the runs of `path`. 0, or the exit code after a message on stderr;
 * `quiet` leaves out the warnings of what is wrong in a recording. That there is
 * no run in there is no failure, and said. */
int tr2_set_read(struct tr2_measures *ms, const char *path, bool quiet);

#endif
