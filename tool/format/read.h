/* SPDX-License-Identifier: MIT */
/*
 * read - load recordings, files, directories and streams into a model.
 *
 * The content of an input determines its format: event JSON, perf text, a
 * directory of either, or a recording of `trace2 record` (DIR/meta.json,
 * DIR/tasks.jsonl, DIR/events/: see format/recording). Input is not trusted: a
 * loader fails only if it cannot read a file, whatever the content of the file.
 */
#pragma once

#include "common/lines.h"
#include "model/model.h"

/* If a directory of streams contains a file of this name, programs that start
 * later write nothing there. */
#define TR2_DISCARD "git-trace2-discard"

#define TR2_LOAD_LINES (1u << 0) /* keep every line in m->lines, sorted by
				  * time */
#define TR2_LOAD_QUIET (1u << 1) /* print no problems */
#define TR2_LOAD_NO_TREE (1u << 2) /* the caller calls tr2_model_finish() */
#define TR2_LOAD_REDACT (1u << 3) /* do not name objects of waits */
/* Load the waits of threads as samples, with the calls that led to each wait.
 * Leave out samples of CPU time. */
#define TR2_LOAD_WAITS (1u << 4)
#define TR2_LOAD_WAITS_TOO (1u << 5) /* load waits and samples of CPU time */

enum tr2_load_result {
	TR2_LOAD_OK,
	TR2_LOAD_NOTHING, /* nothing to do (a message was printed): exit 0 */
	TR2_LOAD_FAILED   /* an error was printed: exit TR2_EXIT_FATAL */
};

struct tr2_parsed_event;

/* Called for each event after the event was added to the model. `ev` is valid
 * during the call. */
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
 * Load all paths into m and finish the model. Add problems to m->problems and,
 * unless QUIET, print them to stderr as warnings.
 */
enum tr2_load_result tr2_load(struct tr2_model *m, const struct tr2_load *load);
