/* SPDX-License-Identifier: MIT */
/*
 * stat_print - the tables of `trace2 stat`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/node.h"
#include "cmd/stat.h"
#include "common/options.h"
#include "common/say.h"
#include "common/words.h"
#include "stat/numbers.h"

/* ---- the runs as a whole ----------------------------------------------------- */

static const struct tr2_column summary_columns[] = {
	{ "side", "", TR2_COL_DATA },
	{ "command", "", TR2_COL_DATA }, { "wanted", "", TR2_COL_DATA },
	{ "warmups", "", TR2_COL_DATA }, { "runs", "", TR2_COL_DATA },
	{ "failed", "", TR2_COL_DATA },	 { "code", "", TR2_COL_DATA },
	{ "interrupted", "", TR2_COL_DATA }, { "lost", "", TR2_COL_DATA },
};

static struct tr2_words words_of(char **argv, struct tr2_buf *b)
{
	struct tr2_words words = { NULL, 0 };

	for (; *argv; argv++, words.nr++)
		tr2_buf_add(b, *argv, strlen(*argv) + 1);
	words.text = tr2_buf_str(b);
	return words;
}

static void add_summary(struct tr2_table *t, const struct tr2_stat_side *side)
{
	const struct tr2_stat_summary *sum = &side->sum;
	struct tr2_buf b = TR2_BUF_INIT;
	struct tr2_words words = words_of(sum->argv, &b);

	tr2_table_row(t);
	tr2_cell_str(t, side->name);
	tr2_cell_words(t, &words);
	tr2_cell_int(t, sum->nr_wanted);
	tr2_cell_int(t, sum->nr_warmups);
	tr2_cell_int(t, sum->nr_runs);
	tr2_cell_int(t, sum->nr_failed);
	tr2_cell_int(t, sum->code);
	tr2_cell_str(t, sum->interrupted ? "yes" : "no");
	tr2_cell_uint(t, side->measures.lost);
	tr2_buf_release(&b);
}

static void summary_as_data(const struct tr2_stat_side *cmd,
			    const struct tr2_stat_side *base)
{
	struct tr2_table t;

	tr2_table_init(&t, "stat", summary_columns,
		       sizeof(summary_columns) / sizeof(*summary_columns));
	add_summary(&t, cmd);
	if (base)
		add_summary(&t, base);
	tr2_table_print(&t);
	tr2_table_release(&t);
}

static void print_how(const struct tr2_stat_side *side)
{
	const struct tr2_stat_summary *sum = &side->sum;

	printf(": %lld run%s", (long long)sum->nr_runs,
	       sum->nr_runs == 1 ? "" : "s");
	if (sum->in_turns)
		printf(" in turns");
	if (sum->nr_warmups)
		printf(" after %lld to warm up", (long long)sum->nr_warmups);
	if (sum->nr_failed)
		printf("; %lld failed, the first with exit %d",
		       (long long)sum->nr_failed, sum->code);
	if (sum->interrupted)
		printf("; interrupted: %lld were wanted",
		       (long long)sum->nr_wanted);
	if (side->measures.lost)
		printf("; %llu events lost",
		       (unsigned long long)side->measures.lost);
	if (side->measures.failed)
		printf("; out of memory: something is missing");
	puts("");
}

static void print_summary(const char *before, const struct tr2_stat_side *side)
{
	bool text = tr2_common.format == TR2_FORMAT_TEXT;
	struct tr2_buf b = TR2_BUF_INIT, line = TR2_BUF_INIT,
		       shown = TR2_BUF_INIT;
	struct tr2_words words = words_of(side->sum.argv, &b);

	tr2_words_quote(&words, &line);
	tr2_text_add(&shown, line.p, line.len);
	printf(text ? "%s%s%s%s" : "%s%s`%s`%s", before,
	       tr2_color_on(TR2_COLOR_HEADING), tr2_buf_str(&shown),
	       tr2_color_off(TR2_COLOR_HEADING));
	print_how(side);
	tr2_buf_release(&b);
	tr2_buf_release(&line);
	tr2_buf_release(&shown);
}

/* ---- what was measured -------------------------------------------------------- */

static const struct tr2_column columns[] = {
	{ "kind", "", TR2_COL_DATA },
	{ "unit", "", TR2_COL_DATA },
	{ "runs", "", TR2_COL_DATA },
	{ "mean", "MEAN", TR2_COL_SHORT },
	{ NULL, "±", TR2_COL_TEXT },
	{ "error", "", TR2_COL_DATA },
	{ "min", "", TR2_COL_DATA },
	{ "p50", "P50", TR2_COL_SHORT },
	{ "p90", "P90", TR2_COL_SHORT | TR2_COL_YIELDS },
	{ "p99", "P99", TR2_COL_SHORT | TR2_COL_YIELDS },
	{ "max", "MAX", TR2_COL_SHORT },
	{ "outliers", "", TR2_COL_DATA },
	{ "calls", "CALLS", TR2_COL_SPARE },
	{ "note", "", TR2_COL_DATA },
	{ "name", NULL, TR2_COL_FLEX }, /* heading: the kind's */
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))
#define MEAN_COLUMN 3

static void add_unmeasured(struct tr2_table *t, const struct tr2_measure *it)
{
	bool text = tr2_common.format == TR2_FORMAT_TEXT ||
		    tr2_common.format == TR2_FORMAT_MARKDOWN;
	size_t c;

	tr2_cell_uint(t, 0);
	if (text)
		tr2_cell_str(t, "-");
	else
		tr2_cell_none(t);
	for (c = MEAN_COLUMN + 1; c < NR_COLUMNS - 2; c++)
		tr2_cell_none(t);
	tr2_cell_str(t, it->note);
}

static void add_numbers(struct tr2_table *t, const struct tr2_measure *it,
			const struct tr2_numbers *n, double calls)
{
	double share = n->mean > 0 ? n->error / n->mean : 0;

	tr2_cell_uint(t, n->nr);
	tr2_cell_measure(t, it->unit, n->mean);
	if (isnan(n->error))
		tr2_cell_none(t);
	else
		tr2_cell_share(t, share);
	tr2_cell_measure(t, it->unit, n->error);
	tr2_cell_measure(t, it->unit, n->min);
	tr2_cell_measure(t, it->unit, n->p50);
	tr2_cell_measure(t, it->unit, n->p90);
	tr2_cell_measure(t, it->unit, n->p99);
	tr2_cell_measure(t, it->unit, n->max);
	tr2_cell_uint(t, n->nr_outliers);
	if (it->kind == TR2_MEASURE_RUN || it->kind == TR2_MEASURE_EVENT ||
	    it->kind == TR2_MEASURE_COUNTER)
		tr2_cell_none(t);
	else
		tr2_cell_real(t, calls);
	tr2_cell_none(t);
}

/* A measure with its numbers, to be sorted. */
struct line {
	const struct tr2_measure *it;
	struct tr2_numbers numbers;
	double calls;
};

static void add_line(struct tr2_table *t, const struct line *l)
{
	char name[600];

	tr2_table_row(t);
	tr2_cell_str(t, tr2_measure_names[l->it->kind]);
	tr2_cell_str(t, tr2_measure_units[l->it->unit]);
	if (l->numbers.nr)
		add_numbers(t, l->it, &l->numbers, l->calls);
	else
		add_unmeasured(t, l->it);
	snprintf(name, sizeof(name), "%s (%s)", l->it->name,
		 l->it->note ? l->it->note : "not counted");
	tr2_cell_str(t, l->numbers.nr ||
			tr2_common.format == TR2_FORMAT_JSON ||
			tr2_common.format == TR2_FORMAT_CSV ?
				l->it->name : name);
}

static int by_mean(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (a->it->kind != b->it->kind)
		return a->it->kind < b->it->kind ? -1 : 1;
	/* The order in which they were named says something. */
	if (a->it->kind > TR2_MEASURE_EVENT &&
	    (a->numbers.mean > b->numbers.mean ||
	     a->numbers.mean < b->numbers.mean))
		return a->numbers.mean > b->numbers.mean ? -1 : 1;
	return a->it < b->it ? -1 : 1;
}

static size_t make_lines(const struct tr2_measures *ms, struct line *lines)
{
	struct tr2_numbers calls;
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < ms->nr; i++) {
		struct line *l = &lines[nr];

		l->it = &ms->item[i];
		tr2_numbers(&l->numbers, l->it->values, ms->nr_runs);
		if (!tr2_choice_takes(&tr2_stat_choice, l->it->kind,
				      l->it->unit, l->it->name,
				      l->numbers.max))
			continue;
		l->calls = tr2_numbers(&calls, l->it->calls, ms->nr_runs) ?
				   calls.mean : 0;
		nr++;
	}
	qsort(lines, nr, sizeof(*lines), by_mean);
	return nr;
}

/* Of one run there is one value, and nothing else to be said. */
static void head_columns(struct tr2_column *own, int kind, uint32_t nr_runs)
{
	size_t c;

	memcpy(own, columns, sizeof(columns));
	own[NR_COLUMNS - 1].heading =
		kind < 0 ? "" : tr2_measure_headings[kind];
	if (nr_runs > 1)
		return;
	own[MEAN_COLUMN].heading = "VALUE";
	for (c = MEAN_COLUMN + 1; c < NR_COLUMNS - 1; c++)
		if (own[c].key && !!strcmp(own[c].key, "calls"))
			own[c].flags |= TR2_COL_DATA;
}

static void print_lines(const struct line *lines, size_t nr, int kind,
			uint32_t nr_runs)
{
	struct tr2_column own[NR_COLUMNS];
	struct tr2_table t;
	size_t i;

	head_columns(own, kind, nr_runs);
	tr2_table_init(&t, "measures", own, NR_COLUMNS);
	for (i = 0; i < nr; i++)
		if (kind < 0 || (int)lines[i].it->kind == kind)
			add_line(&t, &lines[i]);
	if (kind >= 0 && tr2_stat_choice.limit >= 0)
		tr2_table_limit(&t, (size_t)tr2_stat_choice.limit);
	if (t.nr_rows || kind < 0)
		tr2_table_print(&t);
	tr2_table_release(&t);
}

static void print_data(const struct tr2_stat_side *cmd,
		       const struct tr2_stat_side *base,
		       const struct line *lines, size_t nr)
{
	summary_as_data(cmd, base);
	tr2_stat_notes_as_data(cmd, base);
	print_lines(lines, nr, -1, cmd->measures.nr_runs);
}

static void print_text(const struct tr2_stat_side *cmd,
		       const struct tr2_stat_side *base,
		       const struct line *lines, size_t nr)
{
	bool text = tr2_common.format == TR2_FORMAT_TEXT;
	int kind;

	print_summary(text ? "\n" : "", cmd);
	puts("");
	for (kind = 0; kind < TR2_MEASURE_NR; kind++)
		print_lines(lines, nr, kind, cmd->measures.nr_runs);
	if (!nr) {
		puts(TR2_MEASURED_NOTHING);
	} else if (cmd->measures.nr_runs > 1) {
		puts("");
		tr2_stat_print_notes(cmd);
		printf("%s± is the standard error of the mean.%s\n",
		       text ? tr2_color_on(TR2_COLOR_DIM) : "",
		       text ? tr2_color_off(TR2_COLOR_DIM) : "");
	}
	if (!base)
		return;
	print_summary("\nCompared with ", base);
	tr2_stat_print_notes(base);
}

void tr2_stat_print(const struct tr2_stat_side *cmd,
		    const struct tr2_stat_side *base)
{
	struct line *lines = calloc((size_t)cmd->measures.nr + 1,
				    sizeof(*lines));
	size_t nr;

	if (!lines) {
		tr2_error("out of memory");
		return;
	}
	nr = make_lines(&cmd->measures, lines);
	if (tr2_common.format == TR2_FORMAT_JSON ||
	    tr2_common.format == TR2_FORMAT_CSV)
		print_data(cmd, base, lines, nr);
	else
		print_text(cmd, base, lines, nr);
	free(lines);
}
