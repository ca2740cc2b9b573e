/* SPDX-License-Identifier: MIT */
/*
 * trace2 report - where did the time go: the process tree and the critical
 * path. The other views are in report_regions.c and report_metrics.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node.h"
#include "cmd/report.h"
#include "common/options.h"
#include "common/say.h"
#include "export/html.h"
#include "model/critical.h"
#include "model/filter.h"
#include "model/stats.h"
#include "read/read.h"

static bool regions, threads, timers, counters, errors, samples;
static const char *html;
static struct tr2_export_options html_options;
struct tr2_report_options tr2_report = { NULL, NULL, -1, false };

static const struct tr2_option options[] = {
	{ 0, "regions", NULL, TR2_OPT_FLAG, &regions,
	  "time by region, and the time in no region", NULL },
	{ 0, "threads", NULL, TR2_OPT_FLAG, &threads,
	  "the threads, and how much of each was in regions", NULL },
	{ 0, "timers", NULL, TR2_OPT_FLAG, &timers, "the stopwatch timers",
	  NULL },
	{ 0, "counters", NULL, TR2_OPT_FLAG, &counters, "the counters", NULL },
	{ 0, "errors", NULL, TR2_OPT_FLAG, &errors,
	  "the errors that were reported", NULL },
	{ 0, "samples", NULL, TR2_OPT_FLAG, &samples,
	  "which calls led to what GIT_TRACE2_SAMPLE counted", NULL },
	{ 0, "per-thread", NULL, TR2_OPT_FLAG, &tr2_report.per_thread,
	  "timers and counters by thread", NULL },
	{ 's', "sort", "COLUMN", TR2_OPT_STRING, &tr2_report.sort,
	  "sort by this column (total, self, calls, p50, max, wall …)", NULL },
	{ 'n', "lines", "N", TR2_OPT_INT, &tr2_report.limit,
	  "show only the first N lines", NULL },
	{ 'g', "group", "BY", TR2_OPT_STRING, &tr2_report.group,
	  "put together what has the same cmd, mode, repo or sid",
	  "cmd|mode|repo|sid" },
	{ 0, "html", "FILE", TR2_OPT_STRING, &html,
	  "write one page for a browser: timeline, flame graph, tables", NULL },
	{ 0, "redact", NULL, TR2_OPT_FLAG, &html_options.redact,
	  "of --html: hide passwords and other secrets in every string", NULL },
	TR2_OPT_END
};

/* ---- shared by the views ------------------------------------------------------ */

const char *tr2_report_group(const struct tr2_model *m, uint32_t session)
{
	const struct tr2_session *s = &m->sessions[session];
	uint32_t t, i;

	if (!tr2_report.group)
		return NULL;
	if (!strcmp(tr2_report.group, "sid"))
		return session ? s->sid : "(none)";
	if (!strcmp(tr2_report.group, "mode"))
		return s->mode ? tr2_s(m, s->mode) : "(none)";
	if (!strcmp(tr2_report.group, "cmd"))
		return s->node ? tr2_node_name(m, s->node) : "(none)";
	for (t = s->first_thread; t; t = m->threads[t].next)
		tr2_for_each_point(m, t, i)
			if (m->points[i].kind == TR2_POINT_REPO)
				return m->points[i].value;
	return "(none)";
}

bool tr2_report_finish(struct tr2_table *t, const char *sort)
{
	struct tr2_buf names = TR2_BUF_INIT;

	if (tr2_report.sort)
		sort = tr2_report.sort;
	if (sort && !tr2_table_sort(t, sort)) {
		tr2_table_names(t, &names);
		tr2_error("cannot sort by '%s': the columns are %s", sort,
			  tr2_buf_str(&names));
		tr2_buf_release(&names);
		return false;
	}
	if (tr2_report.limit >= 0)
		tr2_table_limit(t, (size_t)tr2_report.limit);
	return true;
}

/* ---- the default view -------------------------------------------------------------- */

static const struct tr2_column process_columns[] = {
	{ "wall_ns", "WALL", 0 },
	{ "self_ns", "SELF", 0 },
	{ "share", "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS },
	{ "spawn_ns", "SPAWN", TR2_COL_YIELDS },
	{ NULL, "", TR2_COL_TEXT | TR2_COL_LEFT },
	{ NULL, "PROCESS", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT },
	{ "name", "", TR2_COL_DATA },
	{ "argv", "", TR2_COL_DATA },
	{ "pid", "", TR2_COL_DATA },
	{ "sid", "", TR2_COL_DATA },
	{ "start", "", TR2_COL_DATA },
	{ "join", "", TR2_COL_DATA },
	{ "end", "", TR2_COL_DATA },
	{ "code", "", TR2_COL_DATA },
	{ "signal", "", TR2_COL_DATA },
	{ "signal_name", "", TR2_COL_DATA },
	{ "end_by", "", TR2_COL_DATA },
};

/* What the shares are shares of: the time of all processes that nobody else
 * in the recording started. */
static int64_t whole_ns(const struct tr2_model *m)
{
	int64_t whole = 0;
	uint32_t i;

	tr2_for_each_root(m, i)
		tr2_ns_add(&whole, m->nodes[i].end_ns - m->nodes[i].start_ns);
	return whole;
}

static double share_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* The part of a process's time in which what it is below still ran. */
static int64_t time_within(const struct tr2_node *n, const struct tr2_node *root)
{
	int64_t start = n->start_ns > root->start_ns ? n->start_ns :
						       root->start_ns;
	int64_t end = n->end_ns < root->end_ns ? n->end_ns : root->end_ns;

	return end > start ? end - start : 0;
}

/* How long something ran on after the ends of the roots. */
static int64_t background_ns(const struct tr2_model *m)
{
	int64_t last, sum = 0;
	uint32_t root, i;

	tr2_for_each_root(m, root) {
		last = m->nodes[root].end_ns;
		for (i = m->nodes[root].first; i && i != m->nodes[root].next;
		     i = tr2_node_after(m, i))
			if (m->nodes[i].end_ns > last)
				last = m->nodes[i].end_ns;
		tr2_ns_add(&sum, last - m->nodes[root].end_ns);
	}
	return sum;
}

static void add_process(struct tr2_table *t, const struct tr2_model *m,
			uint32_t node, uint32_t root, int64_t whole)
{
	const struct tr2_node *n = &m->nodes[node];
	int64_t wall = n->end_ns - n->start_ns;

	tr2_table_row(t);
	tr2_table_depth(t, tr2_filter_depth(&tr2_common.filter, m, node));
	tr2_cell_ns(t, wall);
	tr2_cell_ns(t, n->self_ns);
	tr2_cell_share(t, share_of(time_within(n, &m->nodes[root]), whole));
	tr2_cell_ns(t, n->spawn_ns);
	tr2_cell_uncertain(t, m, node);
	tr2_cell_command(t, m, node);
	if (!tr2_table_wants(t, TR2_COL_DATA))
		return;
	tr2_cell_str(t, tr2_node_name(m, node));
	tr2_cell_words(t, tr2_node_words(m, node));
	tr2_cell_pid(t, m, node);
	tr2_cell_str(t, n->session ? m->sessions[n->session].sid : NULL);
	tr2_cell_wall(t, n->start_ns);
	tr2_cell_str(t, tr2_join_name(n->join));
	tr2_cell_end(t, m, node);
}

static bool has_failed(const struct tr2_node *n)
{
	return n->end == TR2_END_SIGNAL || (n->has_code && n->code);
}

/* How the whole ended, when not well, and where to read of it. */
static void print_failures(const struct tr2_model *m)
{
	struct tr2_buf b = TR2_BUF_INIT;
	uint32_t i, nr_roots = 0, nr_failed = 0, failed = 0;
	uint64_t nr_errors = 0;

	tr2_for_each_root(m, i) {
		nr_roots++;
		if (has_failed(&m->nodes[i])) {
			failed = i;
			nr_failed++;
		}
	}
	tr2_for_each_session(m, i)
		nr_errors += m->sessions[i].nr_errors;
	if (nr_failed && nr_roots == 1) {
		tr2_exit_text(&b, m, failed);
		printf("; %s%s", m->nodes[failed].end == TR2_END_SIGNAL ?
					 "" : "exit ", tr2_buf_str(&b));
	} else if (nr_failed) {
		printf("; %u failed (list --errors)", nr_failed);
	}
	if (nr_errors)
		printf("; %llu error%s (report --errors)",
		       (unsigned long long)nr_errors,
		       nr_errors == 1 ? "" : "s");
	tr2_buf_release(&b);
}

/* What ends this soon after the whole was not left to run behind it. */
#define MIN_BACKGROUND_NS 1000000

/* One sentence above the tree. */
static void print_summary(const struct tr2_model *m, int64_t whole)
{
	struct tr2_buf b = TR2_BUF_INIT, spawn_text = TR2_BUF_INIT;
	int64_t spawn = m->spawning_ns, after = background_ns(m);
	uint32_t i, nr = 0;

	for (i = m->first_root; i; i = tr2_node_after(m, i))
		nr++;
	tr2_fmt_ns(&b, whole);
	tr2_fmt_ns(&spawn_text, spawn);
	printf("%s wall, %u process%s, %llu event%s", tr2_buf_str(&b), nr,
	       nr == 1 ? "" : "es", (unsigned long long)m->nr_events,
	       m->nr_events == 1 ? "" : "s");
	if (spawn)
		printf("; %s (%.1f%%) spawning",
		       tr2_buf_str(&spawn_text), share_of(spawn, whole) * 100);
	if (after >= MIN_BACKGROUND_NS) {
		tr2_buf_reset(&b);
		tr2_fmt_ns(&b, after);
		printf("; %s more in the background", tr2_buf_str(&b));
	}
	if (m->lost)
		printf("; %llu events lost", (unsigned long long)m->lost);
	print_failures(m);
	puts("\n");
	tr2_buf_release(&b);
	tr2_buf_release(&spawn_text);
}

static bool is_chosen(const struct tr2_model *m, uint32_t node)
{
	return tr2_filter_node(&tr2_common.filter, m, node);
}

struct processes {
	const struct tr2_model *m;
	int64_t whole;
};

static void give_processes(struct tr2_table *t, void *data)
{
	const struct processes *p = data;
	uint32_t i, root = 0;

	for (i = p->m->first_root; i; i = tr2_node_after(p->m, i)) {
		if (!p->m->nodes[i].parent)
			root = i;
		if (is_chosen(p->m, i))
			add_process(t, p->m, i, root, p->whole);
	}
}

static bool processes(const struct tr2_model *m, int64_t whole)
{
	struct processes p = { m, whole };
	struct tr2_table t;
	bool ok;

	tr2_table_init(&t, "processes", process_columns,
		       sizeof(process_columns) / sizeof(*process_columns));
	/* Only what is sorted has to be there as a whole. */
	if (tr2_report.sort || tr2_report.limit >= 0)
		give_processes(&t, &p);
	else
		tr2_table_rows(&t, give_processes, &p);
	ok = tr2_report_finish(&t, NULL);
	if (ok && tr2_common.format == TR2_FORMAT_TEXT)
		print_summary(m, whole);
	if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	if (ok && tr2_common.format == TR2_FORMAT_TEXT)
		tr2_print_legend(m, is_chosen, false);
	return ok;
}

/* ---- the critical path ----------------------------------------------------------------- */

static const struct tr2_column path_columns[] = {
	{ "time_ns", "TIME", 0 },
	{ "share", "SHARE", TR2_COL_HEAT },
	{ NULL, "CRITICAL PATH", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT },
	{ "process", "", TR2_COL_DATA },
	{ "pid", "", TR2_COL_DATA },
	{ "category", "", TR2_COL_DATA },
	{ "label", "", TR2_COL_DATA },
	{ "start", "", TR2_COL_DATA },
};

/* Text leaves out steps below this share, but not those around larger ones. */
#define MIN_SHARE 0.005

static void add_step_name(struct tr2_table *t, const struct tr2_model *m,
			  const struct tr2_step *step)
{
	static struct tr2_buf b; /* kept: it is mapped memory */
	const struct tr2_span *s = &m->spans[step->span];

	if (!step->span) {
		tr2_cell_command(t, m, step->node);
		return;
	}
	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, tr2_s(m, s->category));
	tr2_buf_addch(&b, '/');
	tr2_buf_addstr(&b, tr2_s(m, s->label));
	tr2_cell_str(t, tr2_buf_str(&b));
}

static void add_step(struct tr2_table *t, const struct tr2_model *m,
		     const struct tr2_step *step, int depth, int64_t whole)
{
	const struct tr2_span *s = &m->spans[step->span];

	tr2_table_row(t);
	tr2_table_depth(t, depth);
	tr2_cell_ns(t, step->ns);
	tr2_cell_share(t, share_of(step->ns, whole));
	add_step_name(t, m, step);
	tr2_cell_str(t, tr2_node_name(m, step->node));
	tr2_cell_pid(t, m, step->node);
	tr2_cell_str(t, step->span ? tr2_s(m, s->category) : NULL);
	tr2_cell_str(t, step->span ? tr2_s(m, s->label) : NULL);
	tr2_cell_wall(t, step->start_ns);
}

/* Marks the steps to show: the large ones, and all around them. */
static void mark_steps(const struct tr2_step *steps, size_t nr, int64_t whole,
		       bool *shown)
{
	bool text = tr2_common.format == TR2_FORMAT_TEXT;
	size_t i;

	for (i = nr; i-- > 0;) {
		if (!text || share_of(steps[i].ns, whole) >= MIN_SHARE)
			shown[i] = true;
		if (shown[i] && steps[i].parent)
			shown[steps[i].parent - 1] = true;
	}
}

static int depth_of(const struct tr2_step *steps, size_t i)
{
	int depth = 0;

	for (; steps[i].parent; i = steps[i].parent - 1)
		depth++;
	return depth;
}

static void critical_path(const struct tr2_model *m)
{
	uint32_t root = tr2_longest_root(m);
	int64_t whole = m->nodes[root].end_ns - m->nodes[root].start_ns;
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0, i, small = 0;
	bool *shown = calloc(nr + 1, sizeof(*shown));
	struct tr2_table t;

	if (!nr || !shown) {
		free(steps);
		free(shown);
		return;
	}
	mark_steps(steps, nr, whole, shown);
	tr2_table_init(&t, "critical_path", path_columns,
		       sizeof(path_columns) / sizeof(*path_columns));
	for (i = 0; i < nr; i++) {
		if (shown[i])
			add_step(&t, m, &steps[i], depth_of(steps, i), whole);
		else
			small++;
	}
	tr2_table_print(&t);
	if (small && t.nr_rows)
		printf("%s%zu more step%s of less than %.1f%% each%s\n",
		       tr2_color_on(TR2_COLOR_DIM), small,
		       small == 1 ? "" : "s", MIN_SHARE * 100,
		       tr2_color_off(TR2_COLOR_DIM));
	tr2_table_release(&t);
	free(shown);
	free(steps);
}

static bool overview(const struct tr2_model *m)
{
	int64_t whole = whole_ns(m);

	if (!processes(m, whole))
		return false;
	if (!tr2_filter_on(&tr2_common.filter) && !tr2_report.sort && tr2_report.limit < 0)
		critical_path(m);
	return true;
}

/* ---- the command ------------------------------------------------------------------------ */

static bool views(struct tr2_model *m)
{
	bool ok = true;

	if (!(regions || threads || timers || counters || errors || samples))
		return tr2_report.group ? tr2_report_groups(m) : overview(m);
	if (regions)
		ok = tr2_report_regions(m);
	if (ok && threads)
		ok = tr2_report_threads(m);
	if (ok && timers)
		ok = tr2_report_timers(m);
	if (ok && counters)
		ok = tr2_report_counters(m);
	if (ok && errors)
		ok = tr2_report_errors(m);
	if (ok && samples)
		ok = tr2_report_samples(m);
	return ok;
}

extern const struct tr2_command tr2_command_report;

/* The page has every view, and sorts by itself. 0: all is well. */
static int check_html(void)
{
	const struct tr2_command *c = &tr2_command_report;

	if (!html && html_options.redact)
		return tr2_usage_error(c, "--redact is for --html");
	if (!html)
		return 0;
	if (regions || threads || timers || counters || errors)
		return tr2_usage_error(c, "--html has every view: give it "
					  "without one");
	if (tr2_report.per_thread || tr2_report.sort || tr2_report.group ||
	    tr2_report.limit >= 0)
		return tr2_usage_error(c, "the page of --html is sorted and "
					  "searched in the browser: -s, -n, -g "
					  "and --per-thread are for tables");
	if (tr2_common.format != TR2_FORMAT_TEXT)
		return tr2_usage_error(c, "give either --html or --format");
	return 0;
}

static int write_html(struct tr2_model *m)
{
	struct tr2_export x = { .m = m, .opt = &html_options,
				.filter = &tr2_common.filter };
	bool ok;

	if (!tr2_sink_open(&x.sink, html))
		return TR2_EXIT_FATAL;
	ok = tr2_export_run(&x, &tr2_export_html);
	return tr2_sink_close(&x.sink, ok) && ok ? 0 : TR2_EXIT_FATAL;
}

static int run(int argc, char **argv)
{
	int exit_code = check_html();
	struct tr2_model *m;

	if (exit_code)
		return exit_code;
	m = tr2_load_inputs(argc, argv, 0, &exit_code);
	if (!m)
		return exit_code;
	if (html) {
		exit_code = write_html(m);
		tr2_model_free(m);
		return exit_code;
	}
	tr2_report_begin();
	if (!views(m))
		exit_code = TR2_EXIT_USAGE;
	tr2_report_end();
	tr2_model_free(m);
	return exit_code;
}

const struct tr2_command tr2_command_report = {
	.name = "report",
	.synopsis = "[--regions] [--threads] [--timers] [--counters] "
		    "[--errors] [--samples] [-s COLUMN] [-n N] [-g BY] "
		    "[--html FILE] [INPUT...]",
	.summary = "Shows where the time went.",
	.details = "Without a view: the processes as a tree. SELF is the time "
		   "in which no child of a process was running, SHARE is of "
		   "the wall time of the whole (what ran on after its end does "
		   "not count), SPAWN is what starting and "
		   "reaping it cost its parent: the time in which the parent "
		   "waited for that, and no other child of it ran. The critical "
		   "path below is the chain of processes and regions that the "
		   "end waited for, with the time that each had to itself.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FILTER | TR2_COMMON_FORMAT,
	.run = run,
};
