/* SPDX-License-Identifier: MIT */
/*
 * report_regions - trace2 report --regions, --threads, and -g alone.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "common/options.h"
#include "model/filter.h"
#include "model/stats.h"

/* ---- regions ------------------------------------------------------------------- */

static const struct tr2_column region_columns[] = {
	{ "total_ns", "TOTAL", TR2_COL_SHORT },
	{ "self_ns", "SELF", TR2_COL_SHORT },
	{ "share", "SHARE", TR2_COL_HEAT | TR2_COL_YIELDS },
	{ "calls", "CALLS", 0 },
	{ "p50_ns", "P50", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "p90_ns", "P90", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "p99_ns", "P99", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "max_ns", "MAX", TR2_COL_SHORT | TR2_COL_YIELDS },
	{ "group", "GROUP", TR2_COL_FLEX },
	{ "region", "REGION", TR2_COL_FLEX },
};

#define NO_REGION "(in no region)"

/* The text of `category/label` of a span, which lives with the model. */
static const char *region_name(struct tr2_model *m, const struct tr2_span *s)
{
	static struct tr2_buf b; /* kept: it is mapped memory */
	tr2_str name;

	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, tr2_s(m, s->category));
	tr2_buf_addch(&b, '/');
	tr2_buf_addstr(&b, tr2_s(m, s->label));
	name = tr2_intern(m, b.p, b.len);
	return tr2_s(m, name);
}

/* What main's outermost regions, and child spans outside of regions, leave of
 * the session's time. */
static void no_region(const struct tr2_model *m, uint32_t session,
		      struct tr2_groups *groups)
{
	const struct tr2_session *s = &m->sessions[session];
	int64_t outside = s->end_ns, self = 0, region_to = 0, any_to = 0;
	struct tr2_group *group;
	uint32_t i;

	self = outside;
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
	group = tr2_groups_get(groups, tr2_report_group(m, session), NO_REGION);
	if (group)
		tr2_group_add(group, outside > 0 ? outside : 0,
			      self > 0 ? self : 0);
}

static void gather_regions(const struct tr2_model *cm, const int64_t *self,
			   struct tr2_groups *groups, int64_t *whole)
{
	/* Names are interned on the way: the model grows, nothing changes. */
	struct tr2_model *m = (struct tr2_model *)cm;
	struct tr2_group *group;
	uint32_t s, t, i;

	tr2_for_each_session(m, s) {
		if (!tr2_filter_session(&tr2_common.filter, m, s))
			continue;
		tr2_ns_add(whole, m->sessions[s].end_ns);
		if (!tr2_common.filter.region && !tr2_common.filter.min_ns)
			no_region(m, s, groups);
		tr2_for_each_thread(m, s, t)
			tr2_for_each_span(m, t, i) {
				const struct tr2_span *span = &m->spans[i];

				if (span->kind != TR2_SPAN_REGION ||
				    !tr2_filter_span(&tr2_common.filter, m, i))
					continue;
				group = tr2_groups_get(groups,
						       tr2_report_group(m, s),
						       region_name(m, span));
				if (group)
					tr2_group_add(group,
						      span->end_ns -
							      span->start_ns,
						      self[i]);
			}
	}
}

static void add_region(struct tr2_table *t, const struct tr2_group *g,
		       int64_t whole)
{
	tr2_table_row(t);
	tr2_cell_ns(t, g->total_ns);
	tr2_cell_ns(t, g->self_ns);
	tr2_cell_share(t, whole > 0 ? (double)g->self_ns / (double)whole : 0);
	tr2_cell_uint(t, g->nr);
	tr2_cell_ns(t, tr2_group_percentile(g, 0.5));
	tr2_cell_ns(t, tr2_group_percentile(g, 0.9));
	tr2_cell_ns(t, tr2_group_percentile(g, 0.99));
	tr2_cell_ns(t, g->max_ns);
	tr2_cell_str(t, g->by);
	tr2_cell_str(t, g->name);
}

bool tr2_report_regions(const struct tr2_model *m)
{
	int64_t *self = calloc(m->nr_spans, sizeof(*self)), whole = 0;
	struct tr2_groups groups = { 0 };
	struct tr2_table t;
	uint32_t i;
	bool ok;

	if (!self)
		return true;
	tr2_model_self_times(m, self);
	gather_regions(m, self, &groups, &whole);
	tr2_groups_sort(&groups);
	tr2_table_init(&t, "regions", region_columns,
		       sizeof(region_columns) / sizeof(*region_columns));
	for (i = 0; i < groups.nr; i++)
		add_region(&t, &groups.group[i], whole);
	ok = tr2_report_finish(&t, "self");
	if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	tr2_groups_release(&groups);
	free(self);
	return ok;
}

/* ---- threads ----------------------------------------------------------------------- */

static const struct tr2_column thread_columns[] = {
	{ "wall_ns", "WALL", 0 },
	{ "in_regions_ns", "IN REGIONS", 0 },
	{ "busy", "SHARE", TR2_COL_HEAT },
	{ "regions", "REGIONS", 0 },
	{ "start_ns", "FROM", 0 },
	{ "thread", "THREAD", TR2_COL_FLEX },
	{ "process", "PROCESS", TR2_COL_FLEX },
	{ "pid", "", TR2_COL_DATA },
	{ "sid", "", TR2_COL_DATA },
};

static void add_thread(struct tr2_table *t, const struct tr2_model *m,
		       uint32_t thread)
{
	const struct tr2_thread *th = &m->threads[thread];
	const struct tr2_session *s = &m->sessions[th->session];
	int64_t wall = th->end_ns - th->start_ns, in = 0, to = INT64_MIN, from;
	uint64_t nr = 0;
	uint32_t i;

	tr2_for_each_span(m, thread, i) {
		const struct tr2_span *span = &m->spans[i];

		if (span->kind != TR2_SPAN_REGION)
			continue;
		nr++;
		from = span->start_ns > to ? span->start_ns : to;
		if (span->end_ns > from) {
			in += span->end_ns - from;
			to = span->end_ns;
		}
	}
	if (wall < tr2_common.filter.min_ns)
		return;
	tr2_table_row(t);
	tr2_cell_ns(t, wall);
	tr2_cell_ns(t, in);
	tr2_cell_share(t, wall > 0 ? (double)in / (double)wall : 0);
	tr2_cell_uint(t, nr);
	tr2_cell_ns(t, th->start_ns);
	tr2_cell_str(t, tr2_s(m, th->name));
	tr2_cell_str(t, s->node ? tr2_node_name(m, s->node) : NULL);
	tr2_cell_int(t, s->pid);
	tr2_cell_str(t, s->sid);
}

bool tr2_report_threads(const struct tr2_model *m)
{
	struct tr2_table t;
	uint32_t s, i;
	bool ok;

	tr2_table_init(&t, "threads", thread_columns,
		       sizeof(thread_columns) / sizeof(*thread_columns));
	tr2_for_each_session(m, s)
		if (tr2_filter_session(&tr2_common.filter, m, s))
			tr2_for_each_thread(m, s, i)
				add_thread(&t, m, i);
	ok = tr2_report_finish(&t, NULL);
	if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	return ok;
}

/* ---- processes by group --------------------------------------------------------------- */

static const struct tr2_column group_columns[] = {
	{ "total_ns", "TOTAL", TR2_COL_SHORT },
	{ "self_ns", "SELF", TR2_COL_SHORT },
	{ "spawn_ns", "SPAWN", TR2_COL_SHORT },
	{ "processes", "COUNT", 0 },
	{ "p50_ns", "P50", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "p90_ns", "P90", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "p99_ns", "P99", TR2_COL_SHORT | TR2_COL_SPARE },
	{ "max_ns", "MAX", TR2_COL_SHORT | TR2_COL_YIELDS },
	{ "group", "GROUP", TR2_COL_FLEX },
};

static void add_group(struct tr2_table *t, const struct tr2_group *g)
{
	tr2_table_row(t);
	tr2_cell_ns(t, g->total_ns);
	tr2_cell_ns(t, g->self_ns);
	if (!g->nr_extra && tr2_common.format == TR2_FORMAT_TEXT)
		tr2_cell_str(t, "-");
	else
		tr2_cell_ns(t, g->nr_extra ? g->extra_ns : TR2_NO_TIME);
	tr2_cell_uint(t, g->nr);
	tr2_cell_ns(t, tr2_group_percentile(g, 0.5));
	tr2_cell_ns(t, tr2_group_percentile(g, 0.9));
	tr2_cell_ns(t, tr2_group_percentile(g, 0.99));
	tr2_cell_ns(t, g->max_ns);
	tr2_cell_str(t, g->name);
}

/* A process that is not instrumented has no session to group by. */
static const char *group_of_node(const struct tr2_model *m, uint32_t node)
{
	if (!m->nodes[node].session && !strcmp(tr2_report.group, "cmd"))
		return tr2_node_name(m, node);
	return tr2_report_group(m, m->nodes[node].session);
}

bool tr2_report_groups(const struct tr2_model *m)
{
	struct tr2_groups groups = { 0 };
	struct tr2_group *group;
	struct tr2_table t;
	uint32_t i;
	bool ok;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_node *n = &m->nodes[i];

		if (!tr2_filter_node(&tr2_common.filter, m, i))
			continue;
		group = tr2_groups_get(&groups, NULL, group_of_node(m, i));
		if (!group)
			continue;
		tr2_group_add(group, n->end_ns - n->start_ns, n->self_ns);
		if (n->spawn_ns == TR2_NO_TIME)
			continue;
		tr2_ns_add(&group->extra_ns, n->spawn_ns);
		group->nr_extra++;
	}
	tr2_groups_sort(&groups);
	tr2_table_init(&t, "groups", group_columns,
		       sizeof(group_columns) / sizeof(*group_columns));
	for (i = 0; i < groups.nr; i++)
		add_group(&t, &groups.group[i]);
	ok = tr2_report_finish(&t, "total");
	if (ok)
		tr2_table_print(&t);
	tr2_table_release(&t);
	tr2_groups_release(&groups);
	return ok;
}
