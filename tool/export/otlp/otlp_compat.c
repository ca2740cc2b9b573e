/* SPDX-License-Identifier: MIT */
/*
 * otlp_compat - --compat=trace2receiver: use the names of spans and attributes
 * of git-ecosystem's trace2receiver for the OpenTelemetry collector, as far as
 * they are known. Dashboards that were made for it then work:
 *
 *	process	EXE:VERB#MODE, such as git:checkout#branch
 *	thread	thread(th01:NAME)
 *	region	region(CATEGORY,LABEL)
 *	child	child(CLASS) or child(hook:NAME)
 *	exec	exec(EXE)
 *
 * Lists and maps (argv, data, parameters, timers, counters) are one string of
 * JSON there; data belong to the span around them, and there are no span
 * events. Attributes that cannot be computed from a stream (that receiver's
 * rulesets, nicknames) are omitted.
 */
#include <string.h>

#include "export/otlp/otlp.h"

/* Join at most this many points of a span. */
#define MAX_POINTS 1000

static void process_name(struct tr2_export *x, struct tr2_buf *b, uint32_t node,
			 uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const char *name = tr2_s(x->m, s->name), *mode = tr2_s(x->m, s->mode);

	if (!session || !s->argv.nr) {
		tr2_export_node_name(x, b, node);
		return;
	}
	tr2_buf_addstr(b, tr2_export_text(x, tr2_base_name(s->argv.text)));
	if (*name)
		tr2_buf_addall(b, ":", tr2_export_text(x, name));
	if (*mode)
		tr2_buf_addall(b, "#", tr2_export_text(x, mode));
}

static void span_name(struct tr2_export *x, struct tr2_buf *b, uint32_t span)
{
	const struct tr2_model *m = x->m;
	const struct tr2_span *s = &m->spans[span];
	const struct tr2_child *c = &m->children[s->child];

	if (s->kind == TR2_SPAN_REGION) {
		tr2_buf_addlit(b, "region(");
		tr2_buf_addstr(b, tr2_export_text(x, tr2_s(m, s->category)));
		tr2_buf_addch(b, ',');
		tr2_buf_addstr(b, tr2_export_text(x, tr2_s(m, s->label)));
	} else if (s->kind == TR2_SPAN_EXEC) {
		tr2_buf_addall(b, "exec(", tr2_export_text(x, c->exe ?
			       tr2_s(m, c->exe) : c->argv.nr ? c->argv.text :
							       ""));
	} else {
		tr2_buf_addall(b, c->hook ? "child(hook:" : "child(",
			       tr2_export_text(x, tr2_s(m, c->hook ? c->hook :
							c->child_class)));
	}
	tr2_buf_addch(b, ')');
}

static void add_words(struct tr2_attributes *a, const char *key,
		      const struct tr2_words *w)
{
	static struct tr2_buf json; /* later calls reuse its memory */

	if (!w->nr)
		return;
	tr2_buf_reset(&json);
	tr2_export_add_words(a->x, &json, w);
	tr2_attribute_str(a, key, tr2_buf_str(&json));
}

/* Begin a map. close_map() adds the map as an attribute, unless it is empty. */
static struct tr2_buf *open_map(void)
{
	static struct tr2_buf json; /* later calls reuse its memory */

	tr2_buf_reset(&json);
	tr2_buf_addch(&json, '{');
	return &json;
}

static void close_map(struct tr2_attributes *a, const char *key,
		      struct tr2_buf *json)
{
	tr2_buf_addch(json, '}');
	if (json->len > 2)
		tr2_attribute_str(a, key, tr2_buf_str(json));
}

static void open_member(struct tr2_export *x, struct tr2_buf *json,
			const char *key)
{
	tr2_buf_addstr(json, json->len && json->p[json->len - 1] != '{' ? "," :
									 "");
	tr2_export_add_str(x, json, key);
	tr2_buf_addch(json, ':');
}

/* Append {"CATEGORY":{"KEY":VALUE}} from the points of a kind, grouped by
 * category. */
static void add_category(struct tr2_export *x, struct tr2_buf *json,
			 struct tr2_points points, tr2_str category)
{
	const struct tr2_model *m = x->m;
	uint32_t i, nr = 0;

	open_member(x, json, tr2_s(m, category));
	tr2_buf_addch(json, '{');
	for (i = points.first; i && nr < MAX_POINTS; i = points.next[i], nr++) {
		const struct tr2_point *p = &m->points[i];
		const char *key = tr2_s(m, p->key);

		if (p->category != category || !p->value ||
		    (p->kind != TR2_POINT_DATA &&
		     p->kind != TR2_POINT_DATA_JSON))
			continue;
		open_member(x, json, key);
		if (p->kind == TR2_POINT_DATA_JSON)
			tr2_export_add_json(x, json, p->value);
		else
			tr2_json_add_string(json,
					    tr2_export_value(x, key, p->value));
	}
	tr2_buf_addch(json, '}');
}

static bool seen_before(const struct tr2_model *m, struct tr2_points points,
			uint32_t until)
{
	tr2_str category = m->points[until].category;
	uint32_t i;

	for (i = points.first; i && i != until; i = points.next[i])
		if (m->points[i].category == category &&
		    m->points[i].kind <= TR2_POINT_DATA_JSON)
			return true;
	return false;
}

static void add_data(struct tr2_attributes *a, const char *key,
		     struct tr2_points points)
{
	const struct tr2_model *m = a->x->m;
	struct tr2_buf *json = open_map();
	uint32_t i, nr = 0;

	for (i = points.first; i && nr < MAX_POINTS; i = points.next[i], nr++)
		if (m->points[i].kind <= TR2_POINT_DATA_JSON &&
		    !seen_before(m, points, i))
			add_category(a->x, json, points,
				     m->points[i].category);
	close_map(a, key, json);
}

static void add_params(struct tr2_attributes *a, struct tr2_points points)
{
	const struct tr2_model *m = a->x->m;
	struct tr2_buf *json = open_map();
	uint32_t i;

	for (i = points.first; i; i = points.next[i]) {
		const struct tr2_point *p = &m->points[i];

		if (p->kind != TR2_POINT_PARAM)
			continue;
		open_member(a->x, json, tr2_s(m, p->key));
		tr2_json_add_string(json, tr2_export_value(a->x,
			tr2_s(m, p->key), p->value));
	}
	close_map(a, "trace2.param.set", json);
}

static void add_metric(struct tr2_export *x, struct tr2_buf *json,
		       const struct tr2_metric *metric)
{
	tr2_buf_reset(&x->text);
	tr2_export_metric_name(x, &x->text, metric);
	open_member(x, json, tr2_buf_str(&x->text));
	if (metric->kind == TR2_DEFINITION_COUNTER) {
		tr2_buf_add_u64(json, metric->count);
		return;
	}
	tr2_buf_addlit(json, "{\"intervals\":");
	tr2_buf_add_u64(json, metric->count);
	tr2_buf_addlit(json, ",\"total\":");
	tr2_buf_add_seconds(json, metric->total_ns, 0);
	tr2_buf_addlit(json, ",\"min\":");
	tr2_buf_add_seconds(json, metric->min_ns, 0);
	tr2_buf_addlit(json, ",\"max\":");
	tr2_buf_add_seconds(json, metric->max_ns, 0);
	tr2_buf_addch(json, '}');
}

static void add_metrics(struct tr2_attributes *a, const char *key, int kind,
			uint32_t session, uint32_t thread)
{
	const struct tr2_model *m = a->x->m;
	struct tr2_buf *json = open_map();
	uint32_t i;

	tr2_for_each_metric(m, session, i)
		if (m->metrics[i].kind == kind &&
		    m->metrics[i].thread == thread)
			add_metric(a->x, json, &m->metrics[i]);
	close_map(a, key, json);
}

static void add_points(struct tr2_attributes *a, struct tr2_points points)
{
	const struct tr2_model *m = a->x->m;
	uint32_t i;

	for (i = points.first; i; i = points.next[i]) {
		const struct tr2_point *p = &m->points[i];

		if (p->kind == TR2_POINT_ALIAS) {
			tr2_attribute_str(a, "trace2.cmd.alias.key",
					  tr2_s(m, p->key));
			tr2_attribute_str(a, "trace2.cmd.alias.value",
					  p->value);
		} else if (p->kind == TR2_POINT_ERROR) {
			tr2_attribute_str(a, "trace2.cmd.error.msg", p->value);
			tr2_attribute_str(a, "trace2.cmd.error.format",
					  tr2_s(m, p->key));
			return; /* ignore all errors after the first */
		}
	}
}

static void add_process(struct tr2_attributes *a, uint32_t node,
			uint32_t session, struct tr2_points points)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_model_session *s = &m->sessions[session];

	tr2_attribute_str(a, "trace2.span.type", "process");
	if (!session)
		return;
	tr2_attribute_str(a, "trace2.cmd.sid", s->sid);
	tr2_attribute_str(a, "trace2.cmd.version", tr2_s(m, s->exe_version));
	add_words(a, "trace2.cmd.argv", &s->argv);
	add_words(a, "trace2.cmd.ancestry", &tr2_rare(m, session)->ancestry);
	if (s->argv.nr)
		tr2_attribute_str(a, "trace2.cmd.name",
				  tr2_base_name(s->argv.text));
	tr2_buf_reset(&a->x->text);
	process_name(a->x, &a->x->text, node, session);
	tr2_attribute_str(a, "trace2.cmd.name_verb_mode",
			  tr2_buf_str(&a->x->text));
	tr2_attribute_str(a, "trace2.cmd.hierarchy", tr2_s(m, s->hierarchy));
	tr2_attribute_str(a, "trace2.cmd.mode", tr2_s(m, s->mode));
	if (m->nodes[node].has_code)
		tr2_attribute_int(a, "trace2.cmd.exit_code",
				  m->nodes[node].end == TR2_END_SIGNAL ?
					  128 + (int64_t)m->nodes[node].code :
					  m->nodes[node].code);
	add_points(a, points);
	add_params(a, points);
	add_data(a, "trace2.process.data", points);
	add_metrics(a, "trace2.process.timers", TR2_DEFINITION_TIMER, session,
		    0);
	add_metrics(a, "trace2.process.counters", TR2_DEFINITION_COUNTER,
		    session, 0);
}

static void add_thread(struct tr2_attributes *a, uint32_t i,
		       struct tr2_points points)
{
	uint32_t session = a->x->m->threads[i].session;

	tr2_attribute_str(a, "trace2.span.type", "thread");
	add_data(a, "trace2.thread.data", points);
	add_metrics(a, "trace2.thread.timers", TR2_DEFINITION_TIMER, session,
		    i);
	add_metrics(a, "trace2.thread.counters", TR2_DEFINITION_COUNTER,
		    session, i);
}

static void child(struct tr2_attributes *a, const struct tr2_child *c)
{
	const struct tr2_model *m = a->x->m;

	tr2_attribute_str(a, "trace2.span.type", "child");
	add_words(a, "trace2.child.argv", &c->argv);
	tr2_attribute_str(a, "trace2.child.class", tr2_s(m, c->child_class));
	tr2_attribute_str(a, "trace2.child.hook", tr2_s(m, c->hook));
	if (c->pid > 0)
		tr2_attribute_int(a, "trace2.child.pid", c->pid);
	if (c->has_code)
		tr2_attribute_int(a, "trace2.child.exitcode", c->code);
}

static void exec_span(struct tr2_attributes *a, const struct tr2_child *c)
{
	tr2_attribute_str(a, "trace2.span.type", "exec");
	add_words(a, "trace2.exec.argv", &c->argv);
	tr2_attribute_str(a, "trace2.exec.exe", tr2_s(a->x->m, c->exe));
	if (c->has_code)
		tr2_attribute_int(a, "trace2.exec.exitcode", c->code);
}

static void add_span(struct tr2_attributes *a, uint32_t i,
		     struct tr2_points points)
{
	const struct tr2_span *s = &a->x->m->spans[i];

	if (s->kind == TR2_SPAN_CHILD) {
		child(a, &a->x->m->children[s->child]);
	} else if (s->kind == TR2_SPAN_EXEC) {
		exec_span(a, &a->x->m->children[s->child]);
	} else {
		tr2_attribute_str(a, "trace2.span.type", "region");
		tr2_attribute_int(a, "trace2.region.nesting", s->depth + 1);
		tr2_attribute_str(a, "trace2.region.message",
				  tr2_s(a->x->m, s->msg));
		if (s->repo)
			tr2_attribute_int(a, "trace2.region.repoid", s->repo);
		add_data(a, "trace2.region.data", points);
	}
}

const struct tr2_otlp_names tr2_otlp_trace2receiver_names = {
	.process_name = process_name,
	.span_name = span_name,
	.process = add_process,
	.thread = add_thread,
	.span = add_span,
	.scope = "trace2receiver",
	.events = false,
};
