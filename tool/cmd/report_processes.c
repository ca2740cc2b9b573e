/* SPDX-License-Identifier: MIT */
/*
 * report_processes - trace2 report without a view: where the time went, by
 * process as a tree, and the critical path.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/node.h"
#include "cmd/report.h"
#include "common/join.h"
#include "model/critical.h"
#include "model/filter.h"
#include "model/stats.h"

/* ---- the processes ---------------------------------------------------------------- */

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

struct process {
	struct tr2_node_row of;
	uint32_t root;
	int64_t whole;
};

static const struct tr2_node *node_of(const struct process *r)
{
	return &r->of.m->nodes[r->of.node];
}

TR2_CELL(cell_self, struct process, tr2_cell_ns(t, node_of(r)->self_ns))
TR2_CELL(cell_share, struct process,
	 tr2_cell_share(t, share_of(time_within(node_of(r),
						&r->of.m->nodes[r->root]),
				    r->whole)))
TR2_CELL(cell_spawn, struct process, tr2_cell_ns(t, node_of(r)->spawn_ns))

static const struct tr2_column process_columns[] = {
	{ "wall_ns", "WALL", 0, tr2_node_cell_wall },
	{ "self_ns", "SELF", 0, cell_self },
	{ "share", "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS, cell_share },
	{ "spawn_ns", "SPAWN", TR2_COL_YIELDS, cell_spawn },
	{ NULL, "", TR2_COL_TEXT | TR2_COL_LEFT, tr2_node_cell_uncertain },
	{ NULL, "PROCESS", TR2_COL_TREE | TR2_COL_FLEX | TR2_COL_TEXT,
	  tr2_node_cell_command },
	{ "name", "", TR2_COL_DATA, tr2_node_cell_name },
	{ "argv", "", TR2_COL_DATA, tr2_node_cell_argv },
	{ "pid", "", TR2_COL_DATA, tr2_node_cell_pid },
	{ "sid", "", TR2_COL_DATA, tr2_node_cell_sid },
	{ "start", "", TR2_COL_DATA, tr2_node_cell_start },
	{ "join", "", TR2_COL_DATA, tr2_node_cell_join },
	TR2_NODE_END_COLUMNS,
};

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
	struct process row = { { m, 0 }, 0, whole_ns(m) };
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

	tr2_table_init(&t, r->out, "processes", process_columns,
		       sizeof(process_columns) / sizeof(*process_columns));
	/* Only what is sorted has to be there as a whole. */
	if (r->sort || r->limit >= 0)
		give_processes(&t, (void *)r);
	else
		tr2_table_rows(&t, give_processes, (void *)r);
	ok = tr2_report_sort(r, &t, NULL);
	if (ok && tr2_report_is_text(r))
		print_summary(r->m, whole_ns(r->m));
	if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	legend_filter = r->filter;
	if (ok && tr2_report_is_text(r))
		tr2_print_legend(r->m, is_chosen, false);
	return ok;
}

/* ---- the critical path ----------------------------------------------------------------- */

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
}

TR2_CELL(cell_step_time, struct step_row, tr2_cell_ns(t, r->step->ns))
TR2_CELL(cell_step_share, struct step_row,
	 tr2_cell_share(t, share_of(r->step->ns, r->whole)))
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
	{ "start", "", TR2_COL_DATA, cell_step_start },
};

/* Marks the steps to show: the large ones, and all around them. */
static void mark_steps(const struct tr2_step *steps, size_t nr, int64_t whole,
		       bool all, bool *shown)
{
	size_t i;

	for (i = nr; i-- > 0;) {
		if (all || share_of(steps[i].ns, whole) >= MIN_SHARE)
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
	tr2_table_init(&t, r->out, "critical_path", path_columns,
		       sizeof(path_columns) / sizeof(*path_columns));
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

static void critical_path(const struct tr2_report *r)
{
	const struct tr2_model *m = r->m;
	uint32_t root = tr2_longest_root(m);
	int64_t whole = m->nodes[root].end_ns - m->nodes[root].start_ns;
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(m, root, &steps) : 0;
	bool *shown = calloc(nr + 1, sizeof(*shown));

	if (nr && shown)
		print_path(r, steps, nr, whole, shown);
	free(shown);
	free(steps);
}

bool tr2_report_processes(const struct tr2_report *r)
{
	if (!processes(r))
		return false;
	if (!tr2_filter_on(r->filter) && !r->sort && r->limit < 0)
		critical_path(r);
	return true;
}
