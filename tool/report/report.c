/* SPDX-License-Identifier: MIT */
/*
 * trace2 report - where the time went. The views are rows of
 * report/report_views.def, in the files report_*.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "export/page/html.h"
#include "model/join/targets.h"
#include "model/kind.h"
#include "model/path/what_if_changes.h"
#include "model/path/what_if_times.h"
#include "read/target_names.h"
#include "report/input_options.h"
#include "report/report.h"
#include "samples/symbols.h"

#define TR2_REPORT_VIEW(name, help) VIEW_##name,
enum {
#include "report/report_views.def"
	NR_VIEWS
};
#undef TR2_REPORT_VIEW

#define TR2_REPORT_VIEW(name, help) tr2_report_##name,
static bool (*const views[NR_VIEWS])(const struct tr2_report *r) = {
#include "report/report_views.def"
};
#undef TR2_REPORT_VIEW

static bool chosen[NR_VIEWS];
static const char *html;
static bool debuginfod;
static struct tr2_list what_if;
static const char *jobs;
static const char *target_names;
static struct tr2_export_options html_options;
static bool no_redact;
static struct tr2_report report = {
	.filter = &tr2_common.filter,
	.limit = -1,
};

static const struct tr2_option options[] = {
#define TR2_REPORT_VIEW(name, help) \
	{ 0, #name, NULL, TR2_OPT_FLAG, &chosen[VIEW_##name], help, NULL },
#include "report/report_views.def"
#undef TR2_REPORT_VIEW
	{ 0, "summary", NULL, TR2_OPT_FLAG, &report.brief,
	  "only the totals, and the five largest parts of the critical path",
	  NULL },
	{ 0, "per-thread", NULL, TR2_OPT_FLAG, &report.per_thread,
	  "timers and counters by thread", NULL },
	{ 's', "sort", "COLUMN", TR2_OPT_STRING, &report.sort,
	  "sort by this column (total, self, calls, p50, max, wall …)", NULL },
	{ 'n', "lines", "N", TR2_OPT_INT, &report.limit,
	  "show only the first N lines", NULL },
	{ 0, "all", NULL, TR2_OPT_FLAG, &report.all,
	  "show every process, every step of the path and every row of --spans",
	  NULL },
	{ 0, "wide", NULL, TR2_OPT_FLAG, &report.wide,
	  "cut neither command lines nor functions", NULL },
	{ 'g', "group", "BY", TR2_OPT_STRING, &report.group,
	  "merge lines of the same kind of process (cmd), target of a build, "
	  "mode, repo or sid; --functions also by region, --spans by the "
	  "attribute KEY (attr:KEY)",
	  "cmd|" TR2_GROUP_TARGET "|mode|repo|sid|" TR2_GROUP_REGION "|"
	  TR2_GROUP_ATTRIBUTE "KEY" },
	{ 0, "targets", "FILE", TR2_OPT_STRING, &target_names,
	  "take names of targets from FILE, the output of make --trace or of "
	  "ninja -t compdb",
	  NULL },
	{ 0, "what-if", "[CHANGE]", TR2_OPT_LIST, &what_if,
	  "estimate the time after CHANGE: NAME=2x, NAME=50% or NAME=0, where "
	  "NAME is a process, category/label of a region, wait:CAUSE or ready; "
	  "commas separate several; without CHANGE, show which changes would "
	  "gain most", NULL },
	{ 'j', "jobs", "N", TR2_OPT_STRING, &jobs,
	  "like --what-if, with N jobs at once, if make or another process "
	  "runs several", NULL },
	{ 0, "html", "FILE", TR2_OPT_STRING, &html,
	  "write one page for a browser: timeline, flame graph, tables", NULL },
	{ 0, "redact", NULL, TR2_OPT_FLAG, &html_options.redact,
	  "hide passwords and other secrets in every string; the default with "
	  "--html",
	  NULL },
	{ 0, "no-redact", NULL, TR2_OPT_FLAG, &no_redact,
	  "with --html, hide nothing", NULL },
	TR2_OPTION_DEBUGINFOD(&debuginfod),
	TR2_OPT_END
};

const char *tr2_report_attribute(const struct tr2_report *r)
{
	const size_t len = strlen(TR2_GROUP_ATTRIBUTE);

	if (!r->group || strncmp(r->group, TR2_GROUP_ATTRIBUTE, len))
		return NULL;
	return r->group + len;
}

static const char *target_of(struct tr2_model *m, uint32_t node)
{
	tr2_str target = tr2_target(m, node);

	return target ? tr2_s(m, target) : "-";
}

const char *tr2_report_group(const struct tr2_report *r, uint32_t session)
{
	struct tr2_model *m = r->m;
	const struct tr2_model_session *s = &m->sessions[session];
	uint32_t t, i;

	if (!r->group)
		return NULL;
	if (!strcmp(r->group, "sid"))
		return session ? s->sid : "(none)";
	if (!strcmp(r->group, "mode"))
		return s->mode ? tr2_s(m, s->mode) : "(none)";
	if (!strcmp(r->group, TR2_GROUP_TARGET))
		return target_of(m, s->node);
	if (!strcmp(r->group, "cmd"))
		return s->node ? tr2_s(m, tr2_kind(m, s->node, 0)) : "(none)";
	for (t = s->first_thread; t; t = m->threads[t].next)
		tr2_for_each_point(m, t, i)
			if (m->points[i].kind == TR2_POINT_REPO)
				return m->points[i].value;
	return "(none)";
}

const char *tr2_report_node_group(const struct tr2_report *r, uint32_t node)
{
	uint32_t session = r->m->nodes[node].session;

	/* Group by the process, not by its session: an uninstrumented process
	 * has no session, but a target or kind. */
	if (r->group && !strcmp(r->group, TR2_GROUP_TARGET))
		return target_of(r->m, node);
	if (r->group && !session && !strcmp(r->group, "cmd"))
		return tr2_s(r->m, tr2_kind(r->m, node, 0));
	return tr2_report_group(r, session);
}

bool tr2_report_sort(const struct tr2_report *r, struct tr2_table *t,
		     const char *sort)
{
	struct tr2_buf names = TR2_BUF_INIT;

	if (r->sort)
		sort = r->sort;
	if (sort && !tr2_table_sort(t, sort)) {
		tr2_table_names(t, &names);
		tr2_error("cannot sort by '%s': the columns are %s", sort,
			  tr2_buf_str(&names));
		tr2_buf_release(&names);
		return false;
	}
	if (r->limit >= 0)
		tr2_table_limit(t, (size_t)r->limit);
	return true;
}

bool tr2_report_table(const struct tr2_report *r, struct tr2_table *t,
		      const char *sort)
{
	bool ok = tr2_report_sort(r, t, sort);

	if (ok)
		tr2_table_print(t);
	tr2_table_release(t);
	return ok;
}

bool tr2_report_table_if_any(const struct tr2_report *r, struct tr2_table *t,
			     const char *sort)
{
	if (t->nr_rows || !tr2_report_is_text(r))
		return tr2_report_table(r, t, sort);
	if (!tr2_report_sort(r, t, sort)) {
		tr2_table_release(t);
		return false;
	}
	tr2_warning("no %s in this recording", t->name);
	tr2_table_release(t);
	return true;
}

static size_t nr_chosen(void)
{
	size_t i, nr = 0;

	for (i = 0; i < NR_VIEWS; i++)
		nr += chosen[i];
	return nr;
}

static void add_change(const char *text)
{
	what_if.item = tr2_realloc(what_if.item, what_if.nr + 1,
				   sizeof(*what_if.item));
	what_if.item[what_if.nr++] = text;
}

/* Add the change of -j N, which is short for --what-if='-j N'. */
static void add_jobs(void)
{
	static char text[64];

	if (!jobs)
		return;
	snprintf(text, sizeof(text), "-j%s%s", *jobs == ' ' ? "" : " ", jobs);
	add_change(text);
}

static bool is_change(const char *text)
{
	struct tr2_change change;
	bool ok = !tr2_change_parse(text, &change);

	free((char *)change.name);
	return ok;
}

/* Split changes at commas. A command line may contain commas, so a comma
 * separates only after a complete change. */
static void split_changes(void)
{
	size_t i, nr = what_if.nr;
	char *text, *comma;

	for (i = 0; i < nr; i++) {
		text = comma = tr2_strdup(what_if.item[i]);
		what_if.item[i] = text;
		while ((comma = strchr(comma, ','))) {
			*comma = '\0';
			if (is_change(text))
				add_change(text = comma + 1);
			else
				*comma = ',';
			comma++;
		}
	}
}

/* Find the values of --what-if, which may be given with or without a value.
 * Without a value, the words of the command line that are changes and not files
 * are the values. Remove missing values. Return the number of other words. */
static int parse_changes(int argc, char **argv)
{
	size_t i, nr = 0;
	int k, rest = 0;

	if (!what_if.nr)
		return argc;
	report.what_if = &what_if;
	for (i = 0; i < what_if.nr; i++)
		if (what_if.item[i])
			what_if.item[nr++] = what_if.item[i];
	for (k = 0; k < argc; k++) {
		if (nr < what_if.nr && strchr(argv[k], '=') &&
		    access(argv[k], F_OK))
			what_if.item[nr++] = argv[k];
		else
			argv[rest++] = argv[k];
	}
	what_if.nr = nr;
	split_changes();
	return rest;
}

static bool print_views(const struct tr2_report *r)
{
	bool ok = true;
	size_t i;

	if (r->what_if)
		return tr2_report_what_if(r);
	if (r->brief) {
		tr2_report_brief(r);
		return true;
	}
	if (!nr_chosen())
		return r->group ? tr2_report_groups(r) :
			  tr2_report_processes(r);
	for (i = 0; ok && i < NR_VIEWS; i++)
		if (chosen[i])
			ok = views[i](r);
	return ok;
}

/* Check the options of the page, which includes all views and has its own order
 * of rows. Return 0, or an exit code. */
static int check_options(void)
{
	enum tr2_format format = tr2_common.format;
	size_t nr = nr_chosen();
	bool csv = format == TR2_FORMAT_CSV;
	bool filtered = tr2_filter_on(&tr2_common.filter);
	bool sorted = report.sort || report.group || report.limit >= 0;
	const struct tr2_rule rules[] = {
		{ html && what_if.nr, "give either --html or --what-if" },
		{ html && nr,
		  "--html includes every view: give it without one" },
		{ html && (report.per_thread || sorted),
		  "-s, -n, -g and --per-thread cannot be used with --html: its "
		  "page sorts and searches in the browser" },
		{ no_redact && html_options.redact,
		  "give either --redact or --no-redact" },
		{ html && format != TR2_FORMAT_TEXT,
		  "give either --html or --format" },
		{ csv && nr > 1,
		  "csv has one table: give one view, or --format=json" },
		{ report.group && !strcmp(report.group, TR2_GROUP_REGION) &&
			  !(nr == 1 && chosen[VIEW_functions]),
		  "-g region needs --functions" },
		{ chosen[VIEW_path] && filtered,
		  "--path cannot be combined with filters" },
		{ !report.brief && format == TR2_FORMAT_MARKDOWN,
		  "--format=md needs --summary" },
		{ report.brief &&
			  (nr || html || what_if.nr || sorted || filtered),
		  "--summary cannot be combined with views or filters" },
		{ report.brief && csv,
		  "--summary is not a table: use --format=json in place of "
		  "csv" },
	};

	int code = tr2_usage_check(rules, ARRAY_SIZE(rules));

	if (code || !tr2_report_attribute(&report) ||
	    (nr == 1 && chosen[VIEW_spans]))
		return code;
	return tr2_usage_error("-g %s needs --spans", report.group);
}

/* Print the path after the processes. The page has a flame graph instead of the
 * table of samples. */
static void print_page_tables(struct tr2_model *m, struct tr2_output *out)
{
	size_t i;

	report.m = m;
	report.out = out;
	if (!tr2_filter_on(report.filter))
		tr2_report_path_by_kind(&report);
	tr2_report_processes_by_kind(&report);
	tr2_report_processes(&report);
	out->caption = "what the command would gain if this took no time: at "
		       "least, and at most, as a recording does not show "
		       "everything";
	if (!tr2_filter_on(report.filter))
		tr2_report_gains(&report);
	for (i = 0; i < NR_VIEWS; i++) {
		out->caption = options[i].help;
		if (i != VIEW_samples && i != VIEW_path)
			views[i](&report);
	}
	report.per_thread = true;
	out->name = "timers_by_thread";
	out->caption = options[VIEW_timers].help;
	tr2_report_timers(&report);
	out->name = "counters_by_thread";
	out->caption = options[VIEW_counters].help;
	tr2_report_counters(&report);
}

static int write_html(struct tr2_model *m)
{
	struct tr2_export x = { .m = m, .opt = &html_options,
				.filter = &tr2_common.filter,
				.print_tables = print_page_tables };
	bool ok;

	if (!tr2_sink_open(&x.sink, html))
		return TR2_EXIT_FATAL;
	ok = tr2_export_run(&x, &tr2_export_html);
	return tr2_sink_close(&x.sink, ok) && ok ? 0 : TR2_EXIT_FATAL;
}

static int run_report(int argc, char **argv)
{
	struct tr2_output out;
	struct tr2_model *m;
	int exit_code;

	add_jobs();
	exit_code = check_options();
	if (exit_code)
		return exit_code;
	/* Hide secrets in a page: it is made to be sent. */
	html_options.redact |= html && !no_redact;
	argc = parse_changes(argc, argv);
	tr2_symbols_ask_servers(debuginfod);
	m = tr2_inputs_load(argc, argv,
			    (html_options.redact ? TR2_LOAD_REDACT : 0) |
			    (chosen[VIEW_functions] && chosen[VIEW_waits] ?
				     TR2_LOAD_WAITS : 0) |
			    (html ? TR2_LOAD_WAITS_TOO : 0),
			    &exit_code);
	if (!m)
		return exit_code;
	if (target_names && !tr2_target_names_load(m, target_names)) {
		tr2_model_free(m);
		return TR2_EXIT_FATAL;
	}
	if (html) {
		exit_code = write_html(m);
		tr2_model_free(m);
		return exit_code;
	}
	report.m = m;
	report.out = &out;
	tr2_output_begin(&out, tr2_common.format);
	out.wide = report.wide;
	out.redact = html_options.redact;
	if (!print_views(&report))
		exit_code = TR2_EXIT_USAGE;
	tr2_output_end(&out);
	tr2_model_free(m);
	return exit_code;
}

const struct tr2_command tr2_command_report = {
	.name = "report",
	.synopsis =
#define TR2_REPORT_VIEW(name, help) "[--" #name "] "
#include "report/report_views.def"
#undef TR2_REPORT_VIEW
		"[--summary] [--what-if[=CHANGE]] [-j N] [--all] [--wide] [-s "
		"COLUMN] [-n N] [-g BY] [--targets FILE] [--html FILE] "
		"[INPUT...]",
	.summary = "Shows where the time went.",
	.details = "Without a view, the critical path comes first: the "
		   "processes and regions that the end waited for, each with "
		   "its own time and what it did. Then come the processes as a "
		   "tree. CPU is the time that all threads of a process had a "
		   "CPU. In WAIT none of its threads could run; in READY one "
		   "could, but none had a CPU. SELF is the time in which no "
		   "child of the process was running. SHARE is the share of "
		   "the wall time of the whole, without what ran on after its "
		   "end. SPAWN is the time that the parent waited for the "
		   "start and the end of the process while no other child of "
		   "the parent ran. Many processes of one kind share a row, "
		   "with their number, the median and the largest time.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FILTER | TR2_COMMON_FORMAT |
		  TR2_COMMON_MARKDOWN,
	.run = run_report,
};
