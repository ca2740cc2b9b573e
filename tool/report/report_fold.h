/* SPDX-License-Identifier: MIT */
/*
 * report_fold - the tree of processes, folded to a number of rows that a person
 * reads. Processes of one kind (model/kind.h) share a row if their parents
 * share one. The rows that took the least time are left out.
 */
#pragma once

#include "report/report.h"

/* Text has at most this many rows of processes, and at most as many rows of the
 * path. */
#define TR2_REPORT_ROWS 40
/* Text leaves out rows that take less than this share of the whole. */
#define TR2_REPORT_SHARE 0.005

/* One process, or several. Times are sums; TR2_NO_TIME: unknown. */
struct tr2_fold_row {
	uint32_t node, nr; /* the first process, and the number of processes */
	uint32_t parent, first, last, next; /* neighbours in the tree of rows;
					     * 0: none */
	tr2_str kind;
	bool shown, at_least;
	int64_t wall_ns, cpu_ns, wait_ns, ready_ns, self_ns, spawn_ns;
	int64_t once_ns; /* time in which at least one of the processes ran
			  * while its root ran */
	int64_t median_ns, max_ns;
};

struct tr2_fold {
	struct tr2_fold_row *row; /* the rows; row[0] is above the roots */
	uint32_t nr, alloc;
	/* The rows that are left out: their number, and the largest time of
	 * one. */
	uint32_t nr_rest;
	int64_t most_rest_ns;
	struct tr2_fold_row rest; /* the sums over the rows that are left out */
	/* The processes that have a row of their own. */
	uint32_t single[TR2_REPORT_ROWS], nr_singles;
};

/* Fold the processes that r->filter selects. Return false if they fit
 * unfolded. */
bool tr2_report_fold(struct tr2_fold *fold, const struct tr2_report *r);
void tr2_fold_release(struct tr2_fold *fold);

/* Return the next row that is shown, in the order of the tree; 0: the end.
 * Start with row 0 and *depth -1. *depth is set to the depth of the row that is
 * returned. */
uint32_t tr2_fold_after(const struct tr2_fold *fold, uint32_t row, int *depth);

/* Return the text `, each less than 0.5%`, or the same text with a larger
 * bound. */
const char *tr2_report_bound(int64_t most_ns, int64_t whole_ns);

/* Return the part of a process's time in which its root still ran. */
int64_t tr2_report_time_within(const struct tr2_node *n,
			       const struct tr2_node *root);
