/* SPDX-License-Identifier: MIT */
/*
 * chrome - Trace Event JSON, which Perfetto, Chrome and speedscope open: one
 * process per process, with its threads, complete slices ("X"), flows from
 * parent to child, counters, the program's spans, and the states of threads. Times count from the start of the recording,
 * in microseconds with three decimals; `otherData` has that start.
 *
 * Slices of one thread always nest, since viewers rely on that. A child is
 * among the regions of the thread that waited for it; a child that ran beside
 * them is on a row of its own, "main: children 1". So are the states of a thread,
 * "main: states", since they cross the borders of regions.
 */
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/profile/chrome.h"
#include "model/build/trace_span.h"
#include "model/filter.h"
#include "model/model.h"
#include "out/table.h"

/* Above every pid of the kernel. */
#define FIRST_MADE_UP_ID (1u << 22)

static bool is_shown(const struct tr2_export *x, uint32_t node)
{
	return tr2_export_is_process(x, node) && tr2_filter_node(x->filter, x->m, node);
}

/* Make up numbers for processes whose pid is unknown or was reused. */
static void number_processes(struct tr2_export *x, struct tr2_chrome *c)
{
	const struct tr2_model *m = x->m;
	struct tr2_map seen = { 0 };
	uint32_t i, *slot;

	c->origin_ns = INT64_MAX;
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_node *n = &m->nodes[i];

		if (!is_shown(x, i))
			continue;
		if (n->start_ns < c->origin_ns)
			c->origin_ns = n->start_ns;
		slot = n->pid > 0 ? tr2_map_slot(&seen, tr2_key(1, (uint32_t)n->pid)) : NULL;
		c->pids[i] = slot && !*slot ? (uint32_t)n->pid : c->next_id++;
		if (slot)
			*slot = 1;
	}
	tr2_map_release(&seen);
	if (c->origin_ns == INT64_MAX)
		c->origin_ns = 0;
}

static bool begin(struct tr2_export *x)
{
	struct tr2_chrome *c = tr2_calloc(1, sizeof(*c));

	x->state = c;
	c->next_id = FIRST_MADE_UP_ID + 1;
	c->pids = tr2_calloc(x->m->nr_nodes, sizeof(*c->pids));
	c->child_tids = tr2_calloc(x->m->nr_children, sizeof(*c->child_tids));
	tr2_buf_addlit(&x->sink.buf, "{\"traceEvents\":[");
	c->tids = tr2_calloc(x->m->nr_threads, sizeof(*c->tids));
	c->state_tids = tr2_calloc(x->m->nr_task_threads,
				   sizeof(*c->state_tids));
	number_processes(x, c);
	tr2_chrome_number_states(x);
	return true;
}

static struct tr2_chrome_slice process_slice(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_chrome *c = x->state;
	const struct tr2_node *n = &x->m->nodes[node];

	return (struct tr2_chrome_slice){ n->start_ns, n->end_ns, c->pids[node],
			       c->pids[node] };
}

/* Find the start of the flow to a process: the slice of the child span that led
 * to it, else the nearest process above it. */
static bool find_origin(struct tr2_export *x, uint32_t node, struct tr2_chrome_slice *from)
{
	const struct tr2_model *m = x->m;
	const struct tr2_chrome *c = x->state;
	int64_t started_ns = m->nodes[node].start_ns;
	uint32_t up = m->nodes[node].parent, child;

	for (; node; node = up, up = m->nodes[node].parent) {
		child = m->nodes[node].child;
		if (child && up && c->child_tids[child]) {
			uint32_t span = m->children[child].span;
			uint32_t thread = m->spans[span].thread;

			from->start_ns = m->spans[span].start_ns +
				tr2_export_session_of(x, thread)->wall_ns;
			from->pid = c->pids[up];
			from->tid = c->child_tids[child];
			return from->pid != 0;
		}
		if (!c->pids[up])
			continue;
		*from = process_slice(x, up);
		if (started_ns > from->end_ns || started_ns < from->start_ns)
			return false;
		from->start_ns = started_ns;
		return true;
	}
	return false;
}

static void name_process(struct tr2_export *x, uint32_t node, uint32_t pid)
{
	const struct tr2_words *words = tr2_node_words(x->m, node);

	tr2_chrome_metadata(x, "process_name", pid, pid, "name",
			    tr2_export_name(x, tr2_export_node_name, node));
	tr2_chrome_sort_index(x, "process_sort_index", pid, pid, node);
	if (!words->nr)
		return;
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, words);
	tr2_chrome_metadata(x, "process_labels", pid, pid, "labels",
		 tr2_buf_str(&x->text));
}

static void add_task_args(struct tr2_export *x, const struct tr2_model_task *t)
{
	struct tr2_buf *b = &x->sink.buf;

	if (!(t->flags & TR2_TASK_HAS_RUSAGE))
		return;
	tr2_export_json_int(b, "user_ns", (int64_t)t->user_ns);
	tr2_export_json_int(b, "system_ns", (int64_t)t->system_ns);
	tr2_export_json_int(b, "maxrss_bytes", (int64_t)t->maxrss_bytes);
}

static void add_process_args(struct tr2_export *x, uint32_t node)
{
	const struct tr2_node *n = &x->m->nodes[node];
	const struct tr2_model_session *s = &x->m->sessions[n->session];
	struct tr2_buf *b = &x->sink.buf;
	size_t args = tr2_chrome_open_args(b);

	tr2_export_json_words(x, b, "argv", tr2_node_words(x->m, node));
	if (n->pid > 0)
		tr2_export_json_int(b, "pid", n->pid);
	if (n->has_code)
		tr2_export_json_int(b, n->end == TR2_END_SIGNAL ? "signal" :
								  "code",
				    n->code);
	if (n->has_code && n->end == TR2_END_SIGNAL)
		tr2_export_json_str(x, b, "signal_name",
				    tr2_export_signal(x, n->code));
	if (n->has_code && n->end_by == TR2_BY_PARENT)
		tr2_export_json_str(x, b, "end_by", "parent");
	if (n->spawn_ns != TR2_NO_TIME)
		tr2_export_json_int(b, "spawn_ns", n->spawn_ns);
	if (n->end == TR2_END_OPEN)
		tr2_buf_addlit(b, ",\"open\":true");
	if (n->session) {
		tr2_export_json_str(x, b, "sid", s->sid);
		tr2_export_json_str(x, b, "hierarchy",
				    tr2_s(x->m, s->hierarchy));
		tr2_export_json_str(x, b, "mode", tr2_s(x->m, s->mode));
	}
	add_task_args(x, &x->m->tasks[n->task]);
	tr2_chrome_close_args(b, args);
}

/* All processes together, as a counter of the first. */
static void add_memory(struct tr2_export *x, const struct tr2_chrome_slice *of)
{
	uint32_t i;

	for (i = 1; i < x->m->nr_memory; i++) {
		const struct tr2_observed_memory_point *p = &x->m->memory[i];
		struct tr2_buf *b;
		size_t args;

		if (p->task)
			continue;
		b = tr2_chrome_open_event(x, 'C', of->pid, of->tid);
		tr2_chrome_add_time(x, p->at_ns);
		tr2_chrome_add_name(x, "memory");
		args = tr2_chrome_open_args(b);
		tr2_export_json_int(b, "bytes", (int64_t)p->tree_bytes);
		tr2_chrome_close_args(b, args);
		tr2_sink_step(&x->sink);
	}
}

static void node(struct tr2_export *x, uint32_t i)
{
	struct tr2_chrome *c = x->state;
	struct tr2_chrome_slice to = process_slice(x, i), from;

	if (!to.pid)
		return;
	name_process(x, i, to.pid);
	if (i == x->m->first_root)
		add_memory(x, &to);
	if (!x->m->nodes[i].session) {
		tr2_chrome_metadata(x, "thread_name", to.pid, to.tid, "name", "main");
		tr2_chrome_open_slice(x, &to, "process",
			tr2_export_name(x, tr2_export_node_name, i));
		add_process_args(x, i);
	}
	if (x->m->nodes[i].parent && find_origin(x, i, &from)) {
		tr2_chrome_flow(x, 's', "spawn", i, &from);
		tr2_chrome_flow(x, 'f', "spawn", i, &to);
	}
	c->nr_rows = 0;
}

static void push_end(struct tr2_chrome *c, int64_t end_ns)
{
	tr2_grow(c->ends, c->nr_ends, c->alloc_ends);
	c->ends[c->nr_ends++] = end_ns;
}

/* Make a slice nest in its thread: cut it to the slices around it, if a stream
 * is inconsistent. */
static void nest(struct tr2_chrome *c, struct tr2_chrome_slice *s)
{
	if (s->start_ns < c->last_ns)
		s->start_ns = c->last_ns;
	while (c->nr_ends > 1 && c->ends[c->nr_ends - 1] <= s->start_ns)
		c->nr_ends--;
	if (c->nr_ends && s->end_ns > c->ends[c->nr_ends - 1])
		s->end_ns = c->ends[c->nr_ends - 1];
	if (s->start_ns > s->end_ns)
		s->start_ns = s->end_ns;
	c->last_ns = s->start_ns;
	push_end(c, s->end_ns);
}

/* Return the time from the first to the last event of a thread. */
static struct tr2_chrome_slice thread_slice(const struct tr2_export *x, uint32_t thread)
{
	const struct tr2_chrome *c = x->state;
	const struct tr2_model_thread *t = &x->m->threads[thread];
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	struct tr2_chrome_slice slice = { t->start_ns, t->end_ns, c->pids[s->node],
			       c->tid };
	uint32_t i;

	tr2_for_each_span(x->m, thread, i) {
		if (x->m->spans[i].start_ns < slice.start_ns)
			slice.start_ns = x->m->spans[i].start_ns;
		if (x->m->spans[i].end_ns > slice.end_ns)
			slice.end_ns = x->m->spans[i].end_ns;
	}
	if (slice.end_ns < slice.start_ns)
		slice.end_ns = slice.start_ns;
	slice.start_ns += s->wall_ns;
	slice.end_ns += s->wall_ns;
	return slice;
}

/* After an exec, the main thread of the new program gets another row. */
static void thread(struct tr2_export *x, uint32_t thread)
{
	struct tr2_chrome *c = x->state;
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	uint32_t pid = c->pids[s->node];
	bool main_thread = s->first_thread == thread;
	bool first = main_thread && x->m->sessions + x->m->nodes[s->node].session == s;
	const char *name = tr2_s(x->m, x->m->threads[thread].name);
	struct tr2_chrome_slice slice;

	c->nr_ends = c->nr_rows = 0;
	c->tid = c->tids[thread] = first ? pid : c->next_id++;
	slice = thread_slice(x, thread);
	c->last_ns = slice.start_ns;
	push_end(c, slice.end_ns);
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, *name ? name : "main"));
	tr2_chrome_metadata(x, "thread_name", pid, c->tid, "name", tr2_buf_str(&x->text));
	tr2_chrome_sort_index(x, "thread_sort_index", pid, c->tid,
			      first ? 0 : 2 * c->tid);
	if (main_thread) {
		tr2_chrome_open_slice(x, &slice, "process",
			tr2_export_name(x, tr2_export_node_name, s->node));
		add_process_args(x, s->node);
	} else {
		tr2_chrome_open_slice(x, &slice, "thread", tr2_buf_str(&x->text));
		tr2_buf_addch(&x->sink.buf, '}');
	}
}

/* Find a row of the thread's children that is free by then, or add one. */
static struct row *free_row(struct tr2_export *x, const struct tr2_chrome_slice *s,
			    uint32_t thread)
{
	struct tr2_chrome *c = x->state;
	const char *name = tr2_s(x->m, x->m->threads[thread].name);
	uint32_t i;

	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].free_ns <= s->start_ns)
			return &c->rows[i];
	tr2_grow(c->rows, i, c->alloc_rows);
	c->nr_rows++;
	c->rows[i] = (struct row){ 0, c->next_id++ };
	tr2_buf_reset(&x->text);
	tr2_addf(&x->text, "%s: children %u",
		 tr2_export_text(x, *name ? name : "main"), i + 1);
	tr2_chrome_metadata(x, "thread_name", s->pid, c->rows[i].tid, "name",
		 tr2_buf_str(&x->text));
	tr2_chrome_sort_index(x, "thread_sort_index", s->pid, c->rows[i].tid,
			      2 * c->rows[i].tid);
	return &c->rows[i];
}

/* Did the thread emit no other event while the child ran? */
static bool was_waited_for(const struct tr2_export *x, uint32_t span)
{
	const struct tr2_span *s = &x->m->spans[span];
	uint32_t next = s->next;

	if (next && x->m->spans[next].start_ns < s->end_ns)
		return false;
	return !s->parent || x->m->spans[s->parent].end_ns >= s->end_ns;
}

/* Choose the row of a child; false: none. */
static void place_child(struct tr2_export *x, uint32_t i, struct tr2_chrome_slice *s)
{
	struct tr2_chrome *c = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	struct row *row;

	if (was_waited_for(x, i)) {
		c->child_tids[span->child] = s->tid;
		nest(c, s);
		return;
	}
	row = free_row(x, s, span->thread);
	row->free_ns = s->end_ns;
	s->tid = row->tid;
	c->child_tids[span->child] = s->tid;
}

static void add_source(struct tr2_export *x, struct tr2_buf *b, tr2_str file,
		       uint32_t line)
{
	if (!file)
		return;
	tr2_export_json_str(x, b, "file", tr2_s(x->m, file));
	tr2_export_json_int(b, "line", line);
}

static void add_span_args(struct tr2_export *x, const struct tr2_span *span)
{
	const struct tr2_child *c = &x->m->children[span->child];
	struct tr2_buf *b = &x->sink.buf;
	size_t args = tr2_chrome_open_args(b);

	tr2_export_json_str(x, b, "msg", tr2_s(x->m, span->msg));
	if (span->kind != TR2_SPAN_REGION) {
		tr2_export_json_words(x, b, "argv", &c->argv);
		tr2_export_json_str(x, b, "class", tr2_s(x->m, c->child_class));
		tr2_export_json_str(x, b, "cd", tr2_s(x->m, c->cd));
		if (c->pid > 0)
			tr2_export_json_int(b, "pid", c->pid);
		if (c->has_code)
			tr2_export_json_int(b, "code", c->code);
	}
	if (span->repo)
		tr2_export_json_int(b, "repo", span->repo);
	if (span->flags & TR2_SPAN_OPEN)
		tr2_buf_addlit(b, ",\"open\":true");
	add_source(x, b, span->file, span->line);
	tr2_chrome_close_args(b, args);
}

static const char *category_of(const struct tr2_export *x,
			       const struct tr2_span *s)
{
	return s->kind == TR2_SPAN_CHILD ? "child" :
	       s->kind == TR2_SPAN_EXEC	 ? "exec" :
	       s->category ? tr2_s(x->m, s->category) : "region";
}

static void span(struct tr2_export *x, uint32_t i)
{
	struct tr2_chrome *c = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	const struct tr2_model_session *s =
		tr2_export_session_of(x, span->thread);
	struct tr2_chrome_slice slice = { span->start_ns + s->wall_ns,
			       span->end_ns + s->wall_ns, c->pids[s->node],
			       c->tid };

	if (span->kind == TR2_SPAN_CHILD)
		place_child(x, i, &slice);
	else
		nest(c, &slice);
	tr2_chrome_open_slice(x, &slice, category_of(x, span),
			      tr2_export_name(x, tr2_export_span_name, i));
	add_span_args(x, span);
}

static void add_point_args(struct tr2_export *x, const struct tr2_point *p)
{
	struct tr2_buf *b = &x->sink.buf;
	size_t args = tr2_chrome_open_args(b);

	if (p->value && (p->kind == TR2_POINT_DATA_JSON ||
			 p->kind == TR2_POINT_OTHER)) {
		tr2_buf_addlit(b, ",\"value\":");
		tr2_export_add_json(x, b, p->value);
	} else if (p->value) {
		tr2_buf_addlit(b, ",\"value\":");
		tr2_json_add_string(b, tr2_export_value(x, tr2_s(x->m, p->key),
							p->value));
	}
	add_source(x, b, p->file, p->line);
	tr2_chrome_close_args(b, args);
}

static const char *point_category(const struct tr2_point *p)
{
	static const char *const names[] = {
		[TR2_POINT_DATA] = "data",     [TR2_POINT_DATA_JSON] = "data",
		[TR2_POINT_ERROR] = "error",   [TR2_POINT_PRINTF] = "printf",
		[TR2_POINT_PARAM] = "param",   [TR2_POINT_REPO] = "repo",
		[TR2_POINT_SIGNAL] = "signal", [TR2_POINT_ALIAS] = "alias",
		[TR2_POINT_OTHER] = "event",
	};

	return names[p->kind];
}

/* `data index/read/version`, `error`, `param core.bare` */
static void add_point_name(struct tr2_export *x, struct tr2_buf *b,
			   const struct tr2_point *p)
{
	tr2_buf_addstr(b, point_category(p));
	if (p->kind == TR2_POINT_ERROR || !(p->category || p->key))
		return;
	tr2_buf_addch(b, ' ');
	tr2_export_pair(x, b, p->kind == TR2_POINT_PARAM ? 0 : p->category,
			p->key);
}

static void point(struct tr2_export *x, uint32_t i)
{
	const struct tr2_point *p = &x->m->points[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	const struct tr2_chrome *c = x->state;
	struct tr2_buf *b = tr2_chrome_open_event(x, 'i', c->pids[s->node], c->tid);

	tr2_chrome_add_time(x, s->wall_ns + p->at_ns);
	tr2_export_json_str(x, b, "cat", point_category(p));
	tr2_buf_reset(&x->text);
	add_point_name(x, &x->text, p);
	tr2_chrome_add_name(x, tr2_buf_str(&x->text));
	add_point_args(x, p);
}

static void trace_span_end(struct tr2_export *x, char phase, uint32_t i,
			   int64_t at_ns)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	const struct tr2_model_session *session =
		tr2_export_session_of(x, s->thread);
	const struct tr2_chrome *c = x->state;
	uint32_t pid = c->pids[session->node];
	struct tr2_buf *b = tr2_chrome_open_event(x, phase, pid, pid);

	tr2_chrome_add_time(x, session->wall_ns + at_ns);
	tr2_buf_addlit(b, ",\"cat\":\"span\",\"id2\":{\"local\":\"0x");
	tr2_context_add_id(b, s->self.id);
	tr2_buf_addlit(b, "\"}");
	tr2_chrome_add_name(x, tr2_export_name(x, tr2_export_trace_span_name,
					       i));
}

static void add_trace_span_args(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	struct tr2_buf *b = &x->sink.buf;
	struct tr2_trace_span_times times;
	size_t args = tr2_chrome_open_args(b);

	tr2_buf_addlit(b, ",\"trace_id\":\"");
	tr2_context_add_trace(b, &s->self);
	tr2_buf_addlit(b, "\",\"parent_id\":\"");
	tr2_context_add_id(b, s->parent);
	tr2_buf_addch(b, '"');
	if (tr2_trace_span_times(x->m, i, &times)) {
		tr2_export_json_int(b, "queue_ns", times.queue_ns);
		tr2_export_json_int(b, "worked_ns", times.worked_ns);
		tr2_export_json_int(b, "idle_ns", times.idle_ns);
	}
	if (s->failed)
		tr2_export_json_str(x, b, "failed",
				    *s->failed ? s->failed : "failed");
	if (s->flags & TR2_TRACE_SPAN_UNFINISHED)
		tr2_buf_addlit(b, ",\"open\":true");
	if (s->one_in > 1)
		tr2_export_json_int(b, "one_in", s->one_in);
	if (s->attributes) {
		tr2_buf_addlit(b, ",\"attributes\":");
		tr2_export_add_json(x, b, s->attributes);
	}
	tr2_chrome_close_args(b, args);
}

/* An asynchronous slice has a track of its own: a span may cross others, and
 * ends on another thread than it began on. */
static void trace_span(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];

	trace_span_end(x, 'b', i, s->start_ns);
	add_trace_span_args(x, i);
	trace_span_end(x, 'e', i, s->end_ns);
	tr2_buf_addch(&x->sink.buf, '}');
}

/* A counter's value is known only at the end; before the start it is 0. */
static void counter(struct tr2_export *x, const struct tr2_metric *metric,
		    int64_t wall_ns, int64_t value)
{
	const struct tr2_chrome *c = x->state;
	uint32_t pid = c->pids[x->m->sessions[metric->session].node];
	struct tr2_buf *b = tr2_chrome_open_event(x, 'C', pid, pid);

	tr2_chrome_add_time(x, wall_ns);
	tr2_chrome_add_name(x, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, ",\"args\":{\"value\":");
	if (metric->kind == TR2_DEFINITION_GAUGE)
		tr2_buf_add_i64(b, value);
	else
		tr2_buf_add_u64(b, (uint64_t)value);
	tr2_buf_addlit(b, "}}");
}

/* A timer or a distribution. */
static void intervals(struct tr2_export *x, const struct tr2_metric *metric,
		      int64_t wall_ns)
{
	const struct tr2_chrome *c = x->state;
	uint32_t pid = c->pids[x->m->sessions[metric->session].node];
	struct tr2_buf *b = tr2_chrome_open_event(x, 'i', pid, pid);
	static const char *const keys[][4] = {
		{ "count", "sum", "min", "max" },
		{ "intervals", "total_ns", "min_ns", "max_ns" }
	};
	const char *const *key = keys[metric->kind == TR2_DEFINITION_TIMER];
	size_t args;

	tr2_chrome_add_time(x, wall_ns);
	tr2_buf_addall(b, ",\"s\":\"p\",\"cat\":\"",
		       tr2_metric_names[metric->kind], "\"");
	tr2_chrome_add_name(x, tr2_buf_str(&x->text));
	args = tr2_chrome_open_args(b);
	tr2_export_json_int(b, key[0], (int64_t)metric->count);
	tr2_export_json_int(b, key[1], (int64_t)metric->total_ns);
	tr2_export_json_int(b, key[2], (int64_t)metric->min_ns);
	tr2_export_json_int(b, key[3], (int64_t)metric->max_ns);
	if (metric->unit)
		tr2_export_json_str(x, b, "unit", tr2_s(x->m, metric->unit));
	tr2_chrome_close_args(b, args);
}

/* The session's metric contains the sum over its threads. */
static void metric(struct tr2_export *x, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];
	const struct tr2_model_session *s = &x->m->sessions[metric->session];

	if (metric->thread)
		return;
	tr2_buf_reset(&x->text);
	tr2_export_metric_name(x, &x->text, metric);
	if (metric->kind != TR2_DEFINITION_COUNTER &&
	    metric->kind != TR2_DEFINITION_GAUGE) {
		intervals(x, metric, s->wall_ns + s->end_ns);
		return;
	}
	counter(x, metric, s->wall_ns + s->start_ns, 0);
	counter(x, metric, s->wall_ns + s->end_ns, (int64_t)metric->count);
}

static bool end(struct tr2_export *x)
{
	struct tr2_chrome *c = x->state;
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addlit(b, "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{"
			  "\"producer\":\"trace2 export\",\"start\":\"");
	tr2_fmt_iso(b, c->origin_ns);
	tr2_buf_addlit(b, "\"}}\n");
	free(c->pids);
	free(c->child_tids);
	free(c->tids);
	free(c->state_tids);
	free(c->ends);
	free(c->rows);
	free(c);
	return true;
}

const struct tr2_export_format tr2_export_chrome = {
	.begin = begin,
	.end = end,
	.node = node,
	.thread = thread,
	.span = span,
	.point = point,
	.trace_span = trace_span,
	.metric = metric,
	.node_end = tr2_chrome_states,
};
