/* SPDX-License-Identifier: MIT */
/* The rows of the event table, expanded from events.def. */
#include "event/event.h"

#define TR2_FIELD(type, name, flags) { #name, TR2_T_##type, flags },
#define TR2_EVENT(name, flags, fields, normal, category, perf)       \
	{ #name,                                                     \
	  flags,                                                     \
	  normal,                                                    \
	  category,                                                  \
	  perf,                                                      \
	  { #name "            ", sizeof(#name) > TR2_EVENT_WIDTH ?  \
					  sizeof(#name) - 1 :        \
					  TR2_EVENT_WIDTH },         \
	  { fields } },
const struct tr2_event_row tr2_event_rows[TR2_EVENT_NR] = {
#include "event/events.def"
};
#undef TR2_EVENT
#undef TR2_FIELD

#define TR2_FIELD(type, name, flags) +1
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	_Static_assert(0 fields <= TR2_MAX_FIELDS,             \
		       #name " has too many fields");          \
	_Static_assert(sizeof(#name) + TR2_EVENT_WIDTH <= TR2_KEY_MAX, \
		       #name " is too long");
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD
