/* SPDX-License-Identifier: MIT */
/*
 * build_metric - add the metrics of sessions. Metrics for which Git's format
 * has no event are data of the category `trace2`.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build/build_private.h"
#include "model/json_members.h"

struct tr2_metric *tr2_build_metric(struct tr2_model *m, uint32_t session,
				    enum tr2_definition_kind kind)
{
	uint32_t i = tr2_add(m, metrics);
	struct tr2_rare *s = tr2_rare_add(m, session);
	struct tr2_metric *metric = &m->metrics[i];

	metric->kind = (uint8_t)kind;
	metric->session = session;
	if (s->last_metric)
		m->metrics[s->last_metric].next = i;
	else
		s->first_metric = i;
	s->last_metric = i;
	return metric;
}

static tr2_str intern_member(const struct build *b,
			     const struct tr2_json_member *member)
{
	static struct tr2_buf text; /* later calls reuse its memory */
	struct tr2_view v = tr2_json_member_text(member, &text);

	return tr2_intern(b->m, v.p, v.len);
}

/* Return the member's value as a number. A comma or a bracket always ends its
 * digits. A negative number is returned in two's complement. */
static uint64_t number_of(const struct tr2_json_member *member)
{
	return strtoull(member->value.p, NULL, 10);
}

static void add_member(const struct build *b, struct tr2_metric *metric,
		       const struct tr2_json_member *member)
{
	const struct tr2_view *value = &member->value;

	if (tr2_json_member_is(member, "category"))
		metric->category = intern_member(b, member);
	else if (tr2_json_member_is(member, "name"))
		metric->name = intern_member(b, member);
	else if (tr2_json_member_is(member, "unit"))
		metric->unit = intern_member(b, member);
	else if (tr2_json_member_is(member, "count") ||
		 tr2_json_member_is(member, "last"))
		metric->count = number_of(member);
	else if (tr2_json_member_is(member, "sum"))
		metric->total_ns = number_of(member);
	else if (tr2_json_member_is(member, "min"))
		metric->min_ns = number_of(member);
	else if (tr2_json_member_is(member, "max"))
		metric->max_ns = number_of(member);
	else if (tr2_json_member_is(member, "histogram"))
		metric->histogram = tr2_model_copy(b->m, value->p, value->len);
}

/* Return the kind of metrics whose data has this key; TR2_DEFINITION_NONE: no
 * kind. */
static enum tr2_definition_kind kind_of(const struct tr2_view *key)
{
#define TR2_METRIC_KIND(KIND, kind, number, CELL, has_unit, always) \
	if (has_unit && tr2_build_is(key, #kind)) \
		return TR2_DEFINITION_##KIND;
#include "arena/kinds.def"
	return TR2_DEFINITION_NONE;
}

bool tr2_build_data_metric(struct build *b)
{
	const struct tr2_parsed_data_json *v = &b->ev->as.data_json;
	struct tr2_view text = v->value.text, key = v->key.text;
	bool of_thread = key.len > 3 && !memcmp(key.p, "th_", 3);
	struct tr2_json_member member;
	enum tr2_definition_kind kind;
	struct tr2_metric *metric;

	if (of_thread)
		key = (struct tr2_view){ key.p + 3, key.len - 3 };
	kind = kind_of(&key);
	if (!kind)
		return false;
	metric = tr2_build_metric(b->m, b->s, kind);
	metric->thread = of_thread ? b->t : 0;
	while (tr2_json_next_member(&text, &member))
		add_member(b, metric, &member);
	return true;
}
