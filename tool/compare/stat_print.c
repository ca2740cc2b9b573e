/* SPDX-License-Identifier: MIT */
/*
 * stat_print - the tables of `trace2 stat`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "common/memory.h"
#include "common/words.h"
#include "compare/numbers.h"
#include "compare/stat.h"
#include "record/refusal.h"

struct tr2_measure_choice tr2_stat_choice = TR2_MEASURE_CHOICE_INIT;

static struct tr2_words words_of(char **argv, struct tr2_buf *b)
{
	struct tr2_words words = { 0 };

	for (; *argv; argv++, words.nr++)
		tr2_buf_add(b, *argv, strlen(*argv) + 1);
	words.text = tr2_buf_str(b);
	return words;
}

static void cell_command(struct tr2_table *t, const struct tr2_stat_side *side)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct tr2_words words = words_of(side->sum.argv, &b);

	tr2_cell_words(t, &words);
	tr2_buf_release(&b);
}

#define SUMMARY_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(side, tr2_cell_str(t, r->name)) \
	DATA(command, cell_command(t, r)) \
	DATA(wanted, tr2_cell_int(t, r->sum.nr_wanted)) \
	DATA(warmups, tr2_cell_int(t, r->sum.nr_warmups)) \
	DATA(runs, tr2_cell_int(t, r->sum.nr_runs)) \
	DATA(failed, tr2_cell_int(t, r->sum.nr_failed)) \
	DATA(code, tr2_cell_int(t, r->sum.code)) \
	DATA(interrupted, tr2_cell_bool(t, r->sum.interrupted)) \
	DATA(lost, tr2_cell_uint(t, r->measures.lost)) \
	DATA(in_turns, tr2_cell_bool(t, r->sum.in_turns))

TR2_COLUMN_LIST(summary_columns, struct tr2_stat_side, SUMMARY_COLUMNS)

static void print_how(const struct tr2_stat_side *side)
{
	const struct tr2_stat_summary *sum = &side->sum;

	printf(": %lld run%s", (long long)sum->nr_runs,
	       sum->nr_runs == 1 ? "" : "s");
	if (sum->in_turns)
		printf(" in turns");
	if (sum->nr_warmups)
		printf(" after %lld warm-up run%s", (long long)sum->nr_warmups,
		       sum->nr_warmups == 1 ? "" : "s");
	if (sum->nr_failed)
		printf("; %lld failed, the first with exit %d",
		       (long long)sum->nr_failed, sum->code);
	if (sum->interrupted)
		printf("; interrupted, %lld were requested",
		       (long long)sum->nr_wanted);
	if (side->measures.lost)
		printf("; %llu events lost",
		       (unsigned long long)side->measures.lost);
	if (side->measures.failed)
		printf("; some runs could not be read");
	puts("");
}

void tr2_stat_add_command(struct tr2_buf *line, char **argv)
{
	struct tr2_buf b = TR2_BUF_INIT, quoted = TR2_BUF_INIT;
	struct tr2_words words = words_of(argv, &b);

	tr2_words_quote(&words, &quoted);
	tr2_text_add(line, quoted.p, quoted.len);
	tr2_buf_release(&quoted);
	tr2_buf_release(&b);
}

static void print_summary(const char *before, const struct tr2_stat_side *side,
			  bool text)
{
	struct tr2_buf shown = TR2_BUF_INIT;

	tr2_stat_add_command(&shown, side->sum.argv);
	printf(text ? "%s%s%s%s" : "%s%s`%s`%s", before,
	       tr2_color_on(TR2_COLOR_HEADING), tr2_buf_str(&shown),
	       tr2_color_off(TR2_COLOR_HEADING));
	print_how(side);
	tr2_buf_release(&shown);
}

/* A measure with its numbers, for sorting. */
struct line {
	const struct tr2_measure *it;
	struct tr2_numbers numbers;
	double calls;
};

/* Set the cell to one number of the line. Leave the cell empty if the measure
 * has no values. */
static void cell_number(struct tr2_table *t, const struct line *l, double value)
{
	if (l->numbers.nr)
		tr2_cell_measure(t, l->it->unit, value);
}

static void cell_mean(struct tr2_table *t, const struct line *l)
{
	if (!l->numbers.nr && tr2_output_is_text(t->output))
		tr2_cell_str(t, "-");
	else
		cell_number(t, l, l->numbers.mean);
	if (l->it->at_least)
		tr2_cell_at_least(t);
}

static void cell_error_share(struct tr2_table *t, const struct line *r)
{
	const struct tr2_numbers *n = &r->numbers;

	if (n->nr && !isnan(n->error))
		tr2_cell_share(t, n->mean > 0 ? n->error / n->mean : 0);
}

static void cell_calls(struct tr2_table *t, const struct line *l)
{
	if (l->numbers.nr && l->it->kind > TR2_MEASURE_SYSCALL &&
	    l->it->kind != TR2_MEASURE_COUNTER)
		tr2_cell_real(t, l->calls);
}

static void cell_name(struct tr2_table *t, const struct line *l)
{
	if (l->numbers.nr || !tr2_output_is_text(t->output))
		tr2_cell_str(t, l->it->name);
	else
		tr2_cell_strf(t, "%s (%s)", l->it->name,
			      l->it->note ? l->it->note : "not counted");
}

/* The heading of the column `name` depends on the kind and is set later. */
#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(kind, tr2_cell_str(t, tr2_measure_names[r->it->kind])) \
	DATA(unit, tr2_cell_str(t, tr2_measure_units[r->it->unit])) \
	DATA(runs, tr2_cell_uint(t, r->numbers.nr)) \
	COLUMN(mean, "MEAN", TR2_COL_SINGLE, cell_mean(t, r)) \
	TEXT(error_share, TR2_PLUS_MINUS, 0, cell_error_share(t, r)) \
	DATA(error, cell_number(t, r, r->numbers.error)) \
	DATA(min, cell_number(t, r, r->numbers.min)) \
	COLUMN(p50, "P50", TR2_COL_SINGLE, cell_number(t, r, r->numbers.p50)) \
	COLUMN(p90, "P90", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       cell_number(t, r, r->numbers.p90)) \
	COLUMN(p99, "P99", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       cell_number(t, r, r->numbers.p99)) \
	COLUMN(max, "MAX", TR2_COL_SINGLE, cell_number(t, r, r->numbers.max)) \
	DATA(outliers, \
	     if (r->numbers.nr) tr2_cell_uint(t, r->numbers.nr_outliers)) \
	COLUMN(calls, "CALLS", TR2_COL_SPARE, cell_calls(t, r)) \
	DATA(note, if (!r->numbers.nr) tr2_cell_str(t, r->it->note)) \
	DATA(at_least, tr2_cell_bool(t, r->it->at_least)) \
	COLUMN(name, NULL, TR2_COL_FLEX, cell_name(t, r))

TR2_COLUMN_LIST(columns, struct line, COLUMNS)
#define NR_COLUMNS (ARRAY_SIZE(columns))
#define MEAN_COLUMN 3

static int by_mean(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (a->it->kind != b->it->kind)
		return a->it->kind < b->it->kind ? -1 : 1;
	/* Sort only kinds after events by their means: numbers of the run and
	 * events keep the order in which the user named them. */
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

/* Adapt the columns to a single run, which has one value and no
 * distribution. */
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

static void print_lines(struct tr2_output *out, const struct line *lines,
			size_t nr, int kind, uint32_t nr_runs, size_t limit)
{
	struct tr2_column own[NR_COLUMNS];
	struct tr2_table t;
	size_t i;

	head_columns(own, kind, nr_runs);
	tr2_table_init(&t, out, "measures", own, NR_COLUMNS);
	for (i = 0; i < nr; i++)
		if (kind < 0 || (int)lines[i].it->kind == kind)
			tr2_table_add(&t, &lines[i]);
	tr2_table_limit(&t, limit);
	if (t.nr_rows || kind < 0)
		tr2_table_print(&t);
	tr2_table_release(&t);
}

/* The measures of the states of one kind of process. */
struct kind_line {
	struct tr2_numbers numbers[TR2_MEASURE_NR];
	double count, wall; /* means */
	const char *name;
};

static void cell_error(struct tr2_table *t, const struct tr2_numbers *n)
{
	if (!isnan(n->error) && n->mean > 0)
		tr2_cell_share(t, n->error / n->mean);
}

/* The columns of a state: the median, and the standard error as a share of the
 * mean. */
#define STATES(COLUMN, TEXT, key, error, heading, kind) \
	COLUMN(key, heading, TR2_COL_SINGLE, \
	       tr2_cell_measure(t, TR2_UNIT_NS, r->numbers[kind].p50)) \
	TEXT(error, TR2_PLUS_MINUS, TR2_COL_SPARE, \
	     cell_error(t, &r->numbers[kind]))

#define KIND_COLUMNS(COLUMN, DATA, TEXT) \
	STATES(COLUMN, TEXT, cpu_ns, cpu_error, "CPU", TR2_MEASURE_CPU) \
	STATES(COLUMN, TEXT, wait_ns, wait_error, "WAIT", TR2_MEASURE_WAIT) \
	STATES(COLUMN, TEXT, ready_ns, ready_error, "READY", \
	       TR2_MEASURE_READY) \
	COLUMN(share, "SHARE", 0, \
	       if (r->wall > 0) \
		       tr2_cell_share(t, fmin(1, \
			r->numbers[TR2_MEASURE_SELF].mean / r->wall))) \
	COLUMN(count, "COUNT", TR2_COL_YIELDS, tr2_cell_real(t, r->count)) \
	COLUMN(name, "KIND OF PROCESS (SUM)", TR2_COL_FLEX, \
	       tr2_cell_str(t, r->name))

TR2_COLUMN_LIST(kind_columns, struct kind_line, KIND_COLUMNS)

static void fill_kind(struct kind_line *k, const struct tr2_measures *ms,
		      const struct tr2_measure *of)
{
	const struct tr2_measure *wall =
		tr2_measures_find(ms, TR2_MEASURE_RUN, "wall");
	struct tr2_numbers n;
	int kind;

	memset(k, 0, sizeof(*k));
	k->name = of->name;
	if (wall && tr2_numbers(&n, wall->values, ms->nr_runs))
		k->wall = n.mean;
	if (tr2_numbers(&n, of->calls, ms->nr_runs))
		k->count = n.mean;
	for (kind = TR2_MEASURE_CPU; kind <= TR2_MEASURE_SELF; kind++) {
		const struct tr2_measure *it = tr2_measures_find(
			ms, (enum tr2_measure_kind)kind, k->name);

		k->numbers[kind].p50 = NAN;
		if (it)
			tr2_numbers(&k->numbers[kind], it->values, ms->nr_runs);
	}
}

/* Return the measure by which kinds of processes are selected and sorted; -1:
 * the user selected no such measure. */
static int measure_of_kinds(const struct line *lines, size_t nr)
{
	int kind = -1;
	size_t i;

	for (i = 0; i < nr; i++)
		if (tr2_measure_is_of_states(lines[i].it->kind) &&
		    (kind < 0 || lines[i].it->kind == TR2_MEASURE_SELF))
			kind = (int)lines[i].it->kind;
	return kind;
}

/* Print a row for each kind of process, with all its states. */
static void print_kinds(struct tr2_output *out, const struct line *lines,
			size_t nr, const struct tr2_measures *ms)
{
	struct kind_line *kinds = tr2_calloc(nr, sizeof(*kinds));
	int kind = measure_of_kinds(lines, nr);
	struct tr2_table t = TR2_TABLE_OF(out, "kinds", kind_columns);
	size_t i;

	for (i = 0; i < nr; i++) {
		if ((int)lines[i].it->kind != kind)
			continue;
		fill_kind(&kinds[i], ms, lines[i].it);
		tr2_table_add(&t, &kinds[i]);
	}
	if (tr2_stat_choice.limit >= 0)
		tr2_table_limit(&t, (size_t)tr2_stat_choice.limit);
	if (t.nr_rows)
		tr2_table_print(&t);
	tr2_table_release(&t);
	free(kinds);
}

static void print_data(struct tr2_output *out, const struct tr2_stat_side *cmd,
		       const struct tr2_stat_side *base,
		       const struct line *lines, size_t nr)
{
	struct tr2_table t = TR2_TABLE_OF(out, "stat", summary_columns);

	tr2_table_add(&t, cmd);
	if (base)
		tr2_table_add(&t, base);
	tr2_table_finish(&t);
	tr2_stat_notes_as_data(out, cmd, base);
	print_lines(out, lines, nr, -1, cmd->measures.nr_runs, nr);
}

/* Without a selection, fill about a screen: SCREEN_LINES lines in all tables,
 * and SCREEN_ROWS rows of each kind after the events. */
#define SCREEN_LINES 22u
#define SCREEN_ROWS 5u
/* Only comparisons show this number of the run and the numbers after it. */
#define FIRST_COUNT "bytes-read"

struct screen {
	size_t lines, hidden;
};

static size_t rows_of(struct screen *screen, const struct line *lines,
		      size_t nr, enum tr2_measure_kind kind)
{
	size_t rows = 0, most, i;

	for (i = 0; i < nr; i++)
		rows += lines[i].it->kind == kind;
	if (tr2_stat_choice.limit >= 0)
		return (size_t)tr2_stat_choice.limit;
	if (!tr2_choice_is_all(&tr2_stat_choice) || !rows)
		return rows;
	for (i = 0; i < rows && kind == TR2_MEASURE_RUN; i++)
		if (!strcmp(lines[i].it->name, FIRST_COUNT))
			break;
	most = kind == TR2_MEASURE_RUN ? i :
	       kind == TR2_MEASURE_SYSCALL ? 0 :
	       kind > TR2_MEASURE_EVENT && rows > SCREEN_ROWS ? SCREEN_ROWS :
								rows;
	if (kind > TR2_MEASURE_EVENT && most + 2 > screen->lines)
		most = screen->lines > 2 ? screen->lines - 2 : 0;
	screen->lines -= most && most + 2 < screen->lines ? most + 2 :
			 most ? screen->lines : 0;
	screen->hidden += rows - most;
	return most;
}

static void print_tables(struct tr2_output *out, const struct line *lines,
			 size_t nr, const struct tr2_measures *ms)
{
	struct screen screen = { SCREEN_LINES, 0 };
	size_t limit;
	int kind;

	for (kind = 0; kind < TR2_MEASURE_NR; kind++) {
		if (kind == TR2_MEASURE_SELF) {
			print_kinds(out, lines, nr, ms);
		} else if (!tr2_measure_is_of_states(
				   (enum tr2_measure_kind)kind)) {
			limit = rows_of(&screen, lines, nr,
					(enum tr2_measure_kind)kind);
			print_lines(out, lines, nr, kind, ms->nr_runs, limit);
		}
	}
	if (screen.hidden)
		printf("\nNot shown: %zu other row%s (-n 100, or "
		       "--format=json).\n", screen.hidden,
		       screen.hidden == 1 ? "" : "s");
}

/* Print the command that permits the refused events. */
static void print_remedy(const struct line *lines, size_t nr)
{
	const char *remedy = tr2_refusal_remedy();
	size_t i;

	for (i = 0; remedy && i < nr; i++) {
		if (lines[i].numbers.nr || !lines[i].it->note ||
		    !strstr(lines[i].it->note, TR2_NOT_PERMITTED))
			continue;
		printf("\nfor more: %s\n", remedy);
		return;
	}
}

static void print_text(struct tr2_output *out, const struct tr2_stat_side *cmd,
		       const struct tr2_stat_side *base, bool compared,
		       const struct line *lines, size_t nr)
{
	bool text = out->format == TR2_FORMAT_TEXT;

	print_summary(text ? "\n" : "", cmd, text);
	if (!compared) {
		puts("");
		print_tables(out, lines, nr, &cmd->measures);
		print_remedy(lines, nr);
	}
	if (!nr && !compared) {
		puts(TR2_MEASURED_NOTHING);
	} else if (cmd->measures.nr_runs > 1) {
		if (!compared)
			puts("");
		tr2_stat_print_notes(cmd, text, compared);
		if (!compared)
			printf("%s%s is the standard error of the mean.%s\n",
			       text ? tr2_color_on(TR2_COLOR_DIM) : "",
			       tr2_column_title(TR2_PLUS_MINUS),
			       text ? tr2_color_off(TR2_COLOR_DIM) : "");
	}
	if (!base)
		return;
	print_summary("Compared with ", base, text);
	tr2_stat_print_notes(base, text, true);
	puts("");
}

void tr2_stat_print(struct tr2_output *out, const struct tr2_stat_side *cmd,
		    const struct tr2_stat_side *base, bool compared)
{
	struct line *lines = tr2_calloc(cmd->measures.nr, sizeof(*lines));
	size_t nr = make_lines(&cmd->measures, lines);

	if (tr2_output_is_text(out))
		print_text(out, cmd, base, compared, lines, nr);
	else
		print_data(out, cmd, base, lines, nr);
	free(lines);
}
