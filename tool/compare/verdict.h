/* SPDX-License-Identifier: MIT */
/*
 * verdict - is NEW slower than BASE? Decided by two kinds of evidence:
 *
 * - A time, by a test: the CPU time of all processes (task-clock, or that of
 *   wait4(2)), or wall where that says more; and a second one beside it.
 * - Counts that are the same in every run of a side: any difference is one.
 *   Counts that vary say nothing here.
 */
#pragma once

#include "compare/measures.h"

enum tr2_verdict_word {
	TR2_VERDICT_SLOWER,
	TR2_VERDICT_FASTER,
	/* the time does not differ, but exact counts are all larger; all
	 * smaller; some of each */
	TR2_VERDICT_MORE,
	TR2_VERDICT_LESS,
	TR2_VERDICT_OTHER,
	TR2_VERDICT_SAME,
	TR2_VERDICT_UNKNOWN /* so few runs cannot tell */
};
/* "slower", "faster", "more work" … */
extern const char *const tr2_verdict_words[];

#define TR2_VERDICT_TIMES 2
#define TR2_VERDICT_COUNTS 3

struct tr2_verdict {
	enum tr2_verdict_word word;
	/* The times that are judged, the first one decides; with their
	 * intervals. NULL: none. Not is_judged: no time was selected, or others
	 * of the selection differ, and this is the first row that does. */
	bool is_judged;
	const struct tr2_difference *time[TR2_VERDICT_TIMES];
	struct tr2_stat_interval interval[TR2_VERDICT_TIMES];
	bool has_interval[TR2_VERDICT_TIMES];
	/* The innermost region, or else process, that has most of the
	 * difference in time; NULL: none is known. */
	const struct tr2_difference *from;
	/* Exact counts that differ, the most important first. */
	const struct tr2_difference *count[TR2_VERDICT_COUNTS];
	size_t nr_counts;        /* without processes by name, if `process` */
	size_t nr_more, nr_less; /* of all counts */
	size_t nr_same, nr_vary; /* counts that do not differ, or vary */
	/* The process whose number changed most, if all did; NULL. */
	const struct tr2_difference *process;
};

/* Judge all rows of c at the level alpha; 0: only counts. */
void tr2_verdict(struct tr2_verdict *v, const struct tr2_comparison *c,
		 double alpha);

/* Is this a finding of its exact counts? *delta: by how much; else NULL. */
bool tr2_difference_is_count(const struct tr2_difference *d, double *delta);

/* Append a row: its name, and the change in percent with its interval; without
 * one (NULL), both values. */
void tr2_difference_add(struct tr2_buf *b, const struct tr2_difference *d,
			const struct tr2_stat_interval *interval);

/* Append it as a line, without newline. */
void tr2_verdict_add(struct tr2_buf *b, const struct tr2_verdict *v,
		     const struct tr2_comparison *c);

/* Print it: as a line, or in JSON as an object. */
void tr2_verdict_print(struct tr2_output *out, const struct tr2_verdict *v,
		       const struct tr2_comparison *c);

/*
 * --fail-above: print to stderr what grew by more than `share`, and what cannot
 * be judged with so few runs: the time and exact counts, or all rows that were
 * selected. Return 0, TR2_EXIT_FOUND, or TR2_EXIT_USAGE if nothing can be
 * judged.
 */
int tr2_verdict_judge(const struct tr2_verdict *v,
		      const struct tr2_comparison *c,
		      const struct tr2_measure_choice *choice, double share);
