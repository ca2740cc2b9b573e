/* SPDX-License-Identifier: MIT */
/*
 * build_trace_span - add the program's spans, and the session's place in a
 * trace. Git's format has no event for these: they are data of the category
 * `trace2`.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build/build_private.h"
#include "model/json_members.h"

/* Read at most this many works (struct tr2_work) of a span. The library keeps
 * fewer. */
#define MAX_WORKS 4096

static bool is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* Read seconds with up to 9 decimals as nanoseconds, and move *p after them. */
static int64_t add_ns(const char **p, const char *end)
{
	int64_t ns = 0;
	int decimals = -1;

	for (; *p < end && decimals < 9; ++*p) {
		if (**p == '.' && decimals < 0)
			decimals = 0;
		else if (**p >= '0' && **p <= '9' && ns < INT64_MAX / 20)
			ns = ns * 10 + (**p - '0'), decimals += decimals >= 0;
		else
			break;
	}
	ns += decimals == 9 && is_digit(*p, end) && **p >= '5';
	while (is_digit(*p, end))
		++*p;
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 9; decimals++)
		ns = ns < INT64_MAX / 20 ? ns * 10 : ns;
	return ns;
}

static int64_t time_of(const struct tr2_json_member *member)
{
	const char *p = member->value.p;

	return add_ns(&p, p + member->value.len);
}

static uint32_t number_of(const struct tr2_json_member *member)
{
	return (uint32_t)strtoul(member->value.p, NULL, 10);
}

static tr2_str intern_member(struct tr2_model *m,
			     const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* later calls reuse its memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return tr2_intern(m, v.p, v.len);
}

static const char *copy_text(struct tr2_model *m,
			     const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* later calls reuse its memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return tr2_model_copy(m, v.p, v.len);
}

/* Add the works of [["thread",from,to],…]. The thread's name may contain
 * commas. */
static void add_works(struct tr2_model *m, uint32_t span,
		      const struct tr2_view *text)
{
	const char *p = text->p, *end = p + text->len;
	struct tr2_json_member name;
	struct tr2_work *work;
	uint32_t i;

	m->trace_spans[span].first_work = m->nr_works;
	while (p < end && m->trace_spans[span].nr_works < MAX_WORKS) {
		if (*p++ != '"')
			continue;
		name.value.p = p;
		for (; p < end && *p != '"'; p++)
			p += *p == '\\';
		if (end - p < 3)
			break;
		name.value.len = (size_t)(p - name.value.p);
		p += 2;
		i = tr2_add(m, works); /* this call may move the array of
					* works */
		work = &m->works[i];
		work->span = span;
		work->name = intern_member(m, &name);
		work->from_ns = add_ns(&p, end);
		p += p < end;
		work->to_ns = add_ns(&p, end);
		if (work->to_ns < work->from_ns)
			work->to_ns = work->from_ns;
		m->trace_spans[span].nr_works++;
	}
}

static void add_text(struct tr2_model *m, struct tr2_trace_span *span,
		     const struct tr2_json_member *member)
{
	if (tr2_json_member_is(member, "category"))
		span->category = intern_member(m, member);
	else if (tr2_json_member_is(member, "name"))
		span->name = intern_member(m, member);
	else if (tr2_json_member_is(member, "failed"))
		span->failed = copy_text(m, member);
	else if (tr2_json_member_is(member, "tracestate"))
		span->tracestate = copy_text(m, member);
	else if (tr2_json_member_is(member, "attributes"))
		span->attributes = tr2_model_copy(m, member->value.p,
						  member->value.len);
}

static void add_other(struct tr2_trace_span *span,
		      const struct tr2_json_member *member)
{
	if (tr2_json_member_is(member, "start"))
		span->start_ns = time_of(member);
	else if (tr2_json_member_is(member, "end"))
		span->end_ns = time_of(member);
	else if (tr2_json_member_is(member, "unfinished"))
		span->flags |= TR2_TRACE_SPAN_UNFINISHED;
	else if (tr2_json_member_is(member, "remote"))
		span->flags |= TR2_TRACE_SPAN_REMOTE;
	else if (tr2_json_member_is(member, "one_in"))
		span->one_in = number_of(member);
	else if (tr2_json_member_is(member, "lost"))
		span->lost = number_of(member);
}

static void add_member(struct tr2_model *m, uint32_t i,
		       const struct tr2_json_member *member)
{
	struct tr2_trace_span *span = &m->trace_spans[i];

	if (tr2_json_member_id(member, &span->self, &span->parent))
		return;
	if (tr2_json_member_is(member, "threads"))
		add_works(m, i, &member->value);
	else if (member->is_string ||
		 tr2_json_member_is(member, "attributes"))
		add_text(m, span, member);
	else
		add_other(span, member);
}

static void add_span(struct build *b)
{
	struct tr2_view text = b->ev->as.data_json.value.text;
	struct tr2_model *m = b->m;
	struct tr2_rare *s = tr2_rare_add(m, b->s);
	uint32_t i = tr2_add(m, trace_spans);
	struct tr2_trace_span *span = &m->trace_spans[i];
	struct tr2_json_member member;

	span->thread = b->t;
	while (tr2_json_next_member(&text, &member))
		add_member(m, i, &member);
	if (span->end_ns < span->start_ns)
		span->end_ns = span->start_ns;
	span->one_in += !span->one_in;
	if (s->last_trace_span)
		m->trace_spans[s->last_trace_span].next = i;
	else
		s->first_trace_span = i;
	s->last_trace_span = i;
}

static void set_trace(struct build *b)
{
	struct tr2_view text = b->ev->as.data_json.value.text;
	struct tr2_rare *s = tr2_rare_add(b->m, b->s);
	struct tr2_json_member member;

	while (tr2_json_next_member(&text, &member))
		tr2_json_member_id(&member, &s->trace, &s->trace_parent);
}

bool tr2_build_data_span(struct build *b)
{
	const struct tr2_view *key = &b->ev->as.data_json.key.text;

	if (tr2_build_is(key, TR2_SPAN_EVENT_KEY))
		add_span(b);
	else if (tr2_build_is(key, TR2_TRACE_EVENT_KEY))
		set_trace(b);
	else
		return false;
	return true;
}
