/* SPDX-License-Identifier: MIT */
/* measures - the tables of a comparison. */
#include "compare/measures.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

#include "base/macros.h"
#include "base/split.h"
#include "common/options.h"
#include "common/say.h"
#include "compare/significance.h"
#include "compare/verdict.h"
#include "perfevent/perfevent.h"

const char tr2_measure_only_help[] =
	"show and judge only these kinds: "
#define TR2_MEASURE(kind, name, plural, heading) name ", "
#include "compare/measures.def"
	"or numbers of the run and events by name: wall, page-faults";

static bool is_listed(const char *list, const char *name)
{
	const char *item;
	size_t len;

	while ((item = tr2_split(&list, ",", &len)))
		if (strlen(name) == len && !memcmp(name, item, len))
			return true;
	return false;
}

static bool is_kind(const char *name, size_t len)
{
	int kind;

	for (kind = 0; kind < TR2_MEASURE_NR; kind++)
		if (strlen(tr2_measure_names[kind]) == len &&
		    !memcmp(tr2_measure_names[kind], name, len))
			return true;
	return false;
}

/* Numbers of the run and events may be chosen by name. */
static bool is_single(const char *name, size_t len)
{
	static const char *const runs[] = {
		"wall", "allocations",
#define TR2_RUN_NUMBER(name, unit, value) name,
#include "compare/measures.def"
#define TR2_META_USAGE(key, value, name, unit) name,
#include "format/recording/meta.def"
#define TR2_META_IO(key, field, name, unit) name,
#include "format/recording/meta.def"
	};
	struct tr2_perfevents events;
	struct tr2_perfevent event;
	char text[TR2_PERFEVENT_BYTES];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		if (runs[i] && strlen(runs[i]) == len &&
		    !memcmp(runs[i], name, len))
			return true;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	tr2_perfevents_init(&events, text);
	return tr2_perfevents_next(&events, &event) == TR2_PERFEVENT_OK;
}

static const char kinds[] =
#define TR2_MEASURE(kind, name, plural, heading) name ", "
#include "compare/measures.def"
	;

bool tr2_choice_valid(const struct tr2_measure_choice *choice)
{
	const char *list = choice->only, *p;
	size_t n;

	while (list && (p = tr2_split(&list, ",", &n))) {
		if (is_kind(p, n) || is_single(p, n))
			continue;
		tr2_usage_error("invalid kind '%.*s': --only takes %sor the "
				"name of a number of the run (wall) or of an "
				"event", (int)n, p, kinds);
		return false;
	}
	return true;
}

/* Does the list contain the row's own name? An event's name may end in
 * modifiers: page-faults:u. */
static bool is_named(const char *list, enum tr2_measure_kind kind,
		     const char *name)
{
	char plain[200];

	if (!list || (kind != TR2_MEASURE_RUN && kind != TR2_MEASURE_EVENT))
		return false;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, ":"), name);
	return is_listed(list, name) || is_listed(list, plain);
}

bool tr2_choice_takes(const struct tr2_measure_choice *choice,
		      enum tr2_measure_kind kind, enum tr2_measure_unit unit,
		      const char *name, double larger)
{
	if (choice->only && !is_listed(choice->only, tr2_measure_names[kind]) &&
	    !is_named(choice->only, kind, name))
		return false;
	if (unit == TR2_UNIT_NS && !(larger >= (double)choice->min_ns))
		return false;
	return !choice->region || kind == TR2_MEASURE_RUN ||
	       kind == TR2_MEASURE_EVENT || !fnmatch(choice->region, name, 0);
}

bool tr2_choice_judges(const struct tr2_measure_choice *choice,
		       enum tr2_measure_kind kind, const char *name)
{
	return !tr2_measure_is_of_machine(kind, name) ||
	       kind == TR2_MEASURE_RUN || is_named(choice->only, kind, name);
}

static bool has_row(const struct tr2_comparison *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (is_named(name, c->item[i].kind, c->item[i].name))
			return true;
	return false;
}

bool tr2_choice_is_measured(const struct tr2_measure_choice *choice,
			    const struct tr2_comparison *c, const char *option)
{
	const char *list = choice->only, *p;
	char name[TR2_PERFEVENT_BYTES];
	bool all = true;
	size_t n;

	while (list && (p = tr2_split(&list, ",", &n))) {
		snprintf(name, sizeof(name), "%.*s", (int)n, p);
		if (is_kind(p, n) || has_row(c, name))
			continue;
		all = false;
		if (option)
			tr2_error("%s'%s' was not measured", option, name);
		else
			tr2_warning("'%s' was not measured", name);
	}
	return all;
}

void tr2_cell_measure(struct tr2_table *t, enum tr2_measure_unit unit,
		      double value)
{
	if (isnan(value))
		return;
	if (unit == TR2_UNIT_NS)
		tr2_cell_ns(t, (int64_t)llround(value));
	else if (unit == TR2_UNIT_BYTES && value >= 0)
		tr2_cell_bytes(t, (uint64_t)llround(value));
	else
		tr2_cell_real(t, value);
}

const char *tr2_measure_text(enum tr2_measure_unit unit, double value)
{
	struct tr2_buf *b = tr2_next_text();

	if (unit == TR2_UNIT_NS) {
		tr2_fmt_ns_short(b, (int64_t)llround(value));
	} else if (unit == TR2_UNIT_BYTES) {
		if (value < 0)
			tr2_buf_addch(b, '-');
		tr2_fmt_bytes(b, (uint64_t)llround(fabs(value)));
	} else {
		tr2_fmt_real(b, value);
	}
	return tr2_buf_str(b);
}

static double ratio_of(const struct tr2_difference *d)
{
	return d->base > 0 && !isnan(d->new) ? d->new / d->base : NAN;
}

static void cell_delta_text(struct tr2_table *t, const struct tr2_difference *d)
{
	double delta = tr2_difference_delta(d);
	const char *size;

	if (d->unit == TR2_UNIT_NS) {
		tr2_cell_measure(t, d->unit, delta);
		return;
	}
	size = tr2_measure_text(d->unit, fabs(delta));
	/* Omit the sign before a value that is rounded to 0. */
	tr2_cell_strf(t, "%s%s", *size == '0' && !strchr(size, '.') ? "" :
		      delta > 0 ? "+" : delta < 0 ? "-" : "", size);
}

/* Print P. Print a p that is too small for three decimals as <0.001. */
static void cell_p_text(struct tr2_table *t, const struct tr2_difference *d)
{
	if (d->exact == TR2_EXACT_DIFFERS)
		tr2_cell_str(t, "exact");
	else if (d->p < 0.0005)
		tr2_cell_str(t, "<0.001");
	else if (!isnan(d->p))
		tr2_cell_strf(t, "%.3f", d->p);
}

static void cell_significant(struct tr2_table *t,
			     const struct tr2_difference *d)
{
	if (d->significant || !isnan(d->p) || d->exact)
		tr2_cell_bool(t, d->significant);
}

static const char *const exactness[] = {
	[TR2_EXACT_NO] = NULL,
	[TR2_EXACT_SAME] = "same",
	[TR2_EXACT_DIFFERS] = "differs",
};

static const char *side_of(const struct tr2_difference *d)
{
	return isnan(d->base) ? "new" : isnan(d->new) ? "base" : "both";
}

static void cell_mark(struct tr2_table *t, const struct tr2_difference *d)
{
	const char *mark = isnan(d->base) ? "new" :
			   isnan(d->new)  ? "gone" :
			   d->significant ||
			   d->exact_calls == TR2_EXACT_DIFFERS ? "*" : NULL;

	tr2_cell_str(t, mark);
	if (d->significant)
		tr2_cell_color(t, d->new > d->base ? TR2_COLOR_BAD :
						     TR2_COLOR_GOOD);
}

static bool has_calls(const struct tr2_difference *d)
{
	return d->kind == TR2_MEASURE_PROCESS ||
	       d->kind == TR2_MEASURE_REGION ||
	       d->kind == TR2_MEASURE_TIMER ||
	       tr2_measure_is_of_states(d->kind);
}

static void cell_calls_text(struct tr2_table *t, const struct tr2_difference *d)
{
	if (has_calls(d) && d->base_calls != d->new_calls)
		tr2_cell_strf(t, "%s -> %s",
			      tr2_measure_text(TR2_UNIT_COUNT, d->base_calls),
			      tr2_measure_text(TR2_UNIT_COUNT, d->new_calls));
}

static void cell_side(struct tr2_table *t, const struct tr2_difference *d,
		      double value, bool at_least)
{
	tr2_cell_measure(t, d->unit, value);
	if (at_least && !isnan(value))
		tr2_cell_at_least(t);
}

/* The heading of the column `name` depends on the kind and is set later. */
#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(kind, tr2_cell_str(t, tr2_measure_names[r->kind])) \
	DATA(unit, tr2_cell_str(t, tr2_measure_units[r->unit])) \
	COLUMN(base, "BASE", TR2_COL_SINGLE, \
	       cell_side(t, r, r->base, r->base_at_least)) \
	COLUMN(new, "NEW", TR2_COL_SINGLE, \
	       cell_side(t, r, r->new, r->new_at_least)) \
	TEXT(delta_text, "DELTA", \
	     TR2_COL_YIELDS | TR2_COL_SINGLE | TR2_COL_SIGNED, \
	     cell_delta_text(t, r)) \
	DATA(delta, tr2_cell_real(t, tr2_difference_delta(r))) \
	TEXT(ratio_text, "RATIO", 0, \
	     if (!isnan(ratio_of(r))) tr2_cell_strf(t, "%.2f", ratio_of(r))) \
	DATA(ratio, tr2_cell_real(t, ratio_of(r))) \
	TEXT(p_text, "P", 0, cell_p_text(t, r)) \
	DATA(p, tr2_cell_real(t, r->p)) \
	DATA(significant, cell_significant(t, r)) \
	DATA(exact, tr2_cell_str(t, exactness[r->exact])) \
	DATA(side, tr2_cell_str(t, side_of(r))) \
	TEXT(mark, "", TR2_COL_LEFT, cell_mark(t, r)) \
	TEXT(calls_text, "CALLS", TR2_COL_SPARE, cell_calls_text(t, r)) \
	DATA(base_calls, tr2_cell_real(t, has_calls(r) ? r->base_calls : NAN)) \
	DATA(new_calls, tr2_cell_real(t, has_calls(r) ? r->new_calls : NAN)) \
	DATA(exact_calls, tr2_cell_str(t, exactness[r->exact_calls])) \
	DATA(base_at_least, tr2_cell_bool(t, r->base_at_least)) \
	DATA(new_at_least, tr2_cell_bool(t, r->new_at_least)) \
	COLUMN(name, NULL, TR2_COL_FLEX, tr2_cell_str(t, r->name))

TR2_COLUMN_LIST(columns, struct tr2_difference, COLUMNS)
#define NR_COLUMNS (ARRAY_SIZE(columns))

static bool takes_difference(const struct tr2_difference *d, const void *data)
{
	const struct tr2_measure_choice *choice = data;

	/* Leave out a row for which no side has a value. */
	if (isnan(d->base) && isnan(d->new))
		return false;
	return tr2_choice_takes(choice, d->kind, d->unit, d->name,
				fmax(d->base, d->new));
}

void tr2_compare_chosen(struct tr2_comparison *c,
			const struct tr2_measures *base,
			const struct tr2_measures *new, bool in_turns,
			const struct tr2_measure_choice *choice)
{
	tr2_compare(c, base, new, in_turns, takes_difference, choice);
	c->selected = choice->only;
}

bool tr2_comparison_runs_can_tell(const struct tr2_comparison *c)
{
	return tr2_mann_whitney_least(c->nr_base, c->nr_new) < TR2_ALPHA;
}

/* The comparison to print, and the number of lines that are left. */
struct shown {
	const struct tr2_comparison *c;
	const struct tr2_verdict *v;
	bool digest;  /* print a digest: only the most telling rows */
	size_t lines; /* number of lines that a digest may still print */
	size_t hidden;
};

#define DIGEST_LINES 20u
#define DIGEST_ROWS 4u

/* Does a digest show this row? */
static bool is_telling(const struct shown *s, const struct tr2_difference *d)
{
	double delta;

	if (d->significant || tr2_difference_is_count(d, &delta))
		return !tr2_measure_is_of_states(d->kind) ||
		       d->kind == TR2_MEASURE_CPU;
	if (d->kind > TR2_MEASURE_EVENT)
		return !tr2_comparison_runs_can_tell(s->c) && fabs(delta) > 0;
	return is_named("wall,processes,page-faults", d->kind, d->name) ||
	       d == s->v->time[0] || d == s->v->time[1];
}

/* Return how many of a kind's nr rows a digest shows. */
static size_t rows_of_digest(struct shown *s, int kind, size_t nr)
{
	size_t most = nr;

	if (kind > TR2_MEASURE_EVENT && most > DIGEST_ROWS)
		most = DIGEST_ROWS;
	if (s->lines < 3)
		most = 0;
	else if (most > s->lines - 2)
		most = s->lines - 2;
	if (most)
		s->lines -= most + 2;
	return most;
}

/* Print one kind. In text and Markdown, each kind has a table with its name as
 * heading. */
static void print_kind(struct tr2_output *out, struct shown *s, int kind,
		       const struct tr2_measure_choice *choice)
{
	const struct tr2_comparison *c = s->c;
	struct tr2_column own[NR_COLUMNS];
	size_t i, nr_all = 0, limit;
	struct tr2_table t;

	memcpy(own, columns, sizeof(own));
	own[NR_COLUMNS - 1].heading =
		kind < 0 ? "" : tr2_measure_headings[kind];
	tr2_table_init(&t, out, "differences", own, NR_COLUMNS);
	for (i = 0; i < c->nr; i++) {
		if (kind >= 0 && (int)c->item[i].kind != kind)
			continue;
		nr_all++;
		if (!s->digest || is_telling(s, &c->item[i]))
			tr2_table_add(&t, &c->item[i]);
	}
	limit = s->digest ? rows_of_digest(s, kind, t.nr_rows) :
		kind >= 0 && choice->limit >= 0 ? (size_t)choice->limit :
						  t.nr_rows;
	tr2_table_limit(&t, limit);
	s->hidden += nr_all - t.nr_rows;
	if (t.nr_rows || kind < 0)
		tr2_table_print(&t);
	tr2_table_release(&t);
}

struct kind_row {
	const struct tr2_comparison *c;
	enum tr2_measure_kind kind;
};

#define TEST_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(kind, tr2_cell_str(t, tr2_measure_names[r->kind])) \
	DATA(tested, tr2_cell_uint(t, r->c->tested[r->kind])) \
	DATA(can_tell, \
	     tr2_cell_bool(t, tr2_comparison_can_tell(r->c, r->kind))) \
	DATA(runs_needed, \
	     tr2_cell_uint(t, tr2_runs_needed(r->c->tested[r->kind])))

TR2_COLUMN_LIST(test_columns, struct kind_row, TEST_COLUMNS)

static void print_tests(struct tr2_output *out, const struct tr2_comparison *c)
{
	struct kind_row row = { c, 0 };
	struct tr2_table t = TR2_TABLE_OF(out, "tests", test_columns);

	for (; row.kind < TR2_MEASURE_NR; row.kind++)
		if (c->tested[row.kind])
			tr2_table_add(&t, &row);
	tr2_table_finish(&t);
}

/* Report kinds with too many rows for any significant difference: without the
 * report, the table would read as "no difference". */
static void print_hopeless(const struct tr2_comparison *c,
			   const struct tr2_verdict *v)
{
	int kind;

	for (kind = 0; kind < TR2_MEASURE_NR; kind++)
		if (!tr2_comparison_can_tell(c, (enum tr2_measure_kind)kind))
			printf("%zu %s: too few runs to tell a difference from "
			       "chance in any of them%s.\nUse at least %zu on "
			       "each side, or fewer %s (-N, -t).\n",
			       c->tested[kind], tr2_measure_plurals[kind],
			       v->is_judged && (int)v->time[0]->kind == kind ?
				       " (the verdict's is tested alone)" : "",
			       tr2_runs_needed(c->tested[kind]),
			       tr2_measure_plurals[kind]);
}

/* Name the test by which the sides were compared. */
static void print_test(const struct tr2_comparison *c)
{
	bool pairs = false, sets = false;
	int kind;

	for (kind = 0; kind < TR2_MEASURE_NR; kind++) {
		pairs |= c->tested[kind] && c->paired[kind];
		sets |= c->tested[kind] && !c->paired[kind];
	}
	if (pairs || sets)
		printf("P: test of %s%s%s, by Holm for all of a kind.\n",
		       pairs ? "Wilcoxon (pairs)" : "",
		       pairs && sets ? " or " : "",
		       sets ? "Mann and Whitney" : "");
}

static void print_counts(const struct shown *s)
{
	const struct tr2_verdict *v = s->v;

	if (v->nr_same || v->nr_counts)
		printf("Counts: %zu %s the same in every run, %zu differ%s "
		       "exactly, %zu var%s.\n", v->nr_same,
		       v->nr_same == 1 ? "is" : "are",
		       v->nr_more + v->nr_less,
		       v->nr_more + v->nr_less == 1 ? "s" : "", v->nr_vary,
		       v->nr_vary == 1 ? "ies" : "y");
	if (s->digest && s->hidden)
		printf("Not shown: %zu other row%s (-n 100, or "
		       "--format=json).\n", s->hidden,
		       s->hidden == 1 ? "" : "s");
}

static void print_legend(const struct shown *s, bool text)
{
	const struct tr2_comparison *c = s->c;
	bool marks = false;
	size_t i;

	for (i = 0; i < c->nr; i++)
		marks |= c->item[i].significant;
	if (!c->nr) {
		puts(TR2_MEASURED_NOTHING);
		return;
	}
	printf("\n%s", text ? tr2_color_on(TR2_COLOR_DIM) : "");
	if (c->nr_base > 1 || c->nr_new > 1)
		printf("Medians of %u and %u runs. ", c->nr_base, c->nr_new);
	if (!tr2_comparison_runs_can_tell(c)) {
		printf("%s cannot tell a difference from\nchance: use at least "
		       "four on each side (trace2 stat -r 10).\n",
		       c->nr_base == 1 && c->nr_new == 1 ? "One run each" :
							   "So few runs");
	} else {
		puts(marks ? "* P < 0.05." :
			     "No difference is significant (P < 0.05).");
		print_test(c);
		print_hopeless(c, s->v);
		print_counts(s);
	}
	fputs(text ? tr2_color_off(TR2_COLOR_DIM) : "", stdout);
}

void tr2_comparison_print(struct tr2_output *out,
			  const struct tr2_comparison *c,
			  const struct tr2_verdict *v,
			  const struct tr2_measure_choice *choice)
{
	struct shown s = { c, v, false, DIGEST_LINES, 0 };
	int kind;

	if (!tr2_output_is_text(out)) {
		print_kind(out, &s, -1, choice);
		if (out->format == TR2_FORMAT_JSON)
			print_tests(out, c);
		return;
	}
	s.digest = tr2_choice_is_all(choice);
	for (kind = 0; kind < TR2_MEASURE_NR; kind++)
		print_kind(out, &s, kind, choice);
	print_legend(&s, out->format == TR2_FORMAT_TEXT);
}
