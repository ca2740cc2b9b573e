/* SPDX-License-Identifier: MIT */
/* verdict_text - print the verdict of a comparison, and judge it for
 * --fail-above. */
#include "compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/significance.h"

/* Return a change in percent: +5.1%. */
static const char *change_text(double ratio)
{
	struct tr2_buf *b = tr2_next_text();
	double percent = (ratio - 1) * 100;

	if (isinf(percent))
		tr2_buf_addlit(b, "any");
	else if (fabs(percent) < 0.005)
		tr2_buf_addlit(b, "0%");
	else
		tr2_addf(b, "%+.*f%%", fabs(percent) < 0.1 ? 2 :
			 fabs(percent) < 100 ? 1 : 0, percent);
	return tr2_buf_str(b);
}

static void add_name(struct tr2_buf *b, const char *name)
{
	tr2_text_add(b, name, strlen(name));
}

void tr2_difference_add(struct tr2_buf *b, const struct tr2_difference *d,
			const struct tr2_stat_interval *interval)
{
	add_name(b, d->name);
	if (!interval) {
		tr2_addf(b, " %s -> %s",
			 tr2_measure_text(d->unit,
					  isnan(d->base) ? 0 : d->base),
			 tr2_measure_text(d->unit, isnan(d->new) ? 0 : d->new));
		return;
	}
	tr2_addf(b, " %s", change_text(interval->ratio));
	if (interval->low > 0)
		tr2_addf(b, " (%s to %s)", change_text(interval->low),
			 change_text(interval->high));
}

/* Append "+1 process", "+2 processes" or "+1.2 MiB read". */
static void add_count_name(struct tr2_buf *b, const struct tr2_difference *d,
			   double delta)
{
	const char *name = strncmp(d->name, "bytes-", 6) ? d->name :
							   d->name + 6;
	size_t len = strlen(name), plural;

	plural = len > 2 && !strcmp(name + len - 3, "ses") ? 2 :
		 len > 1 && name[len - 1] == 's'	   ? 1 : 0;
	if (d->kind == TR2_MEASURE_RUN && fabs(delta) == 1)
		len -= plural;
	tr2_text_add(b, name, len);
}

static void add_time(struct tr2_buf *b, const struct tr2_verdict *v, size_t i)
{
	tr2_difference_add(b, v->time[i],
			   v->has_interval[i] ? &v->interval[i] : NULL);
}

static void add_count(struct tr2_buf *b, const struct tr2_verdict *v,
		      const struct tr2_difference *d)
{
	double delta;

	tr2_difference_is_count(d, &delta);
	tr2_addf(b, "%c%s ", delta < 0 ? '-' : '+',
		 tr2_measure_text(d->exact == TR2_EXACT_DIFFERS ?
					  d->unit : TR2_UNIT_COUNT,
				  fabs(delta)));
	if (d->kind > TR2_MEASURE_SYSCALL)
		tr2_buf_addall(b, tr2_measure_names[d->kind], " ");
	add_count_name(b, d, delta);
	if (!v->process || d->kind != TR2_MEASURE_RUN ||
	    !!strcmp(d->name, "processes"))
		return;
	tr2_buf_addlit(b, " (");
	add_name(b, v->process->name);
	tr2_buf_addch(b, ')');
}

/* Append `between`, then the counts that differ. */
static void add_counts(struct tr2_buf *b, const struct tr2_verdict *v,
		       const char *between)
{
	size_t i;

	for (i = 0; i < TR2_VERDICT_COUNTS && v->count[i]; i++) {
		tr2_buf_addstr(b, i ? ", " : between);
		add_count(b, v, v->count[i]);
	}
	if (v->nr_counts > i)
		tr2_addf(b, ", and %zu more count%s", v->nr_counts - i,
			 v->nr_counts - i == 1 ? "" : "s");
}

static void add_same(struct tr2_buf *b, const struct tr2_verdict *v,
		     const char *between)
{
	if (!v->nr_counts && v->nr_same)
		tr2_addf(b, "%s%zu count%s the same", between, v->nr_same,
			 v->nr_same == 1 ? " is" : "s are");
}

/* If the verdict is that nothing differs, name the first row that the table
 * marks nevertheless: that row did not decide. */
static void add_marked(struct tr2_buf *b, const struct tr2_comparison *c)
{
	const struct tr2_difference *first = NULL;
	size_t i, nr = 0;

	for (i = 0; i < c->nr; i++) {
		if (!c->item[i].significant)
			continue;
		first = first ? first : &c->item[i];
		nr++;
	}
	if (!nr)
		return;
	tr2_buf_addlit(b, "; marked (*), but not decisive: ");
	add_name(b, first->name);
	if (nr > 1)
		tr2_addf(b, " and %zu more", nr - 1);
}

static void add_from(struct tr2_buf *b, const struct tr2_difference *from)
{
	if (!from)
		return;
	tr2_buf_addlit(b, ", from ");
	tr2_difference_add(b, from, NULL);
}

static void add_runs(struct tr2_buf *b, uint32_t nr, uint32_t of,
		     const char *side, const char *what)
{
	if (nr)
		tr2_addf(b, "; %u of %u%s%s", nr, of, side, what);
}

/* Append reasons to doubt the verdict. */
static void add_doubts(struct tr2_buf *b, const struct tr2_comparison *c)
{
	add_runs(b, c->base_runs->nr_failed, c->nr_base, " runs of the base",
		 " failed");
	add_runs(b, c->new_runs->nr_failed, c->nr_new, " new runs", " failed");
	add_runs(b, c->base_runs->nr_incomplete, c->nr_base,
		 " runs of the base", " are incomplete");
	add_runs(b, c->new_runs->nr_incomplete, c->nr_new, " new runs",
		 " are incomplete");
}

/* Append both times, or the only time. */
static void add_times(struct tr2_buf *b, const struct tr2_verdict *v)
{
	size_t i;

	for (i = 0; i < TR2_VERDICT_TIMES && v->time[i]; i++) {
		if (i)
			tr2_buf_addlit(b, ", ");
		add_time(b, v, i);
	}
}

static void add_few(struct tr2_buf *b, const struct tr2_verdict *v,
		    const struct tr2_comparison *c)
{
	if (!c->nr) {
		tr2_buf_addlit(b, ": nothing was measured");
		return;
	}
	if (v->is_judged && tr2_comparison_runs_can_tell(c)) {
		tr2_buf_addlit(b, ": ");
		add_times(b, v);
		add_same(b, v, ", ");
		return;
	}
	tr2_addf(b, ": %u and %u runs are too few (-r 10)", c->nr_base,
		 c->nr_new);
}

void tr2_verdict_add(struct tr2_buf *b, const struct tr2_verdict *v,
		     const struct tr2_comparison *c)
{
	tr2_buf_addstr(b, tr2_verdict_words[v->word]);
	switch (v->word) {
	case TR2_VERDICT_SLOWER:
	case TR2_VERDICT_FASTER:
		tr2_buf_addlit(b, ": ");
		add_times(b, v);
		add_from(b, v->from);
		add_counts(b, v, ", ");
		add_same(b, v, ", ");
		break;
	case TR2_VERDICT_MORE:
	case TR2_VERDICT_LESS:
	case TR2_VERDICT_OTHER:
		if (v->time[0] && !v->is_judged) {
			tr2_buf_addlit(b, ": ");
			add_time(b, v, 0);
		}
		add_counts(b, v, v->time[0] && !v->is_judged ? ", " : ": ");
		if (v->is_judged) {
			tr2_buf_addlit(b, "; time: ");
			add_times(b, v);
		}
		break;
	case TR2_VERDICT_SAME:
		if (v->is_judged) {
			tr2_buf_addlit(b, ": ");
			add_times(b, v);
		}
		add_same(b, v, v->is_judged ? ", " : ": ");
		add_marked(b, c);
		break;
	case TR2_VERDICT_UNKNOWN:
		add_few(b, v, c);
	}
	add_doubts(b, c);
}

/* The verdict as a row of a table, with its text. */
struct row {
	const struct tr2_verdict *v;
	const char *text;
};

static void cell_bound(struct tr2_table *t, const struct tr2_verdict *v,
		       double value)
{
	if (v->has_interval[0] && !isinf(value))
		tr2_cell_real(t, value);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(verdict, tr2_cell_str(t, tr2_verdict_words[r->v->word])) \
	DATA(time, if (r->v->time[0]) tr2_cell_str(t, r->v->time[0]->name)) \
	DATA(ratio, cell_bound(t, r->v, r->v->interval[0].ratio)) \
	DATA(ratio_low, cell_bound(t, r->v, r->v->interval[0].low)) \
	DATA(ratio_high, cell_bound(t, r->v, r->v->interval[0].high)) \
	DATA(p, if (r->v->time[0]) tr2_cell_real(t, r->v->time[0]->p_alone)) \
	DATA(from_kind, if (r->v->from) tr2_cell_str( \
				t, tr2_measure_names[r->v->from->kind])) \
	DATA(from, if (r->v->from) tr2_cell_str(t, r->v->from->name)) \
	DATA(counts_more, tr2_cell_uint(t, r->v->nr_more)) \
	DATA(counts_less, tr2_cell_uint(t, r->v->nr_less)) \
	DATA(counts_same, tr2_cell_uint(t, r->v->nr_same)) \
	DATA(counts_vary, tr2_cell_uint(t, r->v->nr_vary)) \
	DATA(text, tr2_cell_str(t, r->text))

TR2_COLUMN_LIST(columns, struct row, COLUMNS)

static enum tr2_color color_of(enum tr2_verdict_word word)
{
	return word == TR2_VERDICT_SLOWER || word == TR2_VERDICT_MORE ?
		       TR2_COLOR_BAD :
	       word == TR2_VERDICT_FASTER || word == TR2_VERDICT_LESS ?
		       TR2_COLOR_GOOD : TR2_COLOR_HEADING;
}

void tr2_verdict_print(struct tr2_output *out, const struct tr2_verdict *v,
		       const struct tr2_comparison *c)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct row row = { v, NULL };
	const char *word = tr2_verdict_words[v->word];

	tr2_verdict_add(&b, v, c);
	row.text = tr2_buf_str(&b);
	if (out->format == TR2_FORMAT_TEXT && c->nr)
		printf("\n%s%s%s%s\n", tr2_color_on(color_of(v->word)), word,
		       tr2_color_off(color_of(v->word)),
		       row.text + strlen(word));
	else if (out->format == TR2_FORMAT_MARKDOWN && c->nr)
		printf("\n**%s**%s\n", word, row.text + strlen(word));
	else if (out->format == TR2_FORMAT_JSON)
		tr2_table_print_row(out, "verdict", TR2_COLUMNS(columns), &row);
	tr2_buf_release(&b);
}

/* Report the kinds of measures that cannot be judged with this number of runs.
 * Return false if no kind can be judged. */
static bool can_judge_kinds(const struct tr2_comparison *c)
{
	bool any = false, all = true, exact = false;
	size_t i;
	int kind;

	for (i = 0; i < c->nr; i++)
		exact |= c->item[i].exact != TR2_EXACT_NO;
	for (kind = 0; kind < TR2_MEASURE_NR; kind++) {
		bool can = tr2_comparison_can_tell(
			c, (enum tr2_measure_kind)kind);

		all &= can;
		any |= can && c->tested[kind];
		if (!can)
			tr2_warning("--fail-above ignores %zu %s: %u and %u "
				    "runs are too few to tell a difference "
				    "from chance among this many (use -r %zu "
				    "or more, or select fewer with --only, "
				    "-N, -t)",
				    c->tested[kind], tr2_measure_plurals[kind],
				    c->nr_base, c->nr_new,
				    tr2_runs_needed(c->tested[kind]));
	}
	return any || all || exact;
}

static bool can_judge(const struct tr2_verdict *v,
		      const struct tr2_comparison *c,
		      const struct tr2_measure_choice *choice)
{
	if (!c->nr) {
		tr2_error("--fail-above: nothing measured matches --only, -N "
			  "and -t");
		return false;
	}
	if (!tr2_comparison_runs_can_tell(c)) {
		tr2_error("--fail-above: %u and %u runs are too few to tell a "
			  "difference from chance (each side needs at least "
			  "four)", c->nr_base, c->nr_new);
		return false;
	}
	return tr2_choice_is_all(choice) ? v->is_judged : can_judge_kinds(c);
}

static bool is_time_of(const struct tr2_verdict *v,
		       const struct tr2_difference *d)
{
	return v->is_judged && (d == v->time[0] || d == v->time[1]);
}

/* Did the row grow by more than `share`, so that --fail-above fails? */
static bool fails(const struct tr2_verdict *v, const struct tr2_difference *d,
		  const struct tr2_measure_choice *choice, double share)
{
	if (!tr2_choice_judges(choice, d->kind, d->name))
		return false;
	if (is_time_of(v, d))
		return d->p_alone < TR2_ALPHA &&
		       d->new - d->base > share * d->base;
	if (tr2_choice_is_all(choice) && d->exact != TR2_EXACT_DIFFERS)
		return false;
	return tr2_difference_above(d, share);
}

static bool calls_fail(const struct tr2_difference *d, double share)
{
	return d->exact_calls == TR2_EXACT_DIFFERS && d->base_calls > 0 &&
	       d->new_calls - d->base_calls > share * d->base_calls;
}

/* Report that a row grew. p: NAN if all runs of a side have the same value. */
static void say_growth(const struct tr2_difference *d, double share, double p,
		       const char *of, enum tr2_measure_unit unit,
		       double from, double to)
{
	char why[40];

	snprintf(why, sizeof(why), "p = %.2g", p);
	tr2_error("%s%s '%s' grew from %s to %s, by more than %g%% (%s)", of,
		  tr2_measure_names[d->kind], d->name,
		  tr2_measure_text(unit, from), tr2_measure_text(unit, to),
		  share * 100,
		  isnan(p) ? "the same in every run" : why);
}

int tr2_verdict_judge(const struct tr2_verdict *v,
		      const struct tr2_comparison *c,
		      const struct tr2_measure_choice *choice, double share)
{
	int code = 0;
	size_t i;

	if (!can_judge(v, c, choice) ||
	    !tr2_choice_is_measured(choice, c, "--fail-above: "))
		return TR2_EXIT_USAGE;
	for (i = 0; i < c->nr; i++) {
		const struct tr2_difference *d = &c->item[i];

		if (fails(v, d, choice, share)) {
			say_growth(d, share,
				   is_time_of(v, d) ? d->p_alone : d->p, "",
				   d->unit, d->base, d->new);
			code = TR2_EXIT_FOUND;
		}
		if (calls_fail(d, share)) {
			say_growth(d, share, NAN, "number of ", TR2_UNIT_COUNT,
				   d->base_calls, d->new_calls);
			code = TR2_EXIT_FOUND;
		}
	}
	return code;
}
