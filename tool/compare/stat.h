/* SPDX-License-Identifier: MIT */
/* stat - shared by the files of `trace2 stat`. */
#pragma once

#include "compare/measures.h"

struct tr2_stat_summary {
	char **argv;
	int64_t nr_wanted, nr_warmups, nr_runs; /* numbers of wanted runs, of
						 * warm-ups, and of complete
						 * runs */
	int64_t nr_failed; /* number of runs with an exit code other than 0 */
	int code;          /* the first exit code other than 0 */
	int *codes;        /* exit codes of all complete runs */
	bool interrupted;
	bool in_turns; /* the runs alternate with runs of the command of
			* --against */
};

/* One command with its runs. */
struct tr2_stat_side {
	const char *name; /* "cmd", or "base" for the command of --against */
	struct tr2_measures measures;
	struct tr2_stat_summary sum;
};

extern struct tr2_measure_choice tr2_stat_choice;

/* Append a command, quoted for a shell, without control characters. */
void tr2_stat_add_command(struct tr2_buf *line, char **argv);

/*
 * Print the tables of CMD's measures, and notes on its runs. For `base`, which
 * may be NULL, print only the notes. compared: print no tables in text, since
 * the caller prints the tables of the comparison.
 */
void tr2_stat_print(struct tr2_output *out, const struct tr2_stat_side *cmd,
		    const struct tr2_stat_side *base, bool compared);

/* Print notes on the times of runs, outliers and suspicious patterns, as lines
 * or as rows of "runs" and "notes". brief: leave out the note that the times
 * vary. */
void tr2_stat_print_notes(const struct tr2_stat_side *side, bool color,
			  bool brief);
void tr2_stat_notes_as_data(struct tr2_output *out,
			    const struct tr2_stat_side *cmd,
			    const struct tr2_stat_side *base);
