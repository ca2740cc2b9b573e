/* SPDX-License-Identifier: MIT */
/*
 * trace2 bisect - find the commit that changed the cost of a command. It runs
 * `git bisect` in a work tree of its own, builds each commit there, and runs
 * CMD a few times. The measure that tells good from bad is chosen by comparing
 * both ends: an exact count that differs, or else the time. A time that is
 * measured later may differ because the machine has changed. So if the time
 * decides, each commit is measured in turns with another commit, which is built
 * in a second work tree. The other commit is at first the good end, and at last
 * the commit before the found one.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "bisect/bisect_run.h"
#include "bisect/bisect_steps.h"
#include "common/memory.h"
#include "common/say.h"
#include "compare/git.h"
#include "compare/numbers.h"
#include "compare/significance.h"
#include "compare/stat.h"
#include "compare/verdict.h"
#include "record/kernel/counters.h"

#define EVENTS "task-clock,page-faults"
/* git-bisect(1) exits with this code if only skipped commits are left. */
#define ONLY_SKIPPED 2
#define SHOWN_CANDIDATES 10

static struct tr2_bisect_rev good = { .option = "--good" };
static struct tr2_bisect_rev bad = { .option = "--bad", .word = "HEAD" };
static const char *build;
static int64_t nr_runs = 10;
static bool syscalls, allocations;
static struct tr2_measure_choice choice = TR2_MEASURE_CHOICE_INIT;

static const struct tr2_option options[] = {
	{ 0, "good", "REV", TR2_OPT_STRING, &good.word,
	  "a commit before the change", NULL },
	{ 0, "bad", "REV", TR2_OPT_STRING, &bad.word,
	  "a commit with the change (HEAD)", NULL },
	{ 0, "build", "CMD", TR2_OPT_STRING, &build,
	  "run this with sh before each measurement; commits for which it "
	  "fails are skipped", NULL },
	{ 'r', "repeat", "N", TR2_OPT_INT, &nr_runs,
	  "run CMD N times at each commit (10)", NULL },
	{ 0, "only", "KIND[,KIND...]", TR2_OPT_STRING, &choice.only,
	  "decide only by these kinds, events or numbers of the run, as with "
	  "'trace2 diff --only'", NULL },
	{ 0, "syscalls", NULL, TR2_OPT_FLAG, &syscalls,
	  "count system calls by kind, too, as 'trace2 stat --syscalls'",
	  NULL },
	{ 0, "allocations", NULL, TR2_OPT_FLAG, &allocations,
	  "count allocations, too, as 'trace2 stat --allocations'", NULL },
	TR2_OPT_END
};

/* A commit that was measured. */
struct point {
	char *commit;
	struct tr2_measures measures;
	double good; /* value of the good end, measured in turns with this
		      * commit; NAN: not measured in turns */
};

static struct {
	struct tr2_bisect_runner run;
	struct tr2_bisect_tree tree; /* work tree of the commit that is being
				      * measured */
	struct tr2_bisect_tree base; /* work tree of the commit that takes turns
				      * with the measured commit */
	char *bases; /* merge bases of the ends; NULL: the only merge base is
		      * `good` */
	struct point *item;
	uint32_t nr, alloc;
	struct tr2_bisect_steps steps;
	struct tr2_output json;
	struct tr2_bisect_decision by;
	bool in_turns;
	struct tr2_buf ends; /* a text that says by how much the ends differ */
	enum tr2_verdict_word time_word; /* the verdict on the times of the
					  * ends */
	FILE *out; /* the stream for the steps; CMD's output goes elsewhere */
} bi;

static bool takes_difference(const struct tr2_difference *d, const void *data)
{
	(void)data;
	return tr2_choice_takes(&choice, d->kind, d->unit, d->name,
				fmax(d->base, d->new));
}

static bool is_text(void)
{
	return tr2_common.format == TR2_FORMAT_TEXT;
}

/* Return the value of the deciding measure: the count, or the median. */
static double value_of(const struct tr2_measures *ms)
{
	const struct tr2_measure *it =
		tr2_measures_find(ms, bi.by.kind, bi.by.name);
	struct tr2_numbers n;

	if (!it)
		return 0;
	return tr2_numbers(&n, bi.by.by_calls ? it->calls : it->values,
			   ms->nr_runs) ? n.p50 : NAN;
}

static struct point *find_point(const char *commit)
{
	uint32_t i;

	for (i = 0; i < bi.nr; i++)
		if (!strcmp(bi.item[i].commit, commit))
			return &bi.item[i];
	return NULL;
}

/* Build and measure a commit. Return NULL on failure, with the reason in
 * bi.run. */
static struct point *measure_commit(const char *commit)
{
	struct tr2_measures ms = { 0 }, base = { 0 };
	struct point *p = NULL;

	if (tr2_bisect_prepare(&bi.run, &bi.tree, commit) &&
	    tr2_bisect_measure(&bi.run, &bi.tree, &ms,
			       bi.in_turns ? &bi.base : NULL, &base)) {
		tr2_grow(bi.item, bi.nr, bi.alloc);
		p = &bi.item[bi.nr++];
		*p = (struct point){ tr2_strdup(commit), ms,
				     bi.in_turns ? value_of(&base) : NAN };
	} else {
		tr2_measures_release(&ms);
	}
	tr2_measures_release(&base);
	return p;
}

static void say_unmeasured(const struct tr2_bisect_rev *rev)
{
	if (bi.run.stop || bi.run.failed)
		return;
	bi.run.failed = true;
	tr2_error("cannot measure %s: %s%s", rev->text,
		  tr2_buf_str(&bi.run.why),
		  bi.run.has_run && !build ? " (it may need --build)" : "");
}

static bool measure_end(const struct tr2_bisect_rev *rev)
{
	if (measure_commit(rev->commit))
		return true;
	say_unmeasured(rev);
	return false;
}

static void decide_by(const struct tr2_difference *d, bool is_exact,
		      const struct tr2_measures *from,
		      const struct tr2_measures *to)
{
	bi.by.by_calls = is_exact && d->exact != TR2_EXACT_DIFFERS;
	bi.by.is_exact = is_exact;
	bi.by.kind = d->kind;
	bi.by.unit = bi.by.by_calls ? TR2_UNIT_COUNT : d->unit;
	bi.by.name = tr2_strdup(d->name);
	bi.by.good = value_of(from);
	bi.by.bad = value_of(to);
}

/* Append a text with the difference in the deciding row. */
static void add_difference(struct tr2_buf *b, const struct tr2_comparison *c,
			   const struct tr2_difference *d)
{
	struct tr2_stat_interval interval;
	bool has = !bi.by.is_exact &&
		   tr2_difference_interval(c, d, TR2_ALPHA, &interval);

	tr2_difference_add(b, d, has ? &interval : NULL);
}

/* Choose the deciding measure. in_turns false: an exact count that differs
 * between the ends. in_turns true: a time or a varying number whose difference
 * is more than chance. Return false if no measure decides. */
static bool choose_measure(bool in_turns, const struct tr2_measures *from,
			   const struct tr2_measures *to)
{
	const struct tr2_difference *d;
	struct tr2_comparison c;
	struct tr2_verdict v;

	tr2_compare(&c, from, to, in_turns, takes_difference, NULL);
	tr2_verdict(&v, &c, TR2_ALPHA);
	d = in_turns ? v.time[0] : v.count[0];
	if (!in_turns)
		bi.time_word = v.word;
	else if (d && !((v.is_judged ? d->p_alone : d->p) < TR2_ALPHA))
		d = NULL;
	if (d) {
		decide_by(d, !in_turns, from, to);
		add_difference(&bi.ends, &c, d);
	}
	tr2_comparison_release(&c);
	return d != NULL;
}

static bool measure_turns(struct tr2_measures *base, struct tr2_measures *ms)
{
	return tr2_bisect_measure(&bi.run, &bi.tree, ms, &bi.base, base);
}

/* Measure both ends in turns: bi.tree has the bad end, bi.base gets the good
 * end. */
static bool tell_by_time(void)
{
	struct tr2_measures from = { 0 }, to = { 0 };
	bool ok = false;

	if (tr2_bisect_tree_add(&bi.base, &bi.run.repo, "tree-2", &good))
		bi.run.failed = true;
	else if (!tr2_bisect_prepare(&bi.run, &bi.base, good.commit) ||
		 !measure_turns(&from, &to))
		say_unmeasured(&good);
	else
		ok = choose_measure(true, &from, &to);
	bi.in_turns = ok;
	tr2_measures_release(&from);
	tr2_measures_release(&to);
	return ok;
}

/* Return whether the commit is more like the bad end than like the good end. */
static bool is_bad(const struct point *p)
{
	double value = value_of(&p->measures);
	double from = isnan(p->good) ? bi.by.good : p->good, to = bi.by.bad;

	if (bi.by.is_exact || !(value > 0 && from > 0 && to > 0 &&
				bi.by.good > 0))
		return fabs(value - to) < fabs(value - from);
	/* Scale the value of the bad end: the machine may be slower now than
	 * when the ends were measured. */
	to *= from / bi.by.good;
	return fabs(log(value / to)) < fabs(log(value / from));
}

static void add_step(const char *commit, const char *word, double value,
		     const char *why)
{
	struct tr2_bisect_step step = { .commit = commit, .word = word,
					.value = value, .why = why };

	tr2_bisect_step_add(&bi.steps, &step, &bi.by,
			    is_text() ? bi.out : NULL);
}

/* Measure a commit unless it was measured before, and print whether it is good,
 * bad or skipped. Return NULL if the search must end, with the reason in
 * bi.run. */
static const char *judge_commit(const char *commit)
{
	struct point *p = find_point(commit);
	const char *word;

	if (!p)
		p = measure_commit(commit);
	if (!p && (bi.run.stop || bi.run.failed))
		return NULL;
	word = !p ? "skip" : is_bad(p) ? "bad" : "good";
	add_step(commit, word, p ? value_of(&p->measures) : NAN,
		 p ? NULL : tr2_buf_str(&bi.run.why));
	return word;
}

/* Print the skipped commits that Git lists: the first bad commit is one of
 * them. */
static void say_skipped(char *list)
{
	struct tr2_buf b = TR2_BUF_INIT;
	char *line, *rest = NULL, *subject;
	uint32_t nr = 0;

	for (line = strtok_r(list, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strspn(line, "0123456789abcdef") != strlen(bad.commit) ||
		    nr++ >= SHOWN_CANDIDATES)
			continue;
		subject = tr2_bisect_subject(line, "%h (%s)", false);
		tr2_buf_addall(&b, nr > 1 ? ", " : "", subject);
		free(subject);
	}
	if (nr > SHOWN_CANDIDATES)
		tr2_buf_addall(&b, ", ...");
	tr2_error("the commit was not found, because some were skipped: it is "
		  "one of %u: %s", nr, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

/* Give Git the verdict on the current commit. If the search has found the first
 * bad commit, return it; the caller frees it. Set *over if the search has
 * ended. */
static char *tell_git(const char *word, bool *over)
{
	struct tr2_buf out = TR2_BUF_INIT, why = TR2_BUF_INIT;
	char *first = NULL;
	int code = tr2_git_try(&out, &why, "-C", bi.tree.path, "bisect", word);

	tr2_buf_addch(&out, '\0');
	tr2_must(!out.failed);
	if (strstr(out.p, " is the first bad commit")) {
		first = tr2_strdup(out.p);
		first[strcspn(first, " ")] = '\0';
	} else if (code && !tr2_bisect_stopped(&bi.run)) {
		if (code == ONLY_SKIPPED)
			say_skipped(out.p);
		else
			tr2_error("'git bisect %s' failed: %s", word,
				  tr2_buf_str(&why));
	}
	*over = first || code;
	tr2_buf_release(&out);
	tr2_buf_release(&why);
	return first;
}

/* Return whether the commit is a bad merge base of the ends. If so, no commit
 * after the merge base made the bad end bad. */
static bool is_bad_base(const char *commit, const char *word)
{
	char *subject;

	if (!bi.bases || !strstr(bi.bases, commit) || strcmp(word, "bad") != 0)
		return false;
	subject = tr2_bisect_subject(commit, "%s", false);
	tr2_error("the merge base %.9s (%s) is bad already: --bad %s inherited "
		  "the change, and --good %s undid it; give a --good before "
		  "the merge base", commit, subject, bad.text,
		  good.text);
	free(subject);
	return true;
}

/* Return the first bad commit, which the caller frees; NULL: it was not
 * found. */
static char *search_commit(void)
{
	struct tr2_buf why = TR2_BUF_INIT;
	const char *word;
	char *first = NULL, *commit;
	bool over = tr2_git_try(NULL, &why, "-C", bi.tree.path, "bisect",
				"start", "--no-checkout", bad.commit,
				good.commit) != 0;

	if (over && !tr2_bisect_stopped(&bi.run))
		tr2_error("'git bisect start' failed between %s and %s: %s",
			  good.text, bad.text, tr2_buf_str(&why));
	while (!over && !tr2_bisect_stopped(&bi.run)) {
		commit = tr2_git_text("-C", bi.tree.path, "rev-parse",
				      "BISECT_HEAD");
		word = commit ? judge_commit(commit) : NULL;
		if (word && !is_bad_base(commit, word))
			first = tell_git(word, &over);
		else
			over = true;
		free(commit);
	}
	tr2_buf_release(&why);
	return first;
}

/* Return the number of candidates as text, which the caller frees. */
static char *count_candidates(void)
{
	return tr2_git_text("-C", bi.tree.path, "rev-list", "--count",
			    "refs/bisect/bad", "--not",
			    "--glob=refs/bisect/good-*");
}

static void say_interrupted(void)
{
	const struct tr2_bisect_step *from, *to;
	char *nr = bi.steps.nr ? count_candidates() : NULL;

	if (!bi.steps.nr) {
		tr2_error("interrupted before both ends were measured");
		return;
	}
	from = tr2_bisect_step_last(&bi.steps, "good");
	to = tr2_bisect_step_last(&bi.steps, "bad");
	if (nr && !strcmp(nr, "1"))
		tr2_error("interrupted after %u commits: %.9s seems to be the "
			  "commit, but was not compared with the commit before "
			  "it",
			  bi.steps.nr, to->commit);
	else
		tr2_error("interrupted after %u commits: the commit is one of "
			  "the %s of 'git log %.9s..%.9s'",
			  bi.steps.nr, nr ? nr : "commits", from->commit,
			  to->commit);
	free(nr);
}

/* Print a hint if the bad end is slower, but the found commit is not. */
static void say_unexplained(enum tr2_verdict_word word)
{
	if (bi.by.is_exact && bi.time_word == TR2_VERDICT_SLOWER &&
	    word != bi.time_word)
		fprintf(bi.out, "The bad end is slower, but this commit is "
			"not: --only task-clock looks for the commit that "
			"is.\n");
}

/* Return whether the deciding measure differs in this row as it does between
 * the ends. */
static bool is_confirmed(const struct tr2_difference *d)
{
	bool by_calls = bi.by.by_calls;
	double delta;

	if (!d)
		return false;
	delta = by_calls ? d->new_calls - d->base_calls :
			   tr2_difference_delta(d);
	if (!(delta * (bi.by.bad - bi.by.good) > 0))
		return false;
	if ((by_calls ? d->exact_calls : d->exact) == TR2_EXACT_DIFFERS)
		return true;
	/* If only one of the two commits has the measure, the measure
	 * differs. */
	if (d->kind > TR2_MEASURE_SYSCALL && (isnan(d->base) || isnan(d->new)))
		return true;
	return !by_calls && d->p_alone < TR2_ALPHA;
}

static int say_unconfirmed(const char *first, const struct tr2_comparison *c,
			   const struct tr2_difference *d)
{
	const char *what = bi.by.unit == TR2_UNIT_NS ? "time" : "number";
	struct tr2_buf here = TR2_BUF_INIT;

	if (d)
		add_difference(&here, c, d);
	tr2_error("no commit between %s and %s is certain: the %s of the ends "
		  "differed by %s, but a comparison of %.9s with the commit "
		  "before it does not confirm that (%s); try more runs (-r "
		  "%lld) or a calmer machine", good.text, bad.text, what,
		  tr2_buf_str(&bi.ends),
		  first, d ? tr2_buf_str(&here) : "it has none",
		  (long long)nr_runs * 2);
	tr2_buf_release(&here);
	return TR2_EXIT_FOUND;
}

/* Print the steps as data. Redirect descriptor 1, which discards CMD's output,
 * to the stream for the steps. */
static void begin_data(void)
{
	fflush(stdout);
	dup2(fileno(bi.out), 1);
	tr2_output_begin(&bi.json, tr2_common.format);
	bi.json.csv_table = "steps";
	tr2_bisect_steps_print(&bi.json, &bi.steps);
}

static void print_found(const char *first)
{
	char *text = tr2_bisect_subject(first, "%s (%an, %as)", is_text());

	if (is_text())
		fprintf(bi.out, "\n%s %s\n", first, text);
	else
		tr2_bisect_found_print(&bi.json, first, text, &bi.by);
	free(text);
}

static void print_verdict(const struct tr2_comparison *c)
{
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_verdict v;

	tr2_verdict(&v, c, TR2_ALPHA);
	tr2_verdict_add(&text, &v, c);
	if (is_text())
		fprintf(bi.out, "%s\n", tr2_buf_str(&text));
	else
		tr2_verdict_print(&bi.json, &v, c);
	if (is_text())
		say_unexplained(v.word);
	tr2_buf_release(&text);
}

/* Print the found commit and, if a comparison confirms it, the verdict of the
 * comparison. Return the exit code. */
static int print_result(const char *first, const struct tr2_comparison *c)
{
	const struct tr2_difference *d =
		c ? tr2_comparison_find(c, bi.by.kind, bi.by.name) : NULL;
	bool confirmed = !c || is_confirmed(d);

	if (!is_text())
		begin_data();
	if (confirmed)
		print_found(first);
	if (c && (confirmed || !is_text()))
		print_verdict(c);
	if (!is_text())
		tr2_output_end(&bi.json);
	fflush(stdout);
	return confirmed ? 0 : say_unconfirmed(first, c, d);
}

/* Compare only counts. Measure the commit before the found one, unless a step
 * has measured it. If that commit cannot be measured, print the result without
 * a comparison. */
static int compare_counts(const char *first, const char *before)
{
	struct point *a, *b;
	struct tr2_comparison c;
	int code;

	if (!find_point(before))
		measure_commit(before);
	a = find_point(before);
	b = find_point(first);
	if (!a || !b)
		return print_result(first, NULL);
	tr2_compare(&c, &a->measures, &b->measures, false, takes_difference,
		    NULL);
	code = print_result(first, &c);
	tr2_comparison_release(&c);
	return code;
}

static int compare_in_turns(const char *first, const char *before)
{
	struct tr2_measures a = { 0 }, b = { 0 };
	struct tr2_comparison c;
	int code = TR2_EXIT_FATAL;

	if (tr2_bisect_prepare(&bi.run, &bi.base, before) &&
	    tr2_bisect_prepare(&bi.run, &bi.tree, first) &&
	    measure_turns(&a, &b)) {
		tr2_compare(&c, &a, &b, true, takes_difference, NULL);
		code = print_result(first, &c);
		tr2_comparison_release(&c);
	} else if (!bi.run.stop && !bi.run.failed) {
		tr2_error("%.9s cannot be compared with the commit before it: "
			  "%s", first, tr2_buf_str(&bi.run.why));
	}
	tr2_measures_release(&a);
	tr2_measures_release(&b);
	return code;
}

/* Compare the found commit with the commit before it. Return the exit code. */
static int finish_bisect(const char *first)
{
	char *name = tr2_strf("%s^", first);
	char *before = tr2_git_text("-C", bi.tree.path, "rev-parse", name);
	int code;

	if (!before)
		code = print_result(first, NULL);
	else
		code = bi.in_turns ? compare_in_turns(first, before) :
				     compare_counts(first, before);
	free(name);
	free(before);
	return code;
}

static int bisect_commits(void)
{
	const struct tr2_measures *from, *to;
	char *first;
	int code;

	if (!measure_end(&good) || !measure_end(&bad))
		return TR2_EXIT_FATAL;
	from = &find_point(good.commit)->measures;
	to = &find_point(bad.commit)->measures;
	if (!choose_measure(false, from, to) && !tell_by_time()) {
		if (bi.run.failed || bi.run.stop)
			return TR2_EXIT_FATAL;
		tr2_error("cannot tell %s and %s apart: neither an exact count "
			  "nor a time measured in turns differs (try more "
			  "runs: -r %lld)",
			  good.text, bad.text, (long long)nr_runs * 2);
		return TR2_EXIT_FOUND;
	}
	add_step(good.commit, "good", bi.by.good, NULL);
	add_step(bad.commit, "bad", bi.by.bad, NULL);
	first = search_commit();
	code = first ? finish_bisect(first) : TR2_EXIT_FATAL;
	free(first);
	return code;
}

/* Discard the output of CMD and of the build. */
static int open_output(void)
{
	int before = fcntl(1, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	bi.out = before >= 0 ? fdopen(before, "w") : NULL;
	if (!bi.out || null < 0 || dup2(null, 1) < 0) {
		tr2_error("cannot redirect standard output: %s",
			  strerror(errno));
		return -1;
	}
	close(null);
	return 0;
}

/* Find the commits. Make a work tree beside the user's, and change to its
 * directory. */
static int open_tree(void)
{
	if (tr2_bisect_repo_find(&bi.run.repo) ||
	    tr2_bisect_rev_find(&bi.run.repo, &good) ||
	    tr2_bisect_rev_find(&bi.run.repo, &bad) ||
	    tr2_bisect_check_ends(&bi.run.repo, &good, &bad, &bi.bases) ||
	    tr2_bisect_repo_open(&bi.run.repo))
		return -1;
	bi.run.dir = tr2_strf("%s/run", bi.run.repo.dir);
	if (tr2_bisect_tree_add(&bi.tree, &bi.run.repo, "tree-1", &bad))
		return -1;
	if (tr2_bisect_enter(&bi.run, &bi.tree))
		return 0;
	say_unmeasured(&bad);
	return -1;
}

static void release_bisect(void)
{
	uint32_t i;

	for (i = 0; i < bi.nr; i++) {
		free(bi.item[i].commit);
		tr2_measures_release(&bi.item[i].measures);
	}
	tr2_bisect_steps_release(&bi.steps);
	tr2_buf_release(&bi.ends);
	if (bi.out)
		fclose(bi.out);
	free(bi.item);
	free(bi.by.name);
	free(bi.bases);
	tr2_bisect_tree_remove(&bi.tree, &bi.run.repo);
	tr2_bisect_tree_remove(&bi.base, &bi.run.repo);
	tr2_bisect_runner_release(&bi.run);
	tr2_bisect_rev_release(&good);
	tr2_bisect_rev_release(&bad);
}

static int run_bisect(int argc, char **argv)
{
	int code = TR2_EXIT_FATAL;

	if (!argc || !good.word)
		return tr2_usage_error("needs --good REV and a command");
	if (nr_runs < TR2_EXACT_LEAST || nr_runs > 1000000)
		return tr2_usage_error("-r must be at least 4, and at most "
				       "1000000");
	if (!tr2_choice_valid(&choice))
		return TR2_EXIT_USAGE;
	bi.run.argv = argv;
	bi.run.build = build;
	bi.run.nr_runs = nr_runs;
	tr2_bisect_catch_signals();
	if (syscalls)
		tr2_event_counters_add_syscalls(&bi.run.counters);
	if (allocations)
		tr2_event_counters_add_allocations(&bi.run.counters);
	if (tr2_event_counters_add(&bi.run.counters, EVENTS) &&
	    !open_output() && !open_tree())
		code = bisect_commits();
	/* Handle a pending signal here: it must not end the process before the
	 * work trees are removed. */
	if (tr2_bisect_stopped(&bi.run)) {
		say_interrupted();
		code = 128 + SIGINT;
	}
	release_bisect();
	return code;
}

const struct tr2_command tr2_command_bisect = {
	.name = "bisect",
	.synopsis = "--good REV [--bad REV] [--build CMD] [-r N] [--only KIND] "
		    "[--] CMD [ARG...]",
	.summary = "Finds the commit that changed the cost of a command.",
	.details = "Drives 'git bisect' in a work tree of its own. CMD runs "
		   "there, in the directory with the current one's name. An "
		   "exact count that differs between both ends decides, or "
		   "else the time.",
	.options = options,
	.common = TR2_COMMON_FORMAT,
	.flags = TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	.run = run_bisect,
};
