/* SPDX-License-Identifier: MIT */
/*
 * build_session - determine the session, the thread and the time of an event.
 * The time comes from the monotonic clock if the event has it, else from the
 * wall clock, else (in a brief stream) from the event before. Also note
 * problems.
 */
#include <string.h>

#include "common/map.h"
#include "model/build/build_private.h"

void tr2_build_event_problem(const struct build *b, enum tr2_problem_kind kind,
			     const char *text)
{
	tr2_build_problem(b->m, kind, session_of(b)->source,
			  b->ev->line_number, text);
}

static unsigned int count_slashes(const char *s, size_t len)
{
	unsigned int n = 0;
	const char *end = s + len;

	while ((s = memchr(s, '/', (size_t)(end - s)))) {
		n++;
		s++;
	}
	return n > UINT16_MAX ? UINT16_MAX : n;
}

/* Return the pid at the end of a SID, -P and 8 hex digits; -1: the SID has no
 * pid. */
static int32_t pid_of_sid(const char *sid, size_t len)
{
	uint32_t pid = 0;
	size_t i;

	if (len < 10 || sid[len - 10] != '-' || sid[len - 9] != 'P')
		return -1;
	for (i = len - 8; i < len; i++) {
		char c = sid[i];

		if (c >= '0' && c <= '9')
			pid = pid << 4 | (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			pid = pid << 4 | (uint32_t)(c - 'a' + 10);
		else
			return -1;
	}
	return pid > INT32_MAX ? -1 : (int32_t)pid;
}

/* Add a session as the latest session of its SID. sid must live as long as the
 * model. */
static uint32_t new_session(struct tr2_model *m, const char *sid,
			    tr2_str source)
{
	uint32_t i = tr2_add(m, sessions);
	struct tr2_model_session *s = &m->sessions[i];
	size_t len = strlen(sid);

	s->sid = sid;
	s->source = source;
	s->depth = (uint16_t)count_slashes(s->sid, len);
	s->pid = pid_of_sid(s->sid, len);
	s->flags = TR2_SESSION_NO_CLOCK | TR2_SESSION_NO_START |
		   TR2_SESSION_NO_VERSION;
	tr2_sid_set(m, i);
	tr2_build_thread(m, i, "main", 4);
	return i;
}

uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source)
{
	uint32_t i = tr2_sid_find(m, sid, len);

	return i ? i : new_session(m, tr2_model_copy(m, sid, len), source);
}

/* Begin another session for a SID that begins again. Later events of the SID
 * belong to this session. */
uint32_t tr2_build_begin_again(const struct build *b)
{
	uint32_t s;

	tr2_build_event_problem(
		b, TR2_PROBLEM_DUPLICATE,
		"this session id has started before: read as another session");
	s = new_session(b->m, session_of(b)->sid, session_of(b)->source);
	b->m->sessions[s].flags |= TR2_SESSION_DUPLICATE;
	return s;
}

/* Begin a session for events after the end of a SID's process: a forked process
 * kept the SID and outlived its parent. Earlier events of both processes stay
 * with the parent. */
uint32_t tr2_build_go_on_forked(const struct build *b)
{
	struct tr2_model *m = b->m;
	uint32_t i = new_session(m, session_of(b)->sid, session_of(b)->source);
	struct tr2_model_session *s = &m->sessions[i], *from = session_of(b);
	int64_t clock_ns = tr2_rare(m, b->s)->clock_ns;

	s->flags = (uint16_t)((from->flags & TR2_SESSION_PERF) |
			      TR2_SESSION_FORKED);
	s->parent = b->s;
	s->pid = -1;
	s->name = from->name;
	s->hierarchy = from->hierarchy;
	s->mode = from->mode;
	s->argv = from->argv;
	s->exe_version = from->exe_version;
	s->wall_ns = from->wall_ns;
	s->start_ns = s->now_ns = s->end_ns = from->end_ns;
	m->threads[s->first_thread].start_ns = s->start_ns;
	if (clock_ns)
		tr2_rare_add(m, i)->clock_ns = clock_ns;
	return i;
}

static uint32_t new_thread(struct tr2_model *m, uint32_t session, tr2_str name)
{
	uint32_t i = tr2_add(m, threads);
	struct tr2_model_session *s = &m->sessions[session];
	struct tr2_model_thread *t = &m->threads[i];

	t->session = session;
	t->name = name;
	if (s->first_thread) {
		t->flags = TR2_THREAD_OPEN | TR2_THREAD_UNANNOUNCED;
		t->start_ns = s->now_ns;
		m->threads[s->last_thread].next = i;
	} else {
		s->first_thread = i;
	}
	t->end_ns = t->start_ns;
	s->last_thread = i;
	return i;
}

/* Search the first threads of a session one by one. Set *many if the session
 * has many threads: the others are in the map. */
static uint32_t find_thread(const struct tr2_model *m, uint32_t session,
			    tr2_str name, bool *many)
{
	uint32_t i, nr = 0;

	*many = false;
	for (i = m->sessions[session].first_thread; i; i = m->threads[i].next) {
		if (m->threads[i].name == name)
			return i;
		if (++nr == TR2_MANY) {
			*many = true;
			return tr2_map_get(&m->priv->threads,
					   tr2_key(session, name));
		}
	}
	return 0;
}

uint32_t tr2_find_thread(const struct tr2_model *m, uint32_t session,
			 tr2_str name)
{
	bool many;

	return find_thread(m, session, name, &many);
}

uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len)
{
	tr2_str id = tr2_intern(m, name, len);
	bool many;
	uint32_t i = find_thread(m, session, id, &many);

	if (i)
		return i;
	i = new_thread(m, session, id);
	if (many)
		*tr2_map_slot(&m->priv->threads, tr2_key(session, id)) = i;
	return i;
}

static void shift_time(int64_t *at_ns, int64_t by_ns)
{
	*at_ns = tr2_at_ns(*at_ns + by_ns);
}

/* Shift all times of the session that were recorded so far. */
static void shift_session(struct tr2_model *m, struct tr2_model_session *s,
			  int64_t by_ns)
{
	uint32_t t, i;

	for (t = s->first_thread; t; t = m->threads[t].next) {
		if (t != s->first_thread)
			shift_time(&m->threads[t].start_ns, by_ns);
		shift_time(&m->threads[t].end_ns, by_ns);
		for (i = m->threads[t].first_span; i; i = m->spans[i].next) {
			shift_time(&m->spans[i].start_ns, by_ns);
			shift_time(&m->spans[i].end_ns, by_ns);
		}
		for (i = m->threads[t].first_point; i; i = m->points[i].next)
			shift_time(&m->points[i].at_ns, by_ns);
	}
	shift_time(&s->now_ns, by_ns);
	shift_time(&s->end_ns, by_ns);
}

/* Set the start of the process by its first event that has both clocks. */
static void set_clock(struct tr2_model *m, struct tr2_model_session *s,
		      int64_t clock)
{
	clock = tr2_wall_ns(clock);
	if (s->flags & TR2_SESSION_TENTATIVE)
		shift_session(m, s, s->wall_ns - clock);
	s->wall_ns = clock;
	if (s->rare)
		m->rares[s->rare].clock_ns = 0;
	s->flags &= (uint16_t)~(TR2_SESSION_TENTATIVE | TR2_SESSION_NO_CLOCK);
}

/* Return the current wall time minus t_abs. */
static int64_t clock_of(const struct build *b)
{
	return session_of(b)->wall_ns + tr2_rare(b->m, b->s)->clock_ns;
}

static void clock_was_set(const struct build *b, struct tr2_model_session *s,
			  int64_t clock)
{
	if (!(s->flags & TR2_SESSION_CLOCK_STEP))
		tr2_build_event_problem(
			b, TR2_PROBLEM_CLOCK,
			"the wall clock was set while this session ran: its "
			"times cannot be compared with other sessions");
	s->flags |= TR2_SESSION_CLOCK_STEP;
	tr2_rare_add(b->m, b->s)->clock_ns = tr2_wall_ns(clock) - s->wall_ns;
}

int64_t tr2_build_event_time(const struct build *b, struct tr2_model_session *s)
{
	const struct tr2_parsed_event *ev = b->ev;
	int64_t wall_ns, step, at_ns = tr2_at_ns(ev->t_abs);

	if (ev->wall_us == TR2_ABSENT) {
		if (!ev->bad_time)
			s->flags |= TR2_SESSION_BRIEF;
		if (ev->t_abs == TR2_ABSENT)
			return s->now_ns;
		/* In a brief stream only `version` has a wall time. The t_abs
		 * of `start` says how long before that time the process
		 * began. */
		if (s->flags & TR2_SESSION_TENTATIVE)
			set_clock(b->m, s, s->wall_ns + s->now_ns - at_ns);
		return at_ns;
	}
	wall_ns = tr2_wall_ns(ev->wall_us * 1000);
	if (ev->t_abs != TR2_ABSENT) {
		step = wall_ns - at_ns - clock_of(b);
		if (s->flags & (TR2_SESSION_NO_CLOCK | TR2_SESSION_TENTATIVE))
			set_clock(b->m, s, wall_ns - at_ns);
		else if (step > TR2_CLOCK_STEP_NS || step < -TR2_CLOCK_STEP_NS)
			clock_was_set(b, s, wall_ns - at_ns);
		return at_ns;
	}
	if (s->flags & TR2_SESSION_NO_CLOCK) {
		s->wall_ns = wall_ns;
		s->flags &= (uint16_t)~TR2_SESSION_NO_CLOCK;
		s->flags |= TR2_SESSION_TENTATIVE;
	}
	return tr2_at_ns(wall_ns - clock_of(b));
}

int64_t tr2_build_end_time(struct build *b, int64_t start_ns)
{
	struct tr2_model_session *s = session_of(b);
	const struct tr2_parsed_event *ev = b->ev;
	int64_t end, off;

	if (ev->t_rel == TR2_ABSENT)
		return b->at_ns > start_ns ? b->at_ns : start_ns;
	end = tr2_at_ns(start_ns + tr2_at_ns(ev->t_rel));
	off = b->at_ns - end;
	if (ev->t_abs != TR2_ABSENT)
		return end;
	if (ev->wall_us != TR2_ABSENT &&
	    (off > TR2_CLOCK_STEP_NS || off < -TR2_CLOCK_STEP_NS))
		clock_was_set(b, s, tr2_wall_ns(ev->wall_us * 1000) - end);
	if (ev->wall_us == TR2_ABSENT || s->flags & TR2_SESSION_CLOCK_STEP)
		b->at_ns = end;
	return end;
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

unsigned int tr2_build_last_nesting(const struct tr2_model *m, int kind)
{
	uint32_t open = m->threads[m->priv->last_thread].open;

	switch (kind) {
	case TR2_EV_atexit:
	case TR2_EV_thread_exit:
		return 1;
	case TR2_EV_region_enter:
	case TR2_EV_region_leave:
		return m->spans[m->priv->last_span].depth + 1u;
	default:
		return open ? m->spans[open].depth + 2u : 1;
	}
}

static void add_problem(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, uint64_t line, const char *text,
			uint64_t count)
{
	uint32_t *slot = tr2_map_slot(&m->priv->problems,
				      tr2_key(source, (uint32_t)kind));
	struct tr2_problem *p;
	uint32_t i;

	if (*slot) {
		m->problems[*slot].count += count;
		return;
	}
	i = *slot = tr2_add(m, problems);
	p = &m->problems[i];
	p->kind = kind;
	p->source = source;
	p->line = line;
	p->count = count;
	p->text = tr2_model_copy(m, text, strlen(text));
}

void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text)
{
	add_problem(m, kind, source, line, text, 1);
}

void tr2_build_problems(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, const char *text, uint64_t count)
{
	if (count)
		add_problem(m, kind, source, 0, text, count);
}
