/* SPDX-License-Identifier: MIT */
/*
 * parsed_event - implements model/parsed_event.h: access to fields by their
 * types in the table of events.
 */
#include <string.h>

#include "model/parsed_event.h"

void tr2_parsed_event_init(struct tr2_parsed_event *ev)
{
	memset(ev, 0, sizeof(*ev));
	ev->kind = -1;
	ev->wall_us = ev->line = ev->repo = TR2_ABSENT;
	ev->t_abs = ev->t_rel = ev->nesting = TR2_ABSENT;
}

void tr2_parsed_event_set_kind(struct tr2_parsed_event *ev, int kind)
{
	const struct tr2_field *field;
	int i;

	ev->kind = kind;
	if (kind < 0)
		return;
	memset(ev->value, 0, sizeof(ev->value));
	field = tr2_event_rows[kind].field;
	for (i = 0; *field[i].name; i++)
		if (field[i].type == TR2_T_INT ||
		    field[i].type == TR2_T_SECONDS)
			ev->value[i].i = TR2_ABSENT;
}

int64_t *tr2_parsed_number_at(struct tr2_parsed_event *ev, int i)
{
	switch (tr2_event_rows[ev->kind].field[i].type) {
	case TR2_T_T_ABS:
		return &ev->t_abs;
	case TR2_T_T_REL:
		return &ev->t_rel;
	case TR2_T_NESTING:
		return &ev->nesting;
	default:
		return &ev->value[i].i;
	}
}

int64_t tr2_parsed_number(const struct tr2_parsed_event *ev, int i)
{
	switch (tr2_event_rows[ev->kind].field[i].type) {
	case TR2_T_T_ABS:
		return ev->t_abs;
	case TR2_T_T_REL:
		return ev->t_rel;
	case TR2_T_NESTING:
		return ev->nesting;
	default:
		return ev->value[i].i;
	}
}

static inline bool is_called(const char *have, const char *name, size_t len)
{
	return *have == *name && strlen(have) == len &&
	       !memcmp(have, name, len);
}

int tr2_kind_of(const char *name, size_t len)
{
	int kind;

	if (!len)
		return -1;
	for (kind = 0; kind < TR2_EVENT_NR; kind++)
		if (is_called(tr2_event_rows[kind].name, name, len))
			return kind;
	return -1;
}

int tr2_field_find(int kind, const char *name, size_t len)
{
	const struct tr2_field *field;
	int i;

	if (kind < 0 || !len)
		return -1;
	field = tr2_event_rows[kind].field;
	for (i = 0; *field[i].name; i++)
		if (is_called(field[i].name, name, len))
			return i;
	return -1;
}

struct tr2_view tr2_parsed_text(const struct tr2_parsed_event *ev,
				const char *name)
{
	int i = tr2_field_find(ev->kind, name, strlen(name));

	return i < 0 ? (struct tr2_view){ NULL, 0 } : ev->value[i].text;
}
