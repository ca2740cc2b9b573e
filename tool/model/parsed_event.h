/* SPDX-License-Identifier: MIT */
/*
 * parsed_event - one event as a reader parsed it, whatever the format of the
 * input.
 *
 * The fields are generated from lib/event/events.def, like the fields of the
 * library's struct tr2_event. For an event `foo`, `as.foo` has a member for
 * each field by name; value[] is the same memory, in the order of the table.
 */
#pragma once

#include "event/event.h"
#include "model/view.h"

/* One field. Its type in the table determines which member is used. Fields of
 * the types T_ABS, T_REL and NESTING are members of the event instead. */
struct tr2_parsed_value {
	union {
		struct {
			struct tr2_view text; /* STR, JSON, HISTOGRAM */
			/* HISTOGRAM: the buckets as numbers; NULL if the reader
			 * has only the text. */
			const struct tr2_histogram *histogram;
		};
		struct tr2_words_view words; /* ARGV */
		int64_t i;  /* INT, and SECONDS in ns: TR2_ABSENT if absent */
		uint64_t u; /* UINT: 0 if absent */
		bool b;     /* BOOL: false if absent */
	};
};

#define TR2_FIELD(type, name, flags) struct tr2_parsed_value name;
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	struct tr2_parsed_##name {                             \
		fields                                         \
	};
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

struct tr2_parsed_event {
	int kind; /* enum tr2_event_kind; -1: unknown, see `event` */
	uint32_t session, thread; /* indexes in the model's arrays */
	uint64_t line_number;
	struct tr2_view event; /* its name */
	struct tr2_view file;
	struct tr2_view raw; /* the whole line of the event; NULL: none */
	int64_t wall_us, line, repo; /* TR2_ABSENT if absent */
	bool bad_time; /* the event's time cannot be read; wall_us is absent */
	int64_t t_abs, t_rel; /* in ns, TR2_ABSENT if absent */
	int64_t nesting;
	/* from the start of every text, 32 bytes are readable */
	bool padded;
	union {
		struct tr2_parsed_value value[TR2_MAX_FIELDS];
		union {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	struct tr2_parsed_##name name;
#include "event/events.def"
#undef TR2_EVENT
		} as;
	};
};

/* Initialise an event of unknown kind without any fields. */
void tr2_parsed_event_init(struct tr2_parsed_event *ev);

/* Set the event's kind (-1: unknown) and make all fields of the kind's row
 * absent. */
void tr2_parsed_event_set_kind(struct tr2_parsed_event *ev, int kind);

/* Return the value of field `i` of the event's row, or its address. The field
 * must have type INT, SECONDS, T_ABS, T_REL or NESTING. */
int64_t tr2_parsed_number(const struct tr2_parsed_event *ev, int i);
int64_t *tr2_parsed_number_at(struct tr2_parsed_event *ev, int i);

/* Return the kind with this name; -1: it is not in the table. */
int tr2_kind_of(const char *name, size_t len);

/* Return the index of a field in the row of a kind; -1: the row has no field of
 * this name, or the kind is unknown. */
int tr2_field_find(int kind, const char *name, size_t len);

/* Return the text of the field with this name; p is NULL if the event does not
 * have the field. */
struct tr2_view tr2_parsed_text(const struct tr2_parsed_event *ev,
				const char *name);
