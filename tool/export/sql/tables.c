/* SPDX-License-Identifier: MIT */
/*
 * tables - implements export/tables.h. Each function below fills the columns of
 * its table in the order of export/tables.def; unknown values are NULL.
 */
#include "export/sql/tables_cells.h"
#include "export/stacks.h"
#include "model/build/trace_span.h"
#include "model/states.h"

const struct tr2_table_def tr2_table_defs[TR2_TABLE_NR] = {
#define TR2_COLUMN(name, sql) { #name, sql },
#define TR2_TABLE(name, columns) \
	{ #name, { columns TR2_COLUMN(recording, "INTEGER") { NULL, NULL } } },
#include "export/tables.def"
#undef TR2_TABLE
#undef TR2_COLUMN
};

static void fill_thread(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_thread *t = &x->m->threads[i];
	int64_t wall = x->m->sessions[t->session].wall_ns;

	tr2_value_number(r, tr2_row_thread_id(ids, i));
	tr2_value_number(r, tr2_row_session_id(ids, t->session));
	tr2_value_string(x, r, t->name);
	tr2_value_times(r, wall + t->start_ns, wall + t->end_ns);
}

/* Add nine cells. */
static void child(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_span *s)
{
	const struct tr2_child *c = &x->m->children[s->child];
	const struct tr2_node *n = &x->m->nodes[c->node];
	bool is_child = s->kind == TR2_SPAN_CHILD;

	tr2_value_number_if(r, s->child, c->id);
	tr2_value_number_if(r, s->child && c->pid > 0, c->pid);
	tr2_value_number_if(r, c->has_code, c->code);
	tr2_value_string(x, r, c->child_class);
	tr2_value_string(x, r, c->hook);
	tr2_value_string(x, r, c->cd);
	tr2_value_words(x, r, &c->argv, true);
	tr2_value_number_if(r,
			    is_child && c->node && n->spawn_ns != TR2_NO_TIME &&
				    n->child == s->child,
			    n->spawn_ns);
}

/* Add three cells: what the thread did in the span's own time. */
static void span_states(struct tr2_export *x, struct tr2_row *r, uint32_t span)
{
	const struct tr2_model *m = x->m;
	bool known = m->threads[m->spans[span].thread].task_thread;
	struct tr2_state_sums sums = { 0 };

	tr2_states_sum_span(m, span, &sums);
	tr2_value_number_if(r, known, sums.run_ns);
	tr2_value_number_if(r, known, sums.ready_ns);
	tr2_value_number_if(r, known, sums.wait_ns);
}

static void json(struct tr2_export *x, struct tr2_row *r, const char *text)
{
	size_t start = r->text.len;

	if (!text) {
		tr2_value_none(r);
		return;
	}
	tr2_export_add_json(x, &r->text, text);
	tr2_value_text_from(r, start);
}

static void fill_span(struct tr2_export *x, struct tr2_row *r,
		      const struct tr2_row_ids *ids, uint32_t i)
{
	static const char *const kinds[] = { [TR2_SPAN_REGION] = "region",
					     [TR2_SPAN_CHILD] = "child",
					     [TR2_SPAN_EXEC] = "exec" };
	const struct tr2_span *s = &x->m->spans[i];
	int64_t wall = tr2_export_session_of(x, s->thread)->wall_ns;
	uint32_t around;

	tr2_value_number(r, tr2_row_span_id(ids, i));
	tr2_value_thread_ids(x, r, ids, s->thread);
	tr2_value_number_if(r, s->parent, tr2_row_span_id(ids, s->parent));
	tr2_value_text(x, r, kinds[s->kind]);
	tr2_value_string(x, r, s->category);
	tr2_value_string(x, r, s->label);
	tr2_value_string(x, r, s->msg);
	tr2_value_times(r, wall + s->start_ns, wall + s->end_ns);
	tr2_value_number(r, ids->self_ns[i]);
	tr2_value_number(r, s->depth);
	tr2_value_number(r, (s->flags & TR2_SPAN_OPEN) != 0);
	tr2_value_source(x, r, s->repo, s->file, s->line);
	child(x, r, s);
	span_states(x, r, i);
	around = tr2_trace_span_around(x->filter, x->m, i);
	tr2_value_id(r, x->m->trace_spans[around].self.id);
}

static void fill_trace_span(struct tr2_export *x, struct tr2_row *r,
			    const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	int64_t wall = tr2_export_session_of(x, s->thread)->wall_ns;
	struct tr2_trace_span_times times;
	bool known = tr2_trace_span_times(x->m, i, &times);

	tr2_value_thread_ids(x, r, ids, s->thread);
	tr2_value_trace(r, &s->self);
	tr2_value_id(r, s->parent);
	tr2_value_number(r, (s->flags & TR2_TRACE_SPAN_REMOTE) != 0);
	tr2_value_string(x, r, s->category);
	tr2_value_string(x, r, s->name);
	tr2_value_times(r, wall + s->start_ns, wall + s->end_ns);
	tr2_value_number_if(r, known, times.queue_ns);
	tr2_value_number_if(r, known, times.worked_ns);
	tr2_value_number_if(r, known, times.idle_ns);
	tr2_value_text(x, r, s->failed);
	tr2_value_number(r, (s->flags & TR2_TRACE_SPAN_UNFINISHED) != 0);
	tr2_value_number(r, s->one_in);
	json(x, r, s->attributes);
	tr2_value_text(x, r, s->tracestate);
}

static const char *point_kind(const struct tr2_point *p)
{
	static const char *const kinds[] = {
		[TR2_POINT_DATA] = "data",     [TR2_POINT_DATA_JSON] = "data",
		[TR2_POINT_ERROR] = "error",   [TR2_POINT_PRINTF] = "printf",
		[TR2_POINT_PARAM] = "param",   [TR2_POINT_REPO] = "repo",
		[TR2_POINT_SIGNAL] = "signal", [TR2_POINT_ALIAS] = "alias",
		[TR2_POINT_OTHER] = "other",
	};

	return kinds[p->kind];
}

static void value(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_point *p)
{
	size_t start = r->text.len;

	if (!p->value || p->kind == TR2_POINT_DATA_JSON ||
	    p->kind == TR2_POINT_OTHER) {
		json(x, r, p->value);
		return;
	}
	tr2_buf_addstr(&r->text,
		       tr2_export_value(x, tr2_s(x->m, p->key), p->value));
	tr2_value_text_from(r, start);
}

static void fill_point(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_point *p = &x->m->points[i];
	bool data = p->kind == TR2_POINT_DATA || p->kind == TR2_POINT_DATA_JSON;

	tr2_value_thread_ids(x, r, ids, p->thread);
	tr2_value_number_if(r, p->parent, tr2_row_span_id(ids, p->parent));
	tr2_value_number(r, tr2_export_session_of(x, p->thread)->wall_ns +
				    p->at_ns);
	if (!data)
		tr2_value_text(x, r, point_kind(p));
	tr2_value_string(x, r, p->category);
	tr2_value_string(x, r, p->key);
	value(x, r, p);
	if (data)
		tr2_value_number(r, p->kind == TR2_POINT_DATA_JSON);
	tr2_value_source(x, r, p->repo, p->file, p->line);
}

static void fill_metric(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];

	tr2_value_number(r, tr2_row_session_id(ids, metric->session));
	tr2_value_number_if(r, metric->thread,
			    tr2_row_thread_id(ids, metric->thread));
	tr2_value_string(x, r, metric->category);
	tr2_value_string(x, r, metric->name);
	tr2_value_size(r, metric->count);
	if (metric->kind == TR2_METRIC_COUNTER)
		return;
	tr2_value_size(r, metric->total_ns);
	tr2_value_size(r, metric->min_ns);
	tr2_value_size(r, metric->max_ns);
	tr2_value_size(r, metric->unfinished);
	tr2_value_text(x, r, metric->histogram);
}

/* Begin the row of a metric with a unit. */
static void fill_named(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids,
		       const struct tr2_metric *metric)
{
	tr2_value_number(r, tr2_row_session_id(ids, metric->session));
	tr2_value_string(x, r, metric->category);
	tr2_value_string(x, r, metric->name);
	tr2_value_string(x, r, metric->unit);
}

static void fill_distribution(struct tr2_export *x, struct tr2_row *r,
			      const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];

	fill_named(x, r, ids, metric);
	tr2_value_size(r, metric->count);
	tr2_value_size(r, metric->total_ns);
	tr2_value_size(r, metric->min_ns);
	tr2_value_size(r, metric->max_ns);
	tr2_value_text(x, r, metric->histogram);
}

static void fill_gauge(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];

	fill_named(x, r, ids, metric);
	tr2_value_number(r, (int64_t)metric->total_ns);
	tr2_value_number(r, (int64_t)metric->min_ns);
	tr2_value_number(r, (int64_t)metric->max_ns);
}

/* Add the values of its group at the sample: {"EVENT":VALUE,...}. */
static void readings(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_model_sample *s)
{
	const struct tr2_sample_value *v = &x->m->values[s->first_value];
	size_t start = r->text.len;
	uint32_t i;

	if (!s->nr_values) {
		tr2_value_none(r);
		return;
	}
	for (i = 0; i < s->nr_values; i++) {
		tr2_buf_addch(&r->text, i ? ',' : '{');
		tr2_export_add_str(x, &r->text, tr2_s(x->m, v[i].event));
		tr2_buf_addch(&r->text, ':');
		tr2_buf_add_u64(&r->text, v[i].value);
	}
	tr2_buf_addch(&r->text, '}');
	tr2_value_text_from(r, start);
}

/* Add two cells. The function is the last of the stack. */
static void stack(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_model_sample *s)
{
	size_t start = r->text.len, innermost;
	struct tr2_row_value *function;

	tr2_stacks_add(x, &r->text, s, &innermost);
	if (r->text.len == start) {
		tr2_value_none(r);
		tr2_value_none(r);
		return;
	}
	function = tr2_value_next(r, TR2_VALUE_TEXT);
	function->at = innermost;
	function->len = r->text.len - innermost;
	tr2_value_text_from(r, start);
}

static void fill_sample(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_sample *s = &x->m->samples[i];

	tr2_value_number(r, s->session ? tr2_row_session_id(ids, s->session) :
					 0);
	tr2_value_number_if(r, s->thread, tr2_row_thread_id(ids, s->thread));
	tr2_value_number(r, x->m->sessions[s->session].wall_ns + s->at_ns);
	tr2_value_string(x, r, s->event);
	tr2_value_size(r, s->count);
	tr2_value_number(r, s->is_time);
	stack(x, r, s);
	readings(x, r, s);
	tr2_value_number_if(r, s->node, tr2_row_process_id(ids, s->node));
	tr2_value_number_if(r, s->task_thread,
			    tr2_row_kernel_thread_id(ids, s->task_thread));
}

void tr2_row_fill(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, enum tr2_table_id table,
		  uint32_t i)
{
	static void (*const fill[TR2_TABLE_NR])(struct tr2_export *,
						struct tr2_row *,
						const struct tr2_row_ids *,
						uint32_t) = {
		[TR2_TABLE_sessions] = tr2_row_session,
		[TR2_TABLE_threads] = fill_thread,
		[TR2_TABLE_spans] = fill_span,
		[TR2_TABLE_trace_spans] = fill_trace_span,
		[TR2_TABLE_data] = fill_point,
		[TR2_TABLE_events] = fill_point,
		[TR2_TABLE_timers] = fill_metric,
		[TR2_TABLE_counters] = fill_metric,
		[TR2_TABLE_distributions] = fill_distribution,
		[TR2_TABLE_gauges] = fill_gauge,
		[TR2_TABLE_samples] = fill_sample,
		[TR2_TABLE_recordings] = tr2_row_recording,
		[TR2_TABLE_processes] = tr2_row_process,
		[TR2_TABLE_kernel_threads] = tr2_row_kernel_thread,
		[TR2_TABLE_states] = tr2_row_state,
	};
	uint32_t input = tr2_row_input(x, table, i);

	tr2_row_begin(r);
	fill[table](x, r, ids, i);
	if (!input)
		tr2_value_none(r);
	else if (ids->recording_keys)
		tr2_value_recording(x, r, input);
	else
		tr2_value_number(r, ids->recording_ids[input]);
}
