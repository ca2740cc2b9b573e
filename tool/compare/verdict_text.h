/* SPDX-License-Identifier: MIT */
/* verdict_text - the last line of a comparison, and the judgement of --fail-above. */
#ifndef TR2_COMPARE_VERDICT_TEXT_H
#define TR2_COMPARE_VERDICT_TEXT_H

#include "compare/measures.h"
#include "compare/verdict.h"

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

#endif
