/* SPDX-License-Identifier: MIT */
/*
 * trace2 stat - runs a command several times, each run recorded as `trace2
 * record` does, and shows what the runs have in common and how they differ.
 *
 * The report goes to standard error, because standard output is the command's;
 * with -q, where the command has none, to standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/events.h"
#include "cmd/stat.h"
#include "read/json.h"
#include "record/counters.h"
#include "record/job.h"
#include "record/store.h"
#include "stat/rundir.h"
#include "stat/set.h"

#define DEFAULT_EVENTS "task-clock,page-faults,context-switches,cpu-migrations"

static int64_t nr_runs = 1, nr_warmups;
static struct tr2_list events;
static const char *baseline;
static double fail_above = -1;
static bool quiet;
struct tr2_measure_choice tr2_stat_choice = TR2_MEASURE_CHOICE_INIT;

static const struct tr2_option options[] = {
	{ 'r', "repeat", "N", TR2_OPT_INT, &nr_runs,
	  "run CMD so many times (1)", NULL },
	{ 0, "warmup", "N", TR2_OPT_INT, &nr_warmups,
	  "before that, run it so many times without counting them (0)",
	  NULL },
	{ 'e', "event", "EVENT[,EVENT...]", TR2_OPT_LIST, &events,
	  "count these, as perf names them; 'list' lists them (task-clock, "
	  "page-faults, context-switches, cpu-migrations)", NULL },
	{ 0, "baseline", "PATH", TR2_OPT_STRING, &baseline,
	  "compare with this recording, or directory of recordings", NULL },
	{ 0, "fail-above", "PCT", TR2_OPT_PERCENT, &fail_above,
	  "exit with 1 when anything shown grew over the baseline by more than "
	  "this (5%), and that is significant", NULL },
	{ 'q', "quiet", NULL, TR2_OPT_FLAG, &quiet,
	  "discard what CMD prints, and print the report in its place", NULL },
	{ 'o', "output", "DIR", TR2_OPT_STRING, &tr2_common.output,
	  "keep the recordings of the runs in this directory", NULL },
	TR2_MEASURE_OPTIONS(tr2_stat_choice),
	TR2_OPT_END
};

extern const struct tr2_command tr2_command_stat;

/* What became of the runs. */
static struct {
	struct tr2_rundir dir;
	struct tr2_event_counters counters;
	struct tr2_measures measures;
	struct tr2_stat_summary sum;
	bool stop;
} st;

static int usage(int argc)
{
	if (!argc)
		return tr2_usage_error(&tr2_command_stat, "no command given");
	if (nr_runs < 1 || nr_runs > 1000000 || nr_warmups > 1000000)
		return tr2_usage_error(&tr2_command_stat,
				       "-r must be at least 1, and -r and "
				       "--warmup at most 1000000");
	if (fail_above >= 0 && !baseline)
		return tr2_usage_error(&tr2_command_stat,
				       "--fail-above needs a --baseline");
	return tr2_choice_valid(&tr2_stat_choice, &tr2_command_stat) ?
		       0 : TR2_EXIT_USAGE;
}

static bool parse_events(void)
{
	size_t i;

	for (i = 0; i < events.nr; i++)
		if (!tr2_event_counters_add(&st.counters, events.item[i]))
			return false;
	return events.nr || tr2_event_counters_add(&st.counters, DEFAULT_EVENTS);
}

/* ---- the runs ----------------------------------------------------------------- */

/* The first that is not 0 is the exit code of the whole. */
static void note_end(int code, const struct tr2_job_result *result)
{
	if (!st.sum.code)
		st.sum.code = code;
	if (result->signo || !result->started) {
		st.sum.interrupted = result->signo != 0;
		st.stop = true;
	} else if (code) {
		st.sum.nr_failed++;
	}
}

/* One run; `nr` 0 does not count. */
static void run_once(char **argv, unsigned int nr)
{
	char *path = tr2_rundir_run(&st.dir, nr);
	struct tr2_job job = {
		.argv = argv,
		.dir = path,
		.nest = TR2_JOB_NEST,
		.timeout_ns = TR2_JOB_TIMEOUT_NS,
		.quiet = true,
		.counters = &st.counters,
	};
	struct tr2_job_result result;
	int code;

	if (!path) {
		tr2_error("out of memory");
		st.sum.code = TR2_EXIT_FATAL;
		st.stop = true;
		return;
	}
	code = tr2_job_run(&job, &result);
	if (nr || result.signo || !result.started)
		note_end(code, &result);
	if (nr && !st.stop) {
		st.sum.nr_runs++;
		if (tr2_set_read(&st.measures, path, true))
			st.measures.failed = true;
	}
	if (!nr || st.stop || st.dir.temporary)
		tr2_store_remove(path);
	free(path);
}

static void run_all(char **argv)
{
	int64_t i;

	for (i = 0; i < nr_warmups && !st.stop; i++)
		run_once(argv, 0);
	for (i = 1; i <= nr_runs && !st.stop; i++)
		run_once(argv, (unsigned int)i);
}

/* ---- where CMD and the report print ------------------------------------------- */

/* Returns what descriptor 1 was. */
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
	tr2_term_start(false);
}

/* ---- the command ----------------------------------------------------------------- */

static int compare(void)
{
	struct tr2_measures base = { 0 };
	struct tr2_comparison c;
	int code = tr2_set_read(&base, baseline, true);

	if (!code && !base.nr_runs)
		code = TR2_EXIT_FATAL;
	if (!code && !tr2_compare(&c, &base, &st.measures)) {
		tr2_error("out of memory");
		code = TR2_EXIT_FATAL;
	}
	if (!code) {
		if (tr2_common.format == TR2_FORMAT_TEXT ||
		    tr2_common.format == TR2_FORMAT_MARKDOWN)
			printf("\nCompared with %s:\n", baseline);
		tr2_comparison_print(&c, &tr2_stat_choice);
		fflush(stdout);
		if (fail_above >= 0)
			code = tr2_comparison_judge(&c, &tr2_stat_choice,
						    fail_above);
		tr2_comparison_release(&c);
	}
	tr2_measures_release(&base);
	return code;
}

static int report(void)
{
	int code = 0;

	if (!st.measures.nr_runs) {
		if (st.sum.interrupted)
			tr2_error("interrupted before a run was complete");
		return 0;
	}
	tr2_report_begin();
	tr2_stat_print(&st.measures, &st.sum);
	if (baseline)
		code = compare();
	tr2_report_end();
	return code;
}

static int run_and_report(char **argv)
{
	int before = quiet ? discard_output() : -1, code;

	st.sum.argv = argv;
	st.sum.nr_wanted = nr_runs;
	st.sum.nr_warmups = nr_warmups;
	run_all(argv);
	if (!quiet)
		report_to(2);
	else if (before >= 0)
		report_to(before);
	code = report();
	/* The command's own failure says more. */
	return st.sum.code ? st.sum.code : code;
}

static int run(int argc, char **argv)
{
	int code;

	if (events.nr == 1 && !strcmp(events.item[0], "list"))
		return tr2_events_list();
	code = usage(argc);
	if (!code && !tr2_json_available()) {
		tr2_error("this trace2 was built without simdjson, which reads "
			  "what the runs say: install libsimdjson-dev or "
			  "simdjson-devel, and build it again");
		return TR2_EXIT_FATAL;
	}
	if (!code && baseline && access(baseline, F_OK)) {
		tr2_error("cannot read '%s': %s", baseline, strerror(errno));
		code = TR2_EXIT_FATAL;
	}
	if (!code && !parse_events())
		code = TR2_EXIT_USAGE;
	if (!code)
		code = tr2_job_check(argv[0]);
	if (!code && tr2_rundir_open(&st.dir, tr2_common.output))
		code = TR2_EXIT_FATAL;
	if (!code)
		code = run_and_report(argv);
	tr2_rundir_close(&st.dir);
	tr2_event_counters_release(&st.counters);
	tr2_measures_release(&st.measures);
	return code;
}

const struct tr2_command tr2_command_stat = {
	.name = "stat",
	.synopsis = "[-r N] [--warmup N] [-e EVENT] [-q] [-o DIR] "
		    "[--baseline PATH] [--fail-above PCT] [--] CMD [ARG...]",
	.summary = "Runs a command several times and shows what it takes.",
	.details = "Exits as CMD did, the first time that it did not exit with "
		   "0. The report goes to standard error, because standard "
		   "output is CMD's; with -q it goes to standard output.",
	.options = options,
	.common = TR2_COMMON_FORMAT | TR2_COMMON_MARKDOWN,
	.flags = TR2_COMMAND_STOP | TR2_COMMAND_NO_PAGER,
	.run = run,
};
