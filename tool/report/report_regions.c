/* SPDX-License-Identifier: MIT */
/*
 * report_regions - trace2 report --regions, --threads, and -g alone.
 */
#include <stdlib.h>
#include <string.h>

#include "common/words.h"
#include "common/memory.h"
#include "model/join/self_time.h"
#include "model/path/critical.h"
#include "model/states.h"
#include "model/stats.h"
#include "report/node.h"
#include "report/report.h"

static const char no_region[] = "(in no region)";

/* Return the text `category/label` of a span, which lives as long as the
 * model. */
static const char *region_name(struct tr2_model *m, const struct tr2_span *s)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	tr2_join(&b, tr2_s(m, s->category), tr2_s(m, s->label));
	return tr2_s(m, tr2_intern(m, b.p, b.len));
}

/* The groups of a view, and which spans and processes belong to them. */
struct gathering {
	const struct tr2_report *r;
	struct tr2_groups groups;
	uint32_t *root_of;  /* by node */
	uint32_t *group_of; /* for each span: 1 + its group; 0: none */
	uint32_t group;     /* the group of the current thread or process */
};

static void begin_gathering(struct gathering *g, const struct tr2_report *r)
{
	const struct tr2_model *m = r->m;
	uint32_t i;

	*g = (struct gathering){ .r = r };
	g->group_of = tr2_calloc(m->nr_spans, sizeof(*g->group_of));
	g->root_of = tr2_calloc(m->nr_nodes, sizeof(*g->root_of));
	for (i = m->first_root; i; i = tr2_node_after(m, i))
		g->root_of[i] = m->nodes[i].parent ?
					g->root_of[m->nodes[i].parent] : i;
}

static void end_gathering(struct gathering *g)
{
	tr2_groups_release(&g->groups);
	free(g->root_of);
	free(g->group_of);
}

static uint32_t group_index(const struct gathering *g,
			    const struct tr2_group *group)
{
	return (uint32_t)(group - g->groups.group);
}

static void add_piece(struct gathering *g, uint32_t group, uint32_t node,
		      int64_t from_ns, int64_t to_ns)
{
	struct tr2_group_piece piece = { group, g->root_of[node], from_ns,
					 to_ns };

	tr2_groups_piece(&g->groups, g->r->m, &piece);
}

/* Add to a group the time that a thread spent in each state from from_ns to
 * to_ns. */
static void add_states(struct gathering *g, uint32_t group, uint32_t thread,
		       int64_t from_ns, int64_t to_ns)
{
	const struct tr2_model *m = g->r->m;
	struct tr2_group *to = &g->groups.group[group];
	struct tr2_state_sums sums = { 0 };

	if (!m->threads[thread].task_thread)
		return;
	tr2_states_sum(m, m->threads[thread].task_thread, from_ns, to_ns,
		       &sums);
	to->run_ns += sums.run_ns;
	to->ready_ns += sums.ready_ns;
	to->wait_ns += sums.wait_ns;
}

static void own_of_span(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	const struct gathering *g = data;
	const struct tr2_model *m = g->r->m;
	uint32_t thread = m->spans[of].thread;

	if (!g->group_of[of])
		return;
	add_piece(data, g->group_of[of] - 1,
		  m->sessions[m->threads[thread].session].node, from_ns, to_ns);
	add_states(data, g->group_of[of] - 1, thread, from_ns, to_ns);
}

static void own_of_thread(void *data, uint32_t of, int64_t from_ns,
			  int64_t to_ns)
{
	const struct gathering *g = data;
	const struct tr2_model *m = g->r->m;

	add_piece(data, g->group, m->sessions[m->threads[of].session].node,
		  from_ns, to_ns);
	add_states(data, g->group, of, from_ns, to_ns);
}

static void own_of_node(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	const struct gathering *g = data;

	add_piece(data, g->group, of, from_ns, to_ns);
}

/* Add the time of a session outside of main's outermost regions. */
static void add_outside(struct gathering *g, uint32_t session)
{
	const struct tr2_model *m = g->r->m;
	const struct tr2_model_session *s = &m->sessions[session];
	int64_t outside = s->end_ns - s->start_ns, to = INT64_MIN;
	struct tr2_group *group;
	uint32_t i;

	tr2_for_each_span(m, s->first_thread, i) {
		const struct tr2_span *span = &m->spans[i];
		int64_t from = span->start_ns > to ? span->start_ns : to;

		if (span->kind != TR2_SPAN_REGION || span->end_ns <= from)
			continue;
		outside -= span->end_ns - from;
		to = span->end_ns;
	}
	group = tr2_groups_get(&g->groups, tr2_report_group(g->r, session),
			       no_region);
	tr2_group_add(group, s->node, outside > 0 ? outside : 0);
	g->group = group_index(g, group);
	tr2_own_of_thread(m, s->first_thread, own_of_thread, g);
}

static void gather_session(struct gathering *g, uint32_t session)
{
	struct tr2_model *m = g->r->m;
	struct tr2_group *group;
	uint32_t t, i;

	if (!g->r->filter->region && !g->r->filter->min_ns)
		add_outside(g, session);
	tr2_for_each_thread(m, session, t)
		tr2_for_each_span(m, t, i) {
			const struct tr2_span *span = &m->spans[i];

			if (span->kind != TR2_SPAN_REGION ||
			    !tr2_filter_span(g->r->filter, m, i))
				continue;
			group = tr2_groups_get(&g->groups,
					       tr2_report_group(g->r, session),
					       region_name(m, span));
			tr2_group_add(group, i, span->end_ns - span->start_ns);
			g->group_of[i] = 1 + group_index(g, group);
		}
}

struct group_row {
	const struct tr2_group *g;
	int64_t whole;
	bool by_target;
};

static bool by_target(const struct tr2_report *r)
{
	return r->group && !strcmp(r->group, TR2_GROUP_TARGET);
}

/* Show the name, as a link to the longest region of the group. */
static void cell_region(struct tr2_table *t, const struct group_row *r)
{
	tr2_cell_str(t, r->g->name);
	tr2_cell_link(t, r->g->name == no_region ? TR2_LINK_NODE :
						   TR2_LINK_SPAN,
		      r->g->longest);
}

static bool has_states(const struct tr2_group *g)
{
	return g->run_ns || g->ready_ns || g->wait_ns;
}

/* Show how the durations of a group vary, except for a target in text: a target
 * is made only once. */
static void cell_spread(struct tr2_table *t, const struct group_row *r,
			int64_t ns)
{
	if (t->output->format != TR2_FORMAT_TEXT || !r->by_target)
		tr2_cell_ns(t, ns);
}

#define PERCENTILES(COLUMN) \
	COLUMN(p50_ns, "P50", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       cell_spread(t, r, tr2_group_percentile(r->g, 0.5))) \
	COLUMN(p90_ns, "P90", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       cell_spread(t, r, tr2_group_percentile(r->g, 0.9))) \
	COLUMN(p99_ns, "P99", TR2_COL_SINGLE | TR2_COL_SPARE, \
	       cell_spread(t, r, tr2_group_percentile(r->g, 0.99))) \
	COLUMN(max_ns, "MAX", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       cell_spread(t, r, r->g->max_ns))

/* The columns for the times of a group, and for the group's share of the
 * elapsed time. Times are sums, in which parallel work counts several times. */
#define TIMES(COLUMN) \
	COLUMN(total_ns, "SUM WALL", 0, tr2_cell_ns(t, r->g->total_ns)) \
	COLUMN(self_ns, "SUM SELF", 0, tr2_cell_ns(t, r->g->self_ns)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS, \
	       tr2_cell_share(t, tr2_report_share(r->g->once_ns, r->whole)))

#define REGION_COLUMNS(COLUMN, DATA, TEXT) \
	TIMES(COLUMN) \
	COLUMN(cpu_ns, "CPU", 0, \
	       if (has_states(r->g)) tr2_cell_ns(t, r->g->run_ns)) \
	COLUMN(wait_ns, "WAIT", 0, \
	       if (has_states(r->g)) tr2_cell_ns(t, r->g->wait_ns)) \
	COLUMN(ready_ns, "READY", TR2_COL_YIELDS, \
	       if (has_states(r->g)) tr2_cell_ns(t, r->g->ready_ns)) \
	COLUMN(calls, "CALLS", TR2_COL_YIELDS, tr2_cell_uint(t, r->g->nr)) \
	PERCENTILES(COLUMN) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->g->by)) \
	COLUMN(region, "REGION", TR2_COL_FLEX, cell_region(t, r))

TR2_COLUMN_LIST(region_columns, struct group_row, REGION_COLUMNS)

/* Print one row for each group. */
static bool print_groups(struct gathering *g, const char *name,
			 const struct tr2_column *columns, size_t nr_columns,
			 const char *sort)
{
	struct group_row row = { NULL, tr2_report_whole_ns(g->r->m),
				 by_target(g->r) };
	struct tr2_table t;
	uint32_t i;

	tr2_table_init(&t, g->r->out, name, columns, nr_columns);
	tr2_groups_sort(&g->groups);
	for (i = 0; i < g->groups.nr; i++) {
		row.g = &g->groups.group[i];
		tr2_table_add(&t, &row);
	}
	return tr2_report_table(g->r, &t, sort);
}

bool tr2_report_regions(const struct tr2_report *r)
{
	struct gathering g;
	uint32_t i;
	bool ok;

	begin_gathering(&g, r);
	tr2_report_for_each_session(r, i)
		gather_session(&g, i);
	tr2_own_of_spans(r->m, own_of_span, &g);
	ok = print_groups(&g, "regions", TR2_COLUMNS(region_columns), "self");
	end_gathering(&g);
	return ok;
}

struct thread_row {
	struct tr2_session_row of;
	const struct tr2_model_thread *thread;
	int64_t wall_ns, in_regions_ns;
	uint64_t nr_regions;
};

static void measure_thread(struct thread_row *row, uint32_t thread)
{
	const struct tr2_model *m = row->of.m;
	int64_t to = INT64_MIN, from;
	uint32_t i;

	row->thread = &m->threads[thread];
	row->wall_ns = row->thread->end_ns - row->thread->start_ns;
	row->in_regions_ns = 0;
	row->nr_regions = 0;
	tr2_for_each_span(m, thread, i) {
		const struct tr2_span *span = &m->spans[i];

		if (span->kind != TR2_SPAN_REGION)
			continue;
		row->nr_regions++;
		from = span->start_ns > to ? span->start_ns : to;
		if (span->end_ns > from) {
			row->in_regions_ns += span->end_ns - from;
			to = span->end_ns;
		}
	}
}

#define THREAD_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(wall_ns, "WALL", 0, tr2_cell_ns(t, r->wall_ns)) \
	COLUMN(in_regions_ns, "IN REGIONS", 0, \
	       tr2_cell_ns(t, r->in_regions_ns)) \
	COLUMN(busy, "BUSY", TR2_COL_HEAT, \
	       tr2_cell_share(t, tr2_report_share(r->in_regions_ns, \
						  r->wall_ns))) \
	COLUMN(regions, "REGIONS", 0, tr2_cell_uint(t, r->nr_regions)) \
	COLUMN(start_ns, "FROM", 0, \
	       tr2_cell_ns(t, r->thread->start_ns - r->of.session->start_ns)) \
	COLUMN(thread, "THREAD", TR2_COL_FLEX, \
	       tr2_cell_str(t, tr2_s(r->of.m, r->thread->name)); \
	       tr2_cell_link(t, TR2_LINK_THREAD, \
			     (uint32_t)(r->thread - r->of.m->threads))) \
	COLUMN(process, "PROCESS", TR2_COL_FLEX, \
	       tr2_session_cell_process(t, &r->of)) \
	DATA(pid, tr2_session_cell_pid(t, &r->of)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

TR2_COLUMN_LIST(thread_columns, struct thread_row, THREAD_COLUMNS)

bool tr2_report_threads(const struct tr2_report *r)
{
	struct thread_row row = { .of.m = r->m };
	struct tr2_table t = TR2_TABLE_OF(r->out, "threads", thread_columns);
	uint32_t s, i;

	tr2_report_for_each_session(r, s) {
		row.of.session = &r->m->sessions[s];
		tr2_for_each_thread(r->m, s, i) {
			measure_thread(&row, i);
			if (row.wall_ns >= r->filter->min_ns)
				tr2_table_add(&t, &row);
		}
	}
	return tr2_report_table_if_any(r, &t, NULL);
}

static void cell_group_spawn(struct tr2_table *t, const struct group_row *r)
{
	if (r->g->nr_extra)
		tr2_cell_ns(t, r->g->extra_ns);
	else if (t->output->format == TR2_FORMAT_TEXT)
		tr2_cell_str(t, "-");
}

/* In text, leave the cell of a kind of process empty: the usual view shows the
 * path. */
static void cell_path(struct tr2_table *t, const struct group_row *r)
{
	if (t->output->format != TR2_FORMAT_TEXT || r->by_target)
		tr2_cell_ns(t, r->g->path_ns);
}

#define GROUP_COLUMNS(COLUMN, DATA, TEXT) \
	TIMES(COLUMN) \
	COLUMN(path_ns, "ON PATH", 0, cell_path(t, r)) \
	COLUMN(cpu_ns, "SUM CPU", 0, \
	       if (has_states(r->g)) tr2_cell_ns(t, r->g->run_ns)) \
	COLUMN(spawn_ns, "SUM SPAWN", TR2_COL_SPARE, \
	       cell_group_spawn(t, r)) \
	COLUMN(processes, "COUNT", 0, tr2_cell_uint(t, r->g->nr)) \
	PERCENTILES(COLUMN) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->g->name))

TR2_COLUMN_LIST(group_columns, struct group_row, GROUP_COLUMNS)

/* Return whether an ancestor already counts for this group. A job counts once,
 * even if it runs many processes. */
static bool is_inside(const struct tr2_report *r, uint32_t node,
		      const char *group)
{
	uint32_t up = r->m->nodes[node].parent;

	return up && by_target(r) &&
	       tr2_filter_node(r->filter, r->m, up) &&
	       !strcmp(tr2_report_node_group(r, up), group);
}

static struct tr2_group *group_of_node(struct gathering *g, uint32_t node)
{
	return tr2_groups_get(&g->groups, NULL,
			      tr2_report_node_group(g->r, node));
}

static void gather_node(struct gathering *g, uint32_t node)
{
	const struct tr2_model *m = g->r->m;
	const struct tr2_node *n = &m->nodes[node];
	struct tr2_group *group = group_of_node(g, node);

	if (!is_inside(g->r, node, group->name))
		tr2_group_add(group, node, n->end_ns - n->start_ns);
	if (n->spawn_ns != TR2_NO_TIME) {
		tr2_ns_add(&group->extra_ns, n->spawn_ns);
		group->nr_extra++;
	}
	if (tr2_times(m, n)->cpu_ns != TR2_NO_TIME)
		tr2_ns_add(&group->run_ns, tr2_times(m, n)->cpu_ns);
	g->group = group_index(g, group);
	tr2_own_of_node(m, node, own_of_node, g);
}

/* Add to each group its time on the critical path of the whole recording. Leave
 * out processes that are not shown. */
static void add_path(struct gathering *g)
{
	const struct tr2_report *r = g->r;
	uint32_t root = tr2_longest_root(r->m);
	struct tr2_step *steps = NULL;
	size_t nr = root ? tr2_critical_path(r->m, root, &steps) : 0, i;

	for (i = 0; i < nr; i++)
		if (tr2_filter_node(r->filter, r->m, steps[i].node))
			tr2_ns_add(&group_of_node(g, steps[i].node)->path_ns,
				   tr2_step_ns(&steps[i]));
	free(steps);
}

bool tr2_report_groups(const struct tr2_report *r)
{
	const struct tr2_model *m = r->m;
	struct gathering g;
	uint32_t i;
	bool ok;

	begin_gathering(&g, r);
	for (i = m->first_root; i; i = tr2_node_after(m, i))
		if (tr2_filter_node(r->filter, m, i))
			gather_node(&g, i);
	add_path(&g);
	ok = print_groups(&g, "groups", TR2_COLUMNS(group_columns), "total");
	end_gathering(&g);
	return ok;
}
