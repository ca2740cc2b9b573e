/* SPDX-License-Identifier: MIT */
#include "target/target.h"

static const tr2_render_fn renderers[TR2_TARGET_NR] = {
#define X(name, variable, target_key, brief_key) tr2_render_##name,
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
	return !(row->flags & TR2_E_NESTED) || !target->max_nesting ||
	       ev->nesting <= target->max_nesting;
}

static void render_and_write(struct tr2_target *target, enum tr2_target_id id,
			     struct tr2_render *render,
			     const struct tr2_event *ev)
{
	renderers[id](render, ev, target->brief);
	if (render->line.failed)
		tr2_dest_drop(&target->dest);
	else
		tr2_dest_write(&target->dest, render->line.p, render->line.len);
}

void tr2_target_emit(struct tr2_target *target, enum tr2_target_id id,
		     struct tr2_render *render, const struct tr2_event *ev,
		     uint64_t lost)
{
	struct tr2_v_atexit with_lost;
	struct tr2_event copy;

	if (!shows(target, id, ev))
		return;
	if (ev->kind == TR2_EV_atexit) {
		with_lost = *(const struct tr2_v_atexit *)ev->v;
		with_lost.lost.u = lost + tr2_dest_lost(&target->dest);
		copy = *ev;
		copy.v = (const struct tr2_value *)&with_lost;
		ev = &copy;
	}
	render_and_write(target, id, render, ev);
}
