/* SPDX-License-Identifier: MIT */
/*
 * report_processes - trace2 report without a view: the critical path, and the
 * time of each process as a tree.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "model/join/targets.h"
#include "report/node.h"
#include "report/report.h"
#include "report/report_fold.h"

struct process {
	struct tr2_node_row of;
	const struct tr2_fold_row *fold; /* the row of several processes; NULL:
					  * the row is one process */
	const struct tr2_fold *rest;     /* in the last row: the rows for which
					  * it stands; else NULL */
	uint32_t root;
	int64_t whole;
	bool with_self; /* show SELF even if there are states */
	tr2_str target; /* the target of a build that the process makes; 0:
			 * none */
};

static const struct tr2_node *node_of(const struct process *r)
{
	return &r->of.m->nodes[r->of.node];
}

static bool is_text(const struct tr2_table *t)
{
	return tr2_output_is_text(t->output);
}

/* The time of a process, or of all processes in a row. */
#define TIME(r, member) ((r)->fold ? (r)->fold->member : node_of(r)->member)
/* A time that the kernel recorded, of a process or of all processes in a
 * row. */
#define KERNEL_TIME(r, member)             \
	((r)->fold ? (r)->fold->member :   \
		     tr2_times((r)->of.m, node_of(r))->member)

static void cell_wall(struct tr2_table *t, const struct process *r)
{
	if (!r->fold) {
		tr2_node_cell_wall(t, &r->of);
		return;
	}
	tr2_cell_ns(t, r->fold->wall_ns);
	if (r->fold->at_least)
		tr2_cell_at_least(t);
}

/* Show READY and SPAWN in text if they are large enough to matter. */
static void add_notable(struct tr2_table *t, const struct process *r,
			int64_t ns)
{
	if (!is_text(t) ||
	    (!r->rest && tr2_report_share(ns, r->whole) >= TR2_REPORT_SHARE))
		tr2_cell_ns(t, ns);
}

static void cell_share(struct tr2_table *t, const struct process *r)
{
	const struct tr2_node *nodes = r->of.m->nodes;

	if (r->rest)
		return;
	tr2_cell_share(t, tr2_report_share(
				  r->fold ? r->fold->once_ns :
					    tr2_report_time_within(
						    node_of(r),
						    &nodes[r->root]),
				  r->whole));
}

/* Append, for example: cc1 x 214 (62.9ms, max 658ms) */
static void add_fold(struct tr2_table *t, const struct process *r)
{
	const struct tr2_fold_row *row = r->fold;

	if (r->rest) {
		tr2_cell_strf(t, "%u more in %u row%s, each less than %s",
			      row->nr, r->rest->nr_rest,
			      r->rest->nr_rest == 1 ? "" : "s",
			      tr2_report_bound(r->rest->most_rest_ns,
					       r->whole));
		tr2_cell_color(t, TR2_COLOR_DIM);
		return;
	}
	tr2_cell_strf(t, "%s x %u (%s, max %s)", tr2_s(r->of.m, row->kind),
		      row->nr, tr2_ns_short_text(row->median_ns),
		      tr2_ns_short_text(row->max_ns));
	tr2_cell_keep_count(t);
	tr2_cell_link(t, TR2_LINK_NODE, row->node);
}

static void cell_command(struct tr2_table *t, const struct process *r)
{
	if (r->fold)
		add_fold(t, r);
	else
		tr2_node_cell_command(t, &r->of);
}

/* Leave out SELF if CPU and WAIT are known: they tell more. */
#define PROCESS_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(wall_ns, "WALL", 0, cell_wall(t, r)) \
	COLUMN(cpu_ns, "CPU", 0, tr2_cell_ns(t, KERNEL_TIME(r, cpu_ns))) \
	COLUMN(wait_ns, "WAIT", 0, tr2_cell_ns(t, KERNEL_TIME(r, wait_ns))) \
	COLUMN(ready_ns, "READY", TR2_COL_YIELDS, \
	       add_notable(t, r, KERNEL_TIME(r, ready_ns))) \
	COLUMN(self_ns, "SELF", 0, \
	       if (r->with_self || !is_text(t) || \
		   KERNEL_TIME(r, wait_ns) == TR2_NO_TIME) \
		       tr2_cell_ns(t, TIME(r, self_ns))) \
	COLUMN(share, "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS, \
	       cell_share(t, r)) \
	COLUMN(spawn_ns, "SPAWN", TR2_COL_YIELDS, \
	       add_notable(t, r, TIME(r, spawn_ns))) \
	TEXT(exit, "EXIT", TR2_COL_DATA | TR2_COL_PAGE | TR2_COL_LEFT, \
	     if (!r->fold) tr2_node_cell_exit(t, &r->of)) \
	TEXT(uncertain, "", TR2_COL_LEFT, \
	     if (!r->fold) tr2_node_cell_uncertain(t, &r->of)) \
	TEXT(command, "PROCESS", TR2_COL_TREE | TR2_COL_FLEX, \
	     cell_command(t, r)) \
	DATA(name, tr2_node_cell_name(t, &r->of)) \
	DATA(argv, tr2_node_cell_argv(t, &r->of)) \
	DATA(target, \
	     if (r->target) tr2_cell_str(t, tr2_s(r->of.m, r->target))) \
	COLUMN(pid, "PID", TR2_COL_DATA | TR2_COL_PAGE, \
	       if (!r->fold) tr2_node_cell_pid(t, &r->of)) \
	DATA(sid, tr2_node_cell_sid(t, &r->of)) \
	DATA(start, tr2_node_cell_start(t, &r->of)) \
	DATA(join, tr2_node_cell_join(t, &r->of)) \
	DATA(states_lost, tr2_node_cell_states_lost(t, &r->of)) \
	TR2_NODE_END_COLUMNS(DATA, &r->of) \
	DATA(segments, tr2_node_cell_segments(t, &r->of)) \
	DATA(at_least, tr2_node_cell_at_least(t, &r->of)) \
	DATA(begun, tr2_node_cell_begun(t, &r->of)) \
	DATA(cut, tr2_node_cell_cut(t, &r->of))

TR2_COLUMN_LIST(process_columns, struct process, PROCESS_COLUMNS)

/* The filter of the processes that the table shows: the legend explains only
 * the marks of these processes. */
static const struct tr2_filter *legend_filter;
static const struct tr2_fold *legend_fold;

static bool is_chosen(const struct tr2_model *m, uint32_t node)
{
	uint32_t i;

	if (!legend_fold)
		return tr2_filter_node(legend_filter, m, node);
	for (i = 0; i < legend_fold->nr_singles; i++)
		if (legend_fold->single[i] == node)
			return true;
	return false;
}

static void add_processes(struct tr2_table *t, void *data)
{
	const struct tr2_report *r = data;
	const struct tr2_model *m = r->m;
	struct process row = { .of.m = m,
			       .whole = tr2_report_whole_ns(m),
			       .with_self = r->sort != NULL };
	int *depths = tr2_calloc(m->nr_nodes, sizeof(*depths)), depth;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!m->nodes[i].parent)
			row.root = i;
		row.of.node = i;
		row.target = tr2_target(r->m, i);
		/* The depth counts only selected ancestors. */
		depths[i] = depth = depths[m->nodes[i].parent];
		if (!tr2_filter_node(r->filter, m, i))
			continue;
		depths[i]++;
		tr2_table_add_at(t, &row, depth);
	}
	free(depths);
}

static uint32_t root_of(const struct tr2_model *m, uint32_t node)
{
	while (m->nodes[node].parent)
		node = m->nodes[node].parent;
	return node;
}

/* Add the rows. Return whether a row has several processes; the row of the rest
 * does not count. */
static bool add_folded(struct tr2_table *t, const struct tr2_report *r,
		       const struct tr2_fold *fold)
{
	struct process row = { .of.m = r->m,
			       .whole = tr2_report_whole_ns(r->m) };
	bool several = false;
	int depth = -1;
	uint32_t i;

	for (i = tr2_fold_after(fold, 0, &depth); i;
	     i = tr2_fold_after(fold, i, &depth)) {
		row.of.node = fold->row[i].node;
		row.root = root_of(r->m, row.of.node);
		row.fold = fold->row[i].nr > 1 ? &fold->row[i] : NULL;
		several |= row.fold != NULL;
		tr2_table_add_at(t, &row, depth);
	}
	row.fold = &fold->rest;
	row.rest = fold;
	if (fold->nr_rest)
		tr2_table_add_at(t, &row, 0);
	return several;
}

/* Print the summary and the path above the processes in text, where they are
 * read first. */
static void print_above(const struct tr2_report *r, bool with_path)
{
	tr2_report_summary(r);
	if (with_path && tr2_report_is_text(r))
		tr2_report_path(r);
}

static bool processes(const struct tr2_report *r, bool with_path)
{
	bool folds =
		tr2_report_is_text(r) && !r->all && !r->sort && r->limit < 0;
	struct tr2_fold fold = { .nr = 0 };
	struct tr2_table t = TR2_TABLE_OF(r->out, "processes", process_columns);
	bool ok, several = false;

	folds = folds && tr2_report_fold(&fold, r);
	/* Collect the rows only if the table is sorted: collecting needs memory
	 * for all rows. */
	if (folds)
		several = add_folded(&t, r, &fold);
	else if (r->sort || r->limit >= 0)
		add_processes(&t, (void *)r);
	else
		tr2_table_rows(&t, add_processes, (void *)r);
	ok = tr2_report_sort(r, &t, NULL);
	if (ok) {
		r->out->piped_width = TR2_REPORT_WIDTH;
		print_above(r, with_path);
		r->out->caption =
			"the processes as a tree; [...]: not instrumented; "
			"<: began before it was recorded; "
			"?: likely, but not certainly, a child of the process "
			"above it";
		tr2_table_print(&t);
		r->out->piped_width = 0;
	}
	tr2_table_release(&t);
	if (ok && several)
		printf("%sx N: sums of N processes; in brackets the median and "
		       "the largest WALL%s\n", tr2_color_on(TR2_COLOR_DIM),
		       tr2_color_off(TR2_COLOR_DIM));
	legend_filter = r->filter;
	legend_fold = folds ? &fold : NULL;
	if (ok && tr2_report_is_text(r))
		tr2_print_legend(r->m, is_chosen, false);
	tr2_fold_release(&fold);
	return ok;
}

void tr2_report_processes_by_kind(const struct tr2_report *r)
{
	struct tr2_fold fold = { .nr = 0 };
	struct tr2_table t =
		TR2_TABLE_OF(r->out, "processes_by_kind", process_columns);

	if (!tr2_report_fold(&fold, r))
		return;
	add_folded(&t, r, &fold);
	r->out->caption = "the processes as a tree; those of one kind below "
			  "one process are one row, which links to the first "
			  "of them: their number, median and largest time";
	tr2_table_print(&t);
	tr2_table_release(&t);
	tr2_fold_release(&fold);
}

bool tr2_report_processes(const struct tr2_report *r)
{
	bool with_path = !tr2_filter_on(r->filter) && !r->sort && r->limit < 0;

	if (!processes(r, with_path))
		return false;
	if (with_path && !tr2_report_is_text(r))
		tr2_report_path(r);
	return true;
}
