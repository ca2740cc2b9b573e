/* SPDX-License-Identifier: MIT */
/*
 * report_processes - trace2 report without a view: the time of each process as
 * a tree, and the critical path.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/node.h"
#include "cmd/report.h"

/* Return the part of a process's time in which its root still ran. */
static int64_t time_within(const struct tr2_node *n, const struct tr2_node *root)
{
	int64_t start = n->start_ns > root->start_ns ? n->start_ns :
						       root->start_ns;
	int64_t end = n->end_ns < root->end_ns ? n->end_ns : root->end_ns;

	return end > start ? end - start : 0;
}

/* Text shows no column READY if no process lacked a CPU for such a share of the
 * whole. */
#define MIN_READY_SHARE 0.005

struct process {
	struct tr2_node_row of;
	uint32_t root;
	int64_t whole;
	bool with_self; /* also where there are states */
};

static const struct tr2_node *node_of(const struct process *r)
{
	return &r->of.m->nodes[r->of.node];
}

static bool is_text(const struct tr2_table *t)
{
	return tr2_output_is_text(t->output);
}

/* CPU and WAIT say more, where they are known. */
TR2_CELL(cell_self, struct process,
	 if (r->with_self || !is_text(t) ||
	     node_of(r)->wait_ns == TR2_NO_TIME)
		 tr2_cell_ns(t, node_of(r)->self_ns))
TR2_CELL(cell_ready, struct process,
	 if (!is_text(t) ||
	     tr2_report_share(node_of(r)->ready_ns, r->whole) >=
		     MIN_READY_SHARE)
		 tr2_node_cell_ready(t, r))
TR2_CELL(cell_share, struct process,
	 tr2_cell_share(t, tr2_report_share(time_within(node_of(r),
						&r->of.m->nodes[r->root]),
				    r->whole)))
TR2_CELL(cell_spawn, struct process, tr2_cell_ns(t, node_of(r)->spawn_ns))

static const struct tr2_column process_columns[] = {
	{ "wall_ns", "WALL", 0, tr2_node_cell_wall },
	{ "cpu_ns", "CPU", 0, tr2_node_cell_cpu },
	{ "wait_ns", "WAIT", 0, tr2_node_cell_wait },
	{ "ready_ns", "READY", TR2_COL_YIELDS, cell_ready },
	{ "self_ns", "SELF", 0, cell_self },
	{ "share", "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS, cell_share },
	{ "spawn_ns", "SPAWN", TR2_COL_YIELDS, cell_spawn },
	{ NULL, "EXIT", TR2_COL_DATA | TR2_COL_PAGE | TR2_COL_LEFT,
	  tr2_node_cell_exit },
	{ NULL, "", TR2_COL_TEXT | TR2_COL_LEFT, tr2_node_cell_uncertain },
	{ NULL, "PROCESS", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT,
	  tr2_node_cell_command },
	{ "name", "", TR2_COL_DATA, tr2_node_cell_name },
	{ "argv", "", TR2_COL_DATA, tr2_node_cell_argv },
	{ "pid", "PID", TR2_COL_DATA | TR2_COL_PAGE, tr2_node_cell_pid },
	{ "sid", "", TR2_COL_DATA, tr2_node_cell_sid },
	{ "start", "", TR2_COL_DATA, tr2_node_cell_start },
	{ "join", "", TR2_COL_DATA, tr2_node_cell_join },
	{ "states_lost", "", TR2_COL_DATA, tr2_node_cell_states_lost },
	TR2_NODE_END_COLUMNS,
	{ "segments", "", TR2_COL_DATA, tr2_node_cell_segments },
	{ "at_least", "", TR2_COL_DATA, tr2_node_cell_at_least },
	{ "begun", "", TR2_COL_DATA, tr2_node_cell_begun },
};

/* For the legend, which asks for each process. */
static const struct tr2_filter *legend_filter;

static bool is_chosen(const struct tr2_model *m, uint32_t node)
{
	return tr2_filter_node(legend_filter, m, node);
}

static void give_processes(struct tr2_table *t, void *data)
{
	const struct tr2_report *r = data;
	const struct tr2_model *m = r->m;
	struct process row = { { m, 0 }, 0, tr2_report_whole_ns(m),
			       r->sort != NULL };
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!m->nodes[i].parent)
			row.root = i;
		row.of.node = i;
		if (tr2_filter_node(r->filter, m, i))
			tr2_table_add_at(t, &row,
					 tr2_filter_depth(r->filter, m, i));
	}
}

static bool processes(const struct tr2_report *r)
{
	struct tr2_table t;
	bool ok;

	tr2_table_init(&t, r->out, "processes", TR2_COLUMNS(process_columns));
	r->out->caption = "the processes as a tree; [...]: not instrumented; "
			  "<: began before it was recorded; ?: likely, but not certainly, a child of the "
			  "process above it";
	/* Only a sorted table needs all rows in memory. */
	if (r->sort || r->limit >= 0)
		give_processes(&t, (void *)r);
	else
		tr2_table_rows(&t, give_processes, (void *)r);
	ok = tr2_report_sort(r, &t, NULL);
	if (ok) {
		tr2_report_summary(r);
		tr2_table_print(&t);
	}
	tr2_table_release(&t);
	legend_filter = r->filter;
	if (ok && tr2_report_is_text(r))
		tr2_print_legend(r->m, is_chosen, false);
	return ok;
}

bool tr2_report_processes(const struct tr2_report *r)
{
	if (!processes(r))
		return false;
	if (!tr2_filter_on(r->filter) && !r->sort && r->limit < 0)
		tr2_report_critical_path(r);
	return true;
}
