/* SPDX-License-Identifier: MIT */
/*
 * report_path - the critical path, below the processes of trace2 report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "cmd/node.h"
#include "cmd/report.h"
#include "common/join.h"
#include "common/memory.h"
#include "model/critical.h"
#include "model/states.h"

/* Text leaves out steps below this share, but not those around larger ones. */
#define MIN_SHARE 0.005

struct step_row {
	struct tr2_node_row of;
	const struct tr2_step *step;
	int64_t whole;
};

static const struct tr2_span *span_of(const struct step_row *r)
{
	return &r->of.m->spans[r->step->span];
}

static const struct tr2_segment *segment_of(const struct step_row *r)
{
	return &r->of.m->segments[r->step->segment];
}

static void cell_step(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	const struct tr2_model *m = r->of.m;
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (!r->step->span) {
		tr2_node_cell_program(t, &r->of, r->step->segment);
		return;
	}
	tr2_cell_str(t, tr2_join(&b, tr2_s(m, span_of(r)->category),
				 tr2_s(m, span_of(r)->label)));
	tr2_cell_link(t, TR2_LINK_SPAN, r->step->span);
}

/* run, no CPU: cc1, wait child: sed; with ~ if it was inferred. */
static void cell_step_why(struct tr2_table *t, const void *row)
{
	const struct tr2_step *s = ((const struct step_row *)row)->step;
	const struct tr2_model *m = ((const struct step_row *)row)->of.m;
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (s->kind == TR2_STEP_UNKNOWN)
		return;
	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, s->inferred ? "~" : "");
	if (s->kind == TR2_STEP_RUN)
		tr2_buf_addlit(&b, "run");
	else if (s->kind == TR2_STEP_READY)
		tr2_buf_addlit(&b, "no CPU");
	else
		tr2_buf_addlit(&b, "wait ");
	if (s->kind == TR2_STEP_WAIT)
		tr2_buf_addstr(&b, s->cause ? tr2_cause_name(s->cause) : "?");
	tr2_buf_addstr(&b, s->by ? ": " : "");
	tr2_buf_addstr(&b, tr2_s(m, s->by));
	tr2_cell_str(t, tr2_buf_str(&b));
}

static const char *const kind_names[] = {
	[TR2_STEP_RUN] = "run",
	[TR2_STEP_READY] = "ready",
	[TR2_STEP_WAIT] = "wait",
};

TR2_CELL(cell_step_state, struct step_row,
	 tr2_cell_str(t, kind_names[r->step->kind]))
TR2_CELL(cell_step_cause, struct step_row,
	 if (r->step->kind == TR2_STEP_WAIT)
		 tr2_cell_str(t, tr2_cause_name(r->step->cause)))
TR2_CELL(cell_step_by, struct step_row,
	 if (r->step->by)
		 tr2_cell_str(t, tr2_s(r->of.m, r->step->by)))
TR2_CELL(cell_step_inferred, struct step_row,
	 if (r->step->kind)
		 tr2_cell_json(t, r->step->inferred ? "true" : "false"))
TR2_CELL(cell_step_time, struct step_row, tr2_cell_ns(t, r->step->ns))
TR2_CELL(cell_step_share, struct step_row,
	 tr2_cell_share(t, tr2_report_share(r->step->ns, r->whole)))
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
TR2_CELL(cell_step_start, struct step_row, tr2_cell_wall(t, r->step->start_ns))

static const struct tr2_column path_columns[] = {
	{ "time_ns", "TIME", 0, cell_step_time },
	{ "share", "SHARE", TR2_COL_HEAT, cell_step_share },
	{ NULL, "WHY", TR2_COL_TEXT | TR2_COL_LEFT, cell_step_why },
	{ NULL, "CRITICAL PATH", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT,
	  cell_step },
	{ "process", "", TR2_COL_DATA, cell_step_process },
	{ "pid", "", TR2_COL_DATA, tr2_node_cell_pid },
	{ "category", "", TR2_COL_DATA, cell_step_category },
	{ "label", "", TR2_COL_DATA, cell_step_label },
	{ "start", "FROM", TR2_COL_DATA | TR2_COL_PAGE, cell_step_start },
	{ "state", "", TR2_COL_DATA, cell_step_state },
	{ "cause", "", TR2_COL_DATA, cell_step_cause },
	{ "by", "", TR2_COL_DATA, cell_step_by },
	{ "inferred", "", TR2_COL_DATA, cell_step_inferred },
};

/* Marks the steps to show: the large ones, and all around them. */
static void mark_steps(const struct tr2_step *steps, size_t nr, int64_t whole,
		       bool all, bool *shown)
{
	size_t i;

	for (i = nr; i-- > 0;) {
		if (all || tr2_report_share(steps[i].ns, whole) >= MIN_SHARE)
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

static void print_left_out(size_t nr, int64_t ns)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_fmt_ns(&b, ns);
	printf("%s%zu more step%s of less than %.1f%% each%s%s%s%s\n",
	       tr2_color_on(TR2_COLOR_DIM), nr, nr == 1 ? "" : "s",
	       MIN_SHARE * 100, ns ? ", " : "", ns ? tr2_buf_str(&b) : "",
	       ns ? " in all" : "", tr2_color_off(TR2_COLOR_DIM));
	tr2_buf_release(&b);
}

/* Several roots are commands that do not depend on each other. */
static void name_columns(struct tr2_column *columns, const struct tr2_model *m)
{
	size_t i;

	memcpy(columns, path_columns, sizeof(path_columns));
	for (i = 0; i < ARRAY_SIZE(path_columns); i++)
		if (columns[i].flags & TR2_COL_TREE &&
		    m->first_root != m->last_root)
			columns[i].heading = "CRITICAL PATH OF THE LONGEST";
}

static void print_path(const struct tr2_report *r, const struct tr2_step *steps,
		       size_t nr, int64_t whole, bool *shown)
{
	struct step_row row = { { r->m, 0 }, NULL, whole };
	struct tr2_table t;
	struct tr2_column columns[ARRAY_SIZE(path_columns)];
	size_t i, small = 0;
	int64_t small_ns = 0;

	mark_steps(steps, nr, whole, !tr2_report_is_text(r), shown);
	name_columns(columns, r->m);
	tr2_table_init(&t, r->out, "critical_path", TR2_COLUMNS(columns));
	r->out->caption = "what the end waited for, each step with the time "
			  "that was its own";
	for (i = 0; i < nr; i++) {
		row.step = &steps[i];
		row.of.node = steps[i].node;
		if (shown[i]) {
			tr2_table_add_at(&t, &row, depth_of(steps, i));
			continue;
		}
		small++;
		small_ns += steps[i].ns;
	}
	tr2_table_print(&t);
	if (small && t.nr_rows)
		print_left_out(small, small_ns);
	tr2_table_release(&t);
}

static void print_dim(const char *text)
{
	printf("%s%s%s\n", tr2_color_on(TR2_COLOR_DIM), text,
	       tr2_color_off(TR2_COLOR_DIM));
}

static bool any_lost(const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_task_threads; i++)
		if (m->task_threads[i].flags & TR2_TASK_THREAD_LOST)
			return true;
	return false;
}

/* Say what the path cannot know. */
static void print_limits(const struct tr2_model *m, uint32_t root)
{
	if (!tr2_critical_by_states(m, root))
		print_dim("(without states of threads: what only waited is on "
			  "the path, too)");
	else if (any_lost(m))
		print_dim("(records of the kernel were lost: CPU, WAIT, READY "
			  "and the path are not exact)");
}

void tr2_report_critical_path(const struct tr2_report *r)
{
	const struct tr2_model *m = r->m;
	uint32_t root = tr2_longest_root(m);
	int64_t whole = m->nodes[root].end_ns - m->nodes[root].start_ns;
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0;
	bool *shown = tr2_calloc(nr, sizeof(*shown));

	if (nr)
		print_path(r, steps, nr, whole, shown);
	if (nr && tr2_report_is_text(r))
		print_limits(m, root);
	free(shown);
	free(steps);
}
