/* SPDX-License-Identifier: MIT */
/*
 * sampling - choose the trees of processes that an export of spans keeps: all
 * that failed, all that took long, and one in N of the other trees.
 *
 * One in N is OpenTelemetry's consistent probability sampling: a trace is kept
 * if the last 56 bits of its id are at least a threshold. So all senders of
 * parts of a trace decide alike. Each span has the threshold in its traceState
 * (`ot=th:`), from which readers compute the number of spans for which it
 * stands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TR2_SAMPLING_MAX 1000000000u

struct tr2_tree_sampling {
	bool on;
	uint64_t one_in; /* keep one in this many of the other trees; 0: keep
			  * none */
	int64_t slow_ns; /* keep all trees that took at least this long; 0: no
			  * limit */
	/* Number of trees so far, and number of trees that were kept. */
	uint64_t nr_trees, nr_kept;
};

/* Parse `1/N`, `N` or `0`. Return false if the text has another form. */
bool tr2_tree_sampling_parse(struct tr2_tree_sampling *sampling,
			     const char *text);
