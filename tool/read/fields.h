/* SPDX-License-Identifier: MIT */
/*
 * fields - where each field of each event belongs in struct tr2_in, made from
 * the table of events: a new field needs a member of its name there, and
 * nothing else.
 */
#ifndef TR2_READ_FIELDS_H
#define TR2_READ_FIELDS_H

#include "model/build.h"

/* Types that only the fields of all events have. */
enum { TR2_T_SID = 100, TR2_T_THREAD, TR2_T_TIME, TR2_T_EVENT };

/* No name is longer, so that one fits two machine words with its quotes. */
#define TR2_MAX_NAME 12

struct tr2_slot {
	const char *name;
	char literal[17];        /* ,"name": */
	uint8_t name_len, literal_len;
	uint8_t type;  /* enum tr2_field_type, or one of the above */
	uint16_t offset, size; /* in struct tr2_in */
};

/* The first slots of all events are sid, thread and time. */
#define TR2_HEAD_SLOTS 3

/* Ended by a row without name. */
extern const struct tr2_slot tr2_slots_common[];
extern const struct tr2_slot *const tr2_slots_of_event[TR2_EVENT_NR];

/* The kind of this name, -1 when the table has none. */
int tr2_kind_of(const char *name, size_t len);

/* The slot of a field of an event (kind -1: only those of all events). */
const struct tr2_slot *tr2_slot_find(int kind, const char *name, size_t len);

#endif
