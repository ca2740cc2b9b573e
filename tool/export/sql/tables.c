/* SPDX-License-Identifier: MIT */
/*
 * tables - implements export/sql/tables.h: the functions that fill rows are
 * expanded from export/tables.def. Unknown values are NULL.
 */
#include "export/sql/tables_private.h"
#include "export/stacks.h"
#include "model/build/trace_span.h"
#include "model/join/targets.h"
#include "model/kind.h"
#include "model/memory_use.h"
#include "model/objects.h"
#include "model/states.h"

const struct tr2_table_def tr2_table_defs[TR2_TABLE_NR] = {
#define TR2_COLUMN(name, sql, cell) { #name, sql },
#define TR2_TABLE(name, of, columns)                                          \
	{ #name, TR2_OF_##of, \
	  { columns TR2_COLUMN(recording, "INTEGER", 0) { NULL, NULL } } },
#include "export/tables.def"
#undef TR2_TABLE
#undef TR2_COLUMN
};

static void add_value(struct tr2_export *x, struct tr2_row *r,
		      const struct tr2_point *p)
{
	size_t start = r->text.len;

	if (!p->value) {
		tr2_value_none(r);
		return;
	}
	if (p->kind == TR2_POINT_DATA_JSON || p->kind == TR2_POINT_OTHER)
		tr2_export_add_json(x, &r->text, p->value);
	else
		tr2_buf_addstr(&r->text, tr2_export_value(x,
			tr2_s(x->m, p->key), p->value));
	tr2_value_text_from(r, start);
}

/* Return the name of the thread that ended the wait, or had the CPU. */
static const char *state_by(const struct tr2_model *m,
			    const struct tr2_state *s)
{
	static struct tr2_buf text; /* later calls reuse its memory */

	tr2_buf_reset(&text);
	tr2_by_add(&text, m, tr2_state_by(m, s));
	return !s->other && s->flags & TR2_STATE_BY_KERNEL ? "(kernel)" :
							     tr2_buf_str(&text);
}

/* Append the values of the sample's group: {"EVENT":VALUE,...}. */
static void add_readings(struct tr2_export *x, struct tr2_buf *b,
			 const struct tr2_model_sample *s)
{
	const struct tr2_sample_value *v = &x->m->values[s->first_value];
	uint32_t i;

	for (i = 0; i < s->nr_values; i++) {
		tr2_buf_addch(b, i ? ',' : '{');
		tr2_export_add_str(x, b, tr2_s(x->m, v[i].event));
		tr2_buf_addch(b, ':');
		tr2_buf_add_u64(b, v[i].value);
	}
	if (s->nr_values)
		tr2_buf_addch(b, '}');
}

/* Append the stack, with the innermost function last. Return the position of
 * the end of the stack. */
static size_t add_stack(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_model_sample *s, size_t *innermost)
{
	size_t end;

	tr2_stacks_add(x, &r->text, s, innermost);
	end = r->text.len;
	tr2_buf_addch(&r->text, '\0');
	return end;
}

static int64_t session_of(const struct tr2_export *x,
			  const struct tr2_row_ids *ids, uint32_t thread)
{
	return tr2_row_session_id(ids, x->m->threads[thread].session);
}

static int64_t wall_of(const struct tr2_export *x, uint32_t thread)
{
	return tr2_export_session_of(x, thread)->wall_ns;
}

static const char *const state_names[] = {
	[TR2_STATE_RUN] = "run",
	[TR2_STATE_READY] = "ready",
	[TR2_STATE_WAIT] = "wait",
};

static const char *const span_kinds[] = {
	[TR2_SPAN_REGION] = "region",
	[TR2_SPAN_CHILD] = "child",
	[TR2_SPAN_EXEC] = "exec",
};

static const char *const point_kinds[] = {
	[TR2_POINT_DATA] = "data",     [TR2_POINT_DATA_JSON] = "data",
	[TR2_POINT_ERROR] = "error",   [TR2_POINT_PRINTF] = "printf",
	[TR2_POINT_PARAM] = "param",   [TR2_POINT_REPO] = "repo",
	[TR2_POINT_SIGNAL] = "signal", [TR2_POINT_ALIAS] = "alias",
	[TR2_POINT_OTHER] = "other",
};

/* ROW_KIND declares the variables that the cells of a row for this kind of
 * object use. */
#define ROW_input const struct tr2_model_input *in = &x->m->inputs[i];
#define ROW_node                                                     \
	const struct tr2_node *n = &x->m->nodes[i];                       \
	const struct tr2_model_task *task = &x->m->tasks[n->task];        \
	bool has_rusage = task->flags & TR2_TASK_HAS_RUSAGE;              \
	int64_t above = n->parent ? tr2_row_process_id(ids, n->parent) : 0;
#define ROW_task_thread \
	const struct tr2_task_thread *t = &x->m->task_threads[i];
#define ROW_memory \
	const struct tr2_observed_memory_point *p = &x->m->memory[i];
#define ROW_state const struct tr2_state *s = &x->m->states[i];
/* `n` may have an end that the kernel recorded and the session lacks. */
#define ROW_session                                                  \
	const struct tr2_model_session *s = &x->m->sessions[i];       \
	const struct tr2_rare *rare = tr2_rare(x->m, i);              \
	const struct tr2_node *n = &x->m->nodes[s->node];             \
	int64_t above = tr2_row_parent_id(x, ids, i);                 \
	uint32_t child = tr2_row_child_above(x, s->node);             \
	bool last = s->node && !s->next_of_node;
#define ROW_thread                                              \
	const struct tr2_model_thread *t = &x->m->threads[i];    \
	int64_t wall = x->m->sessions[t->session].wall_ns;
/* `sums` has the thread's states during the span's own time. */
#define ROW_span                                                       \
	const struct tr2_span *s = &x->m->spans[i];                     \
	const struct tr2_child *c = &x->m->children[s->child];          \
	const struct tr2_node *n = &x->m->nodes[c->node];               \
	int64_t wall = wall_of(x, s->thread);                           \
	bool known = x->m->threads[s->thread].task_thread;              \
	struct tr2_state_sums sums = { 0 };                             \
									\
	tr2_states_sum_span(x->m, i, &sums);
#define ROW_trace_span                                                 \
	const struct tr2_trace_span *s = &x->m->trace_spans[i];         \
	int64_t wall = wall_of(x, s->thread);                           \
	struct tr2_trace_span_times times;                              \
	bool known = tr2_trace_span_times(x->m, i, &times);
#define ROW_point                                        \
	const struct tr2_point *p = &x->m->points[i];     \
	int64_t wall = wall_of(x, p->thread);
#define ROW_metric const struct tr2_metric *metric = &x->m->metrics[i];
#define ROW_sample                                                     \
	const struct tr2_model_sample *s = &x->m->samples[i];           \
	size_t innermost, stack_end = add_stack(x, r, s, &innermost);

#define INT(v) tr2_value_number(r, v)
#define INT_IF(known, v) tr2_value_number_if(r, known, v)
#define TIME(v) tr2_value_number_if(r, (v) != TR2_NO_TIME, v)
#define SIZE(v) tr2_value_size(r, v)
#define TEXT(s) tr2_value_text(x, r, s)
#define STRING(s) tr2_value_text(x, r, tr2_s(x->m, s))
#define COMMAND(words) ADD(tr2_export_add_command(x, &r->text, words))
#define WORDS(words) \
	ADD(if ((words)->nr) tr2_export_add_words(x, &r->text, words))
#define JSON(json) ADD(if (json) tr2_export_add_json(x, &r->text, json))
#define ID(id) ADD(if (id) tr2_context_add_id(&r->text, id))
#define TRACE(self) ADD(if ((self)->id) tr2_context_add_trace(&r->text, self))
#define FROM(from, to) tr2_value_part(r, from, to)
/* The cells of an end: CODE(exit code) and SIGNAL(number), of which at most one
 * is known. */
#define CODE(end, known, code) INT_IF((known) && (end) != TR2_END_SIGNAL, code)
#define SIGNAL(end, known, code) INT_IF((known) && (end) == TR2_END_SIGNAL, code)
#define ADD(call)                                         \
	{                                                 \
		size_t start = r->text.len;               \
							  \
		call;                                     \
		tr2_value_part(r, start, r->text.len);    \
		tr2_buf_addch(&r->text, '\0');            \
	}

#define TR2_COLUMN(name, sql, cell) cell;
#define TR2_TABLE(name, of, columns)                                         \
	static void fill_##name(struct tr2_export *x, struct tr2_row *r, \
				const struct tr2_row_ids *ids,           \
				uint32_t i)                              \
	{                                                                \
		ROW_##of (void)ids;                                      \
		columns                                                  \
	}
#include "export/tables.def"
#undef TR2_TABLE
#undef TR2_COLUMN

void tr2_row_fill(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, enum tr2_table_id table,
		  uint32_t i)
{
	static void (*const fill[TR2_TABLE_NR])(struct tr2_export *,
						struct tr2_row *,
						const struct tr2_row_ids *,
						uint32_t) = {
#define TR2_TABLE(name, of, columns) fill_##name,
#include "export/tables.def"
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
