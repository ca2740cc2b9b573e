/* SPDX-License-Identifier: MIT */
/*
 * event - one occurrence, stamped once, before any target renders it.
 *
 * The table is event/events.def. For an event `foo` it gives TR2_EV_foo and
 * struct tr2_v_foo, which has a struct tr2_value for each field by name. The
 * same memory, read as an array, is in the order of the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/put.h"

struct tr2_site;

/* The id for a repository that the session has not defined: shown as 0. */
#define TR2_REPO_UNDEFINED (-1)

/* Flags of an event. */
#define TR2_E_T_ABS (1u << 0)
#define TR2_E_T_REL (1u << 1)
#define TR2_E_NESTED (1u << 2)
#define TR2_E_KEEP_TIME (1u << 3)
#define TR2_E_PROCESS (1u << 4)
/* The event has a template of the normal or perf target. tr2_event_flags() adds
 * these flags; the table does not contain them. */
#define TR2_E_NORMAL (1u << 5)
#define TR2_E_PERF (1u << 6)

/* Flags of a field. */
#define TR2_F_OPT (1u << 0)
#define TR2_F_VOLATILE (1u << 1)
#define TR2_F_EXE (1u << 2)
#define TR2_F_TEXT_ONLY (1u << 3)
#define TR2_F_SITE (1u << 4)
#define TR2_F_FREE (1u << 5)

enum tr2_field_type {
	TR2_T_STR,
	TR2_T_INT,
	TR2_T_UINT,
	TR2_T_BOOL,
	TR2_T_SECONDS,
	TR2_T_ARGV,
	TR2_T_JSON,
	TR2_T_HISTOGRAM,
	TR2_T_T_ABS,
	TR2_T_T_REL,
	TR2_T_NESTING
};

/* Non-empty buckets of a timer, by growing upper bound. */
struct tr2_histogram {
	unsigned int nr;
	struct {
		uint64_t upper_ns, count;
	} bucket[];
};

struct tr2_value {
	union {
		const char *s;
		int64_t i;
		uint64_t u;
		const char *const *argv;
		const struct tr2_histogram *histogram;
	};
};

enum tr2_event_kind {
#define TR2_EVENT(name, flags, fields, normal, category, perf) TR2_EV_##name,
#include "event/events.def"
#undef TR2_EVENT
	TR2_EVENT_NR
};

#define TR2_FIELD(type, name, flags) struct tr2_value name;
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	struct tr2_v_##name {                                  \
		fields                                         \
	};
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* The emitter of an event: session and thread, as the targets write them. After
 * each head, TR2_PUT_BLOCK bytes can be read. */
struct tr2_emitter {
	const char *thread_name;
	/* `d0 | main                     | `, ready to be copied. */
	const char *perf_head;
	size_t perf_head_len;
	/* `,"sid":"…","thread":"…"`, ready to be copied. */
	const char *json_head;
	size_t json_head_len;
};

/*
 * Data that an event takes from the program's call. struct tr2_event and struct
 * tr2_call both have these members, so that one copy takes all of them. site:
 * it has the event's file and line, and the category and name for the fields
 * with TR2_F_SITE; NULL: unknown. repo_id: 0: the event is about no repository;
 * or TR2_REPO_UNDEFINED. now_ns: monotonic.
 */
#define TR2_EVENT_OF_CALL                  \
	const struct tr2_emitter *emitter; \
	const struct tr2_site *site;       \
	const char *file;                  \
	int line, repo_id;                 \
	uint64_t now_ns, t_rel_ns;

struct tr2_event {
	TR2_EVENT_OF_CALL
	enum tr2_event_kind kind;
	unsigned int nesting; /* 1 + the number of open regions */
	const struct tr2_value *v;
	const struct tr2_pieces *pieces; /* the pieces of the site; NULL: no
					  * pieces */
	uint64_t wall_us, t_abs_ns;
	uint32_t tid; /* id of the emitting thread */
	bool as_main; /* emitted in the name of the main thread */
};

#define TR2_FIELD_NAME_BYTES 12
struct tr2_field {
	char name[TR2_FIELD_NAME_BYTES]; /* an array, not a pointer: see
					  * TR2_IN_PLACE() */
	uint8_t type; /* enum tr2_field_type */
	uint8_t flags;
};

#define TR2_MAX_FIELDS 10
#define TR2_EVENT_NAME_BYTES 20

/* Width of the perf target's event column, in characters. */
#define TR2_EVENT_WIDTH 12

struct tr2_event_row {
	char name[TR2_EVENT_NAME_BYTES];
	struct tr2_key padded; /* the name, padded to TR2_EVENT_WIDTH */
	struct tr2_field field[TR2_MAX_FIELDS + 1]; /* the last field has the
						     * name "" */
	unsigned int flags;
};
extern const struct tr2_event_row tr2_event_rows[TR2_EVENT_NR];

/* The event's templates; NULL: the target does not show the event. */
struct tr2_event_text {
	const char *normal, *perf_category, *perf_message;
};
struct tr2_event_text tr2_event_text(enum tr2_event_kind kind);

/* Return the flags of an event. The compiler makes them a constant if kind is
 * constant. */
static inline unsigned int tr2_event_flags(enum tr2_event_kind kind)
{
	static const unsigned int all[] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf)          \
	(flags) | _Generic((normal), void *: 0, default: TR2_E_NORMAL) | \
		_Generic((perf), void *: 0, default: TR2_E_PERF),
#include "event/events.def"
#undef TR2_EVENT
	};

	return all[kind];
}

/* Return the repository's id in the streams, for an event about a
 * repository. */
static inline int tr2_event_shown_repo(const struct tr2_event *ev)
{
	return ev->repo_id > 0 ? ev->repo_id : 0;
}

/* Return the width of the event's name in the perf target. The compiler makes
 * it a constant if kind is constant. */
static inline unsigned int tr2_event_width(enum tr2_event_kind kind)
{
	static const unsigned char all[] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	sizeof(#name) > TR2_EVENT_WIDTH ? sizeof(#name) - 1 :  \
					  TR2_EVENT_WIDTH,
#include "event/events.def"
#undef TR2_EVENT
	};

	return all[kind];
}

/* Return whether the event has this optional field. */
static inline bool tr2_event_has(const struct tr2_event *ev, unsigned int field)
{
	const struct tr2_value *v = &ev->v[field];

	switch (tr2_event_rows[ev->kind].field[field].type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		return v->s != NULL;
	case TR2_T_ARGV:
		return v->argv != NULL;
	case TR2_T_HISTOGRAM:
		return v->histogram && v->histogram->nr;
	default:
		return v->u != 0;
	}
}
