/* SPDX-License-Identifier: MIT */
/*
 * tables_process - the rows of recordings, processes, and the kernel's threads
 * with their states, see export/tables.h.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/sql/tables_cells.h"
#include "model/kind.h"
#include "model/states.h"
#include "out/table.h"

static void add_host(struct tr2_buf *b, const struct tr2_model_input *in)
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
		add_host(b, in);
		return;
	}
	real = realpath(in->path, NULL);
	tr2_buf_addstr(b, tr2_export_text(x, real ? real : in->path));
	free(real);
}

/* Each row has it: keep the last one. */
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

void tr2_row_recording(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_input *in = &x->m->inputs[i];
	size_t start;

	tr2_value_number(r, ids->recording_ids ? ids->recording_ids[i] : i);
	tr2_value_recording(x, r, i);
	tr2_value_text(x, r, in->path);
	start = r->text.len;
	add_host(&r->text, in);
	if (r->text.len > start)
		tr2_value_text_from(r, start);
	else
		tr2_value_none(r);
	tr2_value_number_if(r, in->wall_ns, in->wall_ns);
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

static uint32_t node_of(const struct tr2_model *m, uint32_t task_thread)
{
	return m->tasks[m->task_threads[task_thread].task].node;
}

static void time_if(struct tr2_row *r, int64_t ns)
{
	tr2_value_number_if(r, ns != TR2_NO_TIME, ns);
}

/* Add four cells: as the kernel counted at the end of the process. */
static void rusage(struct tr2_row *r, const struct tr2_model_task *t)
{
	bool known = t->flags & TR2_TASK_HAS_RUSAGE;

	tr2_value_number_if(r, t->nr_threads, t->nr_threads);
	tr2_value_number_if(r, known, (int64_t)t->user_ns);
	tr2_value_number_if(r, known, (int64_t)t->system_ns);
	tr2_value_number_if(r, known, (int64_t)t->maxrss_bytes);
}

/* Add four cells: kind, name, command, argv. */
static void names(struct tr2_export *x, struct tr2_row *r, uint32_t node)
{
	static struct tr2_buf kind; /* kept for reuse: allocating maps memory */
	size_t start;

	tr2_buf_reset(&kind);
	tr2_kind_add(x->m, node, 0, &kind);
	tr2_value_text(x, r, tr2_buf_str(&kind));
	start = r->text.len;
	tr2_export_node_name(x, &r->text, node);
	tr2_value_text_from(r, start);
	tr2_value_words(x, r, tr2_node_words(x->m, node), true);
}

void tr2_row_process(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model *m = x->m;
	const struct tr2_node *n = &m->nodes[i];
	int64_t above = n->parent ? tr2_row_process_id(ids, n->parent) : 0;
	size_t start = r->text.len;

	tr2_value_number(r, tr2_row_process_id(ids, i));
	tr2_process_key(x, &r->text, i);
	tr2_value_text_from(r, start);
	tr2_value_number_if(r, above, above);
	tr2_value_number_if(r, n->session,
			    tr2_row_session_id(ids, n->session));
	tr2_value_number_if(r, n->child,
			    tr2_row_span_id(ids, m->children[n->child].span));
	tr2_value_number_if(r, n->pid > 0, n->pid);
	names(x, r, i);
	tr2_value_times(r, n->start_ns, n->end_ns);
	tr2_value_number(r, n->at_least);
	tr2_value_number(r, n->self_ns);
	time_if(r, n->spawn_ns);
	time_if(r, n->cpu_ns);
	time_if(r, n->ready_ns);
	time_if(r, n->wait_ns);
	tr2_value_text(x, r, tr2_end_name(n->end));
	tr2_value_code(r, n->end, n->has_code, n->code);
	rusage(r, &m->tasks[n->task]);
}

void tr2_row_kernel_thread(struct tr2_export *x, struct tr2_row *r,
			   const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model *m = x->m;
	const struct tr2_task_thread *t = &m->task_threads[i];

	tr2_value_number(r, tr2_row_kernel_thread_id(ids, i));
	tr2_value_number(r, tr2_row_process_id(ids, node_of(m, i)));
	tr2_value_number_if(r, t->thread, tr2_row_thread_id(ids, t->thread));
	tr2_value_number(r, t->tid);
	tr2_value_string(x, r, t->comm);
	tr2_value_times(r, t->start_ns, t->end_ns);
	time_if(r, t->cpu_ns);
	tr2_value_number(r, (t->flags & TR2_TASK_THREAD_LOST) != 0);
}

/* Who woke it, or had the CPU. */
static void by(struct tr2_export *x, struct tr2_row *r,
	       const struct tr2_row_ids *ids, const struct tr2_state *s)
{
	const struct tr2_model *m = x->m;

	tr2_value_number_if(r, s->other,
			    tr2_row_kernel_thread_id(ids, s->other));
	if (s->other)
		tr2_value_string(x, r, m->task_threads[s->other].comm);
	else if (s->flags & TR2_STATE_BY_KERNEL)
		tr2_value_text(x, r, "(kernel)");
	else
		tr2_value_string(x, r, s->comm);
}

void tr2_row_state(struct tr2_export *x, struct tr2_row *r,
		   const struct tr2_row_ids *ids, uint32_t i)
{
	static const char *const names[] = { [TR2_STATE_RUN] = "run",
					     [TR2_STATE_READY] = "ready",
					     [TR2_STATE_WAIT] = "wait" };
	const struct tr2_state *s = &x->m->states[i];
	bool waits = s->kind == TR2_STATE_WAIT;

	tr2_value_number(r, tr2_row_process_id(
				    ids, node_of(x->m, x->task_thread)));
	tr2_value_number(r, tr2_row_kernel_thread_id(ids, x->task_thread));
	tr2_value_number(r, s->start_ns);
	tr2_value_number(r, tr2_state_end(x->m, x->task_thread, i) -
				    s->start_ns);
	tr2_value_text(x, r, names[s->kind]);
	tr2_value_text(x, r, waits ? tr2_cause_name(s->cause) : NULL);
	by(x, r, ids, s);
	tr2_value_number(r, (s->flags & TR2_STATE_INFERRED) != 0);
}

uint32_t tr2_row_input(const struct tr2_export *x, enum tr2_table_id table,
		       uint32_t i)
{
	const struct tr2_model *m = x->m;

	switch (table) {
	case TR2_TABLE_recordings:
		return i;
	case TR2_TABLE_processes:
		return tr2_input_of_node(m, i);
	case TR2_TABLE_kernel_threads:
	case TR2_TABLE_states:
		return tr2_input_of_node(m, node_of(m, x->task_thread));
	case TR2_TABLE_sessions:
		return tr2_input_of_session(m, i);
	case TR2_TABLE_threads:
		return tr2_input_of_session(m, m->threads[i].session);
	case TR2_TABLE_spans:
		return tr2_input_of_session(
			m, m->threads[m->spans[i].thread].session);
	case TR2_TABLE_trace_spans:
		return tr2_input_of_session(
			m, m->threads[m->trace_spans[i].thread].session);
	case TR2_TABLE_events:
	case TR2_TABLE_data:
		return tr2_input_of_session(
			m, m->threads[m->points[i].thread].session);
	case TR2_TABLE_timers:
	case TR2_TABLE_counters:
	case TR2_TABLE_distributions:
	case TR2_TABLE_gauges:
		return tr2_input_of_session(m, m->metrics[i].session);
	case TR2_TABLE_samples:
		return tr2_input_of_node(m, m->samples[i].node);
	default:
		return 0;
	}
}
