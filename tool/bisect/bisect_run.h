/* SPDX-License-Identifier: MIT */
/*
 * bisect_run - build a commit in a work tree of `trace2 bisect`, and run CMD
 * there, or in turns with CMD in another one.
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
	const char *build; /* by sh; NULL: there is none */
	int64_t nr_runs;
	struct tr2_bisect_repo repo;
	char *dir; /* where a run is recorded */
	struct tr2_event_counters counters;
	/* Why the last one was false: */
	struct tr2_buf why; /* the commit cannot be measured */
	bool has_run;       /* and that is because CMD or the build failed */
	bool failed;        /* an error was printed */
	bool stop;          /* a signal requested the end */
};

/* From now on, a signal that requests the end sets r->stop. */
void tr2_bisect_catch_signals(void);
/* Was one caught? */
bool tr2_bisect_stopped(struct tr2_bisect_runner *r);

/* Go to the work tree's directory. */
bool tr2_bisect_enter(struct tr2_bisect_runner *r,
		      const struct tr2_bisect_tree *tree);
/* Check a commit out, and build it. */
bool tr2_bisect_prepare(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			const char *commit);
/* Run CMD in the work tree, and as often in `base` if it is not NULL, each pair
 * in random order. */
bool tr2_bisect_measure(struct tr2_bisect_runner *r,
			const struct tr2_bisect_tree *tree,
			struct tr2_measures *ms,
			const struct tr2_bisect_tree *base,
			struct tr2_measures *base_ms);
void tr2_bisect_runner_release(struct tr2_bisect_runner *r);
