/* SPDX-License-Identifier: MIT */
/*
 * build - turn events into sessions, threads, spans, points and metrics, with
 * one handler per event. A handler uses the fields that are present. An event
 * that does not match is noted as a problem, and kept if possible: a leave
 * without its enter becomes a span whose start is computed from its t_rel.
 */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "model/build/build_private.h"

/* Search at most this many open regions of the thread for the region that a
 * leave ends. */
#define MAX_UNWIND 64

/* The start that a leave gives may differ from the recorded start by this: the
 * duration and the time of an event come from two readings of the clock. */
#define SAME_START_NS 1000000

static tr2_str intern_view(const struct build *b, const struct tr2_view *v)
{
	return b->ev->padded && v->len ? tr2_intern_padded(b->m, v->p, v->len) :
					 tr2_intern(b->m, v->p, v->len);
}

static const char *copy_view(struct tr2_model *m, const struct tr2_view *v)
{
	return v->p ? tr2_model_keep(m, v->p, v->len) : NULL;
}

static struct tr2_words copy_words(struct tr2_model *m,
				   const struct tr2_words_view *v)
{
	struct tr2_words words = { 0 };

	if (!v->nr)
		return words;
	words.text = tr2_model_keep(m, v->p, v->len);
	words.nr = v->nr;
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

/*
 * Return the region around an event. It is the open region that began last,
 * unless the event's nesting says that the event is outside of that region: a
 * server may handle several requests in turns in one thread.
 */
static uint32_t region_around(const struct build *b)
{
	const struct tr2_span *spans = b->m->spans;
	uint32_t i = thread_of(b)->open;

	if (b->ev->nesting == TR2_ABSENT || b->ev->nesting < 1)
		return i;
	while (i && spans[i].depth + 1 >= b->ev->nesting)
		i = spans[i].parent;
	return i;
}

static uint32_t new_span(struct build *b, enum tr2_span_kind kind)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, spans);
	struct tr2_model_thread *t = thread_of(b);
	struct tr2_span *span;
	unsigned int depth;

	span = &m->spans[i];
	span->kind = (uint8_t)kind;
	span->flags = TR2_SPAN_OPEN;
	span->start_ns = span->end_ns = b->at_ns;
	span->thread = b->t;
	span->parent = region_around(b);
	depth = span->parent ? m->spans[span->parent].depth + 1u : 0;
	span->depth = (uint16_t)(depth > UINT16_MAX ? UINT16_MAX : depth);
	span->file = intern_view(b, &b->ev->file);
	span->line = as_uint32(b->ev->line);
	span->repo = as_uint32(b->ev->repo);
	if (t->last_span)
		m->spans[t->last_span].next = i;
	else
		t->first_span = i;
	t->last_span = i;
	m->priv->last_span = i;
	return i;
}

static uint32_t new_point(struct build *b, enum tr2_point_kind kind,
			  const char *value)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, points);
	struct tr2_model_thread *t = thread_of(b);
	struct tr2_point *point;

	point = &m->points[i];
	point->kind = (uint8_t)kind;
	point->at_ns = b->at_ns;
	point->value = value;
	point->thread = b->t;
	point->parent = t->open;
	point->file = intern_view(b, &b->ev->file);
	point->line = as_uint32(b->ev->line);
	point->repo = as_uint32(b->ev->repo);
	if (t->last_point)
		m->points[t->last_point].next = i;
	else
		t->first_point = i;
	t->last_point = i;
	return i;
}

static void on_region_enter(struct build *b)
{
	const struct tr2_parsed_region_enter *v = &b->ev->as.region_enter;
	uint32_t i = new_span(b, TR2_SPAN_REGION);
	struct tr2_span *span;

	span = &b->m->spans[i];
	span->category = intern_view(b, &v->category.text);
	span->label = intern_view(b, &v->label.text);
	span->msg = intern_view(b, &v->msg.text);
	span->below = thread_of(b)->open;
	thread_of(b)->open = i;
	if (span->below != span->parent)
		tr2_build_event_problem(
			b, TR2_PROBLEM_OVERLAP,
			"regions of one thread overlap: a nesting began again "
			"before its region ended");
}

static bool is_called(const struct tr2_span *span, tr2_str category,
		      tr2_str label)
{
	return span->category == category && span->label == label;
}

/* Return the difference between the region's recorded start and the start that
 * its leave gives; 0 if the leave gives none. */
static int64_t start_off(const struct build *b, const struct tr2_span *span)
{
	int64_t off;

	if (b->ev->t_rel == TR2_ABSENT ||
	    (b->ev->wall_us == TR2_ABSENT && b->ev->t_abs == TR2_ABSENT))
		return 0;
	off = b->at_ns - tr2_at_ns(b->ev->t_rel) - span->start_ns;
	return off < 0 ? -off : off;
}

/* Find the open region that this leave ends; 0: none. Of several regions with
 * that name, prefer the one that began when the leave says, else the
 * innermost. */
static uint32_t region_left(const struct build *b, tr2_str category,
			    tr2_str label)
{
	const struct tr2_span *spans = b->m->spans;
	uint32_t i = thread_of(b)->open, innermost = 0, best = 0;
	int64_t off, least = TR2_CLOCK_STEP_NS;
	int up;

	for (up = 0; i && up < MAX_UNWIND; up++, i = spans[i].below) {
		if (!is_called(&spans[i], category, label))
			continue;
		off = start_off(b, &spans[i]);
		if (off < SAME_START_NS)
			return i;
		if (off < least) {
			least = off;
			best = i;
		}
		if (!innermost)
			innermost = i;
	}
	return best ? best : innermost;
}

/* Find a region that was closed because a region around it ended first. */
static uint32_t region_left_late(const struct build *b, tr2_str category,
				 tr2_str label)
{
	const struct tr2_span *spans = b->m->spans;
	uint32_t i = tr2_map_get(&b->m->priv->closed, b->t);
	int up;

	for (up = 0; i && up < MAX_UNWIND; up++, i = spans[i].parent)
		if (spans[i].flags & TR2_SPAN_CLOSED_BY_OUTER &&
		    is_called(&spans[i], category, label))
			return i;
	return 0;
}

static bool is_inside(const struct tr2_span *spans, uint32_t i, uint32_t outer)
{
	while (i && i != outer)
		i = spans[i].parent;
	return i;
}

/* Remove a region from the open regions, together with the open regions inside
 * of it. Most programs that leave an outer region first never leave the inner
 * one. */
static void close_region(const struct build *b, uint32_t outer)
{
	struct tr2_model_thread *t = thread_of(b);
	struct tr2_span *spans = b->m->spans;
	uint32_t *link = &t->open, closed = 0;

	while (*link != outer) {
		struct tr2_span *inner = &spans[*link];

		if (!is_inside(spans, *link, outer)) {
			link = &inner->below;
			continue;
		}
		if (!closed)
			closed = *link;
		inner->end_ns = b->at_ns;
		inner->flags &= (uint8_t)~TR2_SPAN_OPEN;
		inner->flags |= TR2_SPAN_CLOSED_BY_OUTER;
		*link = inner->below;
	}
	*link = spans[outer].below;
	if (!closed)
		return;
	*tr2_map_slot(&b->m->priv->closed, b->t) = closed;
	tr2_build_event_problem(b, TR2_PROBLEM_UNPAIRED,
				"a region_leave while an inner region is open");
}

/* Set the start of a span if only its end was recorded. */
static void start_from_end(const struct build *b, struct tr2_span *span)
{
	span->flags = TR2_SPAN_NO_START;
	span->end_ns = b->at_ns;
	if (b->ev->t_rel != TR2_ABSENT)
		span->start_ns =
			tr2_at_ns(b->at_ns - tr2_at_ns(b->ev->t_rel));
}

/* Add a region whose start was not recorded. */
static void leave_unknown(struct build *b, tr2_str category, tr2_str label)
{
	uint32_t i;
	struct tr2_span *span;

	/* Report no problem for a forked process, which may leave its parent's
	 * regions, or for a process whose first events are lost. */
	if (!(session_of(b)->flags &
	      (TR2_SESSION_FORKED | TR2_SESSION_NO_BEGINNING)))
		tr2_build_event_problem(b, TR2_PROBLEM_UNPAIRED,
					"a region_leave without a "
					"region_enter");
	i = new_span(b, TR2_SPAN_REGION);
	span = &b->m->spans[i];
	start_from_end(b, span);
	span->category = category;
	span->label = label;
	span->msg = intern_view(b, &b->ev->as.region_leave.msg.text);
}

static void on_region_leave(struct build *b)
{
	const struct tr2_parsed_region_leave *v = &b->ev->as.region_leave;
	tr2_str category = intern_view(b, &v->category.text);
	tr2_str label = intern_view(b, &v->label.text);
	uint32_t i = region_left(b, category, label);
	struct tr2_span *span;

	if (i) {
		close_region(b, i);
	} else {
		i = region_left_late(b, category, label);
		if (!i) {
			leave_unknown(b, category, label);
			return;
		}
	}
	b->m->priv->last_span = i;
	span = &b->m->spans[i];
	span->end_ns = tr2_build_end_time(b, span->start_ns);
	span->flags &= (uint8_t)~(TR2_SPAN_OPEN | TR2_SPAN_CLOSED_BY_OUTER);
}

/* Add a point with the name `category/key`. */
static void add_named_point(struct build *b, enum tr2_point_kind kind,
			    const struct tr2_view *category,
			    const struct tr2_view *key,
			    const struct tr2_view *value)
{
	uint32_t i = new_point(b, kind, copy_view(b->m, value));

	b->m->points[i].category = intern_view(b, category);
	b->m->points[i].key = intern_view(b, key);
}

static void on_data(struct build *b)
{
	const struct tr2_parsed_data *v = &b->ev->as.data;

	add_named_point(b, TR2_POINT_DATA, &v->category.text, &v->key.text,
			&v->value.text);
}

static void on_data_json(struct build *b)
{
	const struct tr2_parsed_data_json *v = &b->ev->as.data_json;

	if (tr2_build_is(&v->category.text, "trace2") &&
	    (tr2_build_data_metric(b) || tr2_build_data_span(b)))
		return;
	add_named_point(b, TR2_POINT_DATA_JSON, &v->category.text,
			&v->key.text, &v->value.text);
}

static void on_def_param(struct build *b)
{
	const struct tr2_parsed_def_param *v = &b->ev->as.def_param;

	add_named_point(b, TR2_POINT_PARAM, &v->scope.text, &v->param.text,
			&v->value.text);
}

static void on_error(struct build *b)
{
	const struct tr2_parsed_error *v = &b->ev->as.error;
	uint32_t i = new_point(b, TR2_POINT_ERROR,
			       copy_view(b->m, &v->msg.text));

	b->m->points[i].key = intern_view(b, &v->fmt.text);
	tr2_rare_add(b->m, b->s)->nr_errors++;
}

static void on_printf(struct build *b)
{
	new_point(b, TR2_POINT_PRINTF,
		  copy_view(b->m, &b->ev->as.printf.msg.text));
}

static void on_def_repo(struct build *b)
{
	new_point(b, TR2_POINT_REPO,
		  copy_view(b->m, &b->ev->as.def_repo.worktree.text));
}

static void on_alias(struct build *b)
{
	const struct tr2_parsed_alias *v = &b->ev->as.alias;
	struct tr2_words words = copy_words(b->m, &v->argv.words);
	static struct tr2_buf text; /* later calls reuse its memory */
	uint32_t i;

	tr2_buf_reset(&text);
	tr2_words_quote(&words, &text);
	i = new_point(b, TR2_POINT_ALIAS,
		      tr2_model_copy(b->m, tr2_buf_str(&text), text.len));
	b->m->points[i].key = intern_view(b, &v->alias.text);
}

/* Keep an event for which the model has no structure as a point. */
static void on_other(struct build *b)
{
	const struct tr2_view *raw = &b->ev->raw;
	uint32_t i = new_point(b, TR2_POINT_OTHER,
			       raw->len < 4096 ? copy_view(b->m, raw) : NULL);

	b->m->points[i].key = intern_view(b, &b->ev->event);
	if (b->ev->kind < 0)
		tr2_build_event_problem(
			b, TR2_PROBLEM_UNKNOWN,
			"an unknown event: kept unchanged");
}

static uint64_t child_key(uint32_t session, int32_t id)
{
	return tr2_key(session, (uint32_t)id);
}

/* Find the latest child with this number; 0: none. Search from the newest
 * child: it is mostly the right one, and sessions have few children. */
static uint32_t find_child(const struct build *b, int32_t id)
{
	const struct tr2_child *children = b->m->children;
	uint32_t i = session_of(b)->last_child, nr;

	for (nr = 0; i && nr < TR2_MANY; nr++, i = children[i].previous)
		if (children[i].id == id)
			return i;
	return i ? tr2_map_get(&b->m->priv->children, child_key(b->s, id)) : 0;
}

/* Add all children of a session with many children to the map. */
static void map_children(struct build *b, uint32_t newest)
{
	const struct tr2_child *children = b->m->children;
	uint32_t last[TR2_MANY + 1], i, nr = 0;

	for (i = newest; i && nr <= TR2_MANY; i = children[i].previous)
		last[nr++] = i;
	if (nr <= TR2_MANY)
		return;
	/* If the loop above stopped early, the older children are already in
	 * the map: add only the newest. */
	for (nr = i ? 1 : nr; nr--;)
		*tr2_map_slot(&b->m->priv->children,
			      child_key(b->s, children[last[nr]].id)) =
			last[nr];
}

static void keep_child(struct build *b, enum tr2_span_kind kind, uint32_t i)
{
	struct tr2_child *c = &b->m->children[i];

	if (kind == TR2_SPAN_EXEC) {
		*tr2_map_slot(&b->m->priv->execs, child_key(b->s, c->id)) = i;
		return;
	}
	c->previous = session_of(b)->last_child;
	session_of(b)->last_child = i;
	map_children(b, i);
}

static uint32_t new_child(struct build *b, enum tr2_span_kind kind, int64_t id)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, children);
	uint32_t span = new_span(b, kind);
	struct tr2_child *c = &m->children[i];

	c->span = span;
	c->id = as_int32(id);
	c->pid = -1;
	m->spans[span].child = i;
	keep_child(b, kind, i);
	return i;
}

static void on_child_start(struct build *b)
{
	const struct tr2_parsed_child_start *v = &b->ev->as.child_start;
	uint32_t i = new_child(b, TR2_SPAN_CHILD, v->child_id.i);
	struct tr2_child *c;

	c = &b->m->children[i];
	c->child_class = intern_view(b, &v->child_class.text);
	c->hook = intern_view(b, &v->hook_name.text);
	c->cd = intern_view(b, &v->cd.text);
	c->use_shell = v->use_shell.b;
	c->argv = copy_words(b->m, &v->argv.words);
}

/* Return the child or exec that an event ends. If the start was not recorded,
 * add a child or exec. */
static struct tr2_child *child_ended(struct build *b, enum tr2_span_kind kind,
				     int64_t id)
{
	struct tr2_model *m = b->m;
	uint32_t i = kind == TR2_SPAN_CHILD ?
			     find_child(b, as_int32(id)) :
			     tr2_map_get(&m->priv->execs,
					 child_key(b->s, as_int32(id)));
	struct tr2_span *span;
	bool went_on;

	/* Accept the end of a child after child_ready: some programs report
	 * both. */
	went_on = i && b->ev->kind == TR2_EV_child_exit && m->children[i].ready;
	if (!i || (!(m->spans[m->children[i].span].flags & TR2_SPAN_OPEN) &&
		   !went_on)) {
		if (!(session_of(b)->flags & TR2_SESSION_NO_BEGINNING))
			tr2_build_event_problem(
				b, TR2_PROBLEM_UNPAIRED,
				"the end of something that was not started");
		i = new_child(b, kind, id);
		start_from_end(b, &m->spans[m->children[i].span]);
		return &m->children[i];
	}
	m->priv->last_span = m->children[i].span;
	span = &m->spans[m->children[i].span];
	span->end_ns = tr2_build_end_time(b, span->start_ns);
	span->flags &= (uint8_t)~TR2_SPAN_OPEN;
	return &m->children[i];
}

static void set_code(struct tr2_child *c, int64_t code)
{
	if (code == TR2_ABSENT)
		return;
	c->code = as_int32(code);
	c->has_code = true;
}

static void on_child_exit(struct build *b)
{
	const struct tr2_parsed_child_exit *v = &b->ev->as.child_exit;
	struct tr2_child *c = child_ended(b, TR2_SPAN_CHILD, v->child_id.i);

	c->pid = as_int32(v->pid.i);
	c->ready = false;
	set_code(c, v->code.i);
}

static void on_child_ready(struct build *b)
{
	const struct tr2_parsed_child_ready *v = &b->ev->as.child_ready;
	struct tr2_child *c = child_ended(b, TR2_SPAN_CHILD, v->child_id.i);

	c->pid = as_int32(v->pid.i);
	c->ready = true;
}

static void on_exec(struct build *b)
{
	const struct tr2_parsed_exec *v = &b->ev->as.exec;
	uint32_t i = new_child(b, TR2_SPAN_EXEC, v->exec_id.i);

	b->m->children[i].exe = intern_view(b, &v->exe.text);
	b->m->children[i].argv = copy_words(b->m, &v->argv.words);
}

static void on_exec_result(struct build *b)
{
	const struct tr2_parsed_exec_result *v = &b->ev->as.exec_result;
	struct tr2_child *c = child_ended(b, TR2_SPAN_EXEC, v->exec_id.i);

	set_code(c, v->code.i);
}

static uint64_t as_ns(int64_t value)
{
	return value < 0 ? 0 : (uint64_t)value;
}

/* Add a metric. thread 0: of the whole session. */
static struct tr2_metric *new_metric(struct build *b,
				     enum tr2_definition_kind kind,
				     uint32_t thread,
				     const struct tr2_view *category,
				     const struct tr2_view *name)
{
	struct tr2_metric *metric = tr2_build_metric(b->m, b->s, kind);

	metric->thread = thread;
	metric->category = intern_view(b, category);
	metric->name = intern_view(b, name);
	return metric;
}

static void on_timer(struct build *b)
{
	const struct tr2_parsed_timer *v = &b->ev->as.timer;
	struct tr2_metric *metric =
		new_metric(b, TR2_DEFINITION_TIMER,
			   b->ev->kind == TR2_EV_th_timer ? b->t : 0,
			   &v->category.text, &v->name.text);

	_Static_assert(sizeof(struct tr2_parsed_th_timer) == sizeof(*v),
		       "both have the same fields");
	metric->count = v->intervals.u;
	metric->total_ns = as_ns(v->t_total.i);
	metric->min_ns = as_ns(v->t_min.i);
	metric->max_ns = as_ns(v->t_max.i);
	metric->unfinished = v->unfinished.u;
	metric->histogram = copy_view(b->m, &v->histogram.text);
}

static void on_counter(struct build *b)
{
	const struct tr2_parsed_counter *v = &b->ev->as.counter;
	struct tr2_metric *metric =
		new_metric(b, TR2_DEFINITION_COUNTER,
			   b->ev->kind == TR2_EV_th_counter ? b->t : 0,
			   &v->category.text, &v->name.text);

	_Static_assert(sizeof(struct tr2_parsed_th_counter) == sizeof(*v),
		       "both have the same fields");
	metric->count = v->count.u;
}

static void on_version(struct build *b)
{
	struct tr2_model_session *s = session_of(b);

	/* The session began in an earlier file, which is not among the
	 * inputs. */
	if (b->ev->as.version.part.u && s->nr_events == 1)
		s->flags |= TR2_SESSION_NO_BEGINNING;
	s->exe_version = intern_view(b, &b->ev->as.version.exe.text);
	s->flags &= (uint16_t)~TR2_SESSION_NO_VERSION;
}

static void on_start(struct build *b)
{
	struct tr2_model_session *s = session_of(b);

	s->argv = copy_words(b->m, &b->ev->as.start.argv.words);
	s->flags &= (uint16_t)~TR2_SESSION_NO_START;
}

static void set_exit_code(struct tr2_model_session *s, int64_t code)
{
	if (code == TR2_ABSENT || s->end == TR2_END_SIGNAL)
		return;
	s->code = as_int32(code);
	s->has_code = true;
}

static void on_process_exit(struct build *b)
{
	set_exit_code(session_of(b), b->ev->as.exit.code.i);
}

static void on_atexit(struct build *b)
{
	const struct tr2_parsed_atexit *v = &b->ev->as.atexit;
	struct tr2_model_session *s = session_of(b);

	set_exit_code(s, v->code.i);
	if (s->end != TR2_END_SIGNAL)
		s->end = TR2_END_EXIT;
	if (v->lost.u)
		tr2_rare_add(b->m, b->s)->lost += v->lost.u;
	b->m->lost += v->lost.u;
}

static void on_signal(struct build *b)
{
	struct tr2_model_session *s = session_of(b);
	char text[24];
	int64_t signo = b->ev->as.signal.signo.i;
	struct tr2_buf buf;

	if (signo == TR2_ABSENT)
		signo = 0;
	s->end = TR2_END_SIGNAL;
	s->code = as_int32(signo);
	s->has_code = true;
	tr2_buf_init_fixed(&buf, text, sizeof(text));
	tr2_buf_add_i64(&buf, signo);
	new_point(b, TR2_POINT_SIGNAL, tr2_model_copy(b->m, text, buf.len));
}

static void on_cmd_path(struct build *b)
{
	session_of(b)->path = intern_view(b, &b->ev->as.cmd_path.path.text);
}

static void on_cmd_ancestry(struct build *b)
{
	tr2_rare_add(b->m, b->s)->ancestry =
		copy_words(b->m, &b->ev->as.cmd_ancestry.ancestry.words);
}

static void on_cmd_name(struct build *b)
{
	const struct tr2_parsed_cmd_name *v = &b->ev->as.cmd_name;
	struct tr2_model_session *s = session_of(b);

	s->name = intern_view(b, &v->name.text);
	s->hierarchy = intern_view(b, &v->hierarchy.text);
}

static void on_cmd_mode(struct build *b)
{
	session_of(b)->mode = intern_view(b, &b->ev->as.cmd_mode.name.text);
}

static void on_too_many_files(struct build *b)
{
	session_of(b)->flags |= TR2_SESSION_TOO_MANY_FILES;
}

static void on_thread_start(struct build *b)
{
	struct tr2_model_thread *t = thread_of(b);

	t->flags &= (uint8_t)~TR2_THREAD_UNANNOUNCED;
	t->start_ns = b->at_ns;
}

static void on_thread_exit(struct build *b)
{
	const struct tr2_parsed_event *ev = b->ev;
	struct tr2_model_thread *t = thread_of(b);

	/* Compute the thread's start from t_rel if thread_start was lost. */
	if (t->flags & TR2_THREAD_UNANNOUNCED && ev->t_rel != TR2_ABSENT &&
	    (ev->wall_us != TR2_ABSENT || ev->t_abs != TR2_ABSENT))
		t->start_ns = tr2_at_ns(b->at_ns - tr2_at_ns(ev->t_rel));
	t->flags &= (uint8_t)~TR2_THREAD_OPEN;
	t->end_ns = tr2_build_end_time(b, t->start_ns);
}

/* on_other() keeps the text of events without a handler. */
static void (*const handlers[TR2_EVENT_NR])(struct build *b) = {
	[TR2_EV_version] = on_version,
	[TR2_EV_too_many_files] = on_too_many_files,
	[TR2_EV_start] = on_start,
	[TR2_EV_exit] = on_process_exit,
	[TR2_EV_atexit] = on_atexit,
	[TR2_EV_signal] = on_signal,
	[TR2_EV_error] = on_error,
	[TR2_EV_cmd_path] = on_cmd_path,
	[TR2_EV_cmd_ancestry] = on_cmd_ancestry,
	[TR2_EV_cmd_name] = on_cmd_name,
	[TR2_EV_cmd_mode] = on_cmd_mode,
	[TR2_EV_alias] = on_alias,
	[TR2_EV_child_start] = on_child_start,
	[TR2_EV_child_exit] = on_child_exit,
	[TR2_EV_child_ready] = on_child_ready,
	[TR2_EV_exec] = on_exec,
	[TR2_EV_exec_result] = on_exec_result,
	[TR2_EV_thread_start] = on_thread_start,
	[TR2_EV_thread_exit] = on_thread_exit,
	[TR2_EV_def_param] = on_def_param,
	[TR2_EV_def_repo] = on_def_repo,
	[TR2_EV_region_enter] = on_region_enter,
	[TR2_EV_region_leave] = on_region_leave,
	[TR2_EV_data] = on_data,
	[TR2_EV_data_json] = on_data_json,
	[TR2_EV_printf] = on_printf,
	[TR2_EV_th_timer] = on_timer,
	[TR2_EV_th_counter] = on_counter,
	[TR2_EV_timer] = on_timer,
	[TR2_EV_counter] = on_counter,
};

_Static_assert(TR2_EVENT_NR <= sizeof(((struct tr2_model *)0)->events_by_kind) /
				       sizeof(uint64_t),
	       "every kind is counted");

void tr2_build_event(struct tr2_model *m, const struct tr2_parsed_event *ev)
{
	struct build b = { m, ev, ev->session, ev->thread, 0 };
	struct tr2_model_session *s = session_of(&b);

	if (s->nr_events && tr2_build_begins_anew(&b)) {
		b.s = ev->kind == TR2_EV_version ? tr2_build_begin_again(&b)
						 : tr2_build_go_on_forked(&b);
		s = session_of(&b);
		b.t = s->first_thread;
	}
	m->priv->last_session = b.s;
	m->priv->last_thread = b.t;
	m->priv->last_span = 0;
	s->nr_events++;
	m->nr_events++;
	if (ev->kind >= 0)
		m->events_by_kind[ev->kind]++;
	b.at_ns = tr2_build_event_time(&b, s);
	if (ev->kind >= 0 && handlers[ev->kind])
		handlers[ev->kind](&b);
	else
		on_other(&b);
	tr2_build_lasts(&b);
}
