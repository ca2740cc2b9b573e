/* SPDX-License-Identifier: MIT */
/*
 * stat - what the files of `trace2 stat` share.
 */
#ifndef TR2_CMD_STAT_H
#define TR2_CMD_STAT_H

#include "cmd/measures.h"

struct tr2_stat_summary {
	char **argv;
	int64_t nr_wanted, nr_warmups, nr_runs; /* nr_runs: complete */
	int64_t nr_failed; /* of them, with a code other than 0 */
	int code;          /* the first of these */
	bool interrupted;
};

extern struct tr2_measure_choice tr2_stat_choice;

/* The tables of what was measured, and what is to be said of them. */
void tr2_stat_print(const struct tr2_measures *ms,
		    const struct tr2_stat_summary *sum);

#endif
