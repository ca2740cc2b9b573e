/* SPDX-License-Identifier: MIT */
/*
 * build_private - state and functions shared by the files that build the model:
 * the current event, its session and its thread.
 */
#pragma once

#include "base/buf.h"
#include "model/build/build.h"
#include "model/parsed_event.h"
#include "model/private.h"

/* Search up to this number of a session's threads or children one by one.
 * Sessions with more are rare, and use maps. */
#define TR2_MANY 8

/* If the wall clock differs by more than this from the expected time, somebody
 * set it. A smaller difference is the time between two readings of the
 * clock. */
#define TR2_CLOCK_STEP_NS 50000000

/* The argument of every handler: the event, its session, its thread and its
 * time. */
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

/* Note a problem of this event. */
void tr2_build_event_problem(const struct build *b, enum tr2_problem_kind kind,
			     const char *text);

/* Does another process write under this SID from this event on? */
/* Events of threads that outlive main still belong to the old process. */
static inline bool tr2_build_begins_anew(const struct build *b)
{
	const struct tr2_model_session *s = session_of(b);

	/* In a later file of the same session (`part`), `version` does not
	 * begin a process. */
	return (b->ev->kind == TR2_EV_version &&
		!b->ev->as.version.part.u) ||
	       (s->end == TR2_END_EXIT && b->t == s->first_thread);
}

/* Begin a new session. _begin_again(): for a SID that begins again.
 * _go_on_forked(): for a forked process that keeps its parent's SID. */
uint32_t tr2_build_begin_again(const struct build *b);
uint32_t tr2_build_go_on_forked(const struct build *b);

/* Return the time of the event since the start of its process. */
int64_t tr2_build_event_time(const struct build *b,
			     struct tr2_model_session *s);
/* Return the end of a span that began at start_ns. The event's own t_rel comes
 * from the monotonic clock, and shows whether the wall clock was set in
 * between. */
int64_t tr2_build_end_time(struct build *b, int64_t start_ns);
/* Extend session and thread to this event. The event's handler may have
 * corrected the event's time. */
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

/* Does the category, or the key, of a data_json event equal `word`? */
static inline bool tr2_build_is(const struct tr2_view *text, const char *word)
{
	return text->len == strlen(word) && !memcmp(text->p, word, text->len);
}

/* If a data_json event of the category `trace2` contains a metric, a span, or
 * the session's place in a trace, add this. Return false if the event contains
 * other data. */
bool tr2_build_data_metric(struct build *b);
bool tr2_build_data_span(struct build *b);
