/* SPDX-License-Identifier: MIT */
/*
 * report_path - the critical path, below the processes of trace2 report.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/node.h"
#include "cmd/report.h"
#include "common/join.h"
#include "common/memory.h"
#include "model/critical.h"
#include "model/stats.h"

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

static void cell_step(struct tr2_table *t, const void *row)
{
	const struct step_row *r = row;
	const struct tr2_model *m = r->of.m;
	static struct tr2_buf b; /* kept: it is mapped memory */

	if (!r->step->span) {
		tr2_node_cell_command(t, row);
		return;
	}
	tr2_cell_str(t, tr2_join(&b, tr2_s(m, span_of(r)->category),
				 tr2_s(m, span_of(r)->label)));
	tr2_cell_link(t, TR2_LINK_SPAN, r->step->span);
}

TR2_CELL(cell_step_time, struct step_row, tr2_cell_ns(t, r->step->ns))
TR2_CELL(cell_step_share, struct step_row,
	 tr2_cell_share(t, tr2_report_share(r->step->ns, r->whole)))
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
	{ NULL, "CRITICAL PATH", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT,
	  cell_step },
	{ "process", "", TR2_COL_DATA, tr2_node_cell_name },
	{ "pid", "", TR2_COL_DATA, tr2_node_cell_pid },
	{ "category", "", TR2_COL_DATA, cell_step_category },
	{ "label", "", TR2_COL_DATA, cell_step_label },
	{ "start", "FROM", TR2_COL_DATA | TR2_COL_PAGE, cell_step_start },
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

static void print_path(const struct tr2_report *r, const struct tr2_step *steps,
		       size_t nr, int64_t whole, bool *shown)
{
	struct step_row row = { { r->m, 0 }, NULL, whole };
	struct tr2_table t;
	size_t i, small = 0;

	mark_steps(steps, nr, whole, !tr2_report_is_text(r), shown);
	tr2_table_init(&t, r->out, "critical_path", TR2_COLUMNS(path_columns));
	r->out->caption = "what the end waited for, each step with the time "
			  "that was its own";
	for (i = 0; i < nr; i++) {
		row.step = &steps[i];
		row.of.node = steps[i].node;
		if (shown[i])
			tr2_table_add_at(&t, &row, depth_of(steps, i));
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
	free(shown);
	free(steps);
}
