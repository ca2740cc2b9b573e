/* SPDX-License-Identifier: MIT */
/*
 * trace2 stat - run a command several times, record each run as `trace2 record`
 * does, and show the distribution of the results.
 *
 * The report goes to standard error, because standard output is the command's.
 * With -q the command has no output, and the report goes to standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "cmd/cmd.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "common/split_command.h"
#include "compare/note.h"
#include "compare/rundir.h"
#include "compare/significance.h"
#include "compare/stat.h"
#include "compare/verdict.h"
#include "out/progress.h"
#include "record/job/job.h"
#include "record/kernel/counters.h"
#include "record/store.h"

#define DEFAULT_EVENTS "task-clock,page-faults,context-switches,cpu-migrations"
/* Also count this event, if the machine can. */
#define MORE_EVENTS "instructions"

#define COMPARED_RUNS 10
#define UNDECIDED_RUNS 100
#define DECIDED_SHARE 0.05

static int64_t nr_runs = -1, nr_warmups;
static struct tr2_list events;
static const char *baseline, *against;
static double fail_above = -1;
static bool quiet, states, syscalls, allocations, until_decided, note;

static const struct tr2_option options[] = {
	{ 'r', "repeat", "N", TR2_OPT_INT, &nr_runs,
	  "run CMD N times (1; with --against or --note 10, with "
	  "--until-decided at most 100)", NULL },
	{ 0, "warmup", "N", TR2_OPT_INT, &nr_warmups,
	  "first run CMD N times and ignore the results (0)",
	  NULL },
	{ 'e', "event", "EVENT[,EVENT...]", TR2_OPT_LIST, &events,
	  "count these events; names as in perf, 'list' lists them "
	  "(task-clock, page-faults, context-switches, cpu-migrations, and "
	  "instructions where the machine counts them)", NULL },
	{ 0, "syscalls", NULL, TR2_OPT_FLAG, &syscalls,
	  "count system calls by kind, too: needs CAP_BPF and CAP_PERFMON, and "
	  "takes about 50 ns for each call", NULL },
	{ 0, "allocations", NULL, TR2_OPT_FLAG, &allocations,
	  "count allocations, too: needs access to tracefs and CAP_PERFMON, "
	  "and takes about a microsecond for each", NULL },
	{ 0, "states", NULL, TR2_OPT_FLAG, &states,
	  "record states of threads, too, and show CPU time and waiting by the "
	  "kind of a process", NULL },
	{ 0, "baseline", "PATH", TR2_OPT_STRING, &baseline,
	  "compare with this recording, or directory of recordings", NULL },
	{ 0, "against", "CMD", TR2_OPT_STRING, &against,
	  "run this command as often, in turns with CMD, and compare with it; "
	  "its words are split as sh splits them, but no shell runs", NULL },
	{ 0, "until-decided", NULL, TR2_OPT_FLAG, &until_decided,
	  "with --against, stop as soon as the time decides: it differs, or "
	  "differs by less than --fail-above (5%)", NULL },
	{ 0, "fail-above", "PCT", TR2_OPT_PERCENT, &fail_above,
	  "exit with 1 if the time or an exact count is significantly larger "
	  "than the base's, by more than this (5%); with a selection, any "
	  "selected value counts",
	  NULL },
	{ 0, "note", NULL, TR2_OPT_FLAG, &note,
	  "keep the counts and times in the Git note of HEAD, for 'trace2 "
	  "history'", NULL },
	{ 'q', "quiet", NULL, TR2_OPT_FLAG, &quiet,
	  "discard the standard output of CMD, and print the report there",
	  NULL },
	{ 'o', "output", "DIR", TR2_OPT_STRING, &tr2_common.output,
	  "keep the recordings of the runs in this directory, and those of "
	  "--against in DIR.base", NULL },
	TR2_MEASURE_OPTIONS(tr2_stat_choice),
	TR2_OPT_END
};

/* The results of the runs. */
static struct {
	struct tr2_stat_side cmd, base; /* base: the command of --against */
	struct tr2_measures baseline;
	struct tr2_rundir cmd_dir, base_dir;
	char **base_argv; /* NULL: none */
	struct tr2_event_counters counters;
	struct tr2_progress progress;
	struct tr2_sequential sequential;
	bool decided;
	int code; /* the first exit code that is not 0 */
	bool stop;
} st;

static int stat_usage(int argc)
{
	const struct tr2_rule rules[] = {
		{ !argc, "no command given" },
		{ nr_runs < 1 || nr_runs > 1000000 || nr_warmups > 1000000,
		  "-r must be at least 1, and -r and --warmup at most "
		  "1000000" },
		{ baseline && against,
		  "--baseline and --against exclude each other" },
		{ until_decided && !against,
		  "--until-decided needs --against" },
		{ fail_above >= 0 && !baseline && !against,
		  "--fail-above needs a --baseline or --against" },
	};
	int code = tr2_usage_check(rules, ARRAY_SIZE(rules));

	return code || tr2_choice_valid(&tr2_stat_choice) ?
		       code : TR2_EXIT_USAGE;
}

static int parse_against(void)
{
	const char *error;

	if (!against)
		return 0;
	st.base_argv = tr2_split_command(against, &error);
	if (st.base_argv)
		return tr2_job_check(st.base_argv[0]);
	return tr2_usage_error("--against '%s': %s", against, error);
}

/* Return whether this machine can count the event. */
static bool is_counted_here(const char *text)
{
	struct tr2_perfevents list;
	struct tr2_perfevent event;

	tr2_perfevents_init(&list, text);
	return tr2_perfevents_next(&list, &event) == TR2_PERFEVENT_OK &&
	       tr2_event_works(&event);
}

static bool parse_events(void)
{
	size_t i;

	if (syscalls)
		tr2_event_counters_add_syscalls(&st.counters);
	if (allocations)
		tr2_event_counters_add_allocations(&st.counters);
	for (i = 0; i < events.nr; i++)
		if (!tr2_event_counters_add(&st.counters, events.item[i]))
			return false;
	if (!events.nr && is_counted_here(MORE_EVENTS) &&
	    !tr2_event_counters_add(&st.counters, MORE_EVENTS))
		return false;
	return events.nr ||
	       tr2_event_counters_add(&st.counters, DEFAULT_EVENTS);
}

/* Record how a run ended. The first code other than 0 becomes the exit code of
 * `trace2 stat`. */
static void note_end(struct tr2_stat_summary *sum, int code,
		     const struct tr2_job_result *result)
{
	if (!st.code)
		st.code = code;
	if (result->signo || !result->started) {
		st.cmd.sum.interrupted |= result->signo != 0;
		st.stop = true;
	} else if (code) {
		if (!sum->code)
			sum->code = code;
		sum->nr_failed++;
	}
}

/* Run a side once. nr 0: the run does not count. */
static void run_once(struct tr2_stat_side *side, unsigned int nr)
{
	const struct tr2_rundir *dir =
		side == &st.cmd ? &st.cmd_dir : &st.base_dir;
	char *path = tr2_rundir_run(dir, nr);
	struct tr2_job job = {
		.argv = side->sum.argv,
		.dir = path,
		.nest = TR2_JOB_NEST,
		.timeout_ns = TR2_JOB_TIMEOUT_NS,
		.quiet = true,
		.kernel.states = states,
		.counters = &st.counters,
	};
	struct tr2_job_result result;
	int code;

	code = tr2_job_run(&job, &result);
	if (nr || result.signo || !result.started)
		note_end(&side->sum, code, &result);
	if (nr && !st.stop) {
		side->sum.codes[side->sum.nr_runs++] = code;
		if (tr2_set_read(&side->measures, path, true) ||
		    result.unwritten)
			side->measures.failed = true;
	}
	if (!nr || st.stop || dir->temporary)
		tr2_store_remove(path);
	free(path);
}

/*
 * Run both sides once, in random order. A random order makes the test of pairs
 * exact, whatever else the machine does. With a regular order, a periodic load
 * could slow one side more than the other.
 */
static void run_pair(unsigned int nr, uint64_t *done)
{
	struct tr2_stat_side *first =
		st.base_argv && tr2_coin_toss() ? &st.base : &st.cmd;
	struct tr2_stat_side *second = first == &st.cmd ? &st.base : &st.cmd;

	tr2_progress_step(&st.progress, (*done)++);
	run_once(first, nr);
	if (!st.base_argv || st.stop)
		return;
	tr2_progress_step(&st.progress, (*done)++);
	run_once(second, nr);
}

/* Return whether the results so far decide the comparison. Return false if it
 * is not yet time to look at them. */
static bool is_decided(uint32_t nr_pairs)
{
	double share = fail_above >= 0 ? fail_above : DECIDED_SHARE;
	struct tr2_comparison c;
	struct tr2_verdict v;

	if (!until_decided ||
	    !tr2_sequential_looks(&st.sequential, nr_pairs, (uint32_t)nr_runs))
		return false;
	tr2_compare_chosen(&c, &st.base.measures, &st.cmd.measures, true,
			   &tr2_stat_choice);
	tr2_verdict(&v, &c, st.sequential.alpha);
	st.decided = v.word == TR2_VERDICT_SLOWER ||
		     v.word == TR2_VERDICT_FASTER ||
		     (v.has_interval[0] && v.interval[0].low > 1 - share &&
		      v.interval[0].high < 1 + share);
	tr2_comparison_release(&c);
	return st.decided;
}

static void run_all(void)
{
	uint64_t done = 0;
	int64_t i;

	/* Show progress only if it does not overwrite CMD's output on a
	 * terminal. */
	tr2_progress_start(&st.progress, "run");
	st.progress.next_ns = 0; /* draw the bar at once: a run may take long */
	st.progress.on = st.progress.on && !isatty(1);
	st.progress.total = (uint64_t)(nr_warmups + nr_runs) *
			    (st.base_argv ? 2 : 1);
	for (i = 1; i <= nr_warmups && !st.stop; i++)
		run_pair(0, &done);
	tr2_sequential_init(&st.sequential);
	for (i = 1; i <= nr_runs && !st.stop; i++) {
		run_pair((unsigned int)i, &done);
		if (!st.stop && is_decided((uint32_t)i))
			break;
	}
	tr2_progress_end(&st.progress);
}

/* Discard CMD's output. Return a copy of the previous descriptor 1. */
static int discard_output(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int before = fcntl(1, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0)
		dup2(fd, 1);
	if (fd >= 0)
		close(fd);
	return before;
}

static void report_to(int fd)
{
	fflush(stdout);
	dup2(fd, 1);
	tr2_term_start(tr2_common_color(), false);
}

static void say_decided(const struct tr2_output *out)
{
	if (!until_decided || !tr2_output_is_text(out))
		return;
	printf("%s after %lld of at most %lld pairs; a wrong verdict on the "
	       "time has a\nprobability below %g, including all earlier "
	       "looks.\n",
	       st.decided ? "Decided" : "Not decided",
	       (long long)st.cmd.sum.nr_runs, (long long)nr_runs, TR2_ALPHA);
}

static int compare_with(struct tr2_output *out,
			const struct tr2_measures *base)
{
	struct tr2_comparison c;
	struct tr2_verdict v;
	int code = 0;

	tr2_compare_chosen(&c, base, &st.cmd.measures, base != &st.baseline,
			   &tr2_stat_choice);
	tr2_verdict(&v, &c, until_decided ? st.sequential.alpha : TR2_ALPHA);
	if (until_decided && !st.decided && v.word == TR2_VERDICT_SAME)
		v.word = TR2_VERDICT_UNKNOWN;
	tr2_comparison_print(out, &c, &v, &tr2_stat_choice);
	if (base == &st.baseline)
		tr2_sides_print(out, base, &st.cmd.measures);
	say_decided(out);
	tr2_verdict_print(out, &v, &c);
	fflush(stdout);
	if (fail_above >= 0)
		code = tr2_verdict_judge(&v, &c, &tr2_stat_choice, fail_above);
	else
		tr2_choice_is_measured(&tr2_stat_choice, &c, NULL);
	tr2_comparison_release(&c);
	return code;
}

static int compare_with_baseline(struct tr2_output *out)
{
	if (tr2_output_is_text(out))
		printf("Compared with %s:\n\n", baseline);
	return compare_with(out, &st.baseline);
}

static int report_runs(void)
{
	struct tr2_output out;
	int code = 0;

	if (!st.cmd.measures.nr_runs) {
		if (st.cmd.sum.interrupted)
			tr2_error("interrupted before a run was complete");
		return 0;
	}
	tr2_output_begin(&out, tr2_common.format);
	out.csv_table = "measures";
	if (st.base.measures.nr_runs) {
		tr2_stat_print(&out, &st.cmd, &st.base, true);
		code = compare_with(&out, &st.base.measures);
	} else {
		tr2_stat_print(&out, &st.cmd, NULL, baseline != NULL);
		if (baseline)
			code = compare_with_baseline(&out);
	}
	tr2_output_end(&out);
	return code;
}

/* Warn of events that no program counted: they have no row. An event that the
 * kernel did not count has a row, with the reason. */
static void warn_of_uncounted(void)
{
	const char *list = tr2_event_counters_for_programs(&st.counters);
	struct tr2_perfevents events_of;
	char name[sizeof("perf/") + TR2_PERFEVENT_BYTES];
	struct tr2_perfevent ev;

	if (!st.cmd.measures.nr_runs)
		return;
	tr2_event_counters_check(&st.counters);
	tr2_perfevents_init(&events_of, list);
	while (tr2_perfevents_next(&events_of, &ev) == TR2_PERFEVENT_OK) {
		snprintf(name, sizeof(name), "perf/%s", ev.text);
		if (!tr2_measures_find(&st.cmd.measures, TR2_MEASURE_COUNTER,
				       name))
			tr2_warning("no program with libtrace2 counted '%s' "
				    "(to see why: 'trace2 record -e', then "
				    "'trace2 list -v --errors')", ev.text);
	}
}

static void init_side(struct tr2_stat_side *side, const char *name, char **argv)
{
	side->name = name;
	side->sum.argv = argv;
	side->sum.nr_wanted = nr_runs;
	side->sum.nr_warmups = nr_warmups;
	side->sum.in_turns = st.base_argv != NULL;
	side->sum.codes = tr2_calloc((size_t)nr_runs, sizeof(*side->sum.codes));
}

/* Write the note. Refuse if the command failed: the command may have done less,
 * and `trace2 history` would show that as an improvement. */
static int keep_note(void)
{
	struct tr2_buf line = TR2_BUF_INIT;
	int ret;

	if (st.cmd.sum.nr_failed) {
		tr2_warning("no note was kept: %s failed (exit code %d)",
			    st.cmd.sum.argv[0], st.cmd.sum.code);
		return 0;
	}
	tr2_stat_add_command(&line, st.cmd.sum.argv);
	ret = tr2_note_keep(tr2_buf_str(&line), &st.cmd.measures);
	tr2_buf_release(&line);
	return ret;
}

static int run_and_report(char **argv)
{
	int before, code;

	init_side(&st.cmd, "cmd", argv);
	init_side(&st.base, "base", st.base_argv);
	before = quiet ? discard_output() : -1;
	run_all();
	if (!quiet)
		report_to(2);
	else if (before >= 0)
		report_to(before);
	code = report_runs();
	if (note && st.cmd.measures.nr_runs && keep_note() && !code)
		code = TR2_EXIT_FATAL;
	warn_of_uncounted();
	if (states && st.cmd.measures.nr_runs && !st.cmd.measures.any_states)
		tr2_warning("no states were recorded ('trace2 record' says "
			    "why)");
	if ((st.cmd.measures.failed || st.base.measures.failed) && !code)
		code = TR2_EXIT_FATAL;
	/* If the command itself failed, return its code. */
	return st.code ? st.code : code;
}

/* Read the baseline before the runs, which are useless without it. */
static int read_baseline(void)
{
	int code = baseline ? tr2_set_read(&st.baseline, baseline, false) : 0;

	if (code || !baseline || st.baseline.nr_runs)
		return code;
	tr2_error("nothing to compare with: the baseline has no runs ('trace2 "
		  "stat -o DIR' makes some)");
	return TR2_EXIT_FATAL;
}

/* Open the directories for the runs of both sides. Return 0, or -1 after a
 * message. */
static int open_dirs(void)
{
	char *path = NULL;
	int ret;

	if (tr2_rundir_open(&st.cmd_dir, tr2_common.output))
		return -1;
	if (!st.base_argv)
		return 0;
	/* Use the path of cmd_dir, which has no slash at its end: with a slash,
	 * the base's directory would be inside the command's directory. */
	if (tr2_common.output)
		path = tr2_strf("%s.base", st.cmd_dir.path);
	ret = tr2_rundir_open(&st.base_dir, path);
	free(path);
	return ret;
}

static void release_sides(void)
{
	tr2_rundir_close(&st.cmd_dir);
	tr2_rundir_close(&st.base_dir);
	tr2_event_counters_release(&st.counters);
	tr2_measures_release(&st.cmd.measures);
	tr2_measures_release(&st.base.measures);
	tr2_measures_release(&st.baseline);
	free(st.cmd.sum.codes);
	free(st.base.sum.codes);
	free(st.base_argv);
}

static int run_stat(int argc, char **argv)
{
	int code;

	if (events.nr == 1 && !strcmp(events.item[0], "list"))
		return tr2_events_list();
	if (nr_runs < 0)
		nr_runs = until_decided ? UNDECIDED_RUNS :
			  against || note ? COMPARED_RUNS : 1;
	code = stat_usage(argc);
	if (!code)
		code = read_baseline();
	if (!code && !parse_events())
		code = TR2_EXIT_USAGE;
	if (!code)
		code = tr2_job_check(argv[0]);
	if (!code)
		code = parse_against();
	if (!code && open_dirs())
		code = TR2_EXIT_FATAL;
	if (!code)
		code = run_and_report(argv);
	release_sides();
	return code;
}

const struct tr2_command tr2_command_stat = {
	.name = "stat",
	.synopsis = "[-r N] [--warmup N] [-e EVENT] [--states] [--syscalls] "
		    "[--allocations] [-q] "
		    "[-o DIR] [--note] "
		    "[--baseline PATH | --against CMD] [--until-decided] "
		    "[--fail-above PCT] "
		    "[--] CMD [ARG...]",
	.summary = "Runs a command several times and shows the distribution of "
		   "its "
		   "times.",
	.details = "Exits with the first exit code of CMD that is not 0, or "
		   "with 0. The report goes to standard error, because "
		   "standard output is CMD's; with -q it goes to standard "
		   "output.",
	.options = options,
	.common = TR2_COMMON_FORMAT | TR2_COMMON_MARKDOWN,
	.flags = TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	.run = run_stat,
};
