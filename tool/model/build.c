/* SPDX-License-Identifier: MIT */
/*
 * build - events into sessions, threads, spans, points and metrics, one
 * handler an event. A handler takes what is there; what does not fit is kept
 * where it can be (a leave without its enter is a span whose start comes from
 * its t_rel) and noted as a problem.
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "model/build_private.h"

/* How far up a thread's open regions a leave looks for its enter. */
#define MAX_UNWIND 64

const struct tr2_in tr2_in_init = {
	.kind = -1,
	.wall_us = TR2_ABSENT, .line = TR2_ABSENT, .repo = TR2_ABSENT,
	.t_abs = TR2_ABSENT, .t_rel = TR2_ABSENT, .nesting = TR2_ABSENT,
	.code = TR2_ABSENT, .signo = TR2_ABSENT, .child_id = TR2_ABSENT,
	.exec_id = TR2_ABSENT, .pid = TR2_ABSENT, .t_total = TR2_ABSENT,
	.t_min = TR2_ABSENT, .t_max = TR2_ABSENT,
};

static tr2_str intern_view(const struct build *b, const struct tr2_view *v)
{
	return b->in->padded && v->len ? tr2_intern_padded(b->m, v->p, v->len) :
					 tr2_intern(b->m, v->p, v->len);
}

static const char *copy_view(struct tr2_model *m, const struct tr2_view *v)
{
	return v->p ? tr2_model_copy(m, v->p, v->len) : NULL;
}

static struct tr2_words copy_words(struct tr2_model *m,
				   const struct tr2_words_view *v)
{
	struct tr2_words words = { NULL, 0 };

	if (!v->nr)
		return words;
	words.text = tr2_model_copy(m, v->p, v->len);
	words.nr = words.text ? v->nr : 0;
	return words;
}

static int32_t as_int32(int64_t value)
{
	return value < INT32_MIN || value > INT32_MAX ? -1 : (int32_t)value;
}

static uint32_t as_uint32(int64_t value)
{
	return value < 0 || value > UINT32_MAX ? 0 : (uint32_t)value;
}

/* ---- spans and points ------------------------------------------------------ */

static uint32_t new_span(struct build *b, enum tr2_span_kind kind)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, spans);
	struct tr2_thread *t = thread_of(b);
	struct tr2_span *span;
	unsigned int depth;

	if (!i)
		return 0;
	span = &m->spans[i];
	span->kind = (uint8_t)kind;
	span->flags = TR2_SPAN_OPEN;
	span->start_ns = span->end_ns = b->at_ns;
	span->thread = b->t;
	span->parent = t->open;
	depth = t->open ? m->spans[t->open].depth + 1u : 0;
	span->depth = (uint16_t)(depth > UINT16_MAX ? UINT16_MAX : depth);
	span->file = intern_view(b, &b->in->file);
	span->line = as_uint32(b->in->line);
	span->repo = as_uint32(b->in->repo);
	if (t->last_span)
		m->spans[t->last_span].next = i;
	else
		t->first_span = i;
	t->last_span = i;
	t->nr_spans++;
	m->priv->last_span = i;
	return i;
}

static uint32_t new_point(struct build *b, enum tr2_point_kind kind,
			  const char *value)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, points);
	struct tr2_thread *t = thread_of(b);
	struct tr2_point *point;

	if (!i)
		return 0;
	point = &m->points[i];
	point->kind = (uint8_t)kind;
	point->at_ns = b->at_ns;
	point->value = value;
	point->thread = b->t;
	point->parent = t->open;
	point->file = intern_view(b, &b->in->file);
	point->line = as_uint32(b->in->line);
	point->repo = as_uint32(b->in->repo);
	if (t->last_point)
		m->points[t->last_point].next = i;
	else
		t->first_point = i;
	t->last_point = i;
	return i;
}

static bool on_region_enter(struct build *b)
{
	const struct tr2_in *in = b->in;
	uint32_t i = new_span(b, TR2_SPAN_REGION);
	struct tr2_span *span;

	if (!i)
		return false;
	span = &b->m->spans[i];
	span->category = intern_view(b, &in->category);
	span->label = intern_view(b, &in->label);
	span->msg = intern_view(b, &in->msg);
	thread_of(b)->open = i;
	return true;
}

/* The open region that this leave ends: 0 when none fits. */
static uint32_t region_left(const struct build *b, tr2_str category,
			    tr2_str label)
{
	const struct tr2_span *spans = b->m->spans;
	uint32_t i = thread_of(b)->open;
	int up;

	for (up = 0; i && up < MAX_UNWIND; up++, i = spans[i].parent)
		if (spans[i].category == category && spans[i].label == label)
			return i;
	return 0;
}

/* What was still open inside a region that ends, ends with it. */
static void close_down_to(const struct build *b, uint32_t span, int64_t end_ns)
{
	struct tr2_thread *t = thread_of(b);
	struct tr2_span *spans = b->m->spans;

	while (t->open && t->open != span) {
		spans[t->open].end_ns = end_ns;
		spans[t->open].flags &= (uint8_t)~TR2_SPAN_OPEN;
		spans[t->open].flags |= TR2_SPAN_CLOSED_BY_OUTER;
		t->open = spans[t->open].parent;
	}
}

/* A span of which only the end was told. */
static void start_from_end(const struct build *b, struct tr2_span *span)
{
	span->flags = TR2_SPAN_NO_START;
	span->end_ns = b->at_ns;
	if (b->in->t_rel != TR2_ABSENT)
		span->start_ns = b->at_ns - b->in->t_rel;
}

static bool on_region_leave(struct build *b)
{
	const struct tr2_in *in = b->in;
	tr2_str category = intern_view(b, &in->category);
	tr2_str label = intern_view(b, &in->label);
	uint32_t i = region_left(b, category, label);
	struct tr2_span *span;

	if (!i) {
		/* A forked process may leave what it entered before, and so may
		 * one whose first events are gone. */
		if (!(session_of(b)->flags &
		      (TR2_SESSION_FORKED | TR2_SESSION_NO_BEGINNING)))
			tr2_b_problem(b, TR2_PROBLEM_UNPAIRED,
				"a region is left that was not entered");
		i = new_span(b, TR2_SPAN_REGION);
		if (!i)
			return false;
		span = &b->m->spans[i];
		start_from_end(b, span);
		span->category = category;
		span->label = label;
		span->msg = intern_view(b, &in->msg);
		return true;
	}
	b->m->priv->last_span = i;
	span = &b->m->spans[i];
	if (i != thread_of(b)->open) {
		tr2_b_problem(b, TR2_PROBLEM_UNPAIRED,
			"a region is left while one inside it is open");
		close_down_to(b, i, b->at_ns);
	}
	span->end_ns = tr2_b_end_time(b, span->start_ns);
	span->flags &= (uint8_t)~TR2_SPAN_OPEN;
	thread_of(b)->open = span->parent;
	return true;
}

static bool on_data(struct build *b)
{
	const struct tr2_in *in = b->in;
	enum tr2_point_kind kind = in->kind == TR2_EV_data_json ?
					   TR2_POINT_DATA_JSON :
					   TR2_POINT_DATA;
	uint32_t i = new_point(b, kind, copy_view(b->m, &in->value));

	if (!i)
		return false;
	b->m->points[i].category = intern_view(b, &in->category);
	b->m->points[i].key = intern_view(b, &in->key);
	return true;
}

static bool on_error(struct build *b)
{
	uint32_t i = new_point(b, TR2_POINT_ERROR, copy_view(b->m, &b->in->msg));

	if (!i)
		return false;
	b->m->points[i].key = intern_view(b, &b->in->fmt);
	session_of(b)->nr_errors++;
	return true;
}

static bool on_printf(struct build *b)
{
	return new_point(b, TR2_POINT_PRINTF, copy_view(b->m, &b->in->msg));
}

static bool on_def_param(struct build *b)
{
	uint32_t i = new_point(b, TR2_POINT_PARAM,
			       copy_view(b->m, &b->in->value));

	if (!i)
		return false;
	b->m->points[i].category = intern_view(b, &b->in->scope);
	b->m->points[i].key = intern_view(b, &b->in->param);
	return true;
}

static bool on_def_repo(struct build *b)
{
	return new_point(b, TR2_POINT_REPO, copy_view(b->m, &b->in->worktree));
}

static bool on_alias(struct build *b)
{
	struct tr2_words words = copy_words(b->m, &b->in->argv);
	struct tr2_buf text = TR2_BUF_INIT; /* aliases are few */
	uint32_t i;

	tr2_words_quote(&words, &text);
	i = new_point(b, TR2_POINT_ALIAS,
		      tr2_model_copy(b->m, tr2_buf_str(&text), text.len));
	tr2_buf_release(&text);
	if (i)
		b->m->points[i].key = intern_view(b, &b->in->alias);
	return i;
}

static bool on_unknown(struct build *b)
{
	const struct tr2_view *raw = &b->in->raw;
	uint32_t i = new_point(b, TR2_POINT_OTHER,
			       raw->len < 4096 ? copy_view(b->m, raw) : NULL);

	if (i)
		b->m->points[i].key = intern_view(b, &b->in->event);
	tr2_b_problem(b, TR2_PROBLEM_UNKNOWN, "an event that this version of trace2 "
					"does not know: kept as it is");
	return i;
}

/* ---- children and execs ----------------------------------------------------- */

static uint64_t child_key(uint32_t session, int32_t id)
{
	return tr2_key(session, (uint32_t)id);
}

/* The latest child of this number; 0: none. Mostly it is the newest of its
 * session, and few are there. */
static uint32_t find_child(const struct build *b, int32_t id)
{
	const struct tr2_child *children = b->m->children;
	uint32_t i = session_of(b)->last_child, nr;

	for (nr = 0; i && nr < TR2_MANY; nr++, i = children[i].previous)
		if (children[i].id == id)
			return i;
	return i ? tr2_map_get(&b->m->priv->children, child_key(b->s, id)) : 0;
}

/* A session that has many children has all of them in the map. */
static bool map_children(struct build *b, uint32_t newest)
{
	const struct tr2_child *children = b->m->children;
	uint32_t last[TR2_MANY + 1], i, nr = 0, *slot;

	for (i = newest; i && nr <= TR2_MANY; i = children[i].previous)
		last[nr++] = i;
	if (nr <= TR2_MANY)
		return true;
	/* What is before these is there already. */
	for (nr = i ? 1 : nr; nr--;) {
		slot = tr2_map_slot(&b->m->priv->children,
				    child_key(b->s, children[last[nr]].id));
		if (!slot)
			return false;
		*slot = last[nr];
	}
	return true;
}

static bool keep_child(struct build *b, enum tr2_span_kind kind, uint32_t i)
{
	struct tr2_child *c = &b->m->children[i];
	uint32_t *slot;

	if (kind == TR2_SPAN_EXEC) {
		slot = tr2_map_slot(&b->m->priv->execs, child_key(b->s, c->id));
		if (slot)
			*slot = i;
		return slot;
	}
	c->previous = session_of(b)->last_child;
	session_of(b)->last_child = i;
	return map_children(b, i);
}

static uint32_t new_child(struct build *b, enum tr2_span_kind kind, int64_t id)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, children);
	uint32_t span = i ? new_span(b, kind) : 0;
	struct tr2_child *c;

	if (!span)
		return 0;
	c = &m->children[i];
	c->span = span;
	c->id = as_int32(id);
	c->pid = -1;
	m->spans[span].child = i;
	return keep_child(b, kind, i) ? i : 0;
}

static bool on_child_start(struct build *b)
{
	const struct tr2_in *in = b->in;
	uint32_t i = new_child(b, TR2_SPAN_CHILD, in->child_id);
	struct tr2_child *c;

	if (!i)
		return false;
	c = &b->m->children[i];
	c->child_class = intern_view(b, &in->child_class);
	c->hook = intern_view(b, &in->hook_name);
	c->cd = intern_view(b, &in->cd);
	c->use_shell = in->use_shell;
	c->argv = copy_words(b->m, &in->argv);
	return true;
}

/* The child or exec that an event ends; one made up when there is none. */
static struct tr2_child *child_ended(struct build *b, enum tr2_span_kind kind,
				     int64_t id)
{
	struct tr2_model *m = b->m;
	uint32_t i = kind == TR2_SPAN_CHILD ?
			     find_child(b, as_int32(id)) :
			     tr2_map_get(&m->priv->execs,
					 child_key(b->s, as_int32(id)));
	struct tr2_span *span;

	if (!i || !(m->spans[m->children[i].span].flags & TR2_SPAN_OPEN)) {
		tr2_b_problem(b, TR2_PROBLEM_UNPAIRED,
			"something ends that was not started");
		i = new_child(b, kind, id);
		if (!i)
			return NULL;
		start_from_end(b, &m->spans[m->children[i].span]);
		return &m->children[i];
	}
	m->priv->last_span = m->children[i].span;
	span = &m->spans[m->children[i].span];
	span->end_ns = tr2_b_end_time(b, span->start_ns);
	span->flags &= (uint8_t)~TR2_SPAN_OPEN;
	return &m->children[i];
}

static bool on_child_end(struct build *b)
{
	const struct tr2_in *in = b->in;
	struct tr2_child *c = child_ended(b, TR2_SPAN_CHILD, in->child_id);

	if (!c)
		return false;
	c->pid = in->pid == TR2_ABSENT ? -1 : as_int32(in->pid);
	c->ready = in->kind == TR2_EV_child_ready;
	if (in->code != TR2_ABSENT) {
		c->code = as_int32(in->code);
		c->has_code = true;
	}
	return true;
}

static bool on_exec(struct build *b)
{
	uint32_t i = new_child(b, TR2_SPAN_EXEC, b->in->exec_id);

	if (!i)
		return false;
	b->m->children[i].exe = intern_view(b, &b->in->exe);
	b->m->children[i].argv = copy_words(b->m, &b->in->argv);
	return true;
}

static bool on_exec_result(struct build *b)
{
	struct tr2_child *c = child_ended(b, TR2_SPAN_EXEC, b->in->exec_id);

	if (!c)
		return false;
	if (b->in->code != TR2_ABSENT) {
		c->code = as_int32(b->in->code);
		c->has_code = true;
	}
	return true;
}

/* ---- metrics ------------------------------------------------------------------ */

static uint64_t as_ns(int64_t value)
{
	return value < 0 ? 0 : (uint64_t)value;
}

static bool on_metric(struct build *b)
{
	const struct tr2_in *in = b->in;
	struct tr2_session *s;
	uint32_t i = tr2_add(b->m, metrics);
	struct tr2_metric *metric;

	if (!i)
		return false;
	s = session_of(b);
	metric = &b->m->metrics[i];
	metric->session = b->s;
	metric->category = intern_view(b, &in->category);
	metric->name = intern_view(b, &in->name);
	if (in->kind == TR2_EV_th_timer || in->kind == TR2_EV_th_counter)
		metric->thread = b->t;
	metric->kind = TR2_METRIC_COUNTER;
	metric->count = in->count;
	if (in->kind == TR2_EV_timer || in->kind == TR2_EV_th_timer) {
		metric->kind = TR2_METRIC_TIMER;
		metric->count = in->intervals;
		metric->total_ns = as_ns(in->t_total);
		metric->min_ns = as_ns(in->t_min);
		metric->max_ns = as_ns(in->t_max);
		metric->unfinished = in->unfinished;
		metric->histogram = copy_view(b->m, &in->histogram);
	}
	if (s->last_metric)
		b->m->metrics[s->last_metric].next = i;
	else
		s->first_metric = i;
	s->last_metric = i;
	return true;
}

/* ---- the process ---------------------------------------------------------------- */

static bool on_version(struct build *b)
{
	struct tr2_session *s = session_of(b);

	s->exe_version = intern_view(b, &b->in->exe);
	s->flags &= (uint16_t)~TR2_SESSION_NO_VERSION;
	return true;
}

static bool on_start(struct build *b)
{
	struct tr2_session *s = session_of(b);

	s->argv = copy_words(b->m, &b->in->argv);
	s->flags &= (uint16_t)~TR2_SESSION_NO_START;
	return true;
}

static bool on_process_exit(struct build *b)
{
	struct tr2_session *s = session_of(b);
	const struct tr2_in *in = b->in;

	if (in->code != TR2_ABSENT && s->end != TR2_END_SIGNAL) {
		s->code = as_int32(in->code);
		s->has_code = true;
	}
	if (in->kind == TR2_EV_atexit && s->end != TR2_END_SIGNAL)
		s->end = TR2_END_EXIT;
	if (in->kind == TR2_EV_atexit) {
		s->lost += in->lost;
		b->m->lost += in->lost;
	}
	return true;
}

static bool on_signal(struct build *b)
{
	struct tr2_session *s = session_of(b);
	char text[24];
	int64_t signo = b->in->signo == TR2_ABSENT ? 0 : b->in->signo;
	struct tr2_buf buf;

	s->end = TR2_END_SIGNAL;
	s->code = as_int32(signo);
	s->has_code = true;
	tr2_buf_init_fixed(&buf, text, sizeof(text));
	tr2_buf_add_i64(&buf, signo);
	return new_point(b, TR2_POINT_SIGNAL,
			 tr2_model_copy(b->m, text, buf.len));
}

static bool on_cmd_path(struct build *b)
{
	session_of(b)->path = intern_view(b, &b->in->path);
	return true;
}

static bool on_cmd_ancestry(struct build *b)
{
	session_of(b)->ancestry = copy_words(b->m, &b->in->ancestry);
	return true;
}

static bool on_cmd_name(struct build *b)
{
	struct tr2_session *s = session_of(b);

	s->name = intern_view(b, &b->in->name);
	s->hierarchy = intern_view(b, &b->in->hierarchy);
	return true;
}

static bool on_cmd_mode(struct build *b)
{
	session_of(b)->mode = intern_view(b, &b->in->name);
	return true;
}

static bool on_too_many_files(struct build *b)
{
	session_of(b)->flags |= TR2_SESSION_TOO_MANY_FILES;
	return true;
}

static bool on_thread_start(struct build *b)
{
	struct tr2_thread *t = thread_of(b);

	t->flags &= (uint8_t)~TR2_THREAD_UNANNOUNCED;
	t->start_ns = b->at_ns;
	return true;
}

static bool on_thread_exit(struct build *b)
{
	struct tr2_thread *t = thread_of(b);

	t->flags &= (uint8_t)~TR2_THREAD_OPEN;
	t->end_ns = tr2_b_end_time(b, t->start_ns);
	return true;
}

static bool (*const handlers[TR2_EVENT_NR])(struct build *b) = {
	[TR2_EV_version] = on_version,
	[TR2_EV_too_many_files] = on_too_many_files,
	[TR2_EV_start] = on_start,
	[TR2_EV_exit] = on_process_exit,
	[TR2_EV_atexit] = on_process_exit,
	[TR2_EV_signal] = on_signal,
	[TR2_EV_error] = on_error,
	[TR2_EV_cmd_path] = on_cmd_path,
	[TR2_EV_cmd_ancestry] = on_cmd_ancestry,
	[TR2_EV_cmd_name] = on_cmd_name,
	[TR2_EV_cmd_mode] = on_cmd_mode,
	[TR2_EV_alias] = on_alias,
	[TR2_EV_child_start] = on_child_start,
	[TR2_EV_child_exit] = on_child_end,
	[TR2_EV_child_ready] = on_child_end,
	[TR2_EV_exec] = on_exec,
	[TR2_EV_exec_result] = on_exec_result,
	[TR2_EV_thread_start] = on_thread_start,
	[TR2_EV_thread_exit] = on_thread_exit,
	[TR2_EV_def_param] = on_def_param,
	[TR2_EV_def_repo] = on_def_repo,
	[TR2_EV_region_enter] = on_region_enter,
	[TR2_EV_region_leave] = on_region_leave,
	[TR2_EV_data] = on_data,
	[TR2_EV_data_json] = on_data,
	[TR2_EV_printf] = on_printf,
	[TR2_EV_th_timer] = on_metric,
	[TR2_EV_th_counter] = on_metric,
	[TR2_EV_timer] = on_metric,
	[TR2_EV_counter] = on_metric,
};

bool tr2_build_event(struct tr2_model *m, const struct tr2_in *in)
{
	struct build b = { m, in, in->session, in->thread, 0 };
	struct tr2_session *s = session_of(&b);
	bool known = in->kind >= 0 && in->kind < TR2_EVENT_NR &&
		     handlers[in->kind];
	bool ok;

	if (s->nr_events && tr2_b_begins_anew(&b)) {
		b.s = in->kind == TR2_EV_version ? tr2_b_begin_again(&b) :
						   tr2_b_go_on_forked(&b);
		if (!b.s)
			return false;
		s = session_of(&b);
		b.t = s->first_thread;
	}
	m->priv->last_session = b.s;
	m->priv->last_thread = b.t;
	m->priv->last_span = 0;
	s->nr_events++;
	m->nr_events++;
	if (known)
		m->events_by_kind[in->kind]++;
	b.at_ns = tr2_b_event_time(&b, s);
	ok = known ? handlers[in->kind](&b) : on_unknown(&b);
	tr2_b_lasts(&b);
	return ok;
}

bool tr2_build_metric(struct tr2_model *m, const struct tr2_in *in)
{
	struct build b = { m, in, in->session, in->thread, 0 };

	return on_metric(&b);
}

uint32_t tr2_build_last_session(const struct tr2_model *m)
{
	return m->priv->last_session;
}

uint32_t tr2_build_last_thread(const struct tr2_model *m)
{
	return m->priv->last_thread;
}

uint32_t tr2_build_last_span(const struct tr2_model *m)
{
	return m->priv->last_span;
}

/* ---- problems --------------------------------------------------------------------- */

void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text)
{
	uint32_t *slot = tr2_map_slot(&m->priv->problems,
				      tr2_key(source, (uint32_t)kind));
	struct tr2_problem *p;
	uint32_t i;

	if (!slot)
		return;
	if (*slot) {
		m->problems[*slot].count++;
		return;
	}
	i = tr2_add(m, problems);
	if (!i)
		return;
	*slot = i;
	p = &m->problems[i];
	p->kind = kind;
	p->source = source;
	p->line = line;
	p->count = 1;
	p->text = tr2_model_copy(m, text, strlen(text));
}
