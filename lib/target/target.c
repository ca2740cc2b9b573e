/* SPDX-License-Identifier: MIT */
/* Emit any event to any target. */
#include "target/target.h"

struct tr2_rendered tr2_target_render(const struct tr2_target *target,
				  enum tr2_target_id id,
				  struct tr2_render *render,
				  const struct tr2_event *ev)
{
	static const tr2_render_fn renderers[] = {
		[TR2_TARGET_normal] = tr2_render_normal,
		[TR2_TARGET_perf] = tr2_render_perf,
		[TR2_TARGET_event] = tr2_render_event,
	};

	renderers[id](render, ev, target->brief);
	if (render->line.failed)
		return (struct tr2_rendered){ NULL, 0 };
	return (struct tr2_rendered){ render->line.p, render->line.len };
}

void tr2_target_emit(struct tr2_target *target, enum tr2_target_id id,
		     struct tr2_render *render, const struct tr2_event *ev)
{
	if (id == TR2_TARGET_ring)
		tr2_target_emit_to_ring(target, render, ev);
	else
		tr2_target_write(target,
				 tr2_target_render(target, id, render, ev), ev);
}
