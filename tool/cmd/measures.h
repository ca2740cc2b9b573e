/* SPDX-License-Identifier: MIT */
/*
 * measures - how `trace2 stat` and `trace2 diff` show what was measured.
 */
#ifndef TR2_CMD_MEASURES_H
#define TR2_CMD_MEASURES_H

#include "common/options.h"
#include "out/table.h"
#include "stat/compare.h"
#include "stat/measure.h"

/* Which of the measures: by kind, name and size. */
struct tr2_measure_choice {
	const char *only;   /* --only: names of kinds, comma-separated; NULL: all */
	const char *region; /* -N: a glob of names, but not of runs; NULL: any */
	int64_t min_ns;     /* -t: no times below it */
	int64_t limit;      /* -n: as many of each kind; -1: all */
};

/* Their options, for the table of a command. */
#define TR2_MEASURE_OPTIONS(choice)                                           \
	{ 0, "only", "KIND[,KIND...]", TR2_OPT_STRING, &(choice).only,        \
	  "show only these kinds: run, event, process, region, timer, counter", NULL },  \
	{ 'N', "name", "GLOB", TR2_OPT_STRING, &(choice).region,              \
	  "only processes, regions, timers and counters whose name is like "  \
	  "this", NULL },                                                     \
	{ 't', "min-time", "TIME", TR2_OPT_DURATION, &(choice).min_ns,        \
	  "hide times below TIME (1ms, 20us, 1.5s)", NULL },                    \
	{ 'n', "lines", "N", TR2_OPT_INT, &(choice).limit,                    \
	  "show only the first N lines of each kind", NULL }

#define TR2_MEASURE_CHOICE_INIT { NULL, NULL, 0, -1 }

/* false: --only names something else, which was said. */
bool tr2_choice_valid(const struct tr2_measure_choice *choice,
		      const struct tr2_command *command);
/* `larger`: the largest value that would be shown of it. */
bool tr2_choice_takes(const struct tr2_measure_choice *choice,
		      enum tr2_measure_kind kind, enum tr2_measure_unit unit,
		      const char *name, double larger);

#define TR2_MEASURED_NOTHING                                                  \
	"Nothing measured matches --only, -N and -t."

/* A value in its unit; nothing for NAN. */
void tr2_cell_measure(struct tr2_table *t, enum tr2_measure_unit unit,
		      double value);
/* The same as text, appended. */
void tr2_fmt_measure(struct tr2_buf *b, enum tr2_measure_unit unit,
		     double value);

/* tr2_compare() of what was chosen: the fewer, the less it takes to be
 * significant, since who chooses by name, kind or size did not see P. */
void tr2_compare_chosen(struct tr2_comparison *c,
			const struct tr2_measures *base,
			const struct tr2_measures *new,
			const struct tr2_measure_choice *choice);

/* The tables of a comparison, and below them what the marks mean. */
void tr2_comparison_print(struct tr2_output *out,
			  const struct tr2_comparison *c,
			  const struct tr2_measure_choice *choice);

/*
 * --fail-above: says on stderr what grew by more than `share`, and what so few
 * runs cannot judge. The exit code: 0, TR2_EXIT_FOUND, or TR2_EXIT_USAGE when
 * they can judge nothing.
 */
int tr2_comparison_judge(const struct tr2_comparison *c, double share);

#endif
