/* SPDX-License-Identifier: MIT */
/*
 * parsed_event - one event as a reader took it from its input, whatever the
 * format of that is.
 *
 * The fields are made from lib/event/events.def, as those of the library's
 * struct tr2_event are: for an event `foo`, `as.foo` has a value for each
 * field by name; value[] is the same memory, in the order of the table.
 */
#ifndef TR2_MODEL_PARSED_EVENT_H
#define TR2_MODEL_PARSED_EVENT_H

#include "event/event.h"
#include "model/view.h"

/* One field; its type in the table says which member it has. The types T_ABS,
 * T_REL and NESTING have none: those are members of the event. */
struct tr2_parsed_value {
	union {
		struct {
			struct tr2_view text; /* STR, JSON, HISTOGRAM */
			/* HISTOGRAM: the same as numbers; NULL where the reader
			 * has only the text. */
			const struct tr2_histogram *histogram;
		};
		struct tr2_words_view words; /* ARGV */
		int64_t i;  /* INT, and SECONDS in ns: TR2_ABSENT when absent */
		uint64_t u; /* UINT: 0 when absent */
		bool b;     /* BOOL: false when absent */
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
	uint32_t session, thread; /* indexes of the model */
	uint64_t line_number;
	struct tr2_view event; /* its name */
	struct tr2_view file;
	struct tr2_view raw; /* the whole line; NULL: there was none */
	int64_t wall_us, line, repo; /* TR2_ABSENT when absent */
	int64_t t_abs, t_rel; /* in ns, likewise */
	int64_t nesting;
	/* Behind the start of every text, 32 bytes are readable. */
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

/* An event of an unknown kind, with all that events have in common absent. */
void tr2_parsed_event_init(struct tr2_parsed_event *ev);

/* Makes it an event of this kind (-1: unknown), with all fields of the kind's
 * row absent. */
void tr2_parsed_event_set_kind(struct tr2_parsed_event *ev, int kind);

/* The number of field `i` of the event's row, and where it is kept: of a field
 * of type INT, SECONDS, T_ABS, T_REL or NESTING. */
int64_t tr2_parsed_number(const struct tr2_parsed_event *ev, int i);
int64_t *tr2_parsed_number_at(struct tr2_parsed_event *ev, int i);

/* The kind of this name; -1: the table has none. */
int tr2_kind_of(const char *name, size_t len);

/* The number of a field in the row of a kind; -1: it has none of this name,
 * or the kind is unknown. */
int tr2_field_find(int kind, const char *name, size_t len);

/* The text of a field of this name; p is NULL where the event has none. */
struct tr2_view tr2_parsed_text(const struct tr2_parsed_event *ev,
				const char *name);

#endif
