/* SPDX-License-Identifier: MIT */
/*
 * rundir - the directory of a set of runs that is being made: DIR/run-0001 and
 * so on, each a recording; kept under the name that the user gave, or removed.
 */
#ifndef TR2_STAT_RUNDIR_H
#define TR2_STAT_RUNDIR_H

#include <stdbool.h>

struct tr2_rundir {
	char *path;
	bool temporary;
};

/*
 * path NULL: a temporary one. An earlier set of that name moves to PATH.old,
 * and what was there before is removed; anything that is no set stays, and is
 * an error. -1: it was said on stderr.
 */
int tr2_rundir_open(struct tr2_rundir *dir, const char *path);
/* The directory of a run, for the caller to free; NULL: no memory. */
char *tr2_rundir_run(const struct tr2_rundir *dir, unsigned int nr);
/* Removes a temporary one, which must be empty. */
void tr2_rundir_close(struct tr2_rundir *dir);

#endif
