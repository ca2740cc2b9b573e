/* SPDX-License-Identifier: MIT */
/*
 * chrome - write slices on tracks as Trace Event JSON, which Chrome, Perfetto
 * and speedscope open. Each process is a process there, with complete slices
 * ("X"), flows from parent to child, and counters. Spans of the program are
 * asynchronous slices. Times count from the start of the recording, in
 * microseconds with three decimals; `otherData` has that start.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/profile/tracks.h"
#include "model/build/trace_span.h"
#include "model/states.h"
#include "out/table.h"

struct chrome {
	bool any;      /* an event has been written */
	bool any_args; /* the open event has arguments */
	struct tr2_buf after; /* text of the event that is written after the
			       * open one */
};

static struct chrome *chrome_of(const struct tr2_export *x)
{
	return ((const struct tr2_tracks *)x->state)->own;
}

static void add_us(struct tr2_buf *b, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		tr2_buf_addch(b, '-');
	tr2_buf_add_u64(b, magnitude / 1000);
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, magnitude % 1000, 3);
}

/* Open an event; the caller closes it. */
static struct tr2_buf *open_event(struct tr2_export *x, char phase,
				  uint32_t pid, uint32_t tid)
{
	struct chrome *c = chrome_of(x);
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addstr(b, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	c->any = true;
	c->any_args = false;
	tr2_buf_addch(b, phase);
	tr2_buf_addlit(b, "\",\"pid\":");
	tr2_buf_add_u64(b, pid);
	tr2_buf_addlit(b, ",\"tid\":");
	tr2_buf_add_u64(b, tid);
	return b;
}

static void add_time(struct tr2_export *x, int64_t wall_ns)
{
	const struct tr2_tracks *t = x->state;

	tr2_buf_addlit(&x->sink.buf, ",\"ts\":");
	add_us(&x->sink.buf, wall_ns - t->origin_ns);
}

static void add_string(struct tr2_export *x, const char *key, const char *text)
{
	tr2_buf_addall(&x->sink.buf, ",\"", key, "\":");
	tr2_json_add_string(&x->sink.buf, text);
}

/* Append the key of an argument. The first key opens the object of
 * arguments. */
static struct tr2_buf *add_key(struct tr2_export *x, const char *key)
{
	struct chrome *c = chrome_of(x);
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addall(b, c->any_args ? ",\"" : ",\"args\":{\"", key, "\":");
	c->any_args = true;
	return b;
}

static void add_text(struct tr2_export *x, const char *key, const char *value)
{
	tr2_json_add_string(add_key(x, key), value);
}

static void write_integer(struct tr2_export *x, const char *key, int64_t value)
{
	tr2_buf_add_i64(add_key(x, key), value);
}

static void write_true(struct tr2_export *x, const char *key)
{
	tr2_buf_addlit(add_key(x, key), "true");
}

static void write_words(struct tr2_export *x, const char *key,
			const struct tr2_words *value)
{
	tr2_export_add_words(x, add_key(x, key), value);
}

static void json(struct tr2_export *x, const char *key, const char *value)
{
	tr2_buf_addstr(add_key(x, key), value);
}

static void close_event(struct tr2_export *x)
{
	struct chrome *c = chrome_of(x);
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addstr(b, c->any_args ? "}}" : "}");
	if (c->after.len)
		tr2_buf_add(b, c->after.p, c->after.len);
	tr2_buf_reset(&c->after);
}

static void open_metadata(struct tr2_export *x, const char *name, uint32_t pid,
			  uint32_t tid)
{
	open_event(x, 'M', pid, tid);
	add_string(x, "name", name);
}

static void write_process(struct tr2_export *x, uint32_t node, uint32_t pid,
			  uint32_t parent_pid)
{
	const struct tr2_words *command = tr2_node_words(x->m, node);

	(void)parent_pid;
	open_metadata(x, "process_name", pid, pid);
	add_text(x, "name", tr2_export_name(x, tr2_export_node_name, node));
	close_event(x);
	open_metadata(x, "process_sort_index", pid, pid);
	write_integer(x, "sort_index", node);
	close_event(x);
	if (!command->nr)
		return;
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, command);
	open_metadata(x, "process_labels", pid, pid);
	add_text(x, "labels", tr2_buf_str(&x->text));
	close_event(x);
}

static void write_track(struct tr2_export *x, const struct tr2_track *t)
{
	open_metadata(x, "thread_name", t->pid, t->tid);
	add_text(x, "name", t->name);
	close_event(x);
	open_metadata(x, "thread_sort_index", t->pid, t->tid);
	write_integer(x, "sort_index", t->rank);
	close_event(x);
}

/* Write one end of an arrow. phase: `s` (start) or `f` (finish). */
static void flow_end(struct tr2_export *x, char phase,
		     const struct tr2_flow *flow, uint32_t pid, uint32_t tid,
		     int64_t at_ns)
{
	struct tr2_buf *b = open_event(x, phase, pid, tid);

	add_time(x, at_ns);
	tr2_export_json_int(b, "id", flow->id);
	tr2_buf_addstr(b, phase == 'f' ? ",\"bp\":\"e\"" : "");
	add_string(x, "cat", flow->name);
	add_string(x, "name", flow->name);
	close_event(x);
}

/* Return the name of the colour that chrome://tracing shall give to a state. */
static const char *colour(const struct tr2_state *s)
{
	if (s->kind == TR2_STATE_RUN)
		return "thread_state_running";
	if (s->kind == TR2_STATE_READY)
		return "thread_state_runnable";
	switch ((enum tr2_cause)s->cause) {
	case TR2_CAUSE_disk:
	case TR2_CAUSE_page:
		return "thread_state_iowait";
	case TR2_CAUSE_unknown:
	case TR2_CAUSE_other:
		return "thread_state_unknown";
	default:
		return "thread_state_sleeping";
	}
}

static void open_slice(struct tr2_export *x, const struct tr2_slice *at,
		       const char *category, const char *name)
{
	const struct tr2_flow *from = &at->from;

	if (from->id) {
		flow_end(x, 's', from, from->pid, from->tid, from->at_ns);
		flow_end(x, 'f', from, at->pid, at->tid, at->start_ns);
	}
	open_event(x, 'X', at->pid, at->tid);
	add_time(x, at->start_ns);
	tr2_buf_addlit(&x->sink.buf, ",\"dur\":");
	add_us(&x->sink.buf, at->end_ns - at->start_ns);
	add_string(x, "cat", category);
	add_string(x, "name", name);
	if (at->state)
		add_string(x, "cname", colour(at->state));
}

static void open_instant(struct tr2_export *x, const struct tr2_slice *at,
			 const char *category, const char *name,
			 bool of_process)
{
	struct tr2_buf *b = open_event(x, 'i', at->pid, at->tid);

	add_time(x, at->start_ns);
	if (of_process)
		tr2_buf_addlit(b, ",\"s\":\"p\"");
	add_string(x, "cat", category);
	add_string(x, "name", name);
}

static void span_end(struct tr2_export *x, char phase,
		     const struct tr2_slice *at, int64_t at_ns, uint64_t id,
		     const char *name)
{
	struct tr2_buf *b = open_event(x, phase, at->pid, at->pid);

	add_time(x, at_ns);
	tr2_buf_addlit(b, ",\"cat\":\"span\",\"id2\":{\"local\":\"0x");
	tr2_context_add_id(b, id);
	tr2_buf_addlit(b, "\"}");
	add_string(x, "name", name);
}

/* Open an asynchronous slice. It consists of two events; the first event has
 * the arguments. */
static void open_span(struct tr2_export *x, const struct tr2_slice *at,
		      uint64_t id, const char *name)
{
	struct tr2_buf *b = &x->sink.buf;
	size_t start;

	span_end(x, 'b', at, at->start_ns, id, name);
	start = b->len;
	span_end(x, 'e', at, at->end_ns, id, name);
	tr2_buf_addch(b, '}');
	tr2_buf_add(&chrome_of(x)->after, b->p + start, b->len - start);
	b->len = start;
}

static void write_counter(struct tr2_export *x,
			  const struct tr2_track_counter *c, int64_t wall_ns,
			  int64_t value)
{
	struct tr2_buf *b = open_event(x, 'C', c->pid, c->pid);

	add_time(x, wall_ns);
	add_string(x, "name", c->name);
	b = add_key(x, c->is_bytes ? "bytes" : "value");
	if (c->is_signed)
		tr2_buf_add_i64(b, value);
	else
		tr2_buf_add_u64(b, (uint64_t)value);
	close_event(x);
}

static bool begin_chrome(struct tr2_export *x)
{
	static const struct tr2_track_writer writer = {
		.process = write_process,
		.track = write_track,
		.open = open_slice,
		.open_instant = open_instant,
		.open_span = open_span,
		.text = add_text,
		.integer = write_integer,
		.yes = write_true,
		.words = write_words,
		.json = json,
		.close = close_event,
		.counter = write_counter,
	};

	tr2_tracks_begin(x, &writer);
	((struct tr2_tracks *)x->state)->own =
		tr2_calloc(1, sizeof(struct chrome));
	tr2_buf_addlit(&x->sink.buf, "{\"traceEvents\":[");
	return true;
}

static bool end_chrome(struct tr2_export *x)
{
	const struct tr2_tracks *t = x->state;
	struct chrome *c = t->own;
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addlit(b, "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{"
			  "\"producer\":\"trace2 export\",\"start\":\"");
	tr2_fmt_iso(b, t->origin_ns);
	tr2_buf_addlit(b, "\"}}\n");
	tr2_must(!c->after.failed);
	tr2_buf_release(&c->after);
	free(c);
	tr2_tracks_end(x);
	return true;
}

const struct tr2_export_format tr2_export_chrome = {
	TR2_TRACKS_OPERATIONS,
	.begin = begin_chrome,
	.end = end_chrome,
};
