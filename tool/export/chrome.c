/* SPDX-License-Identifier: MIT */
/*
 * chrome - Trace Event JSON, which Perfetto, Chrome and speedscope open: one
 * process per process, with its threads, complete slices ("X"), flows from
 * parent to child, and counters. Times count from the start of the recording,
 * in microseconds with three decimals; `otherData` has that start.
 *
 * Slices of one thread always nest, since viewers rely on that. A child is
 * among the regions of the thread that waited for it; a child that ran beside
 * them is on a row of its own, "main: children 1".
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/export.h"
#include "model/filter.h"
#include "model/model.h"
#include "out/table.h"

/* Above every pid of the kernel. */
#define FIRST_MADE_UP_ID (1u << 22)

struct chrome {
	int64_t origin_ns;
	uint32_t *pids;       /* by node; 0: not shown */
	uint32_t *child_tids; /* by child: the tid of its row; 0: none */
	uint32_t next_id;
	uint32_t tid;         /* of the current thread */
	int64_t *ends;        /* ends of the slices around the current one */
	uint32_t nr_ends, alloc_ends;
	int64_t last_ns;      /* start of the last slice */
	/* Rows of the thread for children, with the time from which each is
	 * free. */
	struct row {
		int64_t free_ns;
		uint32_t tid;
	} *rows;
	uint32_t nr_rows, alloc_rows;
	bool any;             /* an event has been written */
};

struct slice {
	int64_t start_ns, end_ns; /* wall */
	uint32_t pid, tid;
};

static void add_us(struct tr2_buf *b, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		tr2_buf_addch(b, '-');
	tr2_buf_add_u64(b, magnitude / 1000);
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, magnitude % 1000, 3);
}

static struct tr2_buf *open_event(struct tr2_export *x, char phase,
				  uint32_t pid, uint32_t tid)
{
	struct chrome *c = x->state;
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addstr(b, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	c->any = true;
	tr2_buf_addch(b, phase);
	tr2_buf_addlit(b, "\",\"pid\":");
	tr2_buf_add_u64(b, pid);
	tr2_buf_addlit(b, ",\"tid\":");
	tr2_buf_add_u64(b, tid);
	return b;
}

static void add_time(struct tr2_export *x, int64_t wall_ns)
{
	const struct chrome *c = x->state;

	tr2_buf_addlit(&x->sink.buf, ",\"ts\":");
	add_us(&x->sink.buf, wall_ns - c->origin_ns);
}

/* name: already redacted. */
static void add_name(struct tr2_export *x, const char *name)
{
	tr2_buf_addlit(&x->sink.buf, ",\"name\":");
	tr2_json_add_string(&x->sink.buf, name);
}

/* Each member is added with a comma before it; the first comma is removed. */
static size_t open_args(struct tr2_buf *b)
{
	tr2_buf_addlit(b, ",\"args\":{");
	return b->len;
}

static void close_args(struct tr2_buf *b, size_t start)
{
	if (b->len > start && !b->failed) {
		memmove(b->p + start, b->p + start + 1, b->len - start - 1);
		b->len--;
	}
	tr2_buf_addlit(b, "}}");
}

static void metadata(struct tr2_export *x, const char *name, uint32_t pid,
		     uint32_t tid, const char *key, const char *text)
{
	struct tr2_buf *b = open_event(x, 'M', pid, tid);
	size_t args;

	add_name(x, name);
	args = open_args(b);
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
	tr2_json_add_string(b, text);
	close_args(b, args);
}

static void sort_index(struct tr2_export *x, const char *name, uint32_t pid,
		       uint32_t tid, uint32_t index)
{
	struct tr2_buf *b = open_event(x, 'M', pid, tid);
	size_t args;

	add_name(x, name);
	args = open_args(b);
	tr2_export_json_int(b, "sort_index", index);
	close_args(b, args);
}

/* Open a slice; the caller adds args and the end. */
static struct tr2_buf *open_slice(struct tr2_export *x, const struct slice *s,
				  const char *category, const char *name)
{
	struct tr2_buf *b = open_event(x, 'X', s->pid, s->tid);

	add_time(x, s->start_ns);
	tr2_buf_addlit(b, ",\"dur\":");
	add_us(b, s->end_ns - s->start_ns);
	tr2_export_json_str(x, b, "cat", category);
	add_name(x, name);
	return b;
}

static void flow(struct tr2_export *x, char phase, uint32_t id,
		 const struct slice *at)
{
	struct tr2_buf *b = open_event(x, phase, at->pid, at->tid);

	add_time(x, at->start_ns);
	tr2_export_json_int(b, "id", id);
	tr2_buf_addstr(b, phase == 'f' ? ",\"bp\":\"e\"" : "");
	tr2_buf_addlit(b, ",\"cat\":\"spawn\",\"name\":\"spawn\"}");
}

static bool is_shown(const struct tr2_export *x, uint32_t node)
{
	return tr2_export_is_process(x, node) && tr2_filter_node(x->filter, x->m, node);
}

/* Make up numbers for processes whose pid is unknown or was reused. */
static void number_processes(struct tr2_export *x, struct chrome *c)
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
	struct chrome *c = tr2_calloc(1, sizeof(*c));

	x->state = c;
	c->next_id = FIRST_MADE_UP_ID + 1;
	c->pids = tr2_calloc(x->m->nr_nodes, sizeof(*c->pids));
	c->child_tids = tr2_calloc(x->m->nr_children, sizeof(*c->child_tids));
	tr2_buf_addlit(&x->sink.buf, "{\"traceEvents\":[");
	number_processes(x, c);
	return true;
}

static struct slice process_slice(const struct tr2_export *x, uint32_t node)
{
	const struct chrome *c = x->state;
	const struct tr2_node *n = &x->m->nodes[node];

	return (struct slice){ n->start_ns, n->end_ns, c->pids[node],
			       c->pids[node] };
}

/* Find the start of the flow to a process: the slice of the child span that led
 * to it, else the nearest process above it. */
static bool find_origin(struct tr2_export *x, uint32_t node, struct slice *from)
{
	const struct tr2_model *m = x->m;
	const struct chrome *c = x->state;
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

	tr2_buf_reset(&x->text);
	tr2_export_node_name(x, &x->text, node);
	metadata(x, "process_name", pid, pid, "name", tr2_buf_str(&x->text));
	sort_index(x, "process_sort_index", pid, pid, node);
	if (!words->nr)
		return;
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, words);
	metadata(x, "process_labels", pid, pid, "labels",
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
	size_t args = open_args(b);

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
	close_args(b, args);
}

static void node(struct tr2_export *x, uint32_t i)
{
	struct chrome *c = x->state;
	struct slice to = process_slice(x, i), from;

	if (!to.pid)
		return;
	name_process(x, i, to.pid);
	if (!x->m->nodes[i].session) {
		metadata(x, "thread_name", to.pid, to.tid, "name", "main");
		tr2_buf_reset(&x->text);
		tr2_export_node_name(x, &x->text, i);
		open_slice(x, &to, "process", tr2_buf_str(&x->text));
		add_process_args(x, i);
	}
	if (x->m->nodes[i].parent && find_origin(x, i, &from)) {
		flow(x, 's', i, &from);
		flow(x, 'f', i, &to);
	}
	c->nr_rows = 0;
}

static void push_end(struct chrome *c, int64_t end_ns)
{
	tr2_grow(c->ends, c->nr_ends, c->alloc_ends);
	c->ends[c->nr_ends++] = end_ns;
}

/* Make a slice nest in its thread: cut it to the slices around it, if a stream
 * is inconsistent. */
static void nest(struct chrome *c, struct slice *s)
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
static struct slice thread_slice(const struct tr2_export *x, uint32_t thread)
{
	const struct chrome *c = x->state;
	const struct tr2_model_thread *t = &x->m->threads[thread];
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	struct slice slice = { t->start_ns, t->end_ns, c->pids[s->node],
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
	struct chrome *c = x->state;
	const struct tr2_model_session *s = tr2_export_session_of(x, thread);
	uint32_t pid = c->pids[s->node];
	bool main_thread = s->first_thread == thread;
	bool first = main_thread && x->m->sessions + x->m->nodes[s->node].session == s;
	const char *name = tr2_s(x->m, x->m->threads[thread].name);
	struct slice slice;

	c->nr_ends = c->nr_rows = 0;
	c->tid = first ? pid : c->next_id++;
	slice = thread_slice(x, thread);
	c->last_ns = slice.start_ns;
	push_end(c, slice.end_ns);
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, *name ? name : "main"));
	metadata(x, "thread_name", pid, c->tid, "name", tr2_buf_str(&x->text));
	sort_index(x, "thread_sort_index", pid, c->tid, first ? 0 : c->tid);
	if (main_thread) {
		tr2_buf_reset(&x->text);
		tr2_export_node_name(x, &x->text, s->node);
		open_slice(x, &slice, "process", tr2_buf_str(&x->text));
		add_process_args(x, s->node);
	} else {
		open_slice(x, &slice, "thread", tr2_buf_str(&x->text));
		tr2_buf_addch(&x->sink.buf, '}');
	}
}

/* Find a row of the thread's children that is free by then, or add one. */
static struct row *free_row(struct tr2_export *x, const struct slice *s,
			    uint32_t thread)
{
	struct chrome *c = x->state;
	const char *name = tr2_s(x->m, x->m->threads[thread].name);
	uint32_t i;

	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].free_ns <= s->start_ns)
			return &c->rows[i];
	tr2_grow(c->rows, i, c->alloc_rows);
	c->nr_rows++;
	c->rows[i] = (struct row){ 0, c->next_id++ };
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, *name ? name : "main"));
	tr2_buf_addlit(&x->text, ": children ");
	tr2_buf_add_u64(&x->text, i + 1);
	metadata(x, "thread_name", s->pid, c->rows[i].tid, "name",
		 tr2_buf_str(&x->text));
	sort_index(x, "thread_sort_index", s->pid, c->rows[i].tid,
		   c->rows[i].tid);
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
static void place_child(struct tr2_export *x, uint32_t i, struct slice *s)
{
	struct chrome *c = x->state;
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
	size_t args = open_args(b);

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
	close_args(b, args);
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
	struct chrome *c = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	const struct tr2_model_session *s =
		tr2_export_session_of(x, span->thread);
	struct slice slice = { span->start_ns + s->wall_ns,
			       span->end_ns + s->wall_ns, c->pids[s->node],
			       c->tid };

	if (span->kind == TR2_SPAN_CHILD)
		place_child(x, i, &slice);
	else
		nest(c, &slice);
	tr2_buf_reset(&x->text);
	tr2_export_span_name(x, &x->text, i);
	open_slice(x, &slice, category_of(x, span), tr2_buf_str(&x->text));
	add_span_args(x, span);
}

static void add_point_args(struct tr2_export *x, const struct tr2_point *p)
{
	struct tr2_buf *b = &x->sink.buf;
	size_t args = open_args(b);

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
	close_args(b, args);
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
	const struct chrome *c = x->state;
	struct tr2_buf *b = open_event(x, 'i', c->pids[s->node], c->tid);

	add_time(x, s->wall_ns + p->at_ns);
	tr2_buf_addlit(b, ",\"s\":\"t\"");
	tr2_export_json_str(x, b, "cat", point_category(p));
	tr2_buf_reset(&x->text);
	add_point_name(x, &x->text, p);
	add_name(x, tr2_buf_str(&x->text));
	add_point_args(x, p);
}

/* A counter's value is known only at the end; before the start it is 0. */
static void counter(struct tr2_export *x, const struct tr2_metric *metric,
		    int64_t wall_ns, uint64_t value)
{
	const struct chrome *c = x->state;
	uint32_t pid = c->pids[x->m->sessions[metric->session].node];
	struct tr2_buf *b = open_event(x, 'C', pid, pid);

	add_time(x, wall_ns);
	add_name(x, tr2_buf_str(&x->text));
	tr2_buf_addlit(b, ",\"args\":{\"value\":");
	tr2_buf_add_u64(b, value);
	tr2_buf_addlit(b, "}}");
}

static void timer(struct tr2_export *x, const struct tr2_metric *metric,
		  int64_t wall_ns)
{
	const struct chrome *c = x->state;
	uint32_t pid = c->pids[x->m->sessions[metric->session].node];
	struct tr2_buf *b = open_event(x, 'i', pid, pid);
	size_t args;

	add_time(x, wall_ns);
	tr2_buf_addlit(b, ",\"s\":\"p\",\"cat\":\"timer\"");
	add_name(x, tr2_buf_str(&x->text));
	args = open_args(b);
	tr2_export_json_int(b, "intervals", (int64_t)metric->count);
	tr2_export_json_int(b, "total_ns", (int64_t)metric->total_ns);
	tr2_export_json_int(b, "min_ns", (int64_t)metric->min_ns);
	tr2_export_json_int(b, "max_ns", (int64_t)metric->max_ns);
	close_args(b, args);
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
	if (metric->kind == TR2_METRIC_TIMER) {
		timer(x, metric, s->wall_ns + s->end_ns);
		return;
	}
	counter(x, metric, s->wall_ns + s->start_ns, 0);
	counter(x, metric, s->wall_ns + s->end_ns, metric->count);
}

static bool end(struct tr2_export *x)
{
	struct chrome *c = x->state;
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addlit(b, "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{"
			  "\"producer\":\"trace2 export\",\"start\":\"");
	tr2_fmt_iso(b, c->origin_ns);
	tr2_buf_addlit(b, "\"}}\n");
	free(c->pids);
	free(c->child_tids);
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
	.metric = metric,
};
