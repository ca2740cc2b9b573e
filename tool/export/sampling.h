/* SPDX-License-Identifier: MIT */
/*
 * sampling - which trees of processes an export of spans keeps: all that
 * failed, all that took long, and one in N of the rest.
 *
 * One in N is OpenTelemetry's consistent probability sampling: a trace is kept
 * if the last 56 bits of its id are at least a threshold. So everyone who sends
 * a part of a trace decides alike. Each span has the threshold in its
 * traceState (`ot=th:`), from which readers compute how many it stands for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TR2_SAMPLING_MAX 1000000000u

struct tr2_tree_sampling {
	bool on;
	uint64_t one_in; /* of the rest; 0: none of it */
	int64_t slow_ns; /* keep all that took so long; 0: no limit */
	/* How many trees were there so far, and how many of them were kept. */
	uint64_t nr_trees, nr_kept;
};

/* Read `1/N`, N or 0. false: it is neither. */
bool tr2_tree_sampling_parse(struct tr2_tree_sampling *sampling, const char *text);
