/* SPDX-License-Identifier: MIT */
/*
 * build_metric - the metrics of sessions, and those for which Git's format has no
 * event: data of the category `trace2`.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build/build_private.h"
#include "model/json_members.h"

struct tr2_metric *tr2_build_new_metric(struct build *b,
					enum tr2_definition_kind kind)
{
	uint32_t i = tr2_add(b->m, metrics);
	struct tr2_model_session *s = session_of(b);
	struct tr2_metric *metric = &b->m->metrics[i];

	metric->kind = (uint8_t)kind;
	metric->session = b->s;
	if (s->last_metric)
		b->m->metrics[s->last_metric].next = i;
	else
		s->first_metric = i;
	s->last_metric = i;
	return metric;
}

static tr2_str intern(const struct build *b,
		      const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* kept: it is mapped memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return tr2_intern(b->m, v.p, v.len);
}

/* A comma or bracket, which is no digit, is behind each number. A negative one is
 * in two's complement. */
static uint64_t number(const struct tr2_json_member *member)
{
	return strtoull(member->value.p, NULL, 10);
}

static void take_member(const struct build *b, struct tr2_metric *metric,
			const struct tr2_json_member *member)
{
	const struct tr2_view *value = &member->value;

	if (tr2_json_member_is(member, "category"))
		metric->category = intern(b, member);
	else if (tr2_json_member_is(member, "name"))
		metric->name = intern(b, member);
	else if (tr2_json_member_is(member, "unit"))
		metric->unit = intern(b, member);
	else if (tr2_json_member_is(member, "count"))
		metric->count = number(member);
	else if (tr2_json_member_is(member, "sum") ||
		 tr2_json_member_is(member, "last"))
		metric->total_ns = number(member);
	else if (tr2_json_member_is(member, "min"))
		metric->min_ns = number(member);
	else if (tr2_json_member_is(member, "max"))
		metric->max_ns = number(member);
	else if (tr2_json_member_is(member, "histogram"))
		metric->histogram = tr2_model_copy(b->m, value->p, value->len);
}

bool tr2_build_data_metric(struct build *b)
{
	const struct tr2_parsed_data_json *v = &b->ev->as.data_json;
	struct tr2_view text = v->value.text;
	struct tr2_json_member member;
	struct tr2_metric *metric;

	enum tr2_definition_kind kind = tr2_build_is(&v->key.text, "gauge") ?
						  TR2_DEFINITION_GAUGE :
						  TR2_DEFINITION_DISTRIBUTION;

	if (kind == TR2_DEFINITION_DISTRIBUTION &&
	    !tr2_build_is(&v->key.text, "distribution"))
		return false;
	metric = tr2_build_new_metric(b, kind);
	while (tr2_json_next_member(&text, &member))
		take_member(b, metric, &member);
	return true;
}
