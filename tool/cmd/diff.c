/* SPDX-License-Identifier: MIT */
/*
 * trace2 diff - compare two recordings, or two sets of them, measure by
 * measure.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/options.h"
#include "common/say.h"
#include "compare/measures.h"
#include "compare/significance.h"
#include "compare/verdict.h"

static double fail_above = -1;
static struct tr2_measure_choice choice = TR2_MEASURE_CHOICE_INIT;

static const struct tr2_option options[] = {
	{ 0, "fail-above", "PCT", TR2_OPT_PERCENT, &fail_above,
	  "exit with 1 if the time or an exact count is significantly larger "
	  "than the base's, by more than this (5%); with a selection, any "
	  "selected value counts",
	  NULL },
	TR2_MEASURE_OPTIONS(choice),
	{ 'i', "input", "BASE", TR2_OPT_LIST, &tr2_common.input,
	  "a run of the base, or a directory of runs; may be given more than "
	  "once; then all words are new runs", NULL },
	TR2_OPT_END
};

static int read_all(struct tr2_measures *ms, const char *const *paths,
		    size_t nr)
{
	int code = 0;
	size_t i;

	for (i = 0; !code && i < nr; i++)
		code = tr2_set_read(ms, paths[i], false);
	return code;
}

static int compare_sides(const struct tr2_measures *base,
			 const struct tr2_measures *new)
{
	struct tr2_comparison c;
	struct tr2_verdict v;
	struct tr2_output out;
	int code = 0;

	tr2_compare_chosen(&c, base, new, false, &choice);
	tr2_verdict(&v, &c, TR2_ALPHA);
	tr2_output_begin(&out, tr2_common.format);
	tr2_comparison_print(&out, &c, &v, &choice);
	tr2_sides_print(&out, base, new);
	tr2_verdict_print(&out, &v, &c);
	tr2_output_end(&out);
	fflush(stdout);
	if (fail_above >= 0)
		code = tr2_verdict_judge(&v, &c, &choice, fail_above);
	else
		tr2_choice_is_measured(&choice, &c, NULL);
	tr2_comparison_release(&c);
	return code;
}

static int run_diff(int argc, char **argv)
{
	const struct tr2_list *input = &tr2_common.input;
	struct tr2_measures base = { 0 }, new = { 0 };
	const char *const *words = (const char *const *)argv;
	int nr_base = input->nr ? 0 : 1, code;

	if (!tr2_choice_valid(&choice))
		return TR2_EXIT_USAGE;
	if (input->nr ? argc < 1 : argc != 2)
		return tr2_usage_error(input->nr ?
				       "no new runs given: name them as words" :
				       "needs two words, BASE and NEW");
	code = input->nr ? read_all(&base, input->item, input->nr) :
			   read_all(&base, words, 1);
	if (!code)
		code = read_all(&new, words + nr_base,
				(size_t)(argc - nr_base));
	if (!code && (!base.nr_runs || !new.nr_runs)) {
		tr2_error("nothing to compare: the %s has no runs ('trace2 "
			  "record' and 'trace2 stat -o DIR' make some)",
			  base.nr_runs ? "new side" : "base");
		code = TR2_EXIT_FATAL;
	}
	if (!code)
		code = compare_sides(&base, &new);
	tr2_measures_release(&base);
	tr2_measures_release(&new);
	return code;
}

const struct tr2_command tr2_command_diff = {
	.name = "diff",
	.synopsis = "[--fail-above PCT] [--only KIND] BASE NEW | -i BASE "
		    "[-i BASE...] NEW...",
	.summary = "Compares two recordings, or two sets of them.",
	.details = "BASE and NEW are recordings or other inputs, of one run "
		   "each, or directories of recordings, as 'trace2 stat -o' "
		   "makes them; with -i, all that -i names are the base. "
		   "Compares medians (P50). P is the probability of this "
		   "difference, or a larger one, between runs that do not "
		   "differ (Mann-Whitney test). Counts that are the same in "
		   "every run are compared exactly. The last line is the "
		   "verdict.",
	.options = options,
	.common = TR2_COMMON_FORMAT | TR2_COMMON_MARKDOWN,
	.run = run_diff,
};
