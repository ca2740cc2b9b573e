/* SPDX-License-Identifier: MIT */
#include "event/event.h"

#define KEY(text) { text, sizeof(text) - 1 }
#define OPEN_STR "\""
#define OPEN_INT ""
#define OPEN_UINT ""
#define OPEN_BOOL ""
#define OPEN_SECONDS ""
#define OPEN_ARGV ""
#define OPEN_JSON ""
#define OPEN_HISTOGRAM ""
#define OPEN_T_ABS ""
#define OPEN_T_REL ""
#define OPEN_NESTING ""

#define TR2_FIELD(type, name, flags) \
	{ #name, TR2_T_##type, flags, KEY(",\"" #name "\":" OPEN_##type) },
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	{ #name,                                               \
	  flags,                                               \
	  normal,                                              \
	  category,                                            \
	  perf,                                                \
	  KEY("{\"event\":\"" #name "\""),                     \
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
	_Static_assert(sizeof(#name) + 11 <= TR2_KEY_MAX, #name " is too long");
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

bool tr2_event_has(const struct tr2_event *ev, unsigned int field)
{
	const struct tr2_field *f = &tr2_event_rows[ev->kind].field[field];

	if (!(f->flags & TR2_F_OPT))
		return true;
	switch (f->type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		return ev->v[field].s != NULL;
	case TR2_T_ARGV:
		return ev->v[field].argv != NULL;
	case TR2_T_HISTOGRAM:
		return ev->v[field].histogram && ev->v[field].histogram->nr;
	default:
		return ev->v[field].u != 0;
	}
}
