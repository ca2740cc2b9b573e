/* SPDX-License-Identifier: MIT */
/* The array of parts, and calls of their hooks. */
#include "session/parts.h"

#include <stddef.h>

#include "base/macros.h"

static const struct row {
	const struct tr2_part *part;
	uint16_t setting; /* the offset of the part's setting; 0: no setting */
	bool is_optional;
} rows[] = {
#define PART(name) { &tr2_part_##name, 0, false },
#define PART_WITH(name, setting) \
	{ &tr2_part_##name, offsetof(struct tr2_settings, setting), false },
#define PART_OF(name, setting) \
	{ &tr2_part_##name, offsetof(struct tr2_settings, setting), true },
#include "part/parts.def"
};
#define NR_PARTS ARRAY_SIZE(rows)
_Static_assert(NR_PARTS <= TR2_MAX_PARTS, "a thread has room for all");

/* A bit for each optional part whose setting is set: most processes do not
 * touch the code of the other optional parts. */
static unsigned int wanted;

static bool is_wanted(size_t i)
{
	/* Acquire: a thread that sees the bit finds the part loaded. */
	return !rows[i].is_optional ||
	       __atomic_load_n(&wanted, __ATOMIC_ACQUIRE) >> i & 1;
}

/* Call a hook of all parts that have the hook: EACH in order, EACH_BACK in
 * reverse. The arguments may use i, the part's number. */
#define EACH(hook, ...)                                          \
	do {                                                     \
		for (size_t i = 0; i < NR_PARTS; i++)            \
			if (is_wanted(i) && rows[i].part->hook)  \
				rows[i].part->hook(__VA_ARGS__); \
	} while (0)
#define EACH_BACK(hook, ...)                                     \
	do {                                                     \
		for (size_t i = NR_PARTS; i--;)                  \
			if (is_wanted(i) && rows[i].part->hook)  \
				rows[i].part->hook(__VA_ARGS__); \
	} while (0)

static void load_part(size_t i, const struct tr2_settings *settings)
{
	const void *at = (const char *)settings + rows[i].setting;
	const char *setting = *(char *const *)at;

	if (!setting)
		return;
	if (rows[i].part->load)
		rows[i].part->load(setting);
	__atomic_fetch_or(&wanted, 1u << i, __ATOMIC_RELEASE);
}

void tr2_parts_open(struct tr2_thread *main_thread,
		    const struct tr2_settings *settings)
{
	size_t i;

	for (i = 0; i < NR_PARTS; i++) {
		if (settings && rows[i].setting)
			load_part(i, settings);
		if (is_wanted(i) && rows[i].part->open)
			rows[i].part->open(main_thread, &main_thread->own[i]);
	}
}

void tr2_parts_begin(void)
{
	EACH(begin);
}

void tr2_parts_begin_in_child(void)
{
	EACH(begin_in_child);
}

void tr2_parts_ring_begin(struct tr2_arena_header *header)
{
	EACH(ring_begin, header);
}

void tr2_parts_thread_begin(struct tr2_thread *thread)
{
	EACH(thread_begin, thread, &thread->own[i]);
}

void tr2_parts_thread_named(const struct tr2_thread *thread)
{
	EACH(thread_named, thread);
}

void tr2_parts_before_call(struct tr2_thread *thread)
{
	EACH(before_call, thread, thread->own[i]);
}

void tr2_parts_emit_begun(struct tr2_call *call)
{
	EACH(emit_begun, call);
}

void tr2_parts_emit_errors(struct tr2_call *call)
{
	EACH(emit_errors, call);
}

void tr2_parts_emit_thread(struct tr2_call *call,
			   const struct tr2_thread *thread)
{
	EACH(emit_thread, call, thread, thread->own[i]);
}

void tr2_parts_emit_process(struct tr2_call *call, struct tr2_slot *sum)
{
	EACH(emit_process, call, sum);
}

void tr2_parts_emit_so_far(struct tr2_call *call, struct tr2_slot *sum)
{
	EACH(emit_so_far, call, sum);
}

void tr2_parts_thread_end(struct tr2_thread *thread)
{
	EACH_BACK(thread_end, thread, &thread->own[i]);
}

void tr2_parts_close(void)
{
	EACH_BACK(close);
}

void tr2_parts_ring_end(void)
{
	EACH_BACK(ring_end);
}

void tr2_parts_forked(void)
{
	EACH(forked);
}

void tr2_parts_release(void)
{
	EACH_BACK(release);
}
