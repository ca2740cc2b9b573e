/* SPDX-License-Identifier: MIT */
/*
 * fields - the tables behind read/fields.h, expanded from events.def; and
 * plain values as text.
 */
#include <stddef.h>
#include <string.h>

#include "read/fields.h"
#include "read/json.h"

#define SLOT(type, name, offset, size)                                   \
	{ #name, ",\"" #name "\":", sizeof(#name) - 1, sizeof(#name) + 3, \
	  type, (uint16_t)(offset), (uint16_t)(size) },
#define SLOT_OF(type, name, member)                         \
	SLOT(type, name, offsetof(struct tr2_in, member), \
	     sizeof(((struct tr2_in *)0)->member))
#define SLOT_END { NULL, "", 0, 0, 0, 0, 0 }

/* In the order of the stream; sid, thread, time and event go no further. */
const struct tr2_slot tr2_slots_common[] = {
	SLOT(TR2_T_SID, sid, 0, 0)
	SLOT(TR2_T_THREAD, thread, 0, 0)
	SLOT_OF(TR2_T_TIME, time, wall_us)
	SLOT_OF(TR2_T_STR, file, file)
	SLOT_OF(TR2_T_INT, line, line)
	SLOT_OF(TR2_T_INT, repo, repo)
	SLOT_OF(TR2_T_EVENT, event, event)
	SLOT_END
};

#define TR2_FIELD(type, name, flags) \
	SLOT_OF(TR2_T_##type, name, name)
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	static const struct tr2_slot slots_##name[] = { fields SLOT_END };
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* literal[] cuts what does not fit it. */
#define TR2_FIELD(type, name, flags) \
	_Static_assert(sizeof(#name) - 1 <= TR2_MAX_NAME, #name " is too long");
#define TR2_EVENT(name, flags, fields, normal, category, perf) fields
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

const struct tr2_slot *const tr2_slots_of_event[TR2_EVENT_NR] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	[TR2_EV_##name] = slots_##name,
#include "event/events.def"
#undef TR2_EVENT
};

static const struct tr2_slot *find_in(const struct tr2_slot *slot,
				      const char *name, size_t len)
{
	for (; slot->name; slot++)
		if (slot->name_len == len && !memcmp(slot->name, name, len))
			return slot;
	return NULL;
}

const struct tr2_slot *tr2_slot_find(int kind, const char *name, size_t len)
{
	const struct tr2_slot *slot = find_in(tr2_slots_common, name, len);

	if (!slot && kind >= 0)
		slot = find_in(tr2_slots_of_event[kind], name, len);
	return slot;
}

int tr2_kind_of(const char *name, size_t len)
{
	int kind;

	for (kind = 0; kind < TR2_EVENT_NR; kind++)
		if (strlen(tr2_event_rows[kind].name) == len &&
		    !memcmp(tr2_event_rows[kind].name, name, len))
			return kind;
	return -1;
}

void tr2_json_add_scalar(struct tr2_buf *b, const struct tr2_json_value *v)
{
	if (v->type == TR2_JSON_INT)
		tr2_buf_add_i64(b, v->i);
	else if (v->type == TR2_JSON_UINT)
		tr2_buf_add_u64(b, v->u);
	else if (v->type == TR2_JSON_BOOL)
		tr2_buf_addstr(b, v->i ? "true" : "false");
}
