/* SPDX-License-Identifier: MIT */
/*
 * tool-verdict - tests of pairs, intervals and looks, with generated runs of
 * known distribution: how often chance is called a difference, how often the
 * interval has the true ratio. The numbers are the same in each run of this
 * test.
 */
#include "base/buf.h"
#include "compare/interval.h"
#include "compare/significance.h"
#include "compare/verdict.h"
#include "random.h"
#include "tap.h"

#define TRIALS 2000
#define MOST_PAIRS 100

/* Fill two sets of runs whose times differ by a factor. What happens to a pair
 * as a whole is larger than what happens to a run. */
static void fill(double *base, double *new, size_t nr, double factor)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		double pair = exp(0.3 * normal()) * 1e6;

		base[i] = pair * exp(0.02 * normal());
		new[i] = pair * factor * exp(0.02 * normal());
	}
}

static double p_of(const double *base, const double *new, size_t nr)
{
	double change[MOST_PAIRS];
	size_t i;

	for (i = 0; i < nr; i++)
		change[i] = log(new[i] / base[i]);
	return tr2_signed_rank(change, nr);
}

/* Return the rank of a difference among all: the mean of equal ones. */
static double rank_of(const double *all, size_t nr, size_t which)
{
	double rank = 0.5;
	size_t i;

	for (i = 0; i < nr; i++)
		rank += fabs(all[i]) < fabs(all[which]) ? 1 :
			fabs(all[i]) > fabs(all[which]) ? 0 : 0.5;
	return rank;
}

/* Try all signs. */
static double tried_p(const double *all, size_t nr)
{
	double expected = (double)(nr * (nr + 1)) / 4, sum = 0, other;
	unsigned int signs, far = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += all[i] > 0 ? rank_of(all, nr, i) : 0;
	for (signs = 0; signs < 1u << nr; signs++) {
		for (other = 0, i = 0; i < nr; i++)
			other += signs >> i & 1 ? rank_of(all, nr, i) : 0;
		far += fabs(other - expected) >= fabs(sum - expected) - 1e-9;
	}
	return far / (double)(1u << nr);
}

static void test_signed_rank(void)
{
	static const double sets[][8] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8 },
		{ -1, 2, -3, 4, -5, 6, -7, 8 },
		{ 1, 1, 1, -1, 2, 2, -2, 3 },
		{ 5, 5, 5, 5, -5, -5, -5, -5 },
		{ -9, 1, 1, 1, 1, 1, 1, 1 },
	};
	static const double zeros[] = { 0, 1, 0, 2, 3, 0 };
	bool all = true;
	size_t i, nr;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		for (nr = 1; nr <= 8; nr++)
			all &= fabs(tr2_signed_rank(sets[i], nr) -
				    tried_p(sets[i], nr)) < 1e-12;
	ok(all, "p of pairs equals that of trying all signs");
	ok(fabs(tr2_signed_rank(zeros, 6) - 0.25) < 1e-12,
	   "pairs without a difference are left out");
	ok(isnan(tr2_signed_rank(zeros, 1)), "and there is no p of them alone");
	ok(fabs(tr2_signed_rank_least(8) - tried_p(sets[0], 8)) < 1e-12,
	   "the least p is that of one sign");
}

static void test_approximation(void)
{
	double change[60], exact, normal_p;
	size_t i;

	seed = 6;
	for (i = 0; i < 60; i++)
		change[i] = normal() + 0.3;
	exact = tr2_signed_rank(change, 50);
	normal_p = tr2_signed_rank(change, 51);
	ok(exact > 0.01 && exact < 0.9 && fabs(exact - normal_p) < 0.2 * exact,
	   "with one pair more than is exact, p is near");
}

static void test_false_alarms(void)
{
	double base[20], new[20];
	int i, nr = 0, found = 0, by_sets = 0;

	seed = 1;
	for (i = 0; i < TRIALS; i++) {
		fill(base, new, 10, 1);
		nr += p_of(base, new, 10) < TR2_ALPHA;
		fill(base, new, 10, 1.05);
		found += p_of(base, new, 10) < TR2_ALPHA;
		by_sets += tr2_mann_whitney(base, 10, new, 10) < TR2_ALPHA;
	}
	ok(nr <= 140, "of unchanged pairs one in twenty is an alarm");
	ok(found > TRIALS * 9 / 10 && by_sets < TRIALS / 10,
	   "pairs find what sets of the same runs do not");
}

/* Count the intervals that have the true ratio, and those that agree with the
 * test on whether there is a difference. */
static void test_intervals(void)
{
	double base[12], new[12];
	struct tr2_stat_interval of;
	int i, covered = 0, agree = 0, covered_sets = 0, agree_sets = 0;

	seed = 2;
	for (i = 0; i < TRIALS; i++) {
		fill(base, new, 12, 1.02);
		tr2_interval_of_pairs(&of, base, new, 12, TR2_ALPHA);
		covered += of.low <= 1.02 && 1.02 <= of.high;
		agree += (of.low > 1 || of.high < 1) ==
			 (p_of(base, new, 12) < TR2_ALPHA);
		tr2_interval_of_sets(&of, base, 9, new, 12, TR2_ALPHA);
		covered_sets += of.low <= 1.02 && 1.02 <= of.high;
		agree_sets += (of.low > 1 || of.high < 1) ==
			      (tr2_mann_whitney(base, 9, new, 12) < TR2_ALPHA);
	}
	ok(covered >= TRIALS * 94 / 100 && covered_sets >= TRIALS * 94 / 100,
	   "19 of 20 intervals have the true ratio");
	ok(agree == TRIALS && agree_sets == TRIALS,
	   "an interval is without 1 when the test finds a difference");
	ok(tr2_interval_of_pairs(&of, base, new, 4, TR2_ALPHA) &&
		   !(of.low > 0) && isinf(of.high),
	   "of too few pairs there is an estimate, and no bound");
	new[3] = 0;
	ok(!tr2_interval_of_pairs(&of, base, new, 12, TR2_ALPHA) &&
		   !tr2_interval_of_sets(&of, base, 12, new, 12, TR2_ALPHA),
	   "of a time of 0 there is no ratio");
}

static void test_estimate(void)
{
	static const double base[] = { 10, 20, 30, 40, 50, 60, 70 };
	static const double new[] = { 20, 40, 60, 80, 100, 120, 140 };
	struct tr2_stat_interval of;

	ok(tr2_interval_of_pairs(&of, base, new, 7, TR2_ALPHA) &&
		   fabs(of.ratio - 2) < 1e-9 && fabs(of.low - 2) < 1e-9 &&
		   fabs(of.high - 2) < 1e-9, "pairs that double");
}

/* Look as often as --until-decided does. Return the number of pairs at which
 * there was a difference; 0: never. */
static uint32_t pairs_until(double factor)
{
	double base[MOST_PAIRS], new[MOST_PAIRS];
	struct tr2_sequential s;
	uint32_t i;

	fill(base, new, MOST_PAIRS, factor);
	tr2_sequential_init(&s);
	for (i = 1; i <= MOST_PAIRS; i++)
		if (tr2_sequential_looks(&s, i, MOST_PAIRS) &&
		    p_of(base, new, i) < s.alpha)
			return i;
	return 0;
}

static void test_looks(void)
{
	struct tr2_sequential s;
	double levels = 0;
	uint32_t i, looks = 0;
	int alarms = 0, found = 0, early = 0;

	tr2_sequential_init(&s);
	for (i = 1; i <= 1000000; i++)
		if (tr2_sequential_looks(&s, i, 1000000)) {
			levels += s.alpha;
			looks++;
		}
	ok(levels <= TR2_ALPHA && looks > 20 && looks < 50,
	   "the levels of all looks are 0.05 together");
	seed = 3;
	for (i = 0; i < TRIALS; i++) {
		alarms += pairs_until(1) > 0;
		looks = pairs_until(1.05);
		found += looks > 0;
		early += looks > 0 && looks <= 14;
	}
	ok(alarms <= 100,
	   "one in twenty at most is an alarm, at whichever look");
	ok(found == TRIALS && early > TRIALS * 9 / 10,
	   "what there is, is found after few pairs");
}

/* Ten runs of a command whose CPU and wall time are about these, in ms. */
static void fill_runs(struct tr2_measures *ms, double cpu, double wall)
{
	struct tr2_measure *m;
	int i;

	for (i = 0; i < 10; i++) {
		tr2_measures_begin_run(ms);
		m = tr2_measures_get(ms, TR2_MEASURE_EVENT, "task-clock");
		m->unit = TR2_UNIT_NS;
		m->values[i] = 1e6 * cpu * exp(0.001 * normal());
		m = tr2_measures_get(ms, TR2_MEASURE_RUN, "wall");
		m->unit = TR2_UNIT_NS;
		m->values[i] = 1e6 * wall * exp(0.001 * normal());
	}
}

static bool takes_all(const struct tr2_difference *d, const void *data)
{
	(void)data;
	return d != NULL;
}

/* Does NEW, whose base has 10 ms of CPU time, get this verdict by that time? */
static bool judges(double base_wall, double cpu, double wall, bool in_turns,
		   enum tr2_verdict_word word, const char *time)
{
	struct tr2_measures base = { 0 }, new = { 0 };
	struct tr2_comparison c;
	struct tr2_verdict v;
	bool is;

	seed = 4;
	fill_runs(&base, 10, base_wall);
	fill_runs(&new, cpu, wall);
	tr2_compare(&c, &base, &new, in_turns, takes_all, NULL);
	tr2_verdict(&v, &c, TR2_ALPHA);
	is = v.word == word && v.is_judged && !strcmp(v.time[0]->name, time);
	tr2_comparison_release(&c);
	tr2_measures_release(&base);
	tr2_measures_release(&new);
	return is;
}

static void test_times(void)
{
	ok(judges(12, 11, 12, true, TR2_VERDICT_SLOWER, "task-clock"),
	   "CPU time decides, where it is most of it");
	ok(judges(30, 10, 32, false, TR2_VERDICT_SLOWER, "wall"),
	   "wall decides, where the command mostly waits");
	ok(judges(12, 10, 24, true, TR2_VERDICT_SLOWER, "wall"),
	   "or mostly waits on one side, in turns");
	ok(judges(30, 11, 30, true, TR2_VERDICT_SLOWER, "task-clock"),
	   "CPU time that alone differs decides, though it is less");
	ok(judges(12, 10, 7, true, TR2_VERDICT_FASTER, "wall"),
	   "wall that alone differs decides, in turns");
	ok(judges(12, 10, 7, false, TR2_VERDICT_SAME, "task-clock") &&
		   judges(12, 10, 24, false, TR2_VERDICT_SAME, "task-clock"),
	   "else the machine may have been busy: CPU time decides");
}

int main(void)
{
	test_signed_rank();
	test_approximation();
	test_false_alarms();
	test_intervals();
	test_estimate();
	test_looks();
	test_times();
	return done_testing();
}
