/* SPDX-License-Identifier: MIT */
/*
 * process_end - determine when each process ran and how it ended.
 *
 * If the kernel recorded its fork and its exit, it ran from one to the other:
 *
 *	kernel    fork .. exec ........................... exec ........... exit
 *	sessions  |--------- version ......... exec -----| |version . atexit --|
 *
 * Its sessions lie within this time, and last from one exec to the next. The
 * first session also has the time before its exec. Without the kernel's
 * records, the process ran from its first to its last event, or as its parent
 * saw it.
 *
 * How it ended: its own events have priority. A killed process could not report
 * its end, and a process that called _exit() did not: then the kernel's record
 * counts, else the code that the parent reported. Threads, regions and children
 * that are open in a session lasted until the session ended.
 */
#include <string.h>

#include "common/signals.h"
#include "model/private.h"

/* Git exits with this code after its usage message; the code does not mean
 * signal 1. */
#define USAGE_CODE 129

static void end_thread(struct tr2_model *m, struct tr2_model_thread *t,
		       const struct tr2_model_session *s)
{
	uint32_t i;

	if (t->flags & TR2_THREAD_OPEN ||
	    s->first_thread == (uint32_t)(t - m->threads))
		t->end_ns = s->end_ns;
	for (i = t->first_span; i; i = m->spans[i].next) {
		struct tr2_span *span = &m->spans[i];

		if (!(span->flags & TR2_SPAN_OPEN))
			continue;
		span->end_ns = span->start_ns > t->end_ns ? span->start_ns :
							    t->end_ns;
	}
}

static void end_threads(struct tr2_model *m, const struct tr2_model_session *s)
{
	uint32_t t;

	for (t = s->first_thread; t; t = m->threads[t].next)
		end_thread(m, &m->threads[t], s);
}

/* Does the session have an open exec? An exec that did not fail ended the
 * program. */
static bool has_open_exec(const struct tr2_model *m,
			  const struct tr2_model_session *s)
{
	uint32_t t, i;

	for (t = s->first_thread; t; t = m->threads[t].next)
		for (i = m->threads[t].first_span; i; i = m->spans[i].next)
			if (m->spans[i].kind == TR2_SPAN_EXEC &&
			    m->spans[i].flags & TR2_SPAN_OPEN)
				return true;
	return false;
}

void tr2_model_end_sessions(struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_sessions; i++) {
		struct tr2_model_session *s = &m->sessions[i];

		s->flags &= (uint16_t)~TR2_SESSION_TENTATIVE;
		end_threads(m, s);
		if (s->end == TR2_END_OPEN && has_open_exec(m, s))
			s->end = TR2_END_EXEC;
	}
}

static const struct tr2_model_session *parent_session(const struct tr2_model *m,
						      uint32_t child)
{
	const struct tr2_span *span = &m->spans[m->children[child].span];

	return &m->sessions[m->threads[span->thread].session];
}

static void times_from_session(struct tr2_model *m, struct tr2_node *n)
{
	const struct tr2_model_session *first = &m->sessions[n->session];
	const struct tr2_model_session *last =
		&m->sessions[tr2_last_session(m, n->session)];

	n->start_ns = first->wall_ns + first->start_ns;
	n->end_ns = last->wall_ns + last->end_ns;
	n->end = last->end;
	n->has_code = last->has_code;
	n->code = last->code;
}

static void end_of_task(struct tr2_node *n, const struct tr2_model_task *t)
{
	n->end = t->flags & TR2_TASK_EXITED ? TR2_END_EXIT : TR2_END_OPEN;
	n->end_by = TR2_BY_KERNEL;
}

/* Return the first known time of a task. A task without segments, of which only
 * threads were recorded, has an end, or a time at which it was last seen. */
static int64_t first_of_task(const struct tr2_model *m,
			     const struct tr2_model_task *t)
{
	if (t->first_segment)
		return m->segments[t->first_segment].start_ns;
	return t->end_ns != TR2_NO_TIME ? t->end_ns : t->seen_ns;
}

/* Replace the times of a process's events by the kernel's times, as far as
 * these are known. */
static void times_from_task(const struct tr2_model *m, struct tr2_node *n)
{
	const struct tr2_model_task *t = &m->tasks[n->task];

	if (t->start_ns != TR2_NO_TIME)
		n->start_ns = t->start_ns;
	else if (!n->session)
		n->start_ns = first_of_task(m, t);
	if (t->end_ns != TR2_NO_TIME)
		n->end_ns = t->end_ns;
	else if (!n->session)
		n->end_ns = m->segments[t->last_segment].start_ns;
	/* Keep the end that atexit gives: the process ended soon after it. */
	if (t->end_ns == TR2_NO_TIME && n->end != TR2_END_EXIT &&
	    t->seen_ns > n->end_ns)
		n->end_ns = t->seen_ns;
}

/* Do the process's own events leave its end unknown? */
static bool is_open(const struct tr2_model *m, const struct tr2_node *n)
{
	if (n->task && m->tasks[n->task].end_ns != TR2_NO_TIME)
		return false;
	return n->end == TR2_END_OPEN || n->end == TR2_END_EXEC;
}

static void times_from_span(struct tr2_model *m, struct tr2_node *n)
{
	const struct tr2_child *c = &m->children[n->child];
	const struct tr2_span *span = &m->spans[c->span];
	const struct tr2_model_session *s = parent_session(m, n->child);

	n->start_ns = s->wall_ns + span->start_ns;
	n->end_ns = s->wall_ns + span->end_ns;
	n->end = span->flags & TR2_SPAN_OPEN || c->ready ? TR2_END_OPEN :
							   TR2_END_EXIT;
	n->end_by = TR2_BY_PARENT;
}

static void set_end(struct tr2_node *n, int signo, int code,
		    enum tr2_end_by by)
{
	n->end = signo ? TR2_END_SIGNAL : TR2_END_EXIT;
	n->code = signo ? signo : code;
	n->has_code = true;
	n->end_by = (uint8_t)by;
}

/* Return the signal n that the code of a child_exit means: 128 + n, as in Git
 * and shells, or -n. 0: an exit, as far as known. */
static int signal_of_code(const struct tr2_child *c, bool silent)
{
	int signo = c->code < 0 ? -c->code : c->code - 128;

	if (c->code == -1 || (silent && c->code == USAGE_CODE))
		return 0;
	return tr2_signal_name(signo) ? signo : 0;
}

static void end_from_task(struct tr2_node *n, const struct tr2_model_task *t)
{
	/* Keep the process's own report if it agrees with the kernel's. */
	if (n->has_code && (n->end == TR2_END_SIGNAL) == (t->signal != 0) &&
	    n->code == (t->signal ? t->signal : t->code) &&
	    n->end != TR2_END_OPEN)
		return;
	set_end(n, t->signal, t->code, TR2_BY_KERNEL);
}

/* Set the end that the process could not report: from the kernel, else from its
 * parent. */
static void end_from_others(struct tr2_model *m, struct tr2_node *n)
{
	const struct tr2_model_task *t = n->task ? &m->tasks[n->task] : NULL;
	const struct tr2_child *c = n->child ? &m->children[n->child] : NULL;
	bool said_end = n->session && n->end == TR2_END_EXIT;

	if (t && t->flags & TR2_TASK_HAS_STATUS) {
		end_from_task(n, t);
	} else if (c && c->has_code && !c->ready && !n->has_code) {
		set_end(n, said_end ? 0 : signal_of_code(c, !n->session),
			c->code, TR2_BY_PARENT);
	} else if (t && t->flags & TR2_TASK_EXITED && n->end == TR2_END_OPEN) {
		n->end = TR2_END_EXIT;
		n->end_by = TR2_BY_KERNEL;
	}
}

/* Move a session into its process's life, which may have begun before the
 * recording. The session's clock may differ from the kernel's clock, or
 * somebody may have set it. */
static void place_session(const struct tr2_model *m, const struct tr2_node *n,
			  struct tr2_model_session *s)
{
	int64_t late = s->wall_ns + s->end_ns - n->end_ns, early;

	if (late > 0)
		s->wall_ns -= late;
	early = n->start_ns - s->wall_ns - s->start_ns;
	if (early > 0 && !m->tasks[n->task].begun_ns)
		s->wall_ns += early;
}

/* Return the last exec before the first event of a session, but not before
 * `from_ns`. */
static int64_t program_start(const struct tr2_model *m, uint32_t task,
			     const struct tr2_model_session *s, int64_t from_ns)
{
	int64_t at_ns = s->wall_ns + s->start_ns, start_ns = at_ns;
	uint32_t i;

	tr2_for_each_segment(m, task, i) {
		const struct tr2_segment *segment = &m->segments[i];

		if (segment->start_ns >= from_ns && segment->start_ns <= at_ns)
			start_ns = segment->start_ns;
	}
	return start_ns;
}

static void stretch_session(struct tr2_model *m, struct tr2_model_session *s,
			    int64_t start_ns, int64_t end_ns)
{
	if (start_ns - s->wall_ns < s->start_ns)
		s->start_ns = start_ns - s->wall_ns;
	if (end_ns - s->wall_ns > s->end_ns)
		s->end_ns = end_ns - s->wall_ns;
	m->threads[s->first_thread].start_ns = s->start_ns;
	end_threads(m, s);
}

/* Let the sessions of a process cover its whole life. */
static void stretch_sessions(struct tr2_model *m, const struct tr2_node *n)
{
	int64_t start_ns = n->start_ns, next_ns;
	uint32_t i, next;

	for (i = n->session; i; i = m->sessions[i].next_of_node)
		place_session(m, n, &m->sessions[i]);
	for (i = n->session; i; i = next) {
		struct tr2_model_session *s = &m->sessions[i];

		next = s->next_of_node;
		next_ns = next ? program_start(m, n->task, &m->sessions[next],
					       s->wall_ns + s->start_ns) :
				 n->end_ns;
		stretch_session(m, s, start_ns, next_ns);
		start_ns = next_ns;
	}
}

/* Set the end of a process's last session to the end of the process. */
static void end_session(struct tr2_model_session *s, const struct tr2_node *n)
{
	if (s->end != TR2_END_OPEN)
		return;
	s->end = n->end;
	s->end_by = n->end_by;
	s->has_code = n->has_code;
	s->code = n->code;
}

/* Did the process begin before the recording, and still run when the recording
 * or its tracing ended? Then the end of its session is not the end of the
 * process. */
static bool runs_on(const struct tr2_model_task *t)
{
	return t->begun_ns && t->end_ns == TR2_NO_TIME &&
	       !(t->flags & TR2_TASK_EXITED);
}

static void set_times(struct tr2_model *m, struct tr2_node *n)
{
	if (n->session)
		times_from_session(m, n);
	else if (n->task)
		end_of_task(n, &m->tasks[n->task]);
	else if (n->child)
		times_from_span(m, n);
	if (n->session && n->task && runs_on(&m->tasks[n->task])) {
		n->end = TR2_END_OPEN;
		n->has_code = false;
	}
	if (n->task)
		times_from_task(m, n);
	n->at_least = is_open(m, n);
	if (n->end_ns < n->start_ns)
		n->end_ns = n->start_ns;
}

void tr2_model_ends(struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++) {
		struct tr2_node *n = &m->nodes[i];

		set_times(m, n);
		end_from_others(m, n);
		if (n->session)
			end_session(
				&m->sessions[tr2_last_session(m, n->session)],
				n);
		if (n->session && n->task)
			stretch_sessions(m, n);
	}
}
