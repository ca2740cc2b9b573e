/* SPDX-License-Identifier: MIT */
/*
 * tool-stat - statistics of runs, checked with generated runs of known
 * distribution: how often chance is reported as a difference, how often the
 * mean is within its error, when runs are reported as suspicious; and how real
 * numbers are printed. The numbers are the same in each run of this test.
 */
#include "base/buf.h"
#include "common/split_command.h"
#include "compare/interval.h"
#include "compare/numbers.h"
#include "compare/significance.h"
#include "out/table.h"
#include "random.h"
#include "tap.h"

/* Distributed like times: a minimum, and a long tail. */
static double skewed(void)
{
	return 100 + exp(0.8 * normal());
}

/* Distributed like user times: whole ticks, most of them equal. */
static double ticks(void)
{
	return floor(uniform() * 3) * 4;
}

static double bell(void)
{
	return 1000 + normal();
}

typedef double make_fn(void);

static void fill(double *out, size_t nr, make_fn *make)
{
	while (nr--)
		*out++ = make();
}

#define PAIRS 2000
#define INTERVALS 200

static double share_below(double alpha, size_t na, size_t nb, make_fn *make)
{
	double a[64], b[64];
	int i, nr = 0;

	for (i = 0; i < PAIRS; i++) {
		fill(a, na, make);
		fill(b, nb, make);
		nr += tr2_mann_whitney(a, na, b, nb) < alpha;
	}
	return nr / (double)PAIRS;
}

/* Does a share exceed `most` by more than chance: by four standard
 * deviations? */
static void at_most(double share, double most, int trials, const char *what)
{
	double bound = most + 4 * sqrt(most * (1 - most) / trials);

	if (!ok(share <= bound, what))
		printf("# %g, more than %g\n", share, bound);
}

static void is_near(double got, double want, double off, const char *what)
{
	if (!ok(fabs(got - want) <= off, what))
		printf("# got %g, want %g within %g\n", got, want, off);
}

static void test_false_alarms(void)
{
	seed = 88172645463325252u;
	at_most(share_below(0.05, 4, 4, bell), 0.05, PAIRS,
		"4 and 4 runs of one kind: 5% at most");
	at_most(share_below(0.05, 10, 10, bell), 0.05, PAIRS, "10 and 10");
	at_most(share_below(0.05, 6, 14, bell), 0.05, PAIRS, "6 and 14");
	at_most(share_below(0.05, 10, 10, skewed), 0.05, PAIRS,
		"a long tail changes nothing");
	at_most(share_below(0.05, 10, 10, ticks), 0.05, PAIRS,
		"nor do equal values");
	at_most(share_below(0.05, 30, 30, skewed), 0.05, PAIRS,
		"30 and 30, by the approximation");
	/* Not so strict that nothing is ever found. */
	is_near(share_below(0.05, 10, 10, bell), 0.045, 0.01,
		"and not much less than that");
}

/* Count how often any of 40 equal distributions is reported as different. */
static void test_false_alarms_among_many(void)
{
	enum { NAMES = 40, SETS = 250 };
	double a[10], b[10], p[NAMES];
	int set, i, any = 0, raw = 0;

	seed = 362436069362436069u;
	for (set = 0; set < SETS; set++) {
		bool found = false, found_raw = false;

		for (i = 0; i < NAMES; i++) {
			fill(a, 10, skewed);
			fill(b, 10, skewed);
			p[i] = tr2_mann_whitney(a, 10, b, 10);
			found_raw |= p[i] < TR2_ALPHA;
		}
		tr2_holm(p, NAMES);
		for (i = 0; i < NAMES; i++)
			found |= p[i] < TR2_ALPHA;
		any += found;
		raw += found_raw;
	}
	at_most(any / (double)SETS, 0.05, SETS,
		"anything among 40 names: 5% at most");
	ok(raw > SETS / 2, "which it would not be without Holm");
}

/* A real difference is found as often as the literature states for this
 * test. */
static void test_found(void)
{
	double a[10], b[10];
	int i, j, nr = 0;

	seed = 521288629521288629u;
	for (i = 0; i < PAIRS; i++) {
		fill(a, 10, bell);
		fill(b, 10, bell);
		for (j = 0; j < 10; j++)
			b[j] += 1.5;
		nr += tr2_mann_whitney(a, 10, b, 10) < TR2_ALPHA;
	}
	is_near(nr / (double)PAIRS, 0.87, 0.03,
		"1.5 standard deviations, 10 and 10 runs: found in 87 of 100");
}

static void test_needed(void)
{
	is_u64(tr2_runs_needed(1), 4, "one name needs four runs");
	is_u64(tr2_runs_needed(40), 7, "40 names need seven");
	is_u64(tr2_runs_needed(0), 4, "none, as many as one");
}

static double covered(size_t nr, make_fn *make, double truth)
{
	struct tr2_numbers n;
	double values[64];
	int i, in = 0;

	for (i = 0; i < PAIRS; i++) {
		fill(values, nr, make);
		if (tr2_numbers(&n, values, nr))
			in += fabs(n.mean - truth) <= n.error;
	}
	return in / (double)PAIRS;
}

/* Student's distribution with n - 1 degrees of freedom: the share within one
 * error. */
static void test_error(void)
{
	double tail = 100 + exp(0.8 * 0.8 / 2);

	seed = 123456789123456789u;
	is_near(covered(2, bell, 1000), 0.500, 0.03, "2 runs: 50 in 100");
	is_near(covered(3, bell, 1000), 0.577, 0.03, "3 runs: 58 in 100");
	is_near(covered(5, bell, 1000), 0.626, 0.03, "5 runs: 63 in 100");
	is_near(covered(10, bell, 1000), 0.657, 0.03, "10 runs: 66 in 100");
	is_near(covered(30, bell, 1000), 0.674, 0.03, "30 runs: 67 in 100");
	is_near(covered(10, skewed, tail), 0.61, 0.03,
		"10 runs with a long tail: 61 in 100");
}

/* Count how often the interval of this many runs, by the approximation, has the
 * true ratio. */
static double covered_ratio(size_t nr, bool pairs)
{
	struct tr2_stat_interval of;
	double a[64], b[64];
	int i, in = 0;
	size_t j;

	for (i = 0; i < INTERVALS; i++) {
		fill(a, nr, skewed);
		fill(b, nr, skewed);
		for (j = 0; j < nr; j++)
			b[j] *= 1.5;
		if (pairs ? tr2_interval_of_pairs(&of, a, b, nr, 0.05) :
			    tr2_interval_of_sets(&of, a, nr, b, nr, 0.05))
			in += of.low <= 1.5 && of.high >= 1.5;
	}
	return in / (double)INTERVALS;
}

static void test_interval(void)
{
	seed = 987654321987654321u;
	is_near(covered_ratio(60, true), 0.95, 0.04,
		"60 pairs: 95 of 100 intervals have the ratio");
	is_near(covered_ratio(40, false), 0.95, 0.04, "40 and 40 runs, too");
}

static struct tr2_spread spread_of(const double *values, size_t nr)
{
	struct tr2_spread s;

	tr2_spread(&s, values, nr);
	return s;
}
#define SPREAD(...)                                                  \
	spread_of((const double[]){ __VA_ARGS__ },                   \
		  sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void test_spread(void)
{
	struct tr2_spread s = SPREAD(100, 101, 99, 102, 100, 98, 101, 100);

	ok(!(s.first_above > 0) && !(s.wide > 0) && !(fabs(s.drift) > 0),
	   "even runs: nothing");
	s = SPREAD(150, 101, 99, 102, 100, 98, 101, 100);
	is_near(s.first_above, 0.5, 0.001, "the first took half as much again");
	s = SPREAD(105, 101, 99, 102, 100, 98, 101, 100);
	ok(!(s.first_above > 0), "five percent are not worth a word");
	s = SPREAD(100, 101, 150, 102, 100, 98, 101, 100);
	ok(!(s.first_above > 0), "another outlier is not the first run");
	s = SPREAD(100, 104, 107, 113, 115, 122, 124, 131, 134, 139);
	is_near(s.drift, 124.0 / 107 - 1 + (131.0 - 124) / 107, 0.001,
		"later runs are slower");
	s = SPREAD(139, 134, 131, 124, 122, 115, 113, 107, 104, 100);
	ok(s.drift < -0.1, "or faster");
	s = SPREAD(1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008);
	ok(!(fabs(s.drift) > 0), "a drift of a thousandth is none");
	s = SPREAD(300, 126, 130, 124, 128, 118, 122, 112, 116);
	ok(s.first_above > 1 && !(fabs(s.drift) > 0),
	   "a slow first run is no drift");
	s = SPREAD(100, 160, 100, 160, 100, 160, 100, 160, 100);
	is_near(s.wide, 0.6, 0.001, "the quartiles are apart");
	s = SPREAD(9, 1, 1, 1);
	ok(!(s.first_above > 0), "four runs are too few for a report");
	s = SPREAD(0, 0, 0, 0, 0, 0, 0, 0);
	ok(!(s.first_above > 0) && !(s.wide > 0), "nothing took no time");
}

/* Count how often equally distributed runs are reported as suspicious. */
static void test_spread_by_chance(void)
{
	double values[10];
	int i, first = 0, drift = 0;

	seed = 777777777777777u;
	for (i = 0; i < PAIRS; i++) {
		struct tr2_spread s;
		int j;

		/* A spread of a fifth: enough for the minimum sizes. */
		for (j = 0; j < 10; j++)
			values[j] = 100 + 20 * normal();
		tr2_spread(&s, values, 10);
		first += s.first_above > 0;
		drift += fabs(s.drift) > 0;
	}
	at_most(first / (double)PAIRS, 0.05, PAIRS,
		"a slow first run by chance: at most 5 in 100");
	at_most(drift / (double)PAIRS, 0.01, PAIRS,
		"and there is a drift: 1 in 100 at most");
}

static void splits(const char *line, const char *want)
{
	const char *error;
	char **words = tr2_split_command(line, &error);
	struct tr2_buf text = TR2_BUF_INIT;
	size_t i;

	for (i = 0; words && words[i]; i++) {
		tr2_buf_addstr(&text, words[i]);
		tr2_buf_addch(&text, '|');
	}
	is_text(tr2_buf_str(&text), text.len, want, line);
	tr2_buf_release(&text);
	free(words);
}

static void refuses(const char *line, const char *why)
{
	const char *error = "";
	char **words = tr2_split_command(line, &error);

	ok(!words && strstr(error, why), line);
	free(words);
}

static void test_split(void)
{
	splits("git log", "git|log|");
	splits("  git\tlog \n", "git|log|");
	splits("a 'b c' \"d e\" f\\ g", "a|b c|d e|f g|");
	splits("a'b'\"c\"\\d", "abcd|");
	splits("'' \"\" x", "||x|");
	splits("'$x' '`' '*' '\\'", "$x|`|*|\\|");
	splits("\"\\$x \\\" \\\\ \\n\" it\\'s", "$x \" \\ \\n|it's|");
	splits("git log HEAD~2 HEAD@{1} HEAD^ a#b x=1 !", "git|log|HEAD~2|"
	       "HEAD@{1}|HEAD^|a#b|x=1|!|");
	splits("a\\", "a\\|");
	refuses("", "no command");
	refuses(" \t", "no command");
	refuses("a 'b", "unterminated '");
	refuses("a \"b", "unterminated \"");
	refuses("a \"b\\\"", "unterminated \"");
	refuses("a | b", "sh -c");
	refuses("a >b", "sh -c");
	refuses("a $b", "sh -c");
	refuses("a \"$b\"", "sh -c");
	refuses("a \"`b`\"", "sh -c");
	refuses("a *.c", "sh -c");
	refuses("~/a", "sh -c");
	refuses("a #b", "sh -c");
}

static void formats(double value, const char *want)
{
	struct tr2_buf text = TR2_BUF_INIT;

	tr2_fmt_real(&text, value);
	is_text(tr2_buf_str(&text), text.len, want, want);
	tr2_buf_release(&text);
}

static void test_format(void)
{
	formats(3, "3");
	formats(0.12345, "0.123");
	formats(1.2345, "1.23");
	formats(12.345, "12.3");
	formats(123456.5, "123456.5");
}

int main(void)
{
	test_false_alarms();
	test_false_alarms_among_many();
	test_found();
	test_needed();
	test_error();
	test_interval();
	test_spread();
	test_spread_by_chance();
	test_split();
	test_format();
	return done_testing();
}
