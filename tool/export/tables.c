/* SPDX-License-Identifier: MIT */
/*
 * tables - implements export/tables.h. Each function below fills the columns of
 * its table in the order of export/tables.def; unknown values are NULL.
 */
#include <string.h>

#include "export/stacks.h"
#include "export/tables.h"

const struct tr2_table_def tr2_table_defs[TR2_TABLE_NR] = {
#define TR2_COLUMN(name, sql) { #name, sql },
#define TR2_TABLE(name, columns) { #name, { columns { NULL, NULL } } },
#include "export/tables.def"
#undef TR2_TABLE
#undef TR2_COLUMN
};

/* ---- cells ------------------------------------------------------------------------ */

static struct tr2_row_value *cell(struct tr2_row *r, enum tr2_value_kind kind)
{
	struct tr2_row_value *v = &r->value[r->nr < TR2_MAX_COLUMNS ? r->nr++ :
							0];

	v->kind = kind;
	return v;
}

static void row(struct tr2_row *r)
{
	r->nr = 0;
	tr2_buf_reset(&r->text);
}

static void none(struct tr2_row *r)
{
	cell(r, TR2_VALUE_NULL);
}

static void number(struct tr2_row *r, int64_t value)
{
	cell(r, TR2_VALUE_INT)->i = value;
}

static void number_if(struct tr2_row *r, bool known, int64_t value)
{
	if (known)
		number(r, value);
	else
		none(r);
}

static void size(struct tr2_row *r, uint64_t value)
{
	if (value <= INT64_MAX)
		number(r, (int64_t)value);
	else
		cell(r, TR2_VALUE_UINT)->u = value;
}

/* Add the text that was appended to r->text since `start`. */
static void text_from(struct tr2_row *r, size_t start)
{
	struct tr2_row_value *v = cell(r, TR2_VALUE_TEXT);

	v->at = start;
	v->len = r->text.len - start;
	tr2_buf_addch(&r->text, '\0');
}

static void text(struct tr2_export *x, struct tr2_row *r, const char *s)
{
	size_t start = r->text.len;

	if (!s || !*s) {
		none(r);
		return;
	}
	tr2_buf_addstr(&r->text, tr2_export_text(x, s));
	text_from(r, start);
}

static void string(struct tr2_export *x, struct tr2_row *r, tr2_str s)
{
	text(x, r, tr2_s(x->m, s));
}

/* Add two cells: for people, and for programs. */
static void words(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_words *w, bool quoted)
{
	size_t start = r->text.len;

	if (quoted) {
		if (w->nr) {
			tr2_export_add_command(x, &r->text, w);
			text_from(r, start);
		} else {
			none(r);
		}
	}
	start = r->text.len;
	if (w->nr) {
		tr2_export_add_words(x, &r->text, w);
		text_from(r, start);
	} else {
		none(r);
	}
}

/* Add three cells. */
static void times(struct tr2_row *r, int64_t start_ns, int64_t end_ns)
{
	number(r, start_ns);
	number(r, end_ns);
	number(r, end_ns - start_ns);
}

static int64_t session_id(const struct tr2_row_ids *ids, uint32_t session)
{
	return ids->session_ids ? ids->session_ids[session] : session;
}

static int64_t thread_id(const struct tr2_row_ids *ids, uint32_t thread)
{
	return ids->thread_ids ? ids->thread_ids[thread] : ids->thread + thread;
}

static int64_t span_id(const struct tr2_row_ids *ids, uint32_t span)
{
	return ids->span_ids ? ids->span_ids[span] : ids->span + span;
}

static void thread_ids(struct tr2_export *x, struct tr2_row *r,
		       const struct tr2_row_ids *ids, uint32_t thread)
{
	number(r, session_id(ids, x->m->threads[thread].session));
	number(r, thread_id(ids, thread));
}

static void source(struct tr2_export *x, struct tr2_row *r, uint32_t repo,
		   tr2_str file, uint32_t line)
{
	number_if(r, repo, repo);
	string(x, r, file);
	number_if(r, file, line);
}

/* ---- sessions and threads ------------------------------------------------------------ */

void tr2_session_key(struct tr2_export *x, struct tr2_buf *b, uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];

	tr2_buf_addstr(b, tr2_export_text(x, s->sid));
	if (!(s->flags & (TR2_SESSION_DUPLICATE | TR2_SESSION_FORKED |
			  TR2_SESSION_PERF)))
		return;
	tr2_buf_addch(b, '@');
	tr2_buf_add_i64(b, s->wall_ns + s->start_ns);
}

/* Return the session of the process that started this one. 0: none. */
static uint32_t session_above(const struct tr2_export *x, uint32_t session)
{
	const struct tr2_model *m = x->m;
	uint32_t node = m->sessions[session].node;

	if (m->nodes[node].session && m->nodes[node].session != session)
		return tr2_session_before(x, session);
	while (node && (node = m->nodes[node].parent))
		if (m->nodes[node].session)
			return m->nodes[node].session;
	return m->sessions[session].parent;
}

/* Return the child span that led to a process, through shells and other
 * processes without a session. */
static uint32_t child_above(const struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;

	while (!m->nodes[node].child && m->nodes[node].parent &&
	       !m->nodes[m->nodes[node].parent].session)
		node = m->nodes[node].parent;
	return m->nodes[node].child;
}

/* Return the id of the session that started this one; 0: unknown. */
static int64_t parent_id(const struct tr2_export *x,
			 const struct tr2_row_ids *ids, uint32_t session)
{
	const char *sid = x->m->sessions[session].sid;
	const char *slash = strrchr(sid, '/');
	uint32_t above = session_above(x, session);

	if (above)
		return session_id(ids, above);
	return slash && ids->id_of_sid ?
		       ids->id_of_sid(sid, (size_t)(slash - sid)) : 0;
}

static void parents(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const char *slash = strrchr(s->sid, '/');
	int64_t above = parent_id(x, ids, session);
	uint32_t child = child_above(x, s->node);
	size_t start = r->text.len;

	number_if(r, above, above);
	if (slash) {
		tr2_buf_add(&r->text, s->sid, (size_t)(slash - s->sid));
		text_from(r, start);
	} else {
		none(r);
	}
	number_if(r, child && above, span_id(ids, x->m->children[child].span));
}

static const char *end_name(const struct tr2_model_session *s)
{
	static const char *const names[] = {
		[TR2_END_OPEN] = "open",     [TR2_END_EXIT] = "exit",
		[TR2_END_SIGNAL] = "signal", [TR2_END_EXEC] = "exec",
	};

	return names[s->end];
}

/* Add code and signal; the kernel may know an end that is not in the
 * session. */
static void session_end(struct tr2_export *x, struct tr2_row *r,
			const struct tr2_model_session *s)
{
	const struct tr2_node *n = &x->m->nodes[s->node];
	bool last = s->node && !s->next_of_node;
	uint8_t end = last ? n->end : s->end;
	int32_t code = last ? n->code : s->code;
	bool known = last ? n->has_code : s->has_code;
	struct tr2_model_session shown = { .end = end };

	text(x, r, end_name(&shown));
	number_if(r, known && end != TR2_END_SIGNAL, code);
	number_if(r, known && end == TR2_END_SIGNAL, code);
}

static void names(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_model_session *s)
{
	size_t start = r->text.len;

	if (s->node) {
		tr2_export_node_name(x, &r->text, s->node);
		text_from(r, start);
	} else {
		string(x, r, s->name);
	}
	string(x, r, s->hierarchy);
	string(x, r, s->mode);
	words(x, r, &s->argv, true);
	words(x, r, &s->ancestry, false);
	string(x, r, s->path);
	string(x, r, s->exe_version);
}

void tr2_row_session(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_session *s = &x->m->sessions[i];
	const struct tr2_node *n = &x->m->nodes[s->node];
	bool first = n->session == i;
	size_t start;

	row(r);
	number(r, session_id(ids, i));
	start = r->text.len;
	tr2_session_key(x, &r->text, i);
	text_from(r, start);
	text(x, r, s->sid);
	parents(x, r, ids, i);
	number_if(r, s->pid > 0 || n->pid > 0, s->pid > 0 ? s->pid : n->pid);
	names(x, r, s);
	times(r, s->wall_ns + s->start_ns, s->wall_ns + s->end_ns);
	number_if(r, first, n->self_ns);
	number_if(r, first && n->spawn_ns != TR2_NO_TIME, n->spawn_ns);
	session_end(x, r, s);
	number(r, s->nr_errors);
	number(r, s->nr_events);
	size(r, s->lost);
}

void tr2_row_thread(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_thread *t = &x->m->threads[i];
	int64_t wall = x->m->sessions[t->session].wall_ns;

	row(r);
	number(r, thread_id(ids, i));
	number(r, session_id(ids, t->session));
	string(x, r, t->name);
	times(r, wall + t->start_ns, wall + t->end_ns);
}

/* ---- spans ------------------------------------------------------------------------------ */

/* Add nine cells. */
static void child(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_span *s)
{
	const struct tr2_child *c = &x->m->children[s->child];
	const struct tr2_node *n = &x->m->nodes[c->node];
	bool is_child = s->kind == TR2_SPAN_CHILD;

	number_if(r, s->child, c->id);
	number_if(r, s->child && c->pid > 0, c->pid);
	number_if(r, c->has_code, c->code);
	string(x, r, c->child_class);
	string(x, r, c->hook);
	string(x, r, c->cd);
	words(x, r, &c->argv, true);
	number_if(r, is_child && c->node && n->spawn_ns != TR2_NO_TIME &&
			     n->child == s->child, n->spawn_ns);
}

void tr2_row_span(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, uint32_t i, int64_t self_ns)
{
	static const char *const kinds[] = { [TR2_SPAN_REGION] = "region",
					     [TR2_SPAN_CHILD] = "child",
					     [TR2_SPAN_EXEC] = "exec" };
	const struct tr2_span *s = &x->m->spans[i];
	int64_t wall = tr2_export_session_of(x, s->thread)->wall_ns;

	row(r);
	number(r, span_id(ids, i));
	thread_ids(x, r, ids, s->thread);
	number_if(r, s->parent, span_id(ids, s->parent));
	text(x, r, kinds[s->kind]);
	string(x, r, s->category);
	string(x, r, s->label);
	string(x, r, s->msg);
	times(r, wall + s->start_ns, wall + s->end_ns);
	number(r, self_ns);
	number(r, s->depth);
	number(r, (s->flags & TR2_SPAN_OPEN) != 0);
	source(x, r, s->repo, s->file, s->line);
	child(x, r, s);
}

/* ---- points -------------------------------------------------------------------------------- */

static const char *point_kind(const struct tr2_point *p)
{
	static const char *const kinds[] = {
		[TR2_POINT_DATA] = "data",     [TR2_POINT_DATA_JSON] = "data",
		[TR2_POINT_ERROR] = "error",   [TR2_POINT_PRINTF] = "printf",
		[TR2_POINT_PARAM] = "param",   [TR2_POINT_REPO] = "repo",
		[TR2_POINT_SIGNAL] = "signal", [TR2_POINT_ALIAS] = "alias",
		[TR2_POINT_OTHER] = "other",
	};

	return kinds[p->kind];
}

static void value(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_point *p)
{
	size_t start = r->text.len;

	if (!p->value) {
		none(r);
		return;
	}
	if (p->kind == TR2_POINT_DATA_JSON || p->kind == TR2_POINT_OTHER)
		tr2_export_add_json(x, &r->text, p->value);
	else
		tr2_buf_addstr(&r->text,
			       tr2_export_value(x, tr2_s(x->m, p->key),
						p->value));
	text_from(r, start);
}

enum tr2_table_id tr2_row_point(struct tr2_export *x, struct tr2_row *r,
				const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_point *p = &x->m->points[i];
	bool data = p->kind == TR2_POINT_DATA || p->kind == TR2_POINT_DATA_JSON;

	row(r);
	thread_ids(x, r, ids, p->thread);
	number_if(r, p->parent, span_id(ids, p->parent));
	number(r, tr2_export_session_of(x, p->thread)->wall_ns + p->at_ns);
	if (!data)
		text(x, r, point_kind(p));
	string(x, r, p->category);
	string(x, r, p->key);
	value(x, r, p);
	if (data)
		number(r, p->kind == TR2_POINT_DATA_JSON);
	source(x, r, p->repo, p->file, p->line);
	return data ? TR2_TABLE_data : TR2_TABLE_events;
}

/* ---- metrics, samples and tasks ------------------------------------------------------------------------ */

enum tr2_table_id tr2_row_metric(struct tr2_export *x, struct tr2_row *r,
				 const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_metric *metric = &x->m->metrics[i];

	row(r);
	number(r, session_id(ids, metric->session));
	number_if(r, metric->thread, thread_id(ids, metric->thread));
	string(x, r, metric->category);
	string(x, r, metric->name);
	size(r, metric->count);
	if (metric->kind == TR2_METRIC_COUNTER)
		return TR2_TABLE_counters;
	size(r, metric->total_ns);
	size(r, metric->min_ns);
	size(r, metric->max_ns);
	size(r, metric->unfinished);
	text(x, r, metric->histogram);
	return TR2_TABLE_timers;
}

/* Add the values of its group at the sample: {"EVENT":VALUE,...}. */
static void readings(struct tr2_export *x, struct tr2_row *r,
		     const struct tr2_model_sample *s)
{
	const struct tr2_sample_value *v = &x->m->values[s->first_value];
	size_t start = r->text.len;
	uint32_t i;

	if (!s->nr_values) {
		none(r);
		return;
	}
	for (i = 0; i < s->nr_values; i++) {
		tr2_buf_addch(&r->text, i ? ',' : '{');
		tr2_export_add_str(x, &r->text, tr2_s(x->m, v[i].event));
		tr2_buf_addch(&r->text, ':');
		tr2_buf_add_u64(&r->text, v[i].value);
	}
	tr2_buf_addch(&r->text, '}');
	text_from(r, start);
}

/* Add two cells. The function is the last of the stack. */
static void stack(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_model_sample *s)
{
	size_t start = r->text.len, innermost;
	struct tr2_row_value *function;

	tr2_stacks_add(x, &r->text, s, &innermost);
	if (r->text.len == start) {
		none(r);
		none(r);
		return;
	}
	function = cell(r, TR2_VALUE_TEXT);
	function->at = innermost;
	function->len = r->text.len - innermost;
	text_from(r, start);
}

void tr2_row_sample(struct tr2_export *x, struct tr2_row *r,
		    const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_sample *s = &x->m->samples[i];
	uint32_t thread = tr2_stacks_thread(x, s);

	row(r);
	number(r, session_id(ids, s->session));
	number_if(r, thread, thread_id(ids, thread));
	number(r, x->m->sessions[s->session].wall_ns + s->at_ns);
	string(x, r, s->event);
	size(r, s->count);
	number(r, s->is_time);
	stack(x, r, s);
	readings(x, r, s);
}

static void time_if(struct tr2_row *r, int64_t ns)
{
	number_if(r, ns && ns != TR2_NO_TIME, ns);
}

void tr2_row_task(struct tr2_export *x, struct tr2_row *r,
		  const struct tr2_row_ids *ids, uint32_t i)
{
	const struct tr2_model_task *t = &x->m->tasks[i];
	bool status = t->flags & TR2_TASK_HAS_STATUS;
	bool rusage = t->flags & TR2_TASK_HAS_RUSAGE;
	uint32_t session = x->m->nodes[t->node].session;

	row(r);
	number(r, t->pid);
	number(r, t->ppid);
	number_if(r, session && session_id(ids, session),
		  session_id(ids, session));
	string(x, r, t->comm);
	words(x, r, &t->argv, true);
	time_if(r, t->start_ns);
	time_if(r, t->exec_ns);
	time_if(r, t->end_ns);
	number(r, t->nr_threads);
	number_if(r, status && !t->signal, t->code);
	number_if(r, status && t->signal, t->signal);
	number_if(r, rusage, (int64_t)t->user_ns);
	number_if(r, rusage, (int64_t)t->system_ns);
	number_if(r, rusage, (int64_t)t->maxrss_bytes);
}

void tr2_row_release(struct tr2_row *r)
{
	tr2_buf_release(&r->text);
}
