/* SPDX-License-Identifier: MIT */
/*
 * observed_memory - the memory of each process, and of all together, as each
 * look finds it.
 *
 * Each look reads the RSS of every process. observed_share.h finds the part
 * that the process does not share. A process gets a record when one of the two
 * changed enough; all together get one when their sum did. Each peak gets a
 * record in any case.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/observer/observed_programs.h"
#include "record/observer/observed_share.h"

struct tr2_observer;
struct tr2_observed;

/* Memory over time. Small changes are not recorded. */
struct tr2_observed_curve {
	uint64_t bytes, share_bytes; /* the last recorded values */
	uint64_t peak_bytes;         /* the largest recorded value */
	/* A larger value that was not recorded, since the change was too small;
	 * 0: none. */
	uint64_t high_bytes, high_share_bytes, high_ns;
};

struct tr2_observed_memory {
	/* Values of the latest look. file_bytes: the part of the RSS that is
	 * pages of files and of shared memory. */
	uint64_t rss_bytes, file_bytes, at_ns;
	int statm; /* proc_files.h */
	uint32_t program; /* tree.programs; 0: none */
	struct tr2_observed_share share;
	struct tr2_observed_curve curve;
};

/* The memory of all processes together. */
struct tr2_observed_tree {
	struct tr2_observed_curve curve;
	struct tr2_observed_programs programs;
	/* CPU time that reading smaps_rollup took so far, and the time expected
	 * for it. */
	uint64_t measuring_ns;
	uint64_t at_ns;  /* when it was summed up */
	bool is_changed; /* since then */
	double expected_ns;
};

/* Read the memory of a process. It needs no permission except to see the
 * process. */
void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p);
/* Call this after all processes: record what changed. */
void tr2_observe_tree(struct tr2_observer *o);
/* A process has ended, or all have: record the peak, unless it is recorded. */
void tr2_observe_memory_end(struct tr2_observer *o, struct tr2_observed *p);
void tr2_observe_tree_end(struct tr2_observer *o);
void tr2_observed_memory_release(struct tr2_observed_memory *memory);
void tr2_observed_tree_release(struct tr2_observed_tree *tree);
