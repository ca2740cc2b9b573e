/* SPDX-License-Identifier: MIT */
/*
 * report_regions - trace2 report --regions, --threads, and -g alone.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/node.h"
#include "cmd/report.h"
#include "common/join.h"
#include "common/memory.h"
#include "model/stats.h"

static const char no_region[] = "(in no region)";

/* Return the text `category/label` of a span, which lives as long as the
 * model. */
static const char *region_name(struct tr2_model *m, const struct tr2_span *s)
{
	static struct tr2_buf b; /* kept: it is mapped memory */

	tr2_join(&b, tr2_s(m, s->category), tr2_s(m, s->label));
	return tr2_s(m, tr2_intern(m, b.p, b.len));
}

/* Add the session's time outside of main's outermost regions and child
 * spans. */
static void add_outside(const struct tr2_report *r, uint32_t session,
			struct tr2_groups *groups)
{
	const struct tr2_model *m = r->m;
	const struct tr2_model_session *s = &m->sessions[session];
	int64_t outside = s->end_ns - s->start_ns, self = outside;
	int64_t region_to = INT64_MIN, any_to = INT64_MIN;
	struct tr2_group *group;
	uint32_t i;

	tr2_for_each_span(m, s->first_thread, i) {
		const struct tr2_span *span = &m->spans[i];
		int64_t start = span->start_ns, from;

		if (span->parent || span->kind == TR2_SPAN_EXEC)
			continue;
		from = start > any_to ? start : any_to;
		if (span->end_ns > from) {
			self -= span->end_ns - from;
			any_to = span->end_ns;
		}
		from = start > region_to ? start : region_to;
		if (span->kind == TR2_SPAN_REGION && span->end_ns > from) {
			outside -= span->end_ns - from;
			region_to = span->end_ns;
		}
	}
	group = tr2_groups_get(groups, tr2_report_group(r, session), no_region);
	tr2_group_add(group, s->node, outside > 0 ? outside : 0,
		      self > 0 ? self : 0);
}

static void gather_session(const struct tr2_report *r, uint32_t session,
			   const int64_t *self, struct tr2_groups *groups)
{
	struct tr2_model *m = r->m;
	struct tr2_group *group;
	uint32_t t, i;

	if (!r->filter->region && !r->filter->min_ns)
		add_outside(r, session, groups);
	tr2_for_each_thread(m, session, t)
		tr2_for_each_span(m, t, i) {
			const struct tr2_span *span = &m->spans[i];

			if (span->kind != TR2_SPAN_REGION ||
			    !tr2_filter_span(r->filter, m, i))
				continue;
			group = tr2_groups_get(groups,
					       tr2_report_group(r, session),
					       region_name(m, span));
			tr2_group_add(group, i, span->end_ns - span->start_ns,
				      self[i]);
		}
}

struct group_row {
	const struct tr2_group *g;
	int64_t whole;
};

TR2_CELL(cell_total, struct group_row, tr2_cell_ns(t, r->g->total_ns))
TR2_CELL(cell_self, struct group_row, tr2_cell_ns(t, r->g->self_ns))
TR2_CELL(cell_share, struct group_row,
	 tr2_cell_share(t, tr2_report_share(r->g->self_ns, r->whole)))
TR2_CELL(cell_nr, struct group_row, tr2_cell_uint(t, r->g->nr))
TR2_CELL(cell_p50, struct group_row,
	 tr2_cell_ns(t, tr2_group_percentile(r->g, 0.5)))
TR2_CELL(cell_p90, struct group_row,
	 tr2_cell_ns(t, tr2_group_percentile(r->g, 0.9)))
TR2_CELL(cell_p99, struct group_row,
	 tr2_cell_ns(t, tr2_group_percentile(r->g, 0.99)))
TR2_CELL(cell_max, struct group_row, tr2_cell_ns(t, r->g->max_ns))
TR2_CELL(cell_by, struct group_row, tr2_cell_str(t, r->g->by))
TR2_CELL(cell_name, struct group_row, tr2_cell_str(t, r->g->name))

/* The same, leading to the longest one. */
static void cell_region(struct tr2_table *t, const void *row)
{
	const struct group_row *r = row;

	cell_name(t, row);
	tr2_cell_link(t, r->g->name == no_region ? TR2_LINK_NODE :
						   TR2_LINK_SPAN,
		      r->g->longest);
}

/* How the durations of a group are spread. */
#define PERCENTILES                                                        \
	{ "p50_ns", "P50", TR2_COL_SHORT | TR2_COL_SPARE, cell_p50 },      \
	{ "p90_ns", "P90", TR2_COL_SHORT | TR2_COL_SPARE, cell_p90 },      \
	{ "p99_ns", "P99", TR2_COL_SHORT | TR2_COL_SPARE, cell_p99 },      \
	{ "max_ns", "MAX", TR2_COL_SHORT | TR2_COL_YIELDS, cell_max }

static const struct tr2_column region_columns[] = {
	{ "total_ns", "TOTAL", TR2_COL_SHORT, cell_total },
	{ "self_ns", "SELF", TR2_COL_SHORT, cell_self },
	{ "share", "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS, cell_share },
	{ "calls", "CALLS", 0, cell_nr },
	PERCENTILES,
	{ "group", "GROUP", TR2_COL_FLEX, cell_by },
	{ "region", "REGION", TR2_COL_FLEX, cell_region },
};

/* Prints a row a group into a table that is begun, and releases both. */
static bool finish_groups(const struct tr2_report *r, struct tr2_table *t,
			  struct tr2_groups *groups, int64_t whole,
			  const char *sort)
{
	struct group_row row = { NULL, whole };
	uint32_t i;
	bool ok;

	tr2_groups_sort(groups);
	for (i = 0; i < groups->nr; i++) {
		row.g = &groups->group[i];
		tr2_table_add(t, &row);
	}
	ok = tr2_report_table(r, t, sort);
	tr2_groups_release(groups);
	return ok;
}

bool tr2_report_regions(const struct tr2_report *r)
{
	int64_t *self = tr2_calloc(r->m->nr_spans, sizeof(*self)), whole = 0;
	struct tr2_groups groups = { 0 };
	struct tr2_table t;
	uint32_t i;

	tr2_model_self_times(r->m, self);
	tr2_report_for_each_session(r, i) {
		tr2_ns_add(&whole, r->m->sessions[i].end_ns -
					   r->m->sessions[i].start_ns);
		gather_session(r, i, self, &groups);
	}
	free(self);
	tr2_table_init(&t, r->out, "regions", TR2_COLUMNS(region_columns));
	return finish_groups(r, &t, &groups, whole, "self");
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

TR2_CELL(cell_thread_wall, struct thread_row, tr2_cell_ns(t, r->wall_ns))
TR2_CELL(cell_thread_in, struct thread_row, tr2_cell_ns(t, r->in_regions_ns))
TR2_CELL(cell_thread_busy, struct thread_row,
	 tr2_cell_share(t, tr2_report_share(r->in_regions_ns, r->wall_ns)))
TR2_CELL(cell_thread_regions, struct thread_row,
	 tr2_cell_uint(t, r->nr_regions))
TR2_CELL(cell_thread_start, struct thread_row,
	 tr2_cell_ns(t, r->thread->start_ns - r->of.session->start_ns))
TR2_CELL(cell_thread_name, struct thread_row,
	 tr2_cell_str(t, tr2_s(r->of.m, r->thread->name));
	 tr2_cell_link(t, TR2_LINK_THREAD,
		       (uint32_t)(r->thread - r->of.m->threads)))

static const struct tr2_column thread_columns[] = {
	{ "wall_ns", "WALL", 0, cell_thread_wall },
	{ "in_regions_ns", "IN REGIONS", 0, cell_thread_in },
	{ "busy", "SHARE", TR2_COL_HEAT, cell_thread_busy },
	{ "regions", "REGIONS", 0, cell_thread_regions },
	{ "start_ns", "FROM", 0, cell_thread_start },
	{ "thread", "THREAD", TR2_COL_FLEX, cell_thread_name },
	{ "process", "PROCESS", TR2_COL_FLEX, tr2_session_cell_process },
	{ "pid", "", TR2_COL_DATA, tr2_session_cell_pid },
	{ "sid", "", TR2_COL_DATA, tr2_session_cell_sid },
};

bool tr2_report_threads(const struct tr2_report *r)
{
	struct thread_row row = { .of.m = r->m };
	struct tr2_table t;
	uint32_t s, i;

	tr2_table_init(&t, r->out, "threads", TR2_COLUMNS(thread_columns));
	tr2_report_for_each_session(r, s) {
		row.of.session = &r->m->sessions[s];
		tr2_for_each_thread(r->m, s, i) {
			measure_thread(&row, i);
			if (row.wall_ns >= r->filter->min_ns)
				tr2_table_add(&t, &row);
		}
	}
	return tr2_report_table(r, &t, NULL);
}

static void cell_group_spawn(struct tr2_table *t, const void *row)
{
	const struct group_row *r = row;

	if (r->g->nr_extra)
		tr2_cell_ns(t, r->g->extra_ns);
	else if (t->output->format == TR2_FORMAT_TEXT)
		tr2_cell_str(t, "-");
}

static const struct tr2_column group_columns[] = {
	{ "total_ns", "TOTAL", TR2_COL_SHORT, cell_total },
	{ "self_ns", "SELF", TR2_COL_SHORT, cell_self },
	{ "spawn_ns", "SPAWN", TR2_COL_SHORT, cell_group_spawn },
	{ "processes", "COUNT", 0, cell_nr },
	PERCENTILES,
	{ "group", "GROUP", TR2_COL_FLEX, cell_name },
};

/* A process that is not instrumented has no session to group by. */
static const char *group_of_node(const struct tr2_report *r, uint32_t node)
{
	uint32_t session = r->m->nodes[node].session;

	if (!session && !strcmp(r->group, "cmd"))
		return tr2_node_name(r->m, node);
	return tr2_report_group(r, session);
}

static void gather_groups(const struct tr2_report *r, struct tr2_groups *groups)
{
	const struct tr2_model *m = r->m;
	struct tr2_group *group;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_node *n = &m->nodes[i];

		if (!tr2_filter_node(r->filter, m, i))
			continue;
		group = tr2_groups_get(groups, NULL, group_of_node(r, i));
		tr2_group_add(group, i, n->end_ns - n->start_ns, n->self_ns);
		if (n->spawn_ns == TR2_NO_TIME)
			continue;
		tr2_ns_add(&group->extra_ns, n->spawn_ns);
		group->nr_extra++;
	}
}

bool tr2_report_groups(const struct tr2_report *r)
{
	struct tr2_groups groups = { 0 };
	struct tr2_table t;

	gather_groups(r, &groups);
	tr2_table_init(&t, r->out, "groups", TR2_COLUMNS(group_columns));
	return finish_groups(r, &t, &groups, 0, "total");
}
