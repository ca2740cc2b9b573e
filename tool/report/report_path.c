/* SPDX-License-Identifier: MIT */
/*
 * report_path - the critical path, above the processes of trace2 report. Text
 * has a row for each step if there are few steps, else a row for all steps of
 * one kind of process, region and reason.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/words.h"
#include "common/memory.h"
#include "model/kind.h"
#include "model/objects.h"
#include "model/path/critical.h"
#include "model/path/what_if_rank.h"
#include "model/states.h"
#include "out/function_name.h"
#include "report/node.h"
#include "report/path_functions.h"
#include "report/report.h"
#include "report/report_fold.h"

/* Show the steps one by one if those that are too small to be shown add up to
 * at most this share of the whole. */
#define MAX_REST_SHARE 0.05
/* Text leaves out NO CPU below this share, which SHARE would not show. */
#define MIN_READY_SHARE 0.0005

struct step_row {
	struct tr2_node_row of;
	const struct tr2_step *step;
	const struct tr2_path_sum *sum; /* the sum of several steps; NULL: the
					 * row is one step */
	size_t nr_rest; /* in the last row: the number of steps for which the
			 * row stands; else 0 */
	int64_t most_rest_ns, whole;
	/* computes the gain if a part took no time; NULL: gains are unknown
	 * without states */
	struct tr2_retime *retime;
	uint32_t root;
	struct tr2_path_functions *functions; /* functions of the steps; NULL:
					       * there are no samples */
};

static const struct tr2_span *span_of(const struct step_row *r)
{
	return &r->of.m->spans[r->step->span];
}

static const char *process_of(const struct step_row *r)
{
	const struct tr2_model *m = r->of.m;

	return r->step->segment ?
		       tr2_s(m, m->segments[r->step->segment].comm) :
		       tr2_node_name(m, r->of.node);
}

static void add_region(struct tr2_buf *b, const struct step_row *r)
{
	const struct tr2_span *span = span_of(r);

	tr2_buf_addall(b, tr2_s(r->of.m, span->category), "/",
		       tr2_s(r->of.m, span->label));
}

/* Append the kinds of the ancestors: sh -c > cc. Leave out the root, which is
 * an ancestor of all. */
static void add_way(struct tr2_buf *b, const struct tr2_model *m, uint32_t node)
{
	uint32_t at, depth;

	for (depth = 1; depth <= m->nodes[node].depth; depth++) {
		for (at = node; m->nodes[at].depth > depth;
		     at = m->nodes[at].parent)
			;
		tr2_buf_addstr(b, depth > 1 ? " > " : "");
		tr2_kind_add(m, at, 0, b);
	}
}

/* Append the text of a sum, for example: cc1 x 214 in sh -c > cc, git status x
 * 3: index/do_read_index */
static void add_sum(struct tr2_buf *b, const struct step_row *r)
{
	tr2_buf_addstr(b, tr2_s(r->of.m, r->sum->kind));
	if (r->sum->nr_nodes > 1)
		tr2_addf(b, " x %u", r->sum->nr_nodes);
	if (r->of.m->nodes[r->sum->in].depth) {
		tr2_buf_addlit(b, " in ");
		add_way(b, r->of.m, r->sum->in);
	}
	if (!r->step->span)
		return;
	tr2_buf_addlit(b, ": ");
	add_region(b, r);
}

static void add_rest(struct tr2_buf *b, const struct step_row *r)
{
	tr2_addf(b, "%zu more, each less than %s", r->nr_rest,
		 tr2_report_bound(r->most_rest_ns, r->whole));
}

static void cell_step(struct tr2_table *t, const struct step_row *r)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	bool is_process = !r->nr_rest && !r->step->span &&
			  (!r->sum || r->sum->nr_nodes == 1);

	if (is_process) {
		tr2_node_cell_program(t, &r->of, r->step->segment);
		return;
	}
	tr2_buf_reset(&b);
	if (r->nr_rest)
		add_rest(&b, r);
	else if (r->sum)
		add_sum(&b, r);
	else
		add_region(&b, r);
	tr2_cell_str(t, tr2_buf_str(&b));
	if (r->nr_rest)
		tr2_cell_color(t, TR2_COLOR_DIM);
	if (r->sum)
		tr2_cell_keep_count(t);
	if (r->step->span)
		tr2_cell_link(t, TR2_LINK_SPAN, r->step->span);
	else if (r->sum)
		tr2_cell_link(t, TR2_LINK_NODE, r->step->node);
}

/* Show a sum by its kind, even if it is one process. */
static void cell_part(struct tr2_table *t, const struct step_row *r)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	tr2_buf_reset(&b);
	if (r->sum)
		add_sum(&b, r);
	else
		add_rest(&b, r);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_cell_keep_count(t);
}

/* Return whether in this step the thread was ready without a CPU for longer
 * than it ran. */
static bool mostly_ready(const struct tr2_step *s)
{
	return s->kind == TR2_STEP_RUN && s->ready_ns > s->ns;
}

/* Show the reason for the step's time, such as `run`, `no CPU: cc1`, `wait
 * child: sed`, `run in libuv-worker`; with ~ if the reason is doubtful. A
 * process that is not in the recording is in brackets. */
static void cell_step_why(struct tr2_table *t, const struct step_row *r)
{
	const struct tr2_step *s = r->step;
	const struct tr2_model *m = r->of.m;
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	if (s->kind == TR2_STEP_UNKNOWN)
		return;
	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, s->doubtful ? "~" : "");
	if (s->kind == TR2_STEP_WAIT) {
		tr2_buf_addlit(&b, "wait ");
		tr2_wait_add_text(&b, m, s->cause, s->object);
	} else {
		tr2_buf_addstr(&b, mostly_ready(s) ? "no CPU" : "run");
	}
	if (s->thread)
		tr2_buf_addall(&b, " in ", tr2_s(m, s->thread));
	if (s->by && !s->object &&
	    (s->kind == TR2_STEP_WAIT || mostly_ready(s))) {
		tr2_buf_addlit(&b, ": ");
		tr2_by_add(&b, m, s->by);
	}
	tr2_cell_str(t, tr2_buf_str(&b));
}

static void cell_step_ready(struct tr2_table *t, const struct step_row *r)
{
	int64_t ns = r->step->ready_ns;

	if (tr2_output_is_text(t->output) ?
		    tr2_report_share(ns, r->whole) >= MIN_READY_SHARE :
		    r->step->kind || ns)
		tr2_cell_ns(t, ns);
}

static const char *const kind_names[] = {
	[TR2_STEP_RUN] = "run",
	[TR2_STEP_WAIT] = "wait",
};

static void cell_step_in(struct tr2_table *t, const struct step_row *r)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	if (!r->sum || !r->of.m->nodes[r->sum->in].depth)
		return;
	tr2_buf_reset(&b);
	add_way(&b, r->of.m, r->sum->in);
	tr2_cell_str(t, tr2_buf_str(&b));
}

static const char *function_of(const struct step_row *r, double *share)
{
	return r->nr_rest ? NULL :
		tr2_path_function(r->functions, r->step,
				  r->sum ? r->sum->kind : 0, share);
}

static void cell_step_function(struct tr2_table *t, const struct step_row *r)
{
	double share;
	const char *name = function_of(r, &share);
	enum tr2_format format = t->output->format;

	if (!name)
		return;
	if (format == TR2_FORMAT_JSON || format == TR2_FORMAT_CSV)
		tr2_cell_str(t, name);
	else
		tr2_cell_strf(t, "%s %s", tr2_function_name(t->output, name),
			      tr2_share_text(share));
}

static void cell_function_share(struct tr2_table *t, const struct step_row *r)
{
	double share;

	if (function_of(r, &share))
		tr2_cell_share(t, share);
}

/* Find the gain if processes of the row's kind, or regions of the row's name,
 * took no time. Return false if the gain is unknown, or if the part mostly
 * lacked a CPU. */
static bool gain_of(const struct step_row *r, struct tr2_gain *gain)
{
	const struct tr2_model *m = r->of.m;
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	struct tr2_change change = { .exact = true, .cause = -1 };
	uint64_t pieces;

	if (!r->retime || !r->sum || mostly_ready(r->step))
		return false;
	change.kind = r->step->span ? TR2_CHANGE_REGION : TR2_CHANGE_PROCESS;
	change.name = r->step->span ?
			      tr2_join(&b, tr2_s(m, span_of(r)->category),
				       tr2_s(m, span_of(r)->label)) :
			      tr2_s(m, r->sum->kind);
	*gain = tr2_gain_of(r->retime, r->root, &change, 1, &pieces);
	return true;
}

static void cell_part_gain(struct tr2_table *t, const struct step_row *r)
{
	struct tr2_gain gain;

	if (gain_of(r, &gain))
		tr2_cell_ns(t, gain.ns);
}

static void cell_part_gain_most(struct tr2_table *t, const struct step_row *r)
{
	struct tr2_gain gain;

	if (gain_of(r, &gain))
		tr2_cell_ns(t, gain.most_ns);
}

/* The columns that tell how long a step, or a sum of steps, took. */
#define TIMES(COLUMN) \
	COLUMN(time_ns, "TIME", 0, tr2_cell_ns(t, r->step->ns)) \
	COLUMN(no_cpu_ns, "NO CPU", 0, cell_step_ready(t, r)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT, \
	       tr2_cell_share(t, tr2_report_share(tr2_step_ns(r->step), \
						  r->whole)))

#define REGION(DATA) \
	DATA(category, if (r->step->span) \
		tr2_cell_str(t, tr2_s(r->of.m, span_of(r)->category))) \
	DATA(label, if (r->step->span) \
		tr2_cell_str(t, tr2_s(r->of.m, span_of(r)->label)))

/* The columns that tell why a step took that time. */
#define REASON(DATA) \
	DATA(state, tr2_cell_str(t, kind_names[r->step->kind])) \
	DATA(cause, if (r->step->kind == TR2_STEP_WAIT) \
		tr2_cell_str(t, tr2_cause_name(r->step->cause))) \
	DATA(object, if (r->step->object) \
		tr2_cell_str(t, tr2_s(r->of.m, r->step->object))) \
	DATA(thread, if (r->step->thread) \
		tr2_cell_str(t, tr2_s(r->of.m, r->step->thread))) \
	DATA(by, if (r->step->by) \
		tr2_cell_str(t, tr2_by_name(r->of.m, r->step->by))) \
	DATA(by_outside, if (r->step->by) \
		tr2_cell_bool(t, r->step->by & TR2_BY_OUTSIDE)) \
	DATA(inferred, if (r->step->kind) tr2_cell_bool(t, r->step->inferred)) \
	DATA(doubtful, if (r->step->kind) tr2_cell_bool(t, r->step->doubtful))

/* The columns of the table of the largest sums. */
#define PART_COLUMNS(COLUMN, DATA, TEXT) \
	TIMES(COLUMN) \
	COLUMN(gain_ns, "GAIN", 0, cell_part_gain(t, r)) \
	COLUMN(gain_at_most_ns, "AT MOST", 0, cell_part_gain_most(t, r)) \
	TEXT(why, "WHY", TR2_COL_LEFT, cell_step_why(t, r)) \
	TEXT(part, "LARGEST PARTS OF THE CRITICAL PATH", TR2_COL_FLEX, \
	     cell_part(t, r)) \
	COLUMN(function, "MOSTLY IN", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       cell_step_function(t, r)) \
	DATA(function_share, cell_function_share(t, r)) \
	DATA(kind, if (r->sum) tr2_cell_str(t, tr2_s(r->of.m, r->sum->kind))) \
	DATA(processes, if (r->sum) tr2_cell_uint(t, r->sum->nr_nodes)) \
	DATA(in, cell_step_in(t, r)) \
	REGION(DATA) \
	REASON(DATA)

TR2_COLUMN_LIST(part_columns, struct step_row, PART_COLUMNS)

#define PATH_COLUMNS(COLUMN, DATA, TEXT) \
	TIMES(COLUMN) \
	TEXT(why, "WHY", TR2_COL_LEFT, cell_step_why(t, r)) \
	TEXT(step, "CRITICAL PATH", TR2_COL_TREE | TR2_COL_FLEX, \
	     cell_step(t, r)) \
	COLUMN(function, "MOSTLY IN", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       cell_step_function(t, r)) \
	DATA(function_share, cell_function_share(t, r)) \
	DATA(process, tr2_cell_str(t, process_of(r))) \
	DATA(pid, tr2_node_cell_pid(t, &r->of)) \
	REGION(DATA) \
	COLUMN(start, "FROM", TR2_COL_DATA | TR2_COL_PAGE, \
	       if (!r->nr_rest) tr2_cell_wall(t, r->step->start_ns)) \
	REASON(DATA)

TR2_COLUMN_LIST(path_columns, struct step_row, PATH_COLUMNS)

/* The rows of the table: steps one by one, or their sums. */
struct rows {
	bool *shown; /* by step */
	size_t nr_shown, nr_rest;
	struct tr2_step rest; /* their sum */
	int64_t most_rest_ns;
};

static void leave_out(struct rows *rows, const struct tr2_step *step)
{
	rows->nr_rest++;
	rows->rest.ns += step->ns;
	rows->rest.ready_ns += step->ready_ns;
	if (tr2_step_ns(step) > rows->most_rest_ns)
		rows->most_rest_ns = tr2_step_ns(step);
}

/* Mark the steps to show: the large steps, and all steps around them. */
static void mark_steps(const struct tr2_step *steps, size_t nr, int64_t whole,
		       bool all, struct rows *rows)
{
	bool *shown = rows->shown;
	size_t i;

	for (i = nr; i-- > 0;) {
		if (all || tr2_report_share(tr2_step_ns(&steps[i]), whole) >=
				   TR2_REPORT_SHARE)
			shown[i] = true;
		if (shown[i] && steps[i].parent)
			shown[steps[i].parent - 1] = true;
		if (shown[i])
			rows->nr_shown++;
		else
			leave_out(rows, &steps[i]);
	}
}

static bool rows_fit(const struct rows *rows, int64_t whole)
{
	return rows->nr_shown + 1 <= TR2_REPORT_ROWS &&
	       tr2_report_share(tr2_step_ns(&rows->rest), whole) <=
		       MAX_REST_SHARE;
}

/* Name the columns. Several roots are commands that do not depend on each
 * other: the path is then the path of the longest one. */
static void name_columns(struct tr2_column *columns, const struct tr2_model *m,
			 bool sums)
{
	bool several = m->nodes[m->first_root].next;
	size_t i;

	memcpy(columns, path_columns, sizeof(path_columns));
	for (i = 0; i < ARRAY_SIZE(path_columns); i++)
		if (columns[i].flags & TR2_COL_TREE && (several || sums))
			columns[i].heading =
				!several ? "CRITICAL PATH BY KIND" :
				sums	 ? "CRITICAL PATH OF THE LONGEST BY KIND" :
					   "CRITICAL PATH OF THE LONGEST";
}

static void add_rest_row(struct tr2_table *t, struct step_row *row,
			 const struct rows *rows)
{
	static struct tr2_step rest; /* static: the row in the table refers to
				      * it */

	if (!rows->nr_rest || !t->nr_rows)
		return;
	rest = rows->rest;
	row->step = &rest;
	row->sum = NULL;
	row->nr_rest = rows->nr_rest;
	row->most_rest_ns = rows->most_rest_ns;
	tr2_table_add_at(t, row, 0);
}

static void add_steps(struct tr2_table *t, struct step_row *row,
		      const struct tr2_step *steps, size_t nr,
		      const struct rows *rows)
{
	int *depths = tr2_calloc(nr, sizeof(*depths)); /* by step */
	size_t i;

	for (i = 0; i < nr; i++) {
		if (steps[i].parent)
			depths[i] = depths[steps[i].parent - 1] + 1;
		row->step = &steps[i];
		row->of.node = steps[i].node;
		if (rows->shown[i])
			tr2_table_add_at(t, row, depths[i]);
	}
	free(depths);
}

/* Add the largest sums, at most `most`; leave out the others. */
static void add_sums(struct tr2_table *t, struct step_row *row,
		     const struct tr2_path_sum *sums, size_t nr, size_t most,
		     struct rows *rows)
{
	size_t i;

	*rows = (struct rows){ .shown = rows->shown };
	for (i = 0; i < nr; i++) {
		if (i >= most ||
		    tr2_report_share(tr2_step_ns(&sums[i].step), row->whole) <
			    TR2_REPORT_SHARE) {
			leave_out(rows, &sums[i].step);
			continue;
		}
		row->sum = &sums[i];
		row->step = &sums[i].step;
		row->of.node = sums[i].step.node;
		tr2_table_add_at(t, row, 0);
	}
}

/* Print a note, broken into lines between words. */
void tr2_report_print_note(const char *fmt, ...)
{
	size_t width = tr2_term_width() ? tr2_term_width() : TR2_REPORT_WIDTH;
	struct tr2_buf *b = tr2_next_text();
	const char *text, *space;
	size_t len, line;
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(b, fmt, ap);
	va_end(ap);
	fputs(tr2_color_on(TR2_COLOR_DIM), stdout);
	for (text = tr2_buf_str(b); *text;
	     text += len + (text[len] == ' ' || text[len] == '\n')) {
		line = strcspn(text, "\n");
		for (len = 0; len < line; len = (size_t)(space - text)) {
			space = text + len + 1;
			space += strcspn(space, " \n");
			if (len && (size_t)(space - text) > width)
				break;
		}
		printf("%.*s%s", (int)len, text, text[len] ? "\n" : "");
	}
	printf("%s\n", tr2_color_off(TR2_COLOR_DIM));
}

const char *tr2_report_remedy(const struct tr2_model *m)
{
	struct tr2_buf *b = tr2_next_text();

	if (!m->remedy)
		return "'trace2 check --record' says why, and what permits "
		       "more";
	tr2_addf(b, "for more: %s", tr2_s(m, m->remedy));
	return tr2_buf_str(b);
}

/* On a terminal, say how to learn more if one kind of process computed, outside
 * of regions, for most of the time. */
static void advise(const struct step_row *row, const struct tr2_step *step)
{
	struct tr2_buf kind = TR2_BUF_INIT;

	if (!tr2_term_width() || step->kind != TR2_STEP_RUN || step->span ||
	    row->functions || row->of.m->no_samples ||
	    tr2_report_share(step->ns, row->whole) < 0.5)
		return;
	tr2_kind_add(row->of.m, step->node, step->segment, &kind);
	printf("%s(trace2 record --profile shows in which functions %s "
	       "computes)%s\n", tr2_color_on(TR2_COLOR_DIM),
	       tr2_buf_str(&kind), tr2_color_off(TR2_COLOR_DIM));
	tr2_buf_release(&kind);
}

/* If a row has the mark ~ of a doubtful reason, explain the mark. The rows are
 * the sums or, without sums, the steps. */
static void explain_marks(const struct step_row *row,
			  const struct tr2_step *steps, size_t nr,
			  const struct tr2_path_sum *sums)
{
	bool doubtful = false;
	const struct tr2_step *s;
	size_t i;

	for (i = 0; i < nr; i++) {
		s = sums ? &sums[i].step : &steps[i];
		doubtful |= s->doubtful &&
			    tr2_report_share(tr2_step_ns(s), row->whole) >=
				    TR2_REPORT_SHARE;
	}
	if (doubtful)
		tr2_report_print_note("(~ the thread that ended a wait was "
				      "derived, and may be another one)");
	for (i = 0; i < nr; i++)
		advise(row, sums ? &sums[i].step : &steps[i]);
}

/* Captions of the path, and of the path by kind. */
static const char *const captions[] = {
	"what the end waited for, each step with the time that was its own",
	"what the end waited for, summed by kind of process, region and "
	"reason; a name links to the first of them",
};

/* Print the path. by_kind: print only sums, and only if there are many
 * steps. */
static bool print_path(const struct tr2_report *r, const struct tr2_step *steps,
		       size_t nr, int64_t whole, bool by_kind)
{
	bool all = !by_kind && (!tr2_report_is_text(r) || r->all), ok;
	struct rows rows = { .shown = tr2_calloc(nr, sizeof(*rows.shown)) };
	struct step_row row = { .of.m = r->m, .whole = whole };
	struct tr2_column columns[ARRAY_SIZE(path_columns)];
	struct tr2_path_sum *sums = NULL;
	struct tr2_table t;

	mark_steps(steps, nr, whole, all, &rows);
	if (!all && !rows_fit(&rows, whole))
		nr = tr2_critical_sums(r->m, steps, nr, &sums);
	if (by_kind && !sums) {
		free(rows.shown);
		return true;
	}
	row.functions = tr2_path_functions_new(r->m);
	name_columns(columns, r->m, sums);
	tr2_table_init(&t, r->out, by_kind ? "critical_path_by_kind" :
					     "critical_path",
		       TR2_COLUMNS(columns));
	r->out->caption = captions[by_kind];
	if (sums)
		add_sums(&t, &row, sums, nr, TR2_REPORT_ROWS - 1, &rows);
	else
		add_steps(&t, &row, steps, nr, &rows);
	add_rest_row(&t, &row, &rows);
	ok = tr2_report_table(r, &t, NULL);
	if (ok && tr2_report_is_text(r))
		explain_marks(&row, steps, nr, sums);
	tr2_path_functions_free(row.functions);
	free(sums);
	free(rows.shown);
	return ok;
}

bool tr2_report_states_lost(const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_task_threads; i++)
		if (m->task_threads[i].flags & TR2_TASK_THREAD_LOST)
			return true;
	return false;
}

/* Print a note on the limits of the path. */
static void print_limits(const struct tr2_report *r, uint32_t root)
{
	if (!tr2_critical_by_states(r->m, root) && r->m->no_states &&
	    r->m->remedy)
		tr2_report_print_note("(without states of threads, processes "
				      "that only waited are on the path, "
				      "too\n%s)",
				      tr2_report_remedy(r->m));
	else if (!tr2_critical_by_states(r->m, root))
		tr2_report_print_note("(without states of threads, processes "
				      "that only waited are on the path, too)");
	else if (tr2_report_states_lost(r->m))
		tr2_report_print_note("(records of the kernel were lost: CPU, "
				      "WAIT, READY and the path are not exact)");
	tr2_report_print_coverage(r);
}

/* Print, once for the recording, which records the kernel refused, and how to
 * permit them. */
static void print_refused(const struct tr2_report *r, uint32_t root)
{
	const struct tr2_model *m = r->m;

	if (!tr2_critical_by_states(m, root) ||
	    (!m->no_causes && !m->no_wakers))
		return;
	tr2_report_print_note("(not recorded: %s%s%s\n%s)",
		m->no_causes ? "causes of waits" : "",
		m->no_causes && m->no_wakers ? ", and " : "",
		m->no_wakers ? "who woke whom, which is derived" : "",
		tr2_report_remedy(m));
	putchar('\n');
}

bool tr2_report_path(const struct tr2_report *r)
{
	const struct tr2_model *m = r->m;
	uint32_t root = tr2_longest_root(m);
	int64_t whole = m->nodes[root].end_ns - m->nodes[root].start_ns;
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0;
	unsigned int piped_width = r->out->piped_width;
	bool ok = true;

	r->out->piped_width = TR2_REPORT_WIDTH;
	if (nr && tr2_report_is_text(r))
		print_refused(r, root);
	if (nr || r->out->format == TR2_FORMAT_CSV)
		ok = print_path(r, steps, nr, whole, false);
	r->out->piped_width = piped_width;
	if (nr && tr2_report_is_text(r))
		print_limits(r, root);
	free(steps);
	return ok;
}

void tr2_report_path_by_kind(const struct tr2_report *r)
{
	uint32_t root = tr2_longest_root(r->m);
	const struct tr2_node *n = &r->m->nodes[root];
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(r->m, root, &steps) : 0;

	print_path(r, steps, nr, n->end_ns - n->start_ns, true);
	free(steps);
}

void tr2_report_parts(const struct tr2_report *r, size_t most)
{
	struct tr2_model *m = r->m;
	uint32_t root = tr2_longest_root(m);
	struct step_row row = { .of.m = m,
				.whole = m->nodes[root].end_ns -
					 m->nodes[root].start_ns,
				.root = root,
				.functions = tr2_path_functions_new(m) };
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0;
	struct tr2_path_sum *sums;
	struct rows rows = { 0 };
	struct tr2_table t = TR2_TABLE_OF(r->out, "parts", part_columns);

	nr = tr2_critical_sums(m, steps, nr, &sums);
	if (root && tr2_critical_by_states(m, root))
		row.retime = tr2_retime_new(m);
	add_sums(&t, &row, sums, nr, most, &rows);
	if (tr2_output_is_text(r->out))
		add_rest_row(&t, &row, &rows);
	tr2_table_finish(&t);
	if (tr2_output_is_text(r->out) && root)
		print_limits(r, root);
	tr2_retime_free(row.retime);
	tr2_path_functions_free(row.functions);
	free(sums);
	free(steps);
}
