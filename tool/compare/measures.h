/* SPDX-License-Identifier: MIT */
/* measures - the tables of `trace2 stat` and `trace2 diff`. */
#pragma once

#include "common/options.h"
#include "compare/compare.h"
#include "compare/measure.h"
#include "out/table.h"

/* A selection of measures: by kind, name and size. */
struct tr2_measure_choice {
	const char *only;   /* --only: names of kinds, separated by commas;
			     * NULL: all kinds */
	const char *region; /* -N: a glob that names must match, except names of
			     * numbers of the run; NULL: any name */
	int64_t min_ns;     /* -t: hide times that are shorter than this */
	int64_t limit;      /* -n: number of lines of each kind; -1: all
			     * lines */
};

/* Does the choice select all rows? If so, the tables show only the most telling
 * rows, at most a screen. */
static inline bool tr2_choice_is_all(const struct tr2_measure_choice *choice)
{
	return !choice->only && !choice->region && !choice->min_ns &&
	       choice->limit < 0;
}

extern const char tr2_measure_only_help[];

/* Rows of a selection's options, for a command's table of options. */
#define TR2_MEASURE_OPTIONS(choice)                                           \
	{ 0, "only", "KIND[,KIND...]", TR2_OPT_STRING, &(choice).only,        \
	  tr2_measure_only_help, NULL },                                       \
	{ 'N', "name", "GLOB", TR2_OPT_STRING, &(choice).region,              \
	  "show only processes, regions, timers and counters whose name "     \
	  "matches GLOB", NULL },                                             \
	{ 't', "min-time", "TIME", TR2_OPT_DURATION, &(choice).min_ns,        \
	  "hide times below TIME (1ms, 20us, 1.5s)", NULL },                  \
	{ 'n', "lines", "N", TR2_OPT_INT, &(choice).limit,                    \
	  "show the first N lines of each kind (without a selection: the "    \
	  "most telling ones, on a screen)", NULL }

#define TR2_MEASURE_CHOICE_INIT { NULL, NULL, 0, -1 }

/* Check --only. Return false, after an error message, if it names an invalid
 * kind. */
bool tr2_choice_valid(const struct tr2_measure_choice *choice);
/* Does the selection include this row? larger: the row's largest value. */
bool tr2_choice_takes(const struct tr2_measure_choice *choice,
		      enum tr2_measure_kind kind, enum tr2_measure_unit unit,
		      const char *name, double larger);

/* Does --fail-above judge this selected row? A kernel event that depends on the
 * machine more than on the command is only judged if it was selected by
 * name. */
bool tr2_choice_judges(const struct tr2_measure_choice *choice,
		       enum tr2_measure_kind kind, const char *name);

/* Does the comparison have a row for each number and event that --only names?
 * Names without a row are errors that begin with `option` (which ends in a
 * colon). option NULL: only warn of these names. */
bool tr2_choice_is_measured(const struct tr2_measure_choice *choice,
			    const struct tr2_comparison *c,
			    const char *option);

#define TR2_MEASURED_NOTHING                                                  \
	"Nothing measured matches --only, -N and -t."

/* Set the cell to a value in its unit; NAN leaves it empty. */
void tr2_cell_measure(struct tr2_table *t, enum tr2_measure_unit unit,
		      double value);
/* Return the value as text, in a buffer of tr2_next_text(). */
const char *tr2_measure_text(enum tr2_measure_unit unit, double value);

/* Compare the selected measures. The smaller the selection, the smaller the
 * differences that are significant. This is valid because a selection by name,
 * kind or size does not depend on P. */
void tr2_compare_chosen(struct tr2_comparison *c,
			const struct tr2_measures *base,
			const struct tr2_measures *new, bool in_turns,
			const struct tr2_measure_choice *choice);

/* Print the tables of a comparison, and the meaning of their marks. */
struct tr2_verdict;
void tr2_comparison_print(struct tr2_output *out,
			  const struct tr2_comparison *c,
			  const struct tr2_verdict *v,
			  const struct tr2_measure_choice *choice);

/* Are there enough runs for any significant difference? Assume that every run
 * of one side is above all runs of the other. */
bool tr2_comparison_runs_can_tell(const struct tr2_comparison *c);

/* If the machines differ, print a note below the comparison; in JSON, print
 * "sides". Print losses and failures to stderr. */
void tr2_sides_print(struct tr2_output *out, const struct tr2_measures *base,
		     const struct tr2_measures *new);
