/* SPDX-License-Identifier: MIT */
/* The rows of the event table, expanded from events.def. */
#include "event/event.h"

#define TR2_FIELD(type, name, flags) { #name, TR2_T_##type, flags },
#define TR2_EVENT(name, flags, fields, normal, category, perf)       \
	{ #name,                                                     \
	  { #name "            ", sizeof(#name) > TR2_EVENT_WIDTH ?  \
					  sizeof(#name) - 1 :        \
					  TR2_EVENT_WIDTH },         \
	  { fields },                                                \
	  flags },
const struct tr2_event_row tr2_event_rows[TR2_EVENT_NR] = {
#include "event/events.def"
};
#undef TR2_EVENT
#undef TR2_FIELD

#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	{ normal, category, perf },
const struct tr2_event_text tr2_event_texts[TR2_EVENT_NR] = {
#include "event/events.def"
};
#undef TR2_EVENT

#define TR2_FIELD(type, name, flags)                                \
	_Static_assert(sizeof(#name) <= TR2_FIELD_NAME_BYTES,       \
		       #name " is too long");                       \
	_Static_assert((flags) <= UINT8_MAX, #name " has odd flags");
#define TR2_EVENT(name, flags, fields, normal, category, perf) fields
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

#define TR2_FIELD(type, name, flags) +1
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	_Static_assert(0 fields <= TR2_MAX_FIELDS,             \
		       #name " has too many fields");          \
	_Static_assert(sizeof(#name) + TR2_EVENT_WIDTH <= TR2_KEY_MAX && \
			       sizeof(#name) <= TR2_EVENT_NAME_BYTES,    \
		       #name " is too long");
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD
