/* SPDX-License-Identifier: MIT */
/*
 * read - recordings, files, directories and streams into a model.
 *
 * What an input is, is found by looking into it: event JSON, perf text, a
 * directory of either, or what `trace2 record` made (DIR/meta.json,
 * DIR/tasks.jsonl, DIR/events/). Input is not trusted: nothing in it makes a
 * loader fail, only a file that cannot be read or memory that is short.
 */
#ifndef TR2_READ_READ_H
#define TR2_READ_READ_H

#include "model/model.h"

#define TR2_LOAD_LINES (1u << 0)  /* keep every line: model->lines, sorted by
				     time when finished */
#define TR2_LOAD_QUIET (1u << 1)  /* print no problems */

/*
 * Loads `path` ("-": standard input) into m and finishes the model. Problems
 * are in m->problems, and printed to stderr as warnings unless QUIET.
 * Returns 0; or -1 with an error printed, when nothing could be read at all
 * (m is then empty, and still valid).
 */
int tr2_load(struct tr2_model *m, const char *path, unsigned int flags);

/* Several inputs into one model. */
int tr2_load_all(struct tr2_model *m, const char *const *paths, size_t nr,
		 unsigned int flags);

#endif
