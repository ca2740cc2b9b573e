/* SPDX-License-Identifier: MIT */
/*
 * read - recordings, files, directories and streams into a model.
 *
 * What an input is, is found by looking into it: event JSON, perf text, a
 * directory of either, or what `trace2 record` made (DIR/meta.json,
 * DIR/tasks.jsonl, DIR/events/: see read/meta.h). Input is not trusted:
 * nothing in it makes a loader fail, only a file that cannot be read or memory
 * that is short.
 */
#ifndef TR2_READ_READ_H
#define TR2_READ_READ_H

#include "model/model.h"

/* The file in a directory of streams that stops programs which start later. */
#define TR2_DISCARD "git-trace2-discard"

#define TR2_LOAD_LINES (1u << 0) /* keep every line: m->lines, sorted by time */
#define TR2_LOAD_QUIET (1u << 1) /* print no problems */
#define TR2_LOAD_NO_TREE (1u << 2) /* leave tr2_model_finish() to the caller */

enum tr2_load_result {
	TR2_LOAD_OK,
	TR2_LOAD_NOTHING, /* nothing to do, which was said on stderr: exit 0 */
	TR2_LOAD_FAILED   /* an error was printed: exit TR2_EXIT_FATAL */
};

struct tr2_parsed_event;

/* Called for each event after it went into the model; `ev` lasts until it
 * returns. */
typedef void tr2_event_fn(void *data, struct tr2_model *m,
			  const struct tr2_parsed_event *ev);

struct tr2_load {
	const char *const *paths; /* "-": standard input */
	size_t nr_paths;
	unsigned int flags;
	tr2_event_fn *event; /* may be NULL */
	void *data;
};

/*
 * Loads all of them into m and finishes the model. Problems are in
 * m->problems, and printed to stderr as warnings unless QUIET.
 */
enum tr2_load_result tr2_load(struct tr2_model *m, const struct tr2_load *load);

/*
 * What most commands do: a model of the inputs that the command line names
 * (its words, -i, or trace2.data). NULL: *exit_code is what to return.
 */
struct tr2_model *tr2_load_inputs(int argc, char **argv, unsigned int flags,
				  int *exit_code);

#endif
