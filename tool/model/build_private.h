/* SPDX-License-Identifier: MIT */
/*
 * build_private - what the files that build the model share: the event at
 * hand, and where it belongs.
 */
#ifndef TR2_MODEL_BUILD_PRIVATE_H
#define TR2_MODEL_BUILD_PRIVATE_H

#include "base/buf.h"
#include "model/build.h"
#include "model/parsed_event.h"
#include "model/private.h"

/* So many threads or children of a session are looked through one by one; maps
 * are for more, which few sessions have. */
#define TR2_MANY 8

/* What every handler gets: the event, its session and thread, its time. */
struct build {
	struct tr2_model *m;
	const struct tr2_parsed_event *ev;
	uint32_t s, t;
	int64_t at_ns;
};

static inline struct tr2_model_session *session_of(const struct build *b)
{
	return &b->m->sessions[b->s];
}

static inline struct tr2_model_thread *thread_of(const struct build *b)
{
	return &b->m->threads[b->t];
}

/* Notes a problem of this event. */
void tr2_build_event_problem(const struct build *b, enum tr2_problem_kind kind,
			     const char *text);

/* Whether another process speaks under this SID from here on. */
/* Threads that outlive main are still the old process's. */
static inline bool tr2_build_begins_anew(const struct build *b)
{
	const struct tr2_model_session *s = session_of(b);

	return b->ev->kind == TR2_EV_version ||
	       (s->end == TR2_END_EXIT && b->t == s->first_thread);
}

/* Which of both it is, as a new session. 0: no memory. */
uint32_t tr2_build_begin_again(const struct build *b);
uint32_t tr2_build_go_on_forked(const struct build *b);

/* When the event was, since its process started. */
int64_t tr2_build_event_time(const struct build *b,
			     struct tr2_model_session *s);
/* The end of something that began at start_ns: its own t_rel is the monotonic
 * clock's word, and shows a wall clock that was set meanwhile. */
int64_t tr2_build_end_time(struct build *b, int64_t start_ns);
/* Session and thread lasted until this event, whose time its handler may have
 * put right. */
static inline void tr2_build_lasts(const struct build *b)
{
	struct tr2_model_session *s = session_of(b);
	struct tr2_model_thread *t = thread_of(b);

	s->now_ns = b->at_ns;
	if (b->at_ns > s->end_ns)
		s->end_ns = b->at_ns;
	if (b->at_ns > t->end_ns)
		t->end_ns = b->at_ns;
}

#endif
