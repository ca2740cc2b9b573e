/* SPDX-License-Identifier: MIT */
/*
 * observed_memory - the memory of each process, and of all together, as each
 * look finds it.
 *
 * Each look reads the RSS of every process; observed_share.h finds the part that
 * the process has alone. A process gets a record when one of the two changed
 * enough, and all together get one when their sum did. Each peak gets a record in
 * any case.
 */
#pragma once

#include <stdint.h>

#include "record/observer/observed_programs.h"
#include "record/observer/observed_share.h"

struct tr2_observer;
struct tr2_observed;

/* Memory over time, of which not each value is recorded. */
struct tr2_observed_curve {
	uint64_t bytes, share_bytes; /* as last recorded */
	uint64_t peak_bytes;         /* the most recorded so far */
	/* More than that, but by too little for a record; 0: none. */
	uint64_t high_bytes, high_share_bytes, high_ns;
};

struct tr2_observed_memory {
	/* By the latest look; file_bytes: pages of files and of shared memory, a
	 * part of the RSS. */
	uint64_t rss_bytes, file_bytes, at_ns;
	uint32_t program; /* tree.programs; 0: none */
	struct tr2_observed_share share;
	struct tr2_observed_curve curve;
};

/* The memory of all processes together. */
struct tr2_observed_tree {
	struct tr2_observed_curve curve;
	struct tr2_observed_programs programs;
	/* What reading smaps_rollup took so far, and was expected to take. */
	uint64_t measuring_ns;
	double expected_ns;
};

/* Read the memory of a process. Needs no permission but to see the process. */
void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p);
/* After all processes: record what changed. */
void tr2_observe_tree(struct tr2_observer *o);
/* A process ended, or all did: record the peak, unless it was. */
void tr2_observe_memory_end(struct tr2_observer *o, struct tr2_observed *p);
void tr2_observe_tree_end(struct tr2_observer *o);
void tr2_observed_memory_release(struct tr2_observed_memory *memory);
void tr2_observed_tree_release(struct tr2_observed_tree *tree);
