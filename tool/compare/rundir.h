/* SPDX-License-Identifier: MIT */
/*
 * rundir - create the directory of a new set of runs: DIR/run-0001 and so on,
 * each a recording. A directory that the user named is kept; a temporary
 * directory is removed.
 */
#pragma once

#include <stdbool.h>

struct tr2_rundir {
	char *path;
	bool temporary;
};

/*
 * Create the directory. path NULL: create a temporary directory. Move an
 * earlier set at the path to PATH.old, where it replaces an older set. Any
 * other file at the path stays, and is an error. Return -1 after an error
 * message.
 */
int tr2_rundir_open(struct tr2_rundir *dir, const char *path);
/* Return the directory of a run, which the caller frees. */
char *tr2_rundir_run(const struct tr2_rundir *dir, unsigned int nr);
/* Remove a temporary directory, which must be empty. */
void tr2_rundir_close(struct tr2_rundir *dir);
