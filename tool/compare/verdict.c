/* SPDX-License-Identifier: MIT */
/* Decide whether one side is slower than the other. */
#include "compare/verdict.h"

#include <math.h>
#include <string.h>

#include "base/macros.h"
#include "compare/significance.h"

const char *const tr2_verdict_words[] = {
	[TR2_VERDICT_SLOWER] = "slower",
	[TR2_VERDICT_FASTER] = "faster",
	[TR2_VERDICT_MORE] = "more work",
	[TR2_VERDICT_LESS] = "less work",
	[TR2_VERDICT_OTHER] = "other work",
	[TR2_VERDICT_SAME] = "no difference",
	[TR2_VERDICT_UNKNOWN] = "cannot tell",
};

/* A row explains the difference of the whole only if it has at least this share
 * of the difference. */
#define FROM_SHARE 0.3
/* The search for the innermost region includes only regions with at least this
 * share of the largest difference. */
#define INNER_SHARE 0.7
/* A command with less CPU time than this share of its wall time mostly
 * waits. */
#define MOSTLY_WAITS 0.5

static bool is_on_both(const struct tr2_difference *d)
{
	return d && !isnan(d->base) && !isnan(d->new);
}

/* Find an event by its name. The row's name may have modifiers:
 * task-clock:u. */
static const struct tr2_difference *find_event(const struct tr2_comparison *c,
					       const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < c->nr; i++)
		if (c->item[i].kind == TR2_MEASURE_EVENT &&
		    !strncmp(c->item[i].name, name, len) &&
		    (!c->item[i].name[len] || c->item[i].name[len] == ':') &&
		    is_on_both(&c->item[i]))
			return &c->item[i];
	return NULL;
}

static const struct tr2_difference *find_run(const struct tr2_comparison *c,
					     const char *name)
{
	const struct tr2_difference *d =
		tr2_comparison_find(c, TR2_MEASURE_RUN, name);

	return is_on_both(d) ? d : NULL;
}

/* Return the CPU time of all processes; NULL: it was not measured on both
 * sides. */
static const struct tr2_difference *cpu_time(const struct tr2_comparison *c)
{
	const struct tr2_difference *d = find_event(c, "task-clock");

	return d ? d : find_run(c, "cpu-time");
}

/* Does the command wait most of the time? Unless the runs were made in turns,
 * both sides must agree: one side alone may have waited for a CPU of a busy
 * machine. */
static bool mostly_waits(const struct tr2_comparison *c,
			 const struct tr2_difference *cpu,
			 const struct tr2_difference *wall)
{
	bool base = cpu->base < wall->base * MOSTLY_WAITS;
	bool new = cpu->new < wall->new * MOSTLY_WAITS;

	return c->nr_pairs ? base || new : base && new;
}

/* Does the time `d` differ, while the time `other` does not? */
static bool differs_instead(const struct tr2_comparison *c,
			    const struct tr2_difference *d,
			    const struct tr2_difference *other, double alpha)
{
	return c->nr_pairs && d->p < alpha && !(other->p_alone < alpha);
}

/*
 * Choose the time that decides, and a second time. CPU time depends least on
 * other programs, but does not show waits. So wall decides for a command that
 * mostly waits. If only the second time differs (the same work on more CPUs),
 * the second one decides. Do this only for runs in turns, in which both sides
 * met the same load.
 */
static void choose_times(struct tr2_verdict *v, const struct tr2_comparison *c,
			 double alpha)
{
	const struct tr2_difference *cpu = cpu_time(c);
	const struct tr2_difference *wall = find_run(c, "wall");
	bool waits;

	v->time[0] = cpu ? cpu : wall;
	v->time[1] = find_event(c, "instructions");
	if (!cpu || !wall)
		return;
	waits = mostly_waits(c, cpu, wall);
	if (differs_instead(c, waits ? cpu : wall, waits ? wall : cpu, alpha))
		waits = !waits;
	if (!waits)
		return;
	v->time[0] = wall;
	v->time[1] = cpu;
}

/* Return the first row that differs; NULL: no row differs. of_machine: include
 * rows that depend on the machine more than on the command. */
static const struct tr2_difference *
first_significant(const struct tr2_comparison *c, bool of_machine)
{
	size_t i;

	for (i = 0; i < c->nr; i++) {
		const struct tr2_difference *d = &c->item[i];

		if (d->significant && !isnan(d->p) && is_on_both(d) &&
		    (of_machine || d->kind == TR2_MEASURE_RUN ||
		     !tr2_measure_is_of_machine(d->kind, d->name)))
			return d;
	}
	return NULL;
}

/* Choose the time that decides. Without a time, choose the first row that
 * differs. In a selection, also choose that row if the time does not differ. */
static void choose_time(struct tr2_verdict *v, const struct tr2_comparison *c,
			double alpha)
{
	const struct tr2_difference *other;

	choose_times(v, c, alpha);
	v->is_judged = v->time[0];
	if (!(alpha > 0) || (v->is_judged && (!c->selected ||
					      v->time[0]->p_alone < alpha)))
		return;
	other = first_significant(c, !v->is_judged);
	if (!other)
		return;
	v->time[0] = other;
	v->is_judged = false;
}

static double delta_of_calls(const struct tr2_difference *d)
{
	return d->new_calls - d->base_calls;
}

bool tr2_difference_is_count(const struct tr2_difference *d, double *delta)
{
	*delta = d->exact == TR2_EXACT_DIFFERS ? tr2_difference_delta(d) :
						 delta_of_calls(d);
	return d->exact == TR2_EXACT_DIFFERS ||
	       d->exact_calls == TR2_EXACT_DIFFERS;
}

/* Return the rank of a row in the list of counts; the smallest rank is first.
 * The number of all processes comes before the processes of one name. Kinds of
 * system calls come before their sum, since they say more. */
static int rank_of(const struct tr2_difference *d)
{
	if (d->kind == TR2_MEASURE_RUN)
		return !strcmp(d->name, "processes")	? 0 :
		       !strcmp(d->name, "system-calls") ? 6 : 4;
	return d->kind == TR2_MEASURE_PROCESS ? 1 :
	       d->kind == TR2_MEASURE_EVENT   ? 2 :
	       d->kind == TR2_MEASURE_SYSCALL ? 3 :
	       d->kind == TR2_MEASURE_REGION  ? 5 : 7;
}

static bool comes_before(const struct tr2_difference *a,
			 const struct tr2_difference *b)
{
	double da, db;

	if (rank_of(a) != rank_of(b))
		return rank_of(a) < rank_of(b);
	tr2_difference_is_count(a, &da);
	tr2_difference_is_count(b, &db);
	return fabs(da) > fabs(db);
}

static void insert_count(struct tr2_verdict *v, const struct tr2_difference *d)
{
	size_t i, at;

	for (at = 0; at < TR2_VERDICT_COUNTS && v->count[at]; at++)
		if (comes_before(d, v->count[at]))
			break;
	if (at == TR2_VERDICT_COUNTS)
		return;
	for (i = TR2_VERDICT_COUNTS - 1; i > at; i--)
		v->count[i] = v->count[i - 1];
	v->count[at] = d;
}

/* Find the name whose number of processes best explains the difference in the
 * number of all processes. */
static void choose_process(struct tr2_verdict *v,
			   const struct tr2_comparison *c, double all)
{
	const struct tr2_difference *best = NULL;
	size_t i;

	for (i = 0; i < c->nr; i++) {
		const struct tr2_difference *d = &c->item[i];

		if (d->kind == TR2_MEASURE_PROCESS &&
		    d->exact_calls == TR2_EXACT_DIFFERS &&
		    delta_of_calls(d) * all > 0 &&
		    (!best || fabs(delta_of_calls(d)) >
				      fabs(delta_of_calls(best))))
			best = d;
	}
	v->process = best;
}

static void add_counts(struct tr2_verdict *v, const struct tr2_comparison *c)
{
	const struct tr2_difference *all =
		tr2_comparison_find(c, TR2_MEASURE_RUN, "processes");
	bool more_processes = all && all->exact == TR2_EXACT_DIFFERS;
	double delta;
	size_t i;

	if (more_processes)
		choose_process(v, c, tr2_difference_delta(all));
	for (i = 0; i < c->nr; i++) {
		const struct tr2_difference *d = &c->item[i];

		if (d->unit != TR2_UNIT_NS &&
		    !tr2_measure_is_of_machine(d->kind, d->name)) {
			v->nr_same += d->exact == TR2_EXACT_SAME;
			v->nr_vary += d->exact == TR2_EXACT_NO;
		}
		v->nr_same += d->exact_calls == TR2_EXACT_SAME;
		if (!tr2_difference_is_count(d, &delta))
			continue;
		v->nr_more += delta > 0;
		v->nr_less += delta < 0;
		if (more_processes && d->kind == TR2_MEASURE_PROCESS)
			continue;
		insert_count(v, d);
		v->nr_counts++;
	}
}

static double size_of(const struct tr2_difference *d)
{
	return fmax(isnan(d->base) ? 0 : d->base, isnan(d->new) ? 0 : d->new);
}

/*
 * Find the innermost row of a kind that changed like the whole. Among the rows
 * with nearly the largest difference, this is the row that took least time:
 * regions around it have the same difference, but take longer.
 */
static const struct tr2_difference *
innermost(const struct tr2_comparison *c, enum tr2_measure_kind kind,
	  double whole)
{
	const struct tr2_difference *best = NULL;
	double largest = FROM_SHARE * fabs(whole) / INNER_SHARE;
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (c->item[i].kind == kind && c->item[i].significant &&
		    tr2_difference_delta(&c->item[i]) * whole > 0)
			largest = fmax(largest,
				fabs(tr2_difference_delta(&c->item[i])));
	for (i = 0; i < c->nr; i++) {
		const struct tr2_difference *d = &c->item[i];

		if (d->kind == kind && d->significant &&
		    tr2_difference_delta(d) * whole > 0 &&
		    fabs(tr2_difference_delta(d)) >= INNER_SHARE * largest &&
		    (!best || size_of(d) < size_of(best)))
			best = d;
	}
	return best;
}

static void add_from(struct tr2_verdict *v, const struct tr2_comparison *c)
{
	static const enum tr2_measure_kind kinds[] = {
		TR2_MEASURE_REGION, TR2_MEASURE_TIMER, TR2_MEASURE_CPU,
		TR2_MEASURE_PROCESS
	};
	double whole = tr2_difference_delta(v->time[0]);
	size_t i;

	for (i = 0; !v->from && i < ARRAY_SIZE(kinds); i++)
		v->from = innermost(c, kinds[i], whole);
}

static enum tr2_verdict_word word_of(const struct tr2_verdict *v,
				     const struct tr2_comparison *c,
				     double alpha)
{
	const struct tr2_difference *time = v->time[0];

	if (time && (v->is_judged ? time->p_alone : time->p) < alpha)
		return time->unit == TR2_UNIT_NS || v->is_judged ?
			       time->new > time->base ? TR2_VERDICT_SLOWER :
							TR2_VERDICT_FASTER :
			       time->new > time->base ? TR2_VERDICT_MORE :
							TR2_VERDICT_LESS;
	if (v->nr_more || v->nr_less)
		return !v->nr_less ? TR2_VERDICT_MORE :
		       !v->nr_more ? TR2_VERDICT_LESS : TR2_VERDICT_OTHER;
	if (!c->nr || tr2_mann_whitney_least(c->nr_base, c->nr_new) >= alpha)
		return TR2_VERDICT_UNKNOWN;
	return TR2_VERDICT_SAME;
}

void tr2_verdict(struct tr2_verdict *v, const struct tr2_comparison *c,
		 double alpha)
{
	size_t i;

	memset(v, 0, sizeof(*v));
	choose_time(v, c, alpha);
	for (i = 0; i < TR2_VERDICT_TIMES; i++)
		v->has_interval[i] =
			v->time[i] && tr2_difference_interval(
				c, v->time[i], alpha, &v->interval[i]);
	add_counts(v, c);
	v->word = word_of(v, c, alpha);
	if (v->word == TR2_VERDICT_SLOWER || v->word == TR2_VERDICT_FASTER)
		add_from(v, c);
}
