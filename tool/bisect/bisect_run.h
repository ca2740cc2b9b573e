/* SPDX-License-Identifier: MIT */
/*
 * bisect_run - build a commit in a work tree of `trace2 bisect`, and run CMD
 * there, alone or in turns with CMD in another work tree.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "bisect/bisect_tree.h"
#include "compare/measure.h"
#include "record/kernel/counters.h"

struct tr2_bisect_runner {
	char **argv;       /* CMD */
	const char *build; /* a command for sh; NULL: there is none */
	int64_t nr_runs;
	struct tr2_bisect_repo repo;
	char *dir; /* directory in which a run is recorded */
	struct tr2_event_counters counters;
	/* The reason why the last function below returned false: */
	struct tr2_buf why; /* why the commit cannot be measured */
	bool has_run;       /* the commit cannot be measured because CMD or the
			     * build failed */
	bool failed;        /* an error was printed */
	bool stop;          /* a signal requested the end */
};

/* From now on, a signal that requests the end sets r->stop. */
void tr2_bisect_catch_signals(void);
/* Return whether a signal has requested the end. */
bool tr2_bisect_stopped(struct tr2_bisect_runner *r);

/* Change to the work tree's directory. */
bool tr2_bisect_enter(struct tr2_bisect_runner *r,
		      const struct tr2_bisect_tree *tree);
/* Check a commit out, and build it. */
bool tr2_bisect_prepare(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			const char *commit);
/* Run CMD in the work tree. If `base` is not NULL, run CMD equally often in the
 * work tree `base`, with each pair of runs in random order. */
bool tr2_bisect_measure(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			struct tr2_measures *ms,
			const struct tr2_bisect_tree *base,
			struct tr2_measures *base_ms);
void tr2_bisect_runner_release(struct tr2_bisect_runner *r);
