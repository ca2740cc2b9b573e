/* SPDX-License-Identifier: MIT */
/*
 * stat_notes - the notes of `trace2 stat` on the runs: outliers, and signs that
 * the runs differ from each other.
 */
#include <math.h>
#include <stdio.h>

#include "compare/numbers.h"
#include "compare/stat.h"

static const struct tr2_measure *wall_of(const struct tr2_stat_side *side)
{
	return tr2_measures_find(&side->measures, TR2_MEASURE_RUN, "wall");
}

static bool stands_apart(const struct tr2_numbers *n, double value)
{
	return value < n->low_fence || value > n->high_fence;
}

static bool spread_of(const struct tr2_stat_side *side, struct tr2_spread *s)
{
	const struct tr2_measure *wall = wall_of(side);

	return wall && tr2_spread(s, wall->values, side->measures.nr_runs);
}

static void print_outliers(const struct tr2_stat_side *side)
{
	const struct tr2_measure *wall = wall_of(side);
	struct tr2_buf b = TR2_BUF_INIT;
	struct tr2_numbers n;
	struct tr2_unit unit;
	uint32_t i, nr = 0;

	if (!wall || !tr2_numbers(&n, wall->values, side->measures.nr_runs) ||
	    !n.nr_outliers)
		return;
	tr2_unit_choose(&unit, (uint64_t)n.max, 0, false);
	printf("%zu of %zu runs stand%s apart:", n.nr_outliers, n.nr,
	       n.nr_outliers == 1 ? "s" : "");
	for (i = 0; i < side->measures.nr_runs; i++) {
		if (!stands_apart(&n, wall->values[i]))
			continue;
		tr2_buf_reset(&b);
		tr2_fmt_in_unit(&b, llround(wall->values[i]), &unit);
		printf("%s run %u took %s %s", nr++ ? "," : "", i + 1,
		       tr2_buf_str(&b), unit.name);
	}
	puts(".");
	tr2_buf_release(&b);
}

static void print_first(const struct tr2_stat_side *side, double share)
{
	long long warmups = side->sum.nr_warmups;

	printf("The first run took %.0f%% longer than the others, perhaps "
	       "because\ncaches were empty. --warmup %lld leaves such runs "
	       "out.\n",
	       share * 100, warmups ? 2 * warmups : 1);
}

static void print_drift(const struct tr2_stat_side *side, double share)
{
	printf("Later runs are %s, by %.0f%% from half to half: the machine, "
	       "or what CMD\nfinds there, changed. %s\n",
	       share > 0 ? "slower" : "faster", fabs(share) * 100,
	       side->sum.in_turns ?
	       "The runs took turns: it happened to both sides." :
	       "To compare, let both take turns (--against).");
}

void tr2_stat_print_notes(const struct tr2_stat_side *side, bool color,
			  bool brief)
{
	struct tr2_spread s;

	print_outliers(side);
	if (!spread_of(side, &s))
		return;
	fputs(color ? tr2_color_on(TR2_COLOR_WARM) : "", stdout);
	if (s.first_above > 0)
		print_first(side, s.first_above);
	if (fabs(s.drift) > 0)
		print_drift(side, s.drift);
	if (s.wide > 0 && !brief)
		printf("Half of the runs are spread over %.0f%% of P50: other "
		       "work on the machine, or\nCMD does not always do the "
		       "same. Events, such as task-clock, depend less on\nthe "
		       "former; more runs (-r) make the error smaller.\n",
		       s.wide * 100);
	fputs(color ? tr2_color_off(TR2_COLOR_WARM) : "", stdout);
}

struct run_row {
	const struct tr2_stat_side *side;
	const struct tr2_measure *wall;
	const struct tr2_numbers *numbers; /* of all runs */
	uint32_t run;
};

#define RUN_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(side, tr2_cell_str(t, r->side->name)) \
	DATA(run, tr2_cell_uint(t, r->run + 1)) \
	DATA(wall_ns, \
	     tr2_cell_measure(t, TR2_UNIT_NS, r->wall->values[r->run])) \
	DATA(stands_apart, \
	     tr2_cell_bool(t, stands_apart(r->numbers, \
					   r->wall->values[r->run]))) \
	DATA(code, tr2_cell_int(t, r->side->sum.codes[r->run]))

TR2_COLUMN_LIST(run_columns, struct run_row, RUN_COLUMNS)

static void add_runs(struct tr2_table *t, const struct tr2_stat_side *side)
{
	struct tr2_numbers n;
	struct run_row row = { side, wall_of(side), &n, 0 };

	if (!row.wall ||
	    !tr2_numbers(&n, row.wall->values, side->measures.nr_runs))
		return;
	for (; row.run < side->measures.nr_runs; row.run++)
		tr2_table_add(t, &row);
}

/* A note ("first-run", "drift" or "spread") and its share. */
struct note_row {
	const char *side, *note;
	double share;
};

#define NOTE_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(side, tr2_cell_str(t, r->side)) \
	DATA(note, tr2_cell_str(t, r->note)) \
	DATA(share, tr2_cell_real(t, r->share))

TR2_COLUMN_LIST(note_columns, struct note_row, NOTE_COLUMNS)

static void add_note(struct tr2_table *t, const struct tr2_stat_side *side,
		     const char *note, double share)
{
	if (fabs(share) > 0)
		tr2_table_add(t, &(struct note_row){ side->name, note, share });
}

static void add_notes(struct tr2_table *t, const struct tr2_stat_side *side)
{
	struct tr2_spread s;

	if (!spread_of(side, &s))
		return;
	add_note(t, side, "first-run", s.first_above);
	add_note(t, side, "drift", s.drift);
	add_note(t, side, "spread", s.wide);
}

void tr2_stat_notes_as_data(struct tr2_output *out,
			    const struct tr2_stat_side *cmd,
			    const struct tr2_stat_side *base)
{
	struct tr2_table t = TR2_TABLE_OF(out, "runs", run_columns);

	add_runs(&t, cmd);
	if (base)
		add_runs(&t, base);
	tr2_table_finish(&t);
	tr2_table_init(&t, out, "notes", TR2_COLUMNS(note_columns));
	add_notes(&t, cmd);
	if (base)
		add_notes(&t, base);
	tr2_table_finish(&t);
}
