/* SPDX-License-Identifier: MIT */
/*
 * observed_memory - record the memory of each process, and of all processes
 * together, as each look finds it.
 *
 * Each look reads the RSS of every process. observed_share.h finds the
 * process's share of it. A process gets a record when its RSS or share has
 * changed enough. All processes together get a record when their sum has. Each
 * peak gets a record in any case.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/observer/observed_programs.h"
#include "record/observer/observed_share.h"

struct tr2_observer;
struct tr2_observed;

/* State of recording one amount of memory over time. Small changes are not
 * recorded. */
struct tr2_observed_curve {
	uint64_t bytes, share_bytes; /* the last recorded values */
	uint64_t peak_bytes;         /* the largest recorded value */
	/* A value above peak_bytes, which was not recorded because the change
	 * was too small; 0: there is no such value. */
	uint64_t high_bytes, high_share_bytes, high_ns;
};

struct tr2_observed_memory {
	/* Values of the latest look. file_bytes: the part of the RSS that is
	 * pages of files and of shared memory. */
	uint64_t rss_bytes, file_bytes, at_ns;
	int statm; /* descriptor of /proc/PID/statm; see proc_files.h */
	uint32_t program; /* index of the process's program in tree.programs; 0:
			   * none */
	struct tr2_observed_share share;
	struct tr2_observed_curve curve;
};

/* The memory of all processes together. */
struct tr2_observed_tree {
	struct tr2_observed_curve curve;
	struct tr2_observed_programs programs;
	/* measuring_ns: CPU time that reading smaps_rollup took so far;
	 * expected_ns: the time that it was expected to take. */
	uint64_t measuring_ns;
	uint64_t at_ns;  /* time at which the memory was last summed up */
	bool is_changed; /* the memory has changed since at_ns */
	double expected_ns;
};

/* Read the memory of a process. It needs no permission except to see the
 * process. */
void tr2_observe_memory(struct tr2_observer *o, struct tr2_observed *p);
/* Call this after tr2_observe_memory() for all processes. Record the values
 * that have changed enough. */
void tr2_observe_tree(struct tr2_observer *o);
/* Call these when a process has ended, or all have. Record the peak if it is
 * not recorded yet. */
void tr2_observe_memory_end(struct tr2_observer *o, struct tr2_observed *p);
void tr2_observe_tree_end(struct tr2_observer *o);
void tr2_observed_memory_release(struct tr2_observed_memory *memory);
void tr2_observed_tree_release(struct tr2_observed_tree *tree);
