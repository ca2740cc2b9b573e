/* SPDX-License-Identifier: MIT */
/*
 * target - one of the streams that events can go to: its format, its settings
 * and its destination.
 */
#ifndef TR2_TARGET_TARGET_H
#define TR2_TARGET_TARGET_H

#include "event/render.h"
#include "target/dest.h"

/* Format, end of its variable's name, config keys. */
#define TR2_TARGETS(X)                                          \
	X(normal, "", "trace2.normaltarget", "trace2.normalbrief") \
	X(perf, "_PERF", "trace2.perftarget", "trace2.perfbrief")  \
	X(event, "_EVENT", "trace2.eventtarget", "trace2.eventbrief")

enum tr2_target_id {
#define X(name, variable, target_key, brief_key) TR2_TARGET_##name,
	TR2_TARGETS(X)
#undef X
	TR2_TARGET_NR
};

struct tr2_target {
	bool brief;
	unsigned int max_nesting; /* 0: any; events deeper are left out */
	struct tr2_dest dest;
};

/*
 * Renders and writes, if this target shows such an event. lost: events that
 * were lost before any target saw them, for the event that tells.
 * Signal-safe.
 */
void tr2_target_emit(struct tr2_target *target, enum tr2_target_id id,
		     struct tr2_render *render, const struct tr2_event *ev,
		     uint64_t lost);

#endif
