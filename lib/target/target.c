/* SPDX-License-Identifier: MIT */
/* Render an event for one target. */
#include "target/target.h"

#include "base/macros.h"
#include "target/ring.h"

static const tr2_render_fn renderers[TR2_TARGET_NR] = {
#define X(name) tr2_render_##name,
	TR2_TARGETS(X)
#undef X
};

static bool shows(const struct tr2_target *target, enum tr2_target_id id,
		  const struct tr2_event *ev)
{
	const struct tr2_event_row *row = &tr2_event_rows[ev->kind];

	if (id == TR2_TARGET_normal)
		return row->normal != NULL;
	if (id == TR2_TARGET_perf)
		return row->perf_message != NULL;
	if (id == TR2_TARGET_ring)
		return true;
	return !(row->flags & TR2_E_NESTED) || !target->max_nesting ||
	       ev->nesting <= target->max_nesting;
}

/* Render atexit with the number of lost events. */
static __attribute__((noinline)) void
render_atexit(const struct tr2_target *target, enum tr2_target_id id,
	      struct tr2_render *render, const struct tr2_event *ev,
	      uint64_t lost)
{
	struct tr2_v_atexit v = *(const struct tr2_v_atexit *)ev->v;
	struct tr2_event with_lost = *ev;

	v.lost.u = lost;
	with_lost.v = (const struct tr2_value *)&v;
	renderers[id](render, &with_lost, target->brief);
}

bool tr2_target_render(struct tr2_target *target, enum tr2_target_id id,
		       struct tr2_render *render, const struct tr2_event *ev,
		       uint64_t lost)
{
	if (!shows(target, id, ev))
		return false;
	if (unlikely(ev->kind == TR2_EV_atexit))
		render_atexit(target, id, render, ev, lost);
	else
		renderers[id](render, ev, target->brief);
	if (render->line.failed)
		tr2_dest_drop(&target->dest);
	return !render->line.failed;
}
