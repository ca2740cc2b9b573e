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

/* Store the templates in the rows, one after the other. The loader would have
 * to relocate pointers to them in each process. */
#define TR2_EVENT(name, flags, fields, normal, category, perf)    \
	char normal_##name[sizeof(TR2_IN_PLACE(normal))];         \
	char category_##name[sizeof(TR2_IN_PLACE(category))];     \
	char perf_##name[sizeof(TR2_IN_PLACE(perf))];
struct templates {
#include "event/events.def"
};
#undef TR2_EVENT

#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	TR2_IN_PLACE(normal), TR2_IN_PLACE(category), TR2_IN_PLACE(perf),
static const struct templates templates = {
#include "event/events.def"
};
#undef TR2_EVENT

#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	{ offsetof(struct templates, normal_##name),           \
	  offsetof(struct templates, category_##name),         \
	  offsetof(struct templates, perf_##name) },
static const struct {
	uint16_t normal, category, perf;
} places[TR2_EVENT_NR] = {
#include "event/events.def"
};
#undef TR2_EVENT

struct tr2_event_text tr2_event_text(enum tr2_event_kind kind)
{
	const char *first = (const char *)&templates;
	const char *category = first + places[kind].category;
	unsigned int flags = tr2_event_flags(kind);

	return (struct tr2_event_text){
		.normal = flags & TR2_E_NORMAL ? first + places[kind].normal :
						 NULL,
		.perf_category = *category ? category : NULL,
		.perf_message = flags & TR2_E_PERF ? first + places[kind].perf :
						     NULL,
	};
}

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
