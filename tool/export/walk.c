/* SPDX-License-Identifier: MIT */
/*
 * walk - implements export/export.h: the walk over the model.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/signals.h"
#include "export/stacks.h"
#include "model/filter.h"
#include "model/memory_use.h"
#include "model/states.h"

static bool stopped(const struct tr2_export *x)
{
	return x->failed || x->sink.failed;
}

#define CALL(x, f, operation, index)           \
	do {                                   \
		if ((f)->operation && !stopped(x)) { \
			(f)->operation(x, index);    \
			tr2_sink_step(&(x)->sink);   \
		}                              \
	} while (0)

/* Pass an object to the format as a row of the object's table. */
static void walk_row(struct tr2_export *x, const struct tr2_export_format *f,
		     enum tr2_table_id table, uint32_t i)
{
	if (!f->row || stopped(x))
		return;
	f->row(x, table, i);
	tr2_sink_step(&x->sink);
}

static enum tr2_table_id table_of_point(const struct tr2_point *p)
{
	return p->kind <= TR2_POINT_DATA_JSON ? TR2_TABLE_data :
						TR2_TABLE_events;
}

static enum tr2_table_id table_of_metric(const struct tr2_metric *metric)
{
	static const enum tr2_table_id tables[] = {
#define TR2_METRIC_KIND(KIND, kind, ...) \
	[TR2_DEFINITION_##KIND] = TR2_TABLE_##kind##s,
#include "arena/kinds.def"
	};

	return tables[metric->kind];
}

static void walk_thread(struct tr2_export *x,
			const struct tr2_export_format *f, uint32_t thread)
{
	uint32_t i;

	CALL(x, f, thread, thread);
	walk_row(x, f, TR2_TABLE_threads, thread);
	if (f->span || f->row)
		tr2_for_each_span(x->m, thread, i)
			if (tr2_filter_span(x->filter, x->m, i)) {
				CALL(x, f, span, i);
				walk_row(x, f, TR2_TABLE_spans, i);
			}
	if (f->point || f->row)
		tr2_for_each_point(x->m, thread, i) {
			CALL(x, f, point, i);
			walk_row(x, f, table_of_point(&x->m->points[i]), i);
		}
}

static void chain_samples(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i, *first;

	x->first_sample = tr2_calloc(m->nr_nodes, sizeof(*x->first_sample));
	x->next_sample = tr2_calloc(m->nr_samples, sizeof(*x->next_sample));
	for (i = m->nr_samples - 1; i > 0; i--) {
		if (m->samples[i].session)
			continue;
		first = &x->first_sample[m->samples[i].node];
		x->next_sample[i] = *first;
		*first = i;
	}
}

static void chain_memory(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	uint32_t i, *first;

	x->first_memory = tr2_calloc(m->nr_tasks + 1,
				     sizeof(*x->first_memory));
	x->next_memory = tr2_calloc(m->nr_memory, sizeof(*x->next_memory));
	for (i = m->nr_memory - 1; i > 0; i--) {
		if (!tr2_memory_is_certain(m, &m->memory[i]))
			continue;
		first = &x->first_memory[m->memory[i].task];
		x->next_memory[i] = *first;
		*first = i;
	}
}

static void walk_memory(struct tr2_export *x,
			const struct tr2_export_format *f, uint32_t node,
			uint32_t task)
{
	uint32_t i;

	x->memory_node = node;
	for (i = x->first_memory[task]; i; i = x->next_memory[i])
		walk_row(x, f, TR2_TABLE_memory, i);
}

static void walk_process(struct tr2_export *x,
			 const struct tr2_export_format *f, uint32_t node)
{
	const struct tr2_model *m = x->m;
	uint32_t i, state;

	walk_row(x, f, TR2_TABLE_processes, node);
	tr2_for_each_task_thread(m, m->nodes[node].task, i) {
		x->task_thread = i;
		walk_row(x, f, TR2_TABLE_kernel_threads, i);
		if (x->opt->no_states)
			continue;
		tr2_for_each_state(m, i, state)
			walk_row(x, f, TR2_TABLE_states, state);
	}
	if (node == m->first_root)
		walk_memory(x, f, node, 0);
	if (m->nodes[node].task)
		walk_memory(x, f, node, m->nodes[node].task);
	for (i = x->first_sample[node]; i; i = x->next_sample[i])
		walk_row(x, f, TR2_TABLE_samples, i);
}

static void walk_trace_spans(struct tr2_export *x,
			     const struct tr2_export_format *f,
			     uint32_t session)
{
	uint32_t i;

	tr2_for_each_trace_span(x->m, session, i)
		if (tr2_filter_trace_span(x->filter, x->m, i)) {
			CALL(x, f, trace_span, i);
			walk_row(x, f, TR2_TABLE_trace_spans, i);
		}
}

static void walk_node(struct tr2_export *x, const struct tr2_export_format *f,
		      uint32_t node)
{
	uint32_t s, i;

	CALL(x, f, node, node);
	for (s = x->m->nodes[node].session; s;
	     s = x->m->sessions[s].next_of_node) {
		CALL(x, f, session, s);
		walk_row(x, f, TR2_TABLE_sessions, s);
		tr2_for_each_thread(x->m, s, i)
			walk_thread(x, f, i);
		walk_trace_spans(x, f, s);
		if (f->metric || f->row)
			tr2_for_each_metric(x->m, s, i) {
				CALL(x, f, metric, i);
				walk_row(x, f,
					 table_of_metric(&x->m->metrics[i]), i);
			}
		if (f->row)
			tr2_for_each_sample(x->m, s, i)
				walk_row(x, f, TR2_TABLE_samples, i);
		CALL(x, f, session_end, s);
	}
	if (f->row)
		walk_process(x, f, node);
	CALL(x, f, node_end, node);
}

static void walk_tree(struct tr2_export *x, const struct tr2_export_format *f)
{
	const struct tr2_model *m = x->m;
	bool wanted = true;
	uint32_t i;

	for (i = 1; i < m->nr_inputs; i++)
		walk_row(x, f, TR2_TABLE_recordings, i);
	for (i = m->first_root; i && !stopped(x); i = tr2_node_after(m, i)) {
		if (f->tree && !m->nodes[i].parent)
			wanted = f->tree(x, i);
		if (wanted && tr2_filter_node(x->filter, m, i))
			walk_node(x, f, i);
	}
}

bool tr2_export_run(struct tr2_export *x, const struct tr2_export_format *f)
{
	if (f->begin && !f->begin(x))
		x->failed = true;
	if (f->row) {
		chain_samples(x);
		chain_memory(x);
	}
	if (!stopped(x))
		walk_tree(x, f);
	if (f->end && !f->end(x))
		x->failed = true;
	tr2_stacks_end(x->stacks);
	free(x->first_sample);
	free(x->next_sample);
	free(x->first_memory);
	free(x->next_memory);
	tr2_buf_release(&x->recording_key);
	tr2_buf_release(&x->scratch);
	tr2_buf_release(&x->text);
	return !stopped(x);
}

bool tr2_export_is_process(const struct tr2_export *x, uint32_t node)
{
	return x->m->nodes[node].session || x->m->nodes[node].task;
}

const char *tr2_export_host(const char *meta_json, size_t *len)
{
	static const char key[] = "\"host\":\"";
	const char *host = meta_json ? strstr(meta_json, key) : NULL;

	*len = 0;
	if (!host)
		return "";
	host += sizeof(key) - 1;
	if (host[strcspn(host, "\"\\")] == '"')
		*len = strcspn(host, "\"");
	return host;
}

const char *tr2_export_signal(struct tr2_export *x, int signo)
{
	tr2_buf_reset(&x->text);
	tr2_signal_add(&x->text, signo);
	return tr2_buf_str(&x->text);
}

const char *tr2_export_name(struct tr2_export *x, tr2_export_name_fn *add,
			    uint32_t i)
{
	tr2_buf_reset(&x->text);
	add(x, &x->text, i);
	return tr2_buf_str(&x->text);
}

uint32_t tr2_session_before(const struct tr2_export *x, uint32_t session)
{
	const struct tr2_model *m = x->m;
	uint32_t s = m->nodes[m->sessions[session].node].session;

	while (s && m->sessions[s].next_of_node != session)
		s = m->sessions[s].next_of_node;
	return s;
}
