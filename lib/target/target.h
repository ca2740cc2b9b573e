/* SPDX-License-Identifier: MIT */
/* target - a stream of events: its format, its settings and its destination. */
#ifndef TR2_TARGET_TARGET_H
#define TR2_TARGET_TARGET_H

#include "event/render.h"
#include "target/dest.h"

/* The settings of each are in config/settings.def. */
#define TR2_TARGETS(X) X(normal) X(perf) X(event) X(ring)

enum tr2_target_id {
#define X(name) TR2_TARGET_##name,
	TR2_TARGETS(X)
#undef X
	TR2_TARGET_NR
};

struct tr2_target {
	bool brief;
	unsigned int max_nesting; /* 0: any; deeper events are left out */
	struct tr2_dest dest;
};

/*
 * Render the event if this target shows it; true: write render->line. lost: the
 * number of lost events, for the event that reports it. Signal-safe.
 */
bool tr2_target_render(struct tr2_target *target, enum tr2_target_id id,
		       struct tr2_render *render, const struct tr2_event *ev,
		       uint64_t lost);

/* Write a rendered record into the calling thread's ring. */
void tr2_target_put(struct tr2_target *target, const struct tr2_render *render);

/* Render and write. Inline: see base/raw.h. */
static inline void tr2_target_emit(struct tr2_target *target,
				   enum tr2_target_id id,
				   struct tr2_render *render,
				   const struct tr2_event *ev, uint64_t lost)
{
	/* Check the last line like the first one of a second. */
	uint64_t second = ev->kind == TR2_EV_atexit ? UINT64_MAX :
						      ev->wall_us / 1000000u;

	if (!tr2_target_render(target, id, render, ev, lost))
		return;
	if (id == TR2_TARGET_ring)
		tr2_target_put(target, render);
	else
		tr2_dest_write(&target->dest, render->line.p, render->line.len,
			       second, ev->tid);
}

#endif
