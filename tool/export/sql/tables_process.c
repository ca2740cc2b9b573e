/* SPDX-License-Identifier: MIT */
/*
 * tables_process - cells of recordings, processes, and the kernel's threads,
 * see export/sql/tables_private.h.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/sql/tables_private.h"
#include "out/table.h"

void tr2_row_add_host(struct tr2_buf *b, const struct tr2_model_input *in)
{
	size_t len;
	const char *host = tr2_export_host(in->meta_json, &len);

	tr2_buf_add(b, host, len);
}

static void add_recording_key(struct tr2_export *x, struct tr2_buf *b,
			      uint32_t input)
{
	const struct tr2_model_input *in = &x->m->inputs[input];
	char *real;

	if (in->meta_json) {
		tr2_fmt_iso(b, in->wall_ns);
		tr2_buf_addch(b, '-');
		tr2_row_add_host(b, in);
		return;
	}
	real = realpath(in->path, NULL);
	tr2_buf_addstr(b, tr2_export_text(x, real ? real : in->path));
	free(real);
}

/* Append a recording's key. Keep the key for the next call, since each row of a
 * recording needs it. */
void tr2_recording_key(struct tr2_export *x, struct tr2_buf *b, uint32_t input)
{
	if (x->keyed_input != input) {
		tr2_buf_reset(&x->recording_key);
		add_recording_key(x, &x->recording_key, input);
		x->keyed_input = input;
	}
	tr2_must(!x->recording_key.failed);
	tr2_buf_add(b, x->recording_key.p, x->recording_key.len);
}

void tr2_value_recording(struct tr2_export *x, struct tr2_row *r,
			 uint32_t input)
{
	size_t start = r->text.len;

	tr2_recording_key(x, &r->text, input);
	tr2_value_text_from(r, start);
}

void tr2_process_key(struct tr2_export *x, struct tr2_buf *b, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_node *n = &m->nodes[node];
	const struct tr2_child *c = &m->children[n->child];

	if (n->session) {
		tr2_session_key(x, b, n->session);
		return;
	}
	if (!n->task && n->child) {
		tr2_session_key(x, b,
				m->threads[m->spans[c->span].thread].session);
		tr2_buf_addlit(b, "/child-");
		tr2_buf_add_i64(b, c->id);
	} else {
		tr2_buf_addlit(b, "pid-");
		tr2_buf_add_i64(b, n->pid);
	}
	tr2_buf_addch(b, '@');
	tr2_buf_add_i64(b, n->start_ns);
}

int64_t tr2_row_process_id(const struct tr2_row_ids *ids, uint32_t node)
{
	return ids->process_ids ? ids->process_ids[node] : node;
}

int64_t tr2_row_kernel_thread_id(const struct tr2_row_ids *ids,
				 uint32_t i)
{
	return ids->kernel_thread_ids ? ids->kernel_thread_ids[i] :
					ids->kernel_thread + i;
}

uint32_t tr2_row_node_of(const struct tr2_model *m, uint32_t task_thread)
{
	return m->tasks[m->task_threads[task_thread].task].node;
}

uint32_t tr2_row_session(const struct tr2_model *m, enum tr2_table_id table,
			 uint32_t i)
{
	switch (tr2_table_defs[table].of) {
	case TR2_OF_session:
		return i;
	case TR2_OF_thread:
		return m->threads[i].session;
	case TR2_OF_span:
		return m->threads[m->spans[i].thread].session;
	case TR2_OF_trace_span:
		return m->threads[m->trace_spans[i].thread].session;
	case TR2_OF_point:
		return m->threads[m->points[i].thread].session;
	case TR2_OF_metric:
		return m->metrics[i].session;
	case TR2_OF_sample:
		return m->samples[i].session;
	default:
		return 0;
	}
}

uint32_t tr2_row_input(const struct tr2_export *x, enum tr2_table_id table,
		       uint32_t i)
{
	const struct tr2_model *m = x->m;

	switch (tr2_table_defs[table].of) {
	case TR2_OF_input:
		return i;
	case TR2_OF_node:
		return tr2_input_of_node(m, i);
	case TR2_OF_task_thread:
	case TR2_OF_state:
		return tr2_input_of_node(m, tr2_row_node_of(m, x->task_thread));
	case TR2_OF_memory:
		return tr2_input_of_node(m, x->memory_node);
	case TR2_OF_sample:
		return tr2_input_of_node(m, m->samples[i].node);
	default:
		return tr2_input_of_session(m, tr2_row_session(m, table, i));
	}
}
