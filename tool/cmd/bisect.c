/* SPDX-License-Identifier: MIT */
/*
 * trace2 bisect - find the commit that changed what a command takes: `git bisect`
 * in a work tree of its own, in which each commit is built and CMD runs a few
 * times. What tells good from bad is chosen from both ends: an exact count that
 * differs, or else the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/bisect_tree.h"
#include "cmd/stat.h"
#include "cmd/verdict.h"
#include "common/memory.h"
#include "common/say.h"
#include "record/counters.h"
#include "record/job.h"
#include "record/store.h"
#include "stat/git.h"
#include "stat/numbers.h"
#include "stat/set.h"
#include "stat/significance.h"

#define EVENTS "task-clock,page-faults"

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
	  "a commit that has it (HEAD)", NULL },
	{ 0, "build", "CMD", TR2_OPT_STRING, &build,
	  "run this by sh before each measurement; commits for which it fails "
	  "are skipped", NULL },
	{ 'r', "repeat", "N", TR2_OPT_INT, &nr_runs,
	  "run CMD N times at each commit (10)", NULL },
	{ 0, "only", "KIND[,KIND...]", TR2_OPT_STRING, &choice.only,
	  "decide by these kinds, numbers of the run or events alone, as "
	  "'trace2 diff --only' takes them", NULL },
	{ 0, "syscalls", NULL, TR2_OPT_FLAG, &syscalls,
	  "count system calls by kind, too, as 'trace2 stat --syscalls'", NULL },
	{ 0, "allocations", NULL, TR2_OPT_FLAG, &allocations,
	  "count allocations, too, as 'trace2 stat --allocations'", NULL },
	TR2_OPT_END
};

extern const struct tr2_command tr2_command_bisect;

/* A commit that was measured. */
struct point {
	char *commit;
	struct tr2_measures measures;
};

/* A commit that was judged. */
struct step {
	char *commit, *subject;
	const char *word; /* good, bad, skip */
	double value;     /* NAN: it was skipped */
};

static struct {
	char **argv;
	struct tr2_bisect_repo repo;
	struct tr2_bisect_tree tree;
	char *bases; /* commits before both ends, if not only `good` is */
	char *runs;  /* where runs are recorded */
	struct point *item;
	uint32_t nr, alloc;
	struct step *step;
	uint32_t nr_steps, alloc_steps;
	struct tr2_output json;
	struct tr2_event_counters counters;
	/* What decides: a row of the ends, its number of calls, or its time. */
	enum tr2_measure_kind kind;
	char *name;
	bool by_calls, is_exact;
	double good, bad; /* values */
	enum tr2_verdict_word time_word; /* of the ends */
	FILE *out; /* CMD has no output */
	bool stop;
} bi;

static bool takes(const struct tr2_difference *d, const void *data)
{
	(void)data;
	return tr2_choice_takes(&choice, d->kind, d->unit, d->name,
				fmax(d->base, d->new));
}

/* Run something for the bisection. Return its exit code. */
static int run_once(char **argv, bool is_build, struct tr2_measures *ms)
{
	struct tr2_job job = {
		.argv = argv,
		.dir = bi.runs,
		.nest = TR2_JOB_NEST,
		.timeout_ns = TR2_JOB_TIMEOUT_NS,
		.quiet = true,
		.counters = is_build ? NULL : &bi.counters,
	};
	struct tr2_job_result result;
	int code = tr2_job_run(&job, &result);

	bi.stop |= result.signo != 0;
	if (!result.started && !code)
		code = TR2_EXIT_FATAL;
	if (!code && !bi.stop && ms && tr2_set_read(ms, bi.runs, true))
		code = TR2_EXIT_FATAL;
	tr2_store_remove(bi.runs);
	return code;
}

static struct point *find_point(const char *commit)
{
	uint32_t i;

	for (i = 0; i < bi.nr; i++)
		if (!strcmp(bi.item[i].commit, commit))
			return &bi.item[i];
	return NULL;
}

/* Build and measure what the work tree has. NULL: it cannot be measured. */
static struct point *measure(const char *commit)
{
	char *words[] = { (char *)"sh", (char *)"-c", (char *)build, NULL };
	struct tr2_measures ms = { 0 };
	struct point *p;
	int64_t i;
	int code = build ? run_once(words, true, NULL) : 0;

	for (i = 0; !code && !bi.stop && i < nr_runs; i++)
		code = run_once(bi.argv, false, &ms);
	if (code || bi.stop) {
		tr2_measures_release(&ms);
		return NULL;
	}
	tr2_grow(bi.item, bi.nr, bi.alloc);
	p = &bi.item[bi.nr++];
	*p = (struct point){ tr2_strdup(commit), ms };
	return p;
}

/* Check a commit out, and measure it. NULL: it cannot be measured. */
static struct point *measure_commit(const char *commit)
{
	if (tr2_bisect_tree_checkout(&bi.tree, commit) ||
	    !tr2_bisect_tree_enter(&bi.tree))
		return NULL;
	return measure(commit);
}

static void say_no_directory(const struct tr2_bisect_rev *rev)
{
	tr2_error("%s has no directory '%s', the current one, in which CMD is "
		  "to run: go to one that all commits have", rev->text,
		  bi.repo.prefix);
}

static struct point *measure_rev(const struct tr2_bisect_rev *rev)
{
	struct point *p;

	if (tr2_bisect_tree_checkout(&bi.tree, rev->commit))
		return NULL;
	if (!tr2_bisect_tree_enter(&bi.tree)) {
		say_no_directory(rev);
		return NULL;
	}
	p = measure(rev->commit);
	if (!p && !bi.stop)
		tr2_error("cannot measure %s: %s or the command failed",
			  rev->text, build ? "--build" : "(it may need --build)");
	return p;
}

/* Return the value that decides: the count, or the median. */
static double value_of(const struct tr2_measures *ms)
{
	const struct tr2_measure *it =
		tr2_measures_find(ms, bi.kind, bi.name);
	struct tr2_numbers n;

	if (!it)
		return 0;
	return tr2_numbers(&n, bi.by_calls ? it->calls : it->values,
			   ms->nr_runs) ? n.p50 : NAN;
}

/* Choose what tells both ends apart. false: nothing does. */
static bool choose(const struct tr2_measures *from,
		   const struct tr2_measures *to)
{
	const struct tr2_difference *d = NULL;
	struct tr2_comparison c;
	struct tr2_verdict v;

	tr2_compare(&c, from, to, false, takes, NULL);
	tr2_verdict(&v, &c, TR2_ALPHA);
	bi.time_word = v.word;
	if (v.count[0]) {
		d = v.count[0];
		bi.by_calls = d->exact != TR2_EXACT_DIFFERS;
		bi.is_exact = true;
	} else if (v.word == TR2_VERDICT_SLOWER || v.word == TR2_VERDICT_FASTER ||
		   v.word == TR2_VERDICT_MORE || v.word == TR2_VERDICT_LESS) {
		d = v.time[0];
	}
	if (d) {
		bi.kind = d->kind;
		bi.name = tr2_strdup(d->name);
		bi.good = value_of(from);
		bi.bad = value_of(to);
	}
	tr2_comparison_release(&c);
	return d != NULL;
}

/* Is this commit like the bad end? */
static bool is_bad(const struct tr2_measures *ms)
{
	double value = value_of(ms);

	if (!bi.is_exact && value > 0 && bi.good > 0 && bi.bad > 0)
		return fabs(log(value / bi.bad)) < fabs(log(value / bi.good));
	return fabs(value - bi.bad) < fabs(value - bi.good);
}

static bool is_text(void)
{
	return tr2_common.format == TR2_FORMAT_TEXT;
}

TR2_CELL(cell_commit, struct step, tr2_cell_str(t, r->commit))
TR2_CELL(cell_word, struct step, tr2_cell_str(t, r->word))
TR2_CELL(cell_value, struct step,
	 if (!isnan(r->value)) tr2_cell_real(t, r->value))
TR2_CELL(cell_subject, struct step, tr2_cell_str(t, r->subject))

static const struct tr2_column step_columns[] = {
	{ "commit", "", TR2_COL_DATA, cell_commit },
	{ "is", "", TR2_COL_DATA, cell_word },
	{ "value", "", TR2_COL_DATA, cell_value },
	{ "subject", "", TR2_COL_DATA, cell_subject },
};

/* What decided, and what was found. */
struct found {
	const char *commit, *subject;
};

TR2_CELL(cell_found, struct found, tr2_cell_str(t, r->commit))
TR2_CELL(cell_found_subject, struct found, tr2_cell_str(t, r->subject))
TR2_CELL(cell_kind, struct found,
	 (void)r; tr2_cell_str(t, tr2_measure_names[bi.kind]))
TR2_CELL(cell_name, struct found, (void)r; tr2_cell_str(t, bi.name))
TR2_CELL(cell_exact, struct found,
	 (void)r; tr2_cell_str(t, bi.is_exact ? "yes" : "no"))

static const struct tr2_column found_columns[] = {
	{ "commit", "", TR2_COL_DATA, cell_found },
	{ "subject", "", TR2_COL_DATA, cell_found_subject },
	{ "kind", "", TR2_COL_DATA, cell_kind },
	{ "name", "", TR2_COL_DATA, cell_name },
	{ "exact", "", TR2_COL_DATA, cell_exact },
};

/* Print the steps as data, where CMD's output does not go. */
static void begin_data(void)
{
	struct tr2_table t;
	uint32_t i;

	fflush(stdout);
	dup2(fileno(bi.out), 1);
	tr2_output_begin(&bi.json, tr2_common.format);
	bi.json.csv_table = "steps";
	tr2_table_init(&t, &bi.json, "steps", TR2_COLUMNS(step_columns));
	for (i = 0; i < bi.nr_steps; i++)
		tr2_table_add(&t, &bi.step[i]);
	tr2_table_finish(&t);
}

static void add_step(const char *commit, const char *word, double value)
{
	tr2_grow(bi.step, bi.nr_steps, bi.alloc_steps);
	bi.step[bi.nr_steps++] = (struct step){
		tr2_strdup(commit),
		tr2_git_text("log", "-1", "--format=%s", commit), word, value
	};
}

static void say_step(const struct tr2_measures *ms, const char *commit,
		     const char *word)
{
	const struct tr2_measure *it = tr2_measures_find(ms, bi.kind, bi.name);
	enum tr2_measure_unit unit =
		it && !bi.by_calls ? it->unit : TR2_UNIT_COUNT;
	struct tr2_buf b = TR2_BUF_INIT;
	const char *subject;

	add_step(commit, word, value_of(ms));
	if (!is_text())
		return;
	subject = bi.step[bi.nr_steps - 1].subject;
	/* A count differs by less than a rounded one shows. */
	if (bi.is_exact)
		tr2_buf_add_u64(&b, (uint64_t)llround(value_of(ms)));
	else
		tr2_fmt_measure(&b, unit, value_of(ms));
	fprintf(bi.out, "%-4s  %.9s  %s %s  %s\n", word, commit, bi.name,
	       tr2_buf_str(&b), subject ? subject : "");
	fflush(bi.out);
	tr2_buf_release(&b);
}

static void say_skip(const char *commit)
{
	add_step(commit, "skip", NAN);
	if (is_text())
		fprintf(bi.out, "skip  %.9s\n", commit);
}

/* Tell Git of the current commit. Return its last word if that is the commit it
 * looked for, to be freed; *over: no commit is left. */
static char *tell(const char *word, bool *over)
{
	struct tr2_buf out = TR2_BUF_INIT;
	char *first = NULL;

	*over = tr2_git_run(&out, NULL, "-C", bi.tree.path, "bisect", word) != 0;
	if (strstr(tr2_buf_str(&out), " is the first bad commit")) {
		first = tr2_strdup(out.p);
		first[strcspn(first, " ")] = '\0';
	}
	*over |= first || strstr(tr2_buf_str(&out), "only 'skip'ped");
	tr2_buf_release(&out);
	return first;
}

/* Return the first bad commit, to be freed; NULL: it was not found. */
static char *search(void)
{
	char *first = NULL;
	bool over = false;

	if (tr2_git_run(NULL, NULL, "-C", bi.tree.path, "bisect", "start",
			"--no-checkout", bad.commit, good.commit)) {
		tr2_error("'git bisect start' failed: is %s a commit before "
			  "%s?", good.text, bad.text);
		return NULL;
	}
	while (!over && !bi.stop) {
		char *commit = tr2_git_text("rev-parse", "BISECT_HEAD");
		struct point *p = commit ? find_point(commit) : NULL;

		if (commit && !p)
			p = measure_commit(commit);
		if (p && !bi.stop)
			say_step(&p->measures, commit,
				 is_bad(&p->measures) ? "bad" : "good");
		else if (commit && !bi.stop)
			say_skip(commit);
		if (!bi.stop)
			first = tell(!p ? "skip" : is_bad(&p->measures) ?
					 "bad" : "good", &over);
		over |= !commit;
		free(commit);
	}
	return first;
}

/* The ends differ in time, and this commit does not explain it. */
static void say_unexplained(enum tr2_verdict_word word)
{
	if (bi.is_exact && bi.time_word == TR2_VERDICT_SLOWER &&
	    word != bi.time_word)
		fprintf(bi.out, "The bad end is slower, and this commit is "
			"not: --only task-clock finds what is.\n");
}

static void print_found(const char *first, const char *subject)
{
	struct found found = { first, subject };

	if (is_text())
		fprintf(bi.out, "\n%s %s\n", first, subject ? subject : "");
	else
		tr2_table_print_row(&bi.json, "found",
				    TR2_COLUMNS(found_columns), &found);
}

/* Compare the commit with the one before it. */
static void print_result(const char *first)
{
	char *before = tr2_strf("%s^", first), *parent, *subject;
	struct point *a, *b;
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_comparison c;
	struct tr2_verdict v;

	parent = tr2_git_text("rev-parse", before);
	subject = tr2_git_text("log", "-1", "--format=%s (%an, %as)", first);
	/* It was measured unless it was skipped. */
	if (parent && !find_point(parent))
		measure_commit(parent);
	a = parent ? find_point(parent) : NULL;
	b = find_point(first);
	if (!is_text())
		begin_data();
	print_found(first, subject);
	if (a && b) {
		tr2_compare(&c, &a->measures, &b->measures, false, takes, NULL);
		tr2_verdict(&v, &c, TR2_ALPHA);
		tr2_verdict_add(&text, &v, &c);
		if (is_text())
			fprintf(bi.out, "%s\n", tr2_buf_str(&text));
		else
			tr2_verdict_print(&bi.json, &v, &c);
		if (is_text())
			say_unexplained(v.word);
		tr2_comparison_release(&c);
	}
	if (!is_text())
		tr2_output_end(&bi.json);
	fflush(stdout);
	tr2_buf_release(&text);
	free(before);
	free(parent);
	free(subject);
}

static int bisect(void)
{
	struct point *from = measure_rev(&good);
	struct point *to = from && !bi.stop ? measure_rev(&bad) : NULL;
	char *first;

	if (!to)
		return TR2_EXIT_FATAL;
	from = find_point(good.commit); /* it may have moved */
	if (!choose(&from->measures, &to->measures)) {
		tr2_error("nothing tells %s from %s: no exact count "
			  "differs, and no time ('trace2 stat -r' with more "
			  "runs may)", good.text, bad.text);
		return TR2_EXIT_FOUND;
	}
	say_step(&from->measures, from->commit, "good");
	say_step(&to->measures, to->commit, "bad");
	first = search();
	if (first)
		print_result(first);
	else if (!bi.stop)
		tr2_error("the commit was not found: too many were skipped");
	free(first);
	return first ? 0 : TR2_EXIT_FATAL;
}

/* Discard what CMD and the build print to standard output. */
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

/* Find the commits, make a work tree beside the user's, and go there. */
static int open_tree(void)
{
	if (tr2_bisect_repo_find(&bi.repo) ||
	    tr2_bisect_rev_find(&bi.repo, &good) ||
	    tr2_bisect_rev_find(&bi.repo, &bad) ||
	    tr2_bisect_check_ends(&bi.repo, &good, &bad, &bi.bases) ||
	    tr2_bisect_repo_open(&bi.repo))
		return -1;
	bi.runs = tr2_strf("%s/run", bi.repo.dir);
	if (tr2_bisect_tree_add(&bi.tree, &bi.repo, "tree", &bad))
		return -1;
	if (tr2_bisect_tree_enter(&bi.tree))
		return 0;
	say_no_directory(&bad);
	return -1;
}

static void release(void)
{
	uint32_t i;

	for (i = 0; i < bi.nr; i++) {
		free(bi.item[i].commit);
		tr2_measures_release(&bi.item[i].measures);
	}
	for (i = 0; i < bi.nr_steps; i++) {
		free(bi.step[i].commit);
		free(bi.step[i].subject);
	}
	free(bi.step);
	if (bi.out)
		fclose(bi.out);
	free(bi.item);
	free(bi.name);
	free(bi.bases);
	free(bi.runs);
	tr2_bisect_tree_remove(&bi.tree, &bi.repo);
	tr2_bisect_repo_release(&bi.repo);
	tr2_bisect_rev_release(&good);
	tr2_bisect_rev_release(&bad);
	tr2_event_counters_release(&bi.counters);
}

static int run(int argc, char **argv)
{
	int code = TR2_EXIT_FATAL;

	if (!argc || !good.word)
		return tr2_usage_error(&tr2_command_bisect,
				       "needs --good REV and a command");
	if (nr_runs < TR2_EXACT_LEAST || nr_runs > 1000000)
		return tr2_usage_error(&tr2_command_bisect,
				       "-r must be at least 4, and at most "
				       "1000000");
	if (!tr2_choice_valid(&choice, &tr2_command_bisect))
		return TR2_EXIT_USAGE;
	bi.argv = argv;
	if (syscalls)
		tr2_event_counters_add_syscalls(&bi.counters);
	if (allocations)
		tr2_event_counters_add_allocations(&bi.counters);
	if (tr2_event_counters_add(&bi.counters, EVENTS) && !open_output() &&
	    !open_tree())
		code = bisect();
	release();
	return bi.stop ? 128 + SIGINT : code;
}

const struct tr2_command tr2_command_bisect = {
	.name = "bisect",
	.synopsis = "--good REV [--bad REV] [--build CMD] [-r N] [--only KIND] "
		    "[--] CMD [ARG...]",
	.summary = "Finds the commit that changed what a command takes.",
	.details = "Drives 'git bisect' in a work tree of its own. CMD runs in "
		   "it, in the directory that has the current one's name. An "
		   "exact count that differs between both ends decides, or "
		   "else the time.",
	.options = options,
	.common = TR2_COMMON_FORMAT,
	.flags = TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	.run = run,
};
