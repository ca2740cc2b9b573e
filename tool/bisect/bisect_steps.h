/* SPDX-License-Identifier: MIT */
/*
 * bisect_steps - the measure by which `trace2 bisect` decides, and the commits
 * that it judged. Text has a line for each commit; data has rows of "steps" and
 * "found".
 */
#pragma once

#include <stdio.h>

#include "compare/measures.h"

/* The deciding measure: the value, or the number of calls, of a row that both
 * ends have. */
struct tr2_bisect_decision {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	char *name;
	bool by_calls, is_exact;
	double good, bad; /* values of the good and the bad end */
};

/* A commit that was judged. */
struct tr2_bisect_step {
	const char *commit, *subject;
	const char *word; /* the verdict: "good", "bad" or "skip" */
	double value;     /* NAN: the commit was skipped */
	const char *why;  /* the reason why the commit was skipped; NULL: it was
			   * not skipped */
};

struct tr2_bisect_steps {
	struct tr2_bisect_step *item;
	uint32_t nr, alloc;
};

/* Append a copy of a step, with the commit's subject. Print the step's line to
 * `out`, unless that is NULL. */
void tr2_bisect_step_add(struct tr2_bisect_steps *steps,
			 const struct tr2_bisect_step *step,
			 const struct tr2_bisect_decision *by, FILE *out);
/* Return the last step with this verdict. */
const struct tr2_bisect_step *
tr2_bisect_step_last(const struct tr2_bisect_steps *steps, const char *word);
void tr2_bisect_steps_print(struct tr2_output *out,
			    const struct tr2_bisect_steps *steps);
void tr2_bisect_found_print(struct tr2_output *out, const char *commit,
			    const char *subject,
			    const struct tr2_bisect_decision *by);
void tr2_bisect_steps_release(struct tr2_bisect_steps *steps);

/* Return a commit's subject in a format of git-log(1); "" if git reports none.
 * is_text: remove control characters, since a terminal shows the subject. */
char *tr2_bisect_subject(const char *commit, const char *format, bool is_text);
