/* SPDX-License-Identifier: MIT */
/*
 * ends - determine when each process ran and how it ended. The process's own
 * events have priority. A process that was killed could not report its end, and
 * one that called _exit() did not: then the kernel's record counts, or else the
 * code that the parent reported. This closes the session: threads, regions and
 * children still open in it lasted until the process ended.
 */
#include <string.h>

#include "model/private.h"
#include "common/signals.h"

/* The exit code of Git's usage message, not of signal 1. */
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

/* If an exec did not fail, it is how the program ended. */
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

uint32_t tr2_last_session(const struct tr2_model *m, uint32_t session)
{
	while (m->sessions[session].next_of_node)
		session = m->sessions[session].next_of_node;
	return session;
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

static void times_from_task(struct tr2_node *n, const struct tr2_model_task *t)
{
	n->start_ns = t->exec_ns ? t->exec_ns : t->start_ns;
	n->end_ns = t->end_ns;
	if (n->start_ns == TR2_NO_TIME)
		n->start_ns = n->end_ns;
	if (n->end_ns == TR2_NO_TIME)
		n->end_ns = n->start_ns;
	n->end = t->flags & TR2_TASK_EXITED ? TR2_END_EXIT : TR2_END_OPEN;
	n->end_by = TR2_BY_KERNEL;
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

/* Return the signal that a parent's code means: 128 + n as in Git and shells,
 * or -n. 0: an exit, as far as known. */
static int signal_of_code(const struct tr2_child *c, bool silent)
{
	int signo = c->code < 0 ? -c->code : c->code - 128;

	if (c->code == -1 || (silent && c->code == USAGE_CODE))
		return 0;
	return tr2_signal_name(signo) ? signo : 0;
}

static void end_from_task(struct tr2_node *n, const struct tr2_model_task *t)
{
	/* The process's own report suffices if it agrees. */
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

/* If a session was killed, or an uninstrumented program followed by exec, its
 * stream lacks the end of the process. */
static void end_from_kernel(struct tr2_model *m, struct tr2_node *n)
{
	const struct tr2_model_session *s =
		&m->sessions[tr2_last_session(m, n->session)];
	const struct tr2_model_task *t = &m->tasks[n->task];

	if (n->session && n->task && t->end_ns != TR2_NO_TIME &&
	    s->end != TR2_END_EXIT && t->end_ns > n->end_ns)
		n->end_ns = t->end_ns;
}

/* Close the last session of a process when the process ends. */
static void close_session(struct tr2_model *m, const struct tr2_node *n)
{
	struct tr2_model_session *s =
		&m->sessions[tr2_last_session(m, n->session)];

	if (s->end == TR2_END_EXIT || s->end == TR2_END_EXEC ||
	    n->end == TR2_END_OPEN)
		return;
	if (s->end == TR2_END_OPEN) {
		s->end = n->end;
		s->end_by = n->end_by;
		s->has_code = n->has_code;
		s->code = n->code;
	}
	if (s->flags & (TR2_SESSION_NO_CLOCK | TR2_SESSION_CLOCK_STEP) ||
	    n->end_ns - s->wall_ns <= s->end_ns)
		return;
	s->end_ns = n->end_ns - s->wall_ns;
	end_threads(m, s);
}

void tr2_model_ends(struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_nodes; i++) {
		struct tr2_node *n = &m->nodes[i];

		if (n->session)
			times_from_session(m, n);
		else if (n->task)
			times_from_task(n, &m->tasks[n->task]);
		else if (n->child)
			times_from_span(m, n);
		end_from_others(m, n);
		end_from_kernel(m, n);
		if (n->end_ns < n->start_ns)
			n->end_ns = n->start_ns;
		if (n->session)
			close_session(m, n);
	}
}
