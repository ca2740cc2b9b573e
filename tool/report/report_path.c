/* SPDX-License-Identifier: MIT */
/*
 * report_path - the critical path, above the processes of trace2 report. Text has
 * a row for each step as long as they are few, else one for all steps of one kind
 * of process, region and reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/words.h"
#include "common/memory.h"
#include "model/kind.h"
#include "model/path/critical.h"
#include "model/path/what_if_rank.h"
#include "model/states.h"
#include "report/node.h"
#include "report/path_functions.h"
#include "report/report.h"
#include "report/report_fold.h"

/* Steps are shown one by one if no more than this share of the whole is in those
 * that are too small to be shown. */
#define MAX_REST_SHARE 0.05
/* Text leaves out a smaller share without a CPU, of which SHARE shows nothing. */
#define MIN_READY_SHARE 0.0005

struct step_row {
	struct tr2_node_row of;
	const struct tr2_step *step;
	const struct tr2_path_sum *sum; /* of several steps; NULL: one */
	size_t nr_rest; /* the last row: so many steps; 0: no */
	int64_t most_rest_ns, whole;
	/* To ask what a part costs; NULL: without states nobody knows. */
	struct tr2_retime *retime;
	uint32_t root;
	struct tr2_path_functions *functions; /* NULL: no samples */
};

static const struct tr2_span *span_of(const struct step_row *r)
{
	return &r->of.m->spans[r->step->span];
}

static const struct tr2_segment *segment_of(const struct step_row *r)
{
	return &r->of.m->segments[r->step->segment];
}

static void add_region(struct tr2_buf *b, const struct step_row *r)
{
	const struct tr2_span *span = span_of(r);
	static struct tr2_buf name; /* kept: it is mapped memory */

	tr2_buf_addstr(b, tr2_join(&name, tr2_s(r->of.m, span->category),
				   tr2_s(r->of.m, span->label)));
}

/* Append the kinds down to a process: sh -c > cc. The root is around all. */
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

/* cc1 x 214 in sh -c > cc, git status x 3: index/do_read_index. */
static void add_sum(struct tr2_buf *b, const struct step_row *r)
{
	tr2_buf_addstr(b, tr2_s(r->of.m, r->sum->kind));
	if (r->sum->nr_nodes > 1) {
		tr2_buf_addlit(b, " x ");
		tr2_buf_add_u64(b, r->sum->nr_nodes);
	}
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
	tr2_buf_add_u64(b, r->nr_rest);
	tr2_buf_addlit(b, " more");
	tr2_report_add_bound(b, r->most_rest_ns, r->whole);
}

static void cell_step(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	static struct tr2_buf b; /* kept: it is mapped memory */
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

/* A sum by its kind, even if it is one process. */
static void cell_part(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	static struct tr2_buf b; /* kept: it is mapped memory */

	tr2_buf_reset(&b);
	if (r->sum)
		add_sum(&b, r);
	else
		add_rest(&b, r);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_cell_keep_count(t);
}

/* Had it no CPU for more of this time than it had one? */
static bool mostly_ready(const struct tr2_step *s)
{
	return s->kind == TR2_STEP_RUN && s->ready_ns > s->ns;
}

/* run, no CPU: cc1, wait child: sed, run in libuv-worker; with ~ if it is
 * doubtful. */
static void cell_step_why(struct tr2_table *t, const void *row)
{
	const struct tr2_step *s = ((const struct step_row *)row)->step;
	const struct tr2_model *m = ((const struct step_row *)row)->of.m;
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (s->kind == TR2_STEP_UNKNOWN)
		return;
	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, s->doubtful ? "~" : "");
	if (s->kind == TR2_STEP_WAIT)
		tr2_buf_addall(&b, "wait ",
			       s->cause ? tr2_cause_name(s->cause) : "?");
	else
		tr2_buf_addstr(&b, mostly_ready(s) ? "no CPU" : "run");
	if (s->thread)
		tr2_buf_addall(&b, " in ", tr2_s(m, s->thread));
	if (s->by && (s->kind == TR2_STEP_WAIT || mostly_ready(s)))
		tr2_buf_addall(&b, ": ", tr2_s(m, s->by));
	tr2_cell_str(t, tr2_buf_str(&b));
}

static const char *const kind_names[] = {
	[TR2_STEP_RUN] = "run",
	[TR2_STEP_WAIT] = "wait",
};

TR2_CELL(cell_step_state, struct step_row,
	 tr2_cell_str(t, kind_names[r->step->kind]))
TR2_CELL(cell_step_cause, struct step_row,
	 if (r->step->kind == TR2_STEP_WAIT)
		 tr2_cell_str(t, tr2_cause_name(r->step->cause)))
TR2_CELL(cell_step_thread, struct step_row,
	 if (r->step->thread)
		 tr2_cell_str(t, tr2_s(r->of.m, r->step->thread)))
TR2_CELL(cell_step_by, struct step_row,
	 if (r->step->by)
		 tr2_cell_str(t, tr2_s(r->of.m, r->step->by)))
TR2_CELL(cell_step_inferred, struct step_row,
	 if (r->step->kind)
		 tr2_cell_bool(t, r->step->inferred))
TR2_CELL(cell_step_doubtful, struct step_row,
	 if (r->step->kind)
		 tr2_cell_bool(t, r->step->doubtful))
TR2_CELL(cell_step_time, struct step_row, tr2_cell_ns(t, r->step->ns))
TR2_CELL(cell_step_ready, struct step_row,
	 if (tr2_output_is_text(t->output) ?
		     tr2_report_share(r->step->ready_ns, r->whole) >=
			     MIN_READY_SHARE : r->step->kind || r->step->ready_ns)
		 tr2_cell_ns(t, r->step->ready_ns))
TR2_CELL(cell_step_share, struct step_row,
	 tr2_cell_share(t, tr2_report_share(tr2_step_ns(r->step), r->whole)))
TR2_CELL(cell_step_process, struct step_row,
	 tr2_cell_str(t, r->step->segment ?
				 tr2_s(r->of.m, segment_of(r)->comm) :
				 tr2_node_name(r->of.m, r->of.node)))
TR2_CELL(cell_step_category, struct step_row,
	 if (r->step->span)
		 tr2_cell_str(t, tr2_s(r->of.m, span_of(r)->category)))
TR2_CELL(cell_step_label, struct step_row,
	 if (r->step->span)
		 tr2_cell_str(t, tr2_s(r->of.m, span_of(r)->label)))
TR2_CELL(cell_step_start, struct step_row,
	 if (!r->nr_rest)
		 tr2_cell_wall(t, r->step->start_ns))

TR2_CELL(cell_step_kind, struct step_row,
	 if (r->sum) tr2_cell_str(t, tr2_s(r->of.m, r->sum->kind)))
static void cell_step_in(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (!r->sum || !r->of.m->nodes[r->sum->in].depth)
		return;
	tr2_buf_reset(&b);
	add_way(&b, r->of.m, r->sum->in);
	tr2_cell_str(t, tr2_buf_str(&b));
}

TR2_CELL(cell_step_processes, struct step_row,
	 if (r->sum) tr2_cell_uint(t, r->sum->nr_nodes))

static void cell_step_function(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	const char *name = r->nr_rest ? NULL :
		tr2_path_function(r->functions, r->step,
				  r->sum ? r->sum->kind : 0);

	if (name)
		tr2_cell_str(t, name);
}

/* What would be gained if processes of this kind, or regions of this name, took
 * no time. false: it is unknown, or a matter of CPUs. */
static bool gain_of(const struct step_row *r, struct tr2_gain *gain)
{
	const struct tr2_model *m = r->of.m;
	static struct tr2_buf b; /* kept: it is mapped memory */
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

static void cell_part_gain(struct tr2_table *t, const void *row)
{
	struct tr2_gain gain;

	if (gain_of(row, &gain))
		tr2_cell_ns(t, gain.ns);
}

static void cell_part_gain_most(struct tr2_table *t, const void *row)
{
	struct tr2_gain gain;

	if (gain_of(row, &gain))
		tr2_cell_ns(t, gain.most_ns);
}

/* The largest sums. */
static const struct tr2_column part_columns[] = {
	{ "time_ns", "TIME", 0, cell_step_time },
	{ "no_cpu_ns", "NO CPU", 0, cell_step_ready },
	{ "share", "SHARE", TR2_COL_HEAT, cell_step_share },
	{ "gain_ns", "GAIN", 0, cell_part_gain },
	{ "gain_at_most_ns", "AT MOST", 0, cell_part_gain_most },
	{ NULL, "WHY", TR2_COL_TEXT | TR2_COL_LEFT, cell_step_why },
	{ NULL, "LARGEST PARTS OF THE CRITICAL PATH",
	  TR2_COL_FLEX | TR2_COL_TEXT, cell_part },
	{ "function", "MOSTLY IN", TR2_COL_FLEX, cell_step_function },
	{ "kind", "", TR2_COL_DATA, cell_step_kind },
	{ "processes", "", TR2_COL_DATA, cell_step_processes },
	{ "in", "", TR2_COL_DATA, cell_step_in },
	{ "category", "", TR2_COL_DATA, cell_step_category },
	{ "label", "", TR2_COL_DATA, cell_step_label },
	{ "state", "", TR2_COL_DATA, cell_step_state },
	{ "cause", "", TR2_COL_DATA, cell_step_cause },
	{ "thread", "", TR2_COL_DATA, cell_step_thread },
	{ "by", "", TR2_COL_DATA, cell_step_by },
	{ "inferred", "", TR2_COL_DATA, cell_step_inferred },
	{ "doubtful", "", TR2_COL_DATA, cell_step_doubtful },
};

static const struct tr2_column path_columns[] = {
	{ "time_ns", "TIME", 0, cell_step_time },
	{ "no_cpu_ns", "NO CPU", 0, cell_step_ready },
	{ "share", "SHARE", TR2_COL_HEAT, cell_step_share },
	{ NULL, "WHY", TR2_COL_TEXT | TR2_COL_LEFT, cell_step_why },
	{ NULL, "CRITICAL PATH", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT,
	  cell_step },
	{ "function", "MOSTLY IN", TR2_COL_FLEX, cell_step_function },
	{ "process", "", TR2_COL_DATA, cell_step_process },
	{ "pid", "", TR2_COL_DATA, tr2_node_cell_pid },
	{ "category", "", TR2_COL_DATA, cell_step_category },
	{ "label", "", TR2_COL_DATA, cell_step_label },
	{ "start", "FROM", TR2_COL_DATA | TR2_COL_PAGE, cell_step_start },
	{ "state", "", TR2_COL_DATA, cell_step_state },
	{ "cause", "", TR2_COL_DATA, cell_step_cause },
	{ "thread", "", TR2_COL_DATA, cell_step_thread },
	{ "by", "", TR2_COL_DATA, cell_step_by },
	{ "inferred", "", TR2_COL_DATA, cell_step_inferred },
	{ "doubtful", "", TR2_COL_DATA, cell_step_doubtful },
};

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

/* Mark the steps to show: the large ones, and all around them. */
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

static bool fits(const struct rows *rows, int64_t whole)
{
	return rows->nr_shown + 1 <= TR2_REPORT_ROWS &&
	       tr2_report_share(tr2_step_ns(&rows->rest), whole) <= MAX_REST_SHARE;
}

/* Several roots are commands that do not depend on each other. */
static void name_columns(struct tr2_column *columns, const struct tr2_model *m,
			 bool sums)
{
	bool several = m->first_root != m->last_root;
	size_t i;

	memcpy(columns, path_columns, sizeof(path_columns));
	for (i = 0; i < ARRAY_SIZE(path_columns); i++)
		if (columns[i].flags & TR2_COL_TREE && (several || sums))
			columns[i].heading =
				!several ? "CRITICAL PATH BY KIND" :
				sums	 ? "CRITICAL PATH OF THE LONGEST BY KIND" :
					   "CRITICAL PATH OF THE LONGEST";
}

static void give_rest(struct tr2_table *t, struct step_row *row,
		      const struct rows *rows)
{
	static struct tr2_step rest; /* the row refers to it */

	if (!rows->nr_rest || !t->nr_rows)
		return;
	rest = rows->rest;
	row->step = &rest;
	row->sum = NULL;
	row->nr_rest = rows->nr_rest;
	row->most_rest_ns = rows->most_rest_ns;
	tr2_table_add_at(t, row, 0);
}

static void give_steps(struct tr2_table *t, struct step_row *row,
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

/* Give the largest sums, at most so many; leave out the others. */
static void give_sums(struct tr2_table *t, struct step_row *row,
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

/* In lines of whole words that fit. */
void tr2_report_print_note(const char *text)
{
	size_t width = tr2_term_width() ? tr2_term_width() : TR2_REPORT_WIDTH;
	size_t len, line;
	const char *space;

	fputs(tr2_color_on(TR2_COLOR_DIM), stdout);
	for (; *text; text += len + (text[len] == ' ' || text[len] == '\n')) {
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

void tr2_report_add_remedy(const struct tr2_model *m, struct tr2_buf *b)
{
	if (m->remedy) {
		tr2_buf_addlit(b, "for more: ");
		tr2_buf_addstr(b, tr2_s(m, m->remedy));
	} else {
		tr2_buf_addlit(b, "'trace2 check --record' says why, and "
				  "what permits more");
	}
}

/* On a terminal, say how to learn more if most of the time was computed by one
 * kind of process, in no region. */
static void advise(const struct step_row *row, const struct tr2_step *step)
{
	struct tr2_buf kind = TR2_BUF_INIT;

	if (!tr2_term_width() || step->kind != TR2_STEP_RUN || step->span ||
	    row->functions || row->of.m->no_samples ||
	    tr2_report_share(step->ns, row->whole) < 0.5)
		return;
	tr2_kind_add(row->of.m, step->node, step->segment, &kind);
	printf("%s(trace2 record --profile: in which functions %s "
	       "computes)%s\n", tr2_color_on(TR2_COLOR_DIM),
	       tr2_buf_str(&kind), tr2_color_off(TR2_COLOR_DIM));
	tr2_buf_release(&kind);
}

/* Explain what the rows show, the steps or their sums. */
static void explain(const struct step_row *row, const struct tr2_step *steps,
		    size_t nr, const struct tr2_path_sum *sums, size_t nr_sums)
{
	bool doubtful = false;
	size_t i;

	for (i = 0; i < nr_sums; i++)
		doubtful |= sums[i].step.doubtful &&
			    tr2_report_share(tr2_step_ns(&sums[i].step),
					     row->whole) >=
				    TR2_REPORT_SHARE;
	for (i = 0; !nr_sums && i < nr; i++)
		doubtful |= steps[i].doubtful &&
			    tr2_report_share(tr2_step_ns(&steps[i]),
					     row->whole) >=
				    TR2_REPORT_SHARE;
	if (doubtful)
		tr2_report_print_note("(~ who woke whom was derived, and may "
				      "have been another)");
	for (i = 0; i < nr_sums; i++)
		advise(row, &sums[i].step);
	for (i = 0; !nr_sums && i < nr; i++)
		advise(row, &steps[i]);
}

static bool print_path(const struct tr2_report *r, const struct tr2_step *steps,
		       size_t nr, int64_t whole)
{
	bool all = !tr2_report_is_text(r) || r->all, sums;
	struct rows rows = { .shown = tr2_calloc(nr, sizeof(*rows.shown)) };
	struct step_row row = { .of.m = r->m, .whole = whole,
				.functions = tr2_path_functions_new(r->m) };
	struct tr2_column columns[ARRAY_SIZE(path_columns)];
	struct tr2_path_sum *sum = NULL;
	struct tr2_table t;
	size_t nr_sums = 0;
	bool ok;

	mark_steps(steps, nr, whole, all, &rows);
	sums = !all && !fits(&rows, whole);
	if (sums)
		nr_sums = tr2_critical_sums(r->m, steps, nr, &sum);
	name_columns(columns, r->m, sums);
	tr2_table_init(&t, r->out, "critical_path", TR2_COLUMNS(columns));
	r->out->caption = "what the end waited for, each step with the time "
			  "that was its own";
	if (sums)
		give_sums(&t, &row, sum, nr_sums, TR2_REPORT_ROWS - 1, &rows);
	else
		give_steps(&t, &row, steps, nr, &rows);
	give_rest(&t, &row, &rows);
	ok = tr2_report_table(r, &t, NULL);
	if (ok && tr2_report_is_text(r))
		explain(&row, steps, nr, sum, nr_sums);
	tr2_path_functions_free(row.functions);
	free(sum);
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

/* Say what would permit more to the recorder. */
static void print_more(const struct tr2_model *m, const char *what)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_buf_addch(&b, '(');
	tr2_buf_addstr(&b, what);
	tr2_buf_addch(&b, '\n');
	tr2_report_add_remedy(m, &b);
	tr2_buf_addch(&b, ')');
	tr2_report_print_note(tr2_buf_str(&b));
	tr2_buf_release(&b);
}

/* Say what the path cannot know. */
static void print_limits(const struct tr2_report *r, uint32_t root)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (!tr2_critical_by_states(r->m, root) && r->m->no_states &&
	    r->m->remedy)
		print_more(r->m, "without states of threads: what only waited "
				 "is on the path, too");
	else if (!tr2_critical_by_states(r->m, root))
		tr2_report_print_note("(without states of threads: what only "
				      "waited is on the path, too)");
	else if (tr2_report_states_lost(r->m))
		tr2_report_print_note("(records of the kernel were lost: CPU, "
				      "WAIT, READY and the path are not exact)");
	if (tr2_report_add_coverage(r, &b))
		tr2_report_print_note(tr2_buf_str(&b));
	tr2_buf_release(&b);
}

/* Say once what the kernel did not permit, with what would permit it. */
static void print_refused(const struct tr2_report *r, uint32_t root)
{
	const struct tr2_model *m = r->m;

	if (!tr2_critical_by_states(m, root) ||
	    (!m->no_causes && !m->no_wakers))
		return;
	print_more(m, !m->no_wakers ? "not recorded: causes of waits" :
		      !m->no_causes ?
			"not recorded: who woke whom, which is derived" :
			"not recorded: causes of waits, and who woke whom, "
			"which is derived");
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
		ok = print_path(r, steps, nr, whole);
	r->out->piped_width = piped_width;
	if (nr && tr2_report_is_text(r))
		print_limits(r, root);
	free(steps);
	return ok;
}

void tr2_report_path_by_kind(const struct tr2_report *r)
{
	struct tr2_model *m = r->m;
	uint32_t root = tr2_longest_root(m);
	struct step_row row = { .of.m = m,
				.whole = m->nodes[root].end_ns -
					 m->nodes[root].start_ns };
	struct tr2_column columns[ARRAY_SIZE(path_columns)];
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0;
	struct rows rows = { .shown = tr2_calloc(nr, sizeof(*rows.shown)) };
	struct tr2_path_sum *sums = NULL;
	struct tr2_table t;

	mark_steps(steps, nr, row.whole, false, &rows);
	if (!fits(&rows, row.whole)) {
		nr = tr2_critical_sums(m, steps, nr, &sums);
		row.functions = tr2_path_functions_new(m);
		name_columns(columns, m, true);
		tr2_table_init(&t, r->out, "critical_path_by_kind",
			       TR2_COLUMNS(columns));
		r->out->caption = "what the end waited for, summed by kind of "
				  "process, region and reason; a name leads to "
				  "the first of them";
		give_sums(&t, &row, sums, nr, TR2_REPORT_ROWS - 1, &rows);
		give_rest(&t, &row, &rows);
		tr2_table_print(&t);
		tr2_table_release(&t);
		tr2_path_functions_free(row.functions);
	}
	free(sums);
	free(rows.shown);
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
	struct tr2_table t;

	nr = tr2_critical_sums(m, steps, nr, &sums);
	if (root && tr2_critical_by_states(m, root))
		row.retime = tr2_retime_new(m);
	tr2_table_init(&t, r->out, "parts", TR2_COLUMNS(part_columns));
	give_sums(&t, &row, sums, nr, most, &rows);
	if (tr2_output_is_text(r->out))
		give_rest(&t, &row, &rows);
	tr2_table_finish(&t);
	if (tr2_output_is_text(r->out) && root)
		print_limits(r, root);
	tr2_retime_free(row.retime);
	tr2_path_functions_free(row.functions);
	free(sums);
	free(steps);
}
