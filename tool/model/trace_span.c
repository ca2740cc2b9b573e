/* SPDX-License-Identifier: MIT */
/* trace_span - read spans from the JSON of their events. */
#include "model/trace_span.h"

#include <stdlib.h>
#include <string.h>

#include "event/span.h"
#include "model/json_members.h"

/* Take seconds with up to 9 decimals; *p is moved behind them. */
static int64_t take_ns(const char **p, const char *end)
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
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 9; decimals++)
		ns = ns < INT64_MAX / 20 ? ns * 10 : ns;
	return ns;
}

static int64_t time_of(const struct tr2_json_member *member)
{
	const char *p = member->value.p;

	return take_ns(&p, p + member->value.len);
}

/* Add up [["thread",from,to],…]; a name may have commas. */
static int64_t sum_of_times(const struct tr2_view *text)
{
	const char *p = text->p, *end = p + text->len;
	int64_t from, sum = 0;

	while (p < end) {
		if (*p++ != '"')
			continue;
		for (; p < end && *p != '"'; p++)
			p += *p == '\\';
		if (end - p < 3)
			break;
		p += 2;
		from = take_ns(&p, end);
		p += p < end;
		sum += take_ns(&p, end) - from;
	}
	return sum;
}

static tr2_str intern(struct tr2_model *m, const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* kept: it is mapped memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return tr2_intern(m, v.p, v.len);
}

static const char *copy(struct tr2_model *m,
			const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* kept: it is mapped memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return v.len ? tr2_model_copy(m, v.p, v.len) : "";
}

static void take_member(struct tr2_model *m, struct tr2_trace_span *span,
			const struct tr2_json_member *member)
{
	if (tr2_json_member_is(member, "trace_id"))
		span->trace_id = member->value;
	else if (tr2_json_member_is(member, "span_id"))
		span->span_id = member->value;
	else if (tr2_json_member_is(member, "parent_id"))
		span->parent_id = member->value;
	else if (tr2_json_member_is(member, "category"))
		span->category = intern(m, member);
	else if (tr2_json_member_is(member, "name"))
		span->name = intern(m, member);
	else if (tr2_json_member_is(member, "start"))
		span->start_ns = time_of(member);
	else if (tr2_json_member_is(member, "end"))
		span->end_ns = time_of(member);
	else if (tr2_json_member_is(member, "failed"))
		span->failed = copy(m, member);
	else if (tr2_json_member_is(member, "unfinished"))
		span->is_unfinished = true;
	else if (tr2_json_member_is(member, "attributes"))
		span->attributes = member->value;
	else if (tr2_json_member_is(member, "threads"))
		span->worked_ns = sum_of_times(&member->value);
	else if (tr2_json_member_is(member, "one_in"))
		span->one_in = strtoull(member->value.p, NULL, 10);
}

bool tr2_trace_span_read(struct tr2_model *m, const struct tr2_point *p,
			 struct tr2_trace_span *span)
{
	struct tr2_json_member member;
	struct tr2_view text;

	if (p->kind != TR2_POINT_DATA_JSON || !p->value ||
	    strcmp(tr2_s(m, p->category), TR2_SPAN_EVENT_CATEGORY) != 0 ||
	    strcmp(tr2_s(m, p->key), TR2_SPAN_EVENT_KEY) != 0)
		return false;
	*span = (struct tr2_trace_span){ .worked_ns = TR2_NO_TIME,
					 .one_in = 1 };
	text = (struct tr2_view){ p->value, strlen(p->value) };
	while (tr2_json_next_member(&text, &member))
		take_member(m, span, &member);
	if (span->end_ns < span->start_ns)
		span->end_ns = span->start_ns;
	return true;
}
