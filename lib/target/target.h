/* SPDX-License-Identifier: MIT */
/* target - a stream of events: its format, its settings and its destination. */
#pragma once

#include "event/kept.h"
#include "event/render.h"
#include "target/dest.h"

/* The settings of each target are in config/settings.def. */
#define TR2_TARGETS(X) X(normal) X(perf) X(event) X(ring)

enum tr2_target_id {
#define X(name) TR2_TARGET_##name,
	TR2_TARGETS(X)
#undef X
	TR2_TARGET_NR
};

struct tr2_target {
	bool brief;
	unsigned int max_nesting; /* events in deeper regions are left out; 0:
				   * there is no limit */
	struct tr2_dest dest;
};

/* Return whether the target shows events of this kind, at this depth of
 * regions. */
static inline bool tr2_target_shows(const struct tr2_target *target,
				    enum tr2_target_id id,
				    enum tr2_event_kind kind,
				    unsigned int nesting)
{
	unsigned int flags = tr2_event_flags(kind);

	switch (id) {
	case TR2_TARGET_normal:
		return flags & TR2_E_NORMAL;
	case TR2_TARGET_perf:
		return flags & TR2_E_PERF;
	case TR2_TARGET_event:
		return !(flags & TR2_E_NESTED) || !target->max_nesting ||
		       nesting <= target->max_nesting;
	default:
		return true;
	}
}

/* Render a line of a text target. Signal-safe. */
struct tr2_rendered tr2_target_render(const struct tr2_target *target,
				  enum tr2_target_id id,
				  struct tr2_render *render,
				  const struct tr2_event *ev);

/* Encode an event as a record (ring/layout.h), with the fields of its row in
 * the table, and write it into the ring of the calling thread, or of the
 * process. Signal-safe. */
void tr2_target_emit_to_ring(struct tr2_target *target,
			     struct tr2_render *render,
			     const struct tr2_event *ev);

/* Render and write an event that the target shows. Signal-safe. */
void tr2_target_emit(struct tr2_target *target, enum tr2_target_id id,
		     struct tr2_render *render, const struct tr2_event *ev);

/* Write a line. If there was no memory for it, count it as lost. Inline: see
 * base/raw.h. Signal-safe. */
TR2_INLINE void
tr2_target_write(struct tr2_target *target, struct tr2_rendered line,
		 const struct tr2_event *ev)
{
	if (unlikely(!line.p))
		tr2_dest_drop(&target->dest);
	else
		tr2_dest_write(&target->dest, line.p, line.len, ev->wall_us,
			       ev->tid);
}
