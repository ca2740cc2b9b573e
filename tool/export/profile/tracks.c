/* SPDX-License-Identifier: MIT */
/*
 * tracks - walk over processes, threads, regions, children, spans of the
 * program, counters and memory as slices on tracks.
 *
 * A child for which its thread waited is among that thread's regions. A child
 * that ran beside the regions is on a row of its own, "main: children 1". The
 * states of a thread have their own row, "main: states", since they cross the
 * borders of regions.
 */
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/profile/tracks.h"
#include "model/build/trace_span.h"
#include "model/filter.h"
#include "model/memory_use.h"

/* The first made-up number of a process, which is larger than every pid of the
 * kernel. */
#define FIRST_MADE_UP_ID (1u << 22)

static bool is_shown(const struct tr2_export *x, uint32_t node)
{
	return tr2_export_is_process(x, node) &&
	       tr2_filter_node(x->filter, x->m, node);
}

/* Give each process a number: its pid, or a made-up number if the pid is
 * unknown or was reused. */
static void number_processes(struct tr2_export *x, struct tr2_tracks *c)
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
		slot = n->pid > 0 ? tr2_map_slot(&seen,
						 tr2_key(1, (uint32_t)n->pid)) :
				    NULL;
		c->pids[i] = slot && !*slot ? (uint32_t)n->pid : c->next_id++;
		if (slot)
			*slot = 1;
	}
	tr2_map_release(&seen);
	if (c->origin_ns == INT64_MAX)
		c->origin_ns = 0;
}

void tr2_tracks_begin(struct tr2_export *x, const struct tr2_track_writer *w)
{
	struct tr2_tracks *c = tr2_calloc(1, sizeof(*c));

	x->state = c;
	c->w = w;
	c->next_id = FIRST_MADE_UP_ID + 1;
	c->pids = tr2_calloc(x->m->nr_nodes, sizeof(*c->pids));
	c->child_tids = tr2_calloc(x->m->nr_children, sizeof(*c->child_tids));
	c->tids = tr2_calloc(x->m->nr_threads, sizeof(*c->tids));
	c->state_tids = tr2_calloc(x->m->nr_task_threads,
				   sizeof(*c->state_tids));
	number_processes(x, c);
	tr2_tracks_number_states(x);
}

static const struct tr2_track_writer *writer(const struct tr2_export *x)
{
	return ((const struct tr2_tracks *)x->state)->w;
}

void tr2_tracks_text(struct tr2_export *x, const char *key, const char *s)
{
	if (s && *s)
		writer(x)->text(x, key, tr2_export_text(x, s));
}

static void add_words(struct tr2_export *x, const char *key,
		      const struct tr2_words *words)
{
	if (words->nr)
		writer(x)->words(x, key, words);
}

static void add_json(struct tr2_export *x, const char *key, const char *json)
{
	tr2_buf_reset(&x->text);
	tr2_export_add_json(x, &x->text, json);
	writer(x)->json(x, key, tr2_buf_str(&x->text));
}

static struct tr2_slice process_slice(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_tracks *c = x->state;
	const struct tr2_node *n = &x->m->nodes[node];

	return (struct tr2_slice){
		.start_ns = n->start_ns,
		.end_ns = n->end_ns,
		.pid = c->pids[node],
		.tid = c->pids[node],
	};
}

/* Return the arrow to a process, from the child span that led to the process,
 * or else from the nearest process above. */
static struct tr2_flow find_origin(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_tracks *c = x->state;
	struct tr2_flow none = { 0 }, from = {
		.name = "spawn", .id = node, .at_ns = m->nodes[node].start_ns,
	};
	uint32_t up = m->nodes[node].parent, child;

	for (; up; node = up, up = m->nodes[node].parent) {
		child = m->nodes[node].child;
		from.pid = c->pids[up];
		if (child && c->child_tids[child]) {
			const struct tr2_span *span =
				&m->spans[m->children[child].span];

			from.at_ns = span->start_ns +
				tr2_export_session_of(x, span->thread)->wall_ns;
			from.tid = c->child_tids[child];
			return from.pid ? from : none;
		}
		from.tid = from.pid;
		if (from.pid)
			return from.at_ns > m->nodes[up].end_ns ||
				       from.at_ns < m->nodes[up].start_ns ?
			       none : from;
	}
	return none;
}

static uint32_t process_above(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_tracks *c = x->state;

	do
		node = x->m->nodes[node].parent;
	while (node && !c->pids[node]);
	return c->pids[node];
}

static void add_task_args(struct tr2_export *x, const struct tr2_model_task *t)
{
	const struct tr2_track_writer *w = writer(x);

	if (!(t->flags & TR2_TASK_HAS_RUSAGE))
		return;
	w->integer(x, "user_ns", (int64_t)t->user_ns);
	w->integer(x, "system_ns", (int64_t)t->system_ns);
	w->integer(x, "maxrss_bytes", (int64_t)t->maxrss_bytes);
}

static void add_process_args(struct tr2_export *x, uint32_t node)
{
	const struct tr2_track_writer *w = writer(x);
	const struct tr2_node *n = &x->m->nodes[node];
	const struct tr2_model_session *s = &x->m->sessions[n->session];

	add_words(x, "argv", tr2_node_words(x->m, node));
	if (n->pid > 0)
		w->integer(x, "pid", n->pid);
	if (n->has_code)
		w->integer(x, n->end == TR2_END_SIGNAL ? "signal" : "code",
			   n->code);
	if (n->has_code && n->end == TR2_END_SIGNAL)
		w->text(x, "signal_name", tr2_export_signal(x, n->code));
	if (n->has_code && n->end_by == TR2_BY_PARENT)
		w->text(x, "end_by", "parent");
	if (n->spawn_ns != TR2_NO_TIME)
		w->integer(x, "spawn_ns", n->spawn_ns);
	if (n->end == TR2_END_OPEN)
		w->yes(x, "open");
	if (n->session) {
		tr2_tracks_text(x, "sid", s->sid);
		tr2_tracks_text(x, "hierarchy", tr2_s(x->m, s->hierarchy));
		tr2_tracks_text(x, "mode", tr2_s(x->m, s->mode));
	}
	add_task_args(x, &x->m->tasks[n->task]);
}

/* Write the slice of a process, with an arrow from its parent. */
static void add_process(struct tr2_export *x, uint32_t node,
			struct tr2_slice *at, bool first)
{
	if (first)
		at->from = find_origin(x, node);
	writer(x)->open(x, at, "process",
			tr2_export_name(x, tr2_export_node_name, node));
	add_process_args(x, node);
	writer(x)->close(x);
}

void tr2_tracks_node(struct tr2_export *x, uint32_t node)
{
	struct tr2_tracks *c = x->state;
	struct tr2_slice at = process_slice(x, node);

	c->nr_rows = 0;
	if (!at.pid)
		return;
	c->w->process(x, node, at.pid, process_above(x, node));
	if (x->m->nodes[node].session)
		return;
	c->w->track(x, &(struct tr2_track){ at.pid, at.pid, "main", 0 });
	add_process(x, node, &at, true);
}

/* Write the memory of all processes as a counter of the first process, and the
 * memory of each process as that process's counter. */
static void add_memory(struct tr2_export *x,
		       const struct tr2_observed_memory_point *p)
{
	struct tr2_tracks *c = x->state;
	uint32_t pid = c->pids[x->memory_node];
	const char *name = p->task ? "own memory" : "memory";

	if (!pid)
		return;
	if (c->memory.pid != pid || c->memory.name != name) {
		c->memory = (struct tr2_track_counter){
			pid, c->next_id++, name, .is_bytes = true,
		};
		if (c->w->counter_track)
			c->w->counter_track(x, &c->memory);
	}
	c->w->counter(x, &c->memory, p->at_ns, (int64_t)(
		p->task ? tr2_memory_share(p) : p->tree_bytes));
}

void tr2_tracks_row(struct tr2_export *x, enum tr2_table_id table, uint32_t i)
{
	if (table == TR2_TABLE_memory)
		add_memory(x, &x->m->memory[i]);
}

static void push_end(struct tr2_tracks *c, int64_t end_ns)
{
	tr2_grow(c->ends, c->nr_ends, c->alloc_ends);
	c->ends[c->nr_ends++] = end_ns;
}

/* Make a slice nest in its thread: cut it to the slices around it, as an
 * inconsistent stream may require. */
static void nest_slice(struct tr2_tracks *c, struct tr2_slice *s)
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

/* Return the thread's name, redacted. */
static const char *thread_name(struct tr2_export *x, uint32_t thread)
{
	const char *name = tr2_s(x->m, x->m->threads[thread].name);

	return tr2_export_text(x, *name ? name : "main");
}

/* Return the time from the first to the last event of a thread. */
static struct tr2_slice thread_slice(const struct tr2_export *x,
				     uint32_t thread)
{
	const struct tr2_tracks *c = x->state;
	const struct tr2_model_thread *t = &x->m->threads[thread];
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	struct tr2_slice slice = {
		.start_ns = t->start_ns,
		.end_ns = t->end_ns,
		.pid = c->pids[s->node],
		.tid = c->tid,
	};
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

/* Begin a thread. The main thread of a session after an exec gets a new row. */
void tr2_tracks_thread(struct tr2_export *x, uint32_t thread)
{
	struct tr2_tracks *c = x->state;
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	bool main_thread = s->first_thread == thread;
	bool first = main_thread &&
		     x->m->sessions + x->m->nodes[s->node].session == s;
	struct tr2_track track = { .pid = c->pids[s->node] };
	struct tr2_slice slice;

	c->nr_ends = c->nr_rows = 0;
	c->tid = c->tids[thread] = first ? track.pid : c->next_id++;
	slice = thread_slice(x, thread);
	c->last_ns = slice.start_ns;
	push_end(c, slice.end_ns);
	track.tid = c->tid;
	track.rank = first ? 0 : 2 * c->tid;
	track.name = thread_name(x, thread);
	c->w->track(x, &track);
	if (main_thread) {
		add_process(x, s->node, &slice, first);
		return;
	}
	c->w->open(x, &slice, "thread", thread_name(x, thread));
	c->w->close(x);
}

/* Return a row that is free when the slice begins, one of the thread's rows for
 * children. If no row is free then, add a row. */
static struct row *free_row(struct tr2_export *x, const struct tr2_slice *s,
			    uint32_t thread)
{
	struct tr2_tracks *c = x->state;
	struct tr2_track track = { .pid = s->pid };
	uint32_t i;

	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].free_ns <= s->start_ns)
			return &c->rows[i];
	tr2_grow(c->rows, i, c->alloc_rows);
	c->nr_rows++;
	c->rows[i] = (struct row){ 0, c->next_id++ };
	tr2_buf_reset(&x->text);
	tr2_addf(&x->text, "%s: children %u", thread_name(x, thread), i + 1);
	track.tid = c->rows[i].tid;
	track.name = tr2_buf_str(&x->text);
	track.rank = 2 * track.tid;
	c->w->track(x, &track);
	return &c->rows[i];
}

/* Did the thread wait for the child? Assume so if the thread began no other
 * span, and ended none, while the child ran. */
static bool was_waited_for(const struct tr2_export *x, uint32_t span)
{
	const struct tr2_span *s = &x->m->spans[span];
	uint32_t next = s->next;

	if (next && x->m->spans[next].start_ns < s->end_ns)
		return false;
	return !s->parent || x->m->spans[s->parent].end_ns >= s->end_ns;
}

/* Choose the row of a child: the thread's own if the thread waited for the
 * child, else a row for children. */
static void place_child(struct tr2_export *x, uint32_t i, struct tr2_slice *s)
{
	struct tr2_tracks *c = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	struct row *row;

	if (was_waited_for(x, i)) {
		c->child_tids[span->child] = s->tid;
		nest_slice(c, s);
		return;
	}
	row = free_row(x, s, span->thread);
	row->free_ns = s->end_ns;
	s->tid = row->tid;
	c->child_tids[span->child] = s->tid;
}

static void add_source(struct tr2_export *x, tr2_str file, uint32_t line)
{
	if (!file)
		return;
	tr2_tracks_text(x, "file", tr2_s(x->m, file));
	writer(x)->integer(x, "line", line);
}

static void add_span_args(struct tr2_export *x, const struct tr2_span *span)
{
	const struct tr2_track_writer *w = writer(x);
	const struct tr2_child *c = &x->m->children[span->child];

	tr2_tracks_text(x, "msg", tr2_s(x->m, span->msg));
	if (span->kind != TR2_SPAN_REGION) {
		add_words(x, "argv", &c->argv);
		tr2_tracks_text(x, "class", tr2_s(x->m, c->child_class));
		tr2_tracks_text(x, "cd", tr2_s(x->m, c->cd));
		if (c->pid > 0)
			w->integer(x, "pid", c->pid);
		if (c->has_code)
			w->integer(x, "code", c->code);
	}
	if (span->repo)
		w->integer(x, "repo", span->repo);
	if (span->flags & TR2_SPAN_OPEN)
		w->yes(x, "open");
	add_source(x, span->file, span->line);
}

static const char *category_of(const struct tr2_export *x,
			       const struct tr2_span *s)
{
	return s->kind == TR2_SPAN_CHILD ? "child" :
	       s->kind == TR2_SPAN_EXEC	 ? "exec" :
	       s->category ? tr2_s(x->m, s->category) : "region";
}

void tr2_tracks_span(struct tr2_export *x, uint32_t i)
{
	struct tr2_tracks *c = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	const struct tr2_model_session *s =
		tr2_export_session_of(x, span->thread);
	struct tr2_slice slice = {
		.start_ns = span->start_ns + s->wall_ns,
		.end_ns = span->end_ns + s->wall_ns,
		.pid = c->pids[s->node],
		.tid = c->tid,
	};
	const char *name;

	if (span->kind == TR2_SPAN_CHILD)
		place_child(x, i, &slice);
	else
		nest_slice(c, &slice);
	name = tr2_export_name(x, tr2_export_span_name, i);
	c->w->open(x, &slice, tr2_export_text(x, category_of(x, span)), name);
	add_span_args(x, span);
	c->w->close(x);
}

static void add_point_args(struct tr2_export *x, const struct tr2_point *p)
{
	if (p->value && (p->kind == TR2_POINT_DATA_JSON ||
			 p->kind == TR2_POINT_OTHER))
		add_json(x, "value", p->value);
	else if (p->value)
		writer(x)->text(x, "value",
				tr2_export_value(x, tr2_s(x->m, p->key),
						 p->value));
	add_source(x, p->file, p->line);
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

/* Append a point's name: `data index/read/version`, `error`, `param
 * core.bare`. */
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

void tr2_tracks_point(struct tr2_export *x, uint32_t i)
{
	const struct tr2_point *p = &x->m->points[i];
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	const struct tr2_tracks *c = x->state;
	const struct tr2_slice at = {
		.start_ns = s->wall_ns + p->at_ns,
		.pid = c->pids[s->node],
		.tid = c->tid,
	};

	tr2_buf_reset(&x->text);
	add_point_name(x, &x->text, p);
	c->w->open_instant(x, &at, point_category(p), tr2_buf_str(&x->text),
			   false);
	add_point_args(x, p);
	c->w->close(x);
}

static void add_trace_span_args(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	const struct tr2_track_writer *w = writer(x);
	struct tr2_trace_span_times times;

	tr2_buf_reset(&x->text);
	tr2_context_add_trace(&x->text, &s->self);
	w->text(x, "trace_id", tr2_buf_str(&x->text));
	tr2_buf_reset(&x->text);
	tr2_context_add_id(&x->text, s->parent);
	w->text(x, "parent_id", tr2_buf_str(&x->text));
	if (tr2_trace_span_times(x->m, i, &times)) {
		w->integer(x, "queue_ns", times.queue_ns);
		w->integer(x, "worked_ns", times.worked_ns);
		w->integer(x, "idle_ns", times.idle_ns);
	}
	if (s->failed)
		tr2_tracks_text(x, "failed",
				  *s->failed ? s->failed : "failed");
	if (s->flags & TR2_TRACE_SPAN_UNFINISHED)
		w->yes(x, "open");
	if (s->one_in > 1)
		w->integer(x, "one_in", s->one_in);
	if (s->attributes)
		add_json(x, "attributes", s->attributes);
}

/* Put a span of the program on a track of its own: it may cross other spans,
 * and may begin and end on different threads. */
void tr2_tracks_trace_span(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	const struct tr2_model_session *session =
		tr2_export_session_of(x, s->thread);
	struct tr2_tracks *c = x->state;
	const struct tr2_slice at = {
		.start_ns = session->wall_ns + s->start_ns,
		.end_ns = session->wall_ns + s->end_ns,
		.pid = c->pids[session->node],
		.tid = c->next_id++,
	};

	c->w->open_span(x, &at, s->self.id,
			tr2_export_name(x, tr2_export_trace_span_name, i));
	add_trace_span_args(x, i);
	c->w->close(x);
}

static const char *metric_name(struct tr2_export *x,
			       const struct tr2_metric *metric)
{
	tr2_buf_reset(&x->text);
	tr2_export_metric_name(x, &x->text, metric);
	return tr2_buf_str(&x->text);
}

/* Write a counter as 0 at the start and as its value at the end: other values
 * are not known. */
static void write_counter(struct tr2_export *x, const struct tr2_metric *metric)
{
	const struct tr2_model_session *s = &x->m->sessions[metric->session];
	struct tr2_tracks *c = x->state;
	const struct tr2_track_counter of = {
		c->pids[s->node], c->next_id++,
		metric_name(x, metric),
		.is_signed = metric->kind == TR2_DEFINITION_GAUGE,
	};

	if (c->w->counter_track)
		c->w->counter_track(x, &of);
	c->w->counter(x, &of, s->wall_ns + s->start_ns, 0);
	c->w->counter(x, &of, s->wall_ns + s->end_ns, (int64_t)metric->count);
}

/* Write a timer or a distribution. */
static void intervals(struct tr2_export *x, const struct tr2_metric *metric)
{
	const struct tr2_model_session *s = &x->m->sessions[metric->session];
	const struct tr2_tracks *c = x->state;
	const struct tr2_slice at = {
		.start_ns = s->wall_ns + s->end_ns,
		.pid = c->pids[s->node],
		.tid = c->pids[s->node],
	};
	static const char *const keys[][4] = {
		{ "count", "sum", "min", "max" },
		{ "intervals", "total_ns", "min_ns", "max_ns" }
	};
	const char *const *key = keys[metric->kind == TR2_DEFINITION_TIMER];

	c->w->open_instant(x, &at, tr2_metric_names[metric->kind],
			   metric_name(x, metric),
			   true);
	c->w->integer(x, key[0], (int64_t)metric->count);
	c->w->integer(x, key[1], (int64_t)metric->total_ns);
	c->w->integer(x, key[2], (int64_t)metric->min_ns);
	c->w->integer(x, key[3], (int64_t)metric->max_ns);
	if (metric->unit)
		tr2_tracks_text(x, "unit", tr2_s(x->m, metric->unit));
	c->w->close(x);
}

/* Write only metrics of the session as a whole, which contain the metrics of
 * its threads. */
void tr2_tracks_metric(struct tr2_export *x, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];

	if (metric->thread)
		return;
	if (metric->kind == TR2_DEFINITION_COUNTER ||
	    metric->kind == TR2_DEFINITION_GAUGE)
		write_counter(x, metric);
	else
		intervals(x, metric);
}

void tr2_tracks_end(struct tr2_export *x)
{
	struct tr2_tracks *c = x->state;

	free(c->pids);
	free(c->child_tids);
	free(c->tids);
	free(c->state_tids);
	free(c->ends);
	free(c->rows);
	free(c);
}
