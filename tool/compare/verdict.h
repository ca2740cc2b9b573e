/* SPDX-License-Identifier: MIT */
/*
 * verdict - is NEW slower than BASE? Two kinds of evidence decide:
 *
 * - A time, by a test: the CPU time of all processes (task-clock, or the CPU
 *   time of wait4(2)), or wall if wall says more. The line shows a second time
 *   beside this time.
 * - Counts that are the same in every run of a side: any difference counts.
 *   Counts that vary decide nothing here.
 */
#pragma once

#include "compare/measures.h"

enum tr2_verdict_word {
	TR2_VERDICT_SLOWER,
	TR2_VERDICT_FASTER,
	/* The time does not differ, but exact counts do. MORE: all are larger;
	 * LESS: all are smaller; OTHER: some are larger, and some are
	 * smaller. */
	TR2_VERDICT_MORE,
	TR2_VERDICT_LESS,
	TR2_VERDICT_OTHER,
	TR2_VERDICT_SAME,
	TR2_VERDICT_UNKNOWN /* too few runs to decide */
};
/* words of the verdicts: "slower", "faster", "more work" … */
extern const char *const tr2_verdict_words[];

#define TR2_VERDICT_TIMES 2
#define TR2_VERDICT_COUNTS 3

struct tr2_verdict {
	enum tr2_verdict_word word;
	/* The times to judge, with their intervals; NULL: none. The first time
	 * decides. If is_judged is false, time[0] is the first row that
	 * differs: no time was selected, or the selected time does not
	 * differ. */
	bool is_judged;
	const struct tr2_difference *time[TR2_VERDICT_TIMES];
	struct tr2_stat_interval interval[TR2_VERDICT_TIMES];
	bool has_interval[TR2_VERDICT_TIMES];
	/* The innermost region that changed like the whole time. If no region
	 * did: a timer, or else a process; NULL: unknown. */
	const struct tr2_difference *from;
	/* Exact counts that differ, the most important first. */
	const struct tr2_difference *count[TR2_VERDICT_COUNTS];
	size_t nr_counts;        /* number of counts that differ; processes by
				  * name are left out if `process` is set */
	size_t nr_more, nr_less; /* numbers of larger, and of smaller exact
				  * counts */
	size_t nr_same, nr_vary; /* number of counts that are the same on both
				  * sides, and number of counts that vary */
	/* The processes of one name whose number changed most, if the number of
	 * all processes changed; else NULL. */
	const struct tr2_difference *process;
};

/* Judge all rows of c at the level alpha; 0: judge only counts. */
void tr2_verdict(struct tr2_verdict *v, const struct tr2_comparison *c,
		 double alpha);

/* Is the row an exact count that differs? If so, set *delta to the
 * difference. */
bool tr2_difference_is_count(const struct tr2_difference *d, double *delta);

/* Append the name of a row, and its change in percent with the interval.
 * interval NULL: append both values instead of the change. */
void tr2_difference_add(struct tr2_buf *b, const struct tr2_difference *d,
			const struct tr2_stat_interval *interval);

/* Append the verdict as a line, without newline. */
void tr2_verdict_add(struct tr2_buf *b, const struct tr2_verdict *v,
		     const struct tr2_comparison *c);

/* Print the verdict: as a line, or in JSON as an object. */
void tr2_verdict_print(struct tr2_output *out, const struct tr2_verdict *v,
		       const struct tr2_comparison *c);

/*
 * Judge the rows for --fail-above: the time and exact counts or, with a
 * selection, all selected rows. Print to stderr each row that grew by more than
 * `share`, and each row that this number of runs cannot judge. Return 0,
 * TR2_EXIT_FOUND, or TR2_EXIT_USAGE if nothing can be judged.
 */
int tr2_verdict_judge(const struct tr2_verdict *v,
		      const struct tr2_comparison *c,
		      const struct tr2_measure_choice *choice, double share);
