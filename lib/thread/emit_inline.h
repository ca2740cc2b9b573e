/* SPDX-License-Identifier: MIT */
/* emit_inline - emit a frequent event inside the function that the program
 * calls. */
#pragma once

#include "base/macros.h"
#include "event/kept_lines.h"
#include "thread/emit.h"

typedef struct tr2_rendered (*tr2_kept_json_fn)(struct tr2_kept *kept,
					    struct tr2_render *r,
					    const struct tr2_event *ev,
					    bool brief);

TR2_INLINE struct tr2_rendered
tr2_call_render(struct tr2_call *call, enum tr2_target_id id,
		const struct tr2_event *ev, enum tr2_event_kind kind,
		tr2_kept_json_fn json)
{
	const struct tr2_target *target = &tr2_stream.target[id];
	struct tr2_thread *thread = call->thread;
	struct tr2_rendered line = { NULL, 0 };

	if (json && likely(ev->pieces != NULL)) {
		if (id == TR2_TARGET_event &&
		    tr2_kept_json_is_ready(&thread->kept_json, &thread->render,
					   ev, target->brief))
			line = json(&thread->kept_json, &thread->render, ev,
				    target->brief);
		else if (id == TR2_TARGET_perf)
			line = tr2_kept_perf(&thread->kept_perf,
					     &thread->render, ev, kind,
					     target->brief);
	}
	return likely(line.p != NULL) ?
		       line :
		       tr2_target_render(target, id, &thread->render, ev);
}

TR2_INLINE bool
tr2_call_emit_to(struct tr2_call *call, enum tr2_target_id id,
		 const struct tr2_event *ev, enum tr2_event_kind kind,
		 tr2_kept_json_fn json)
{
	struct tr2_target *target = &tr2_stream.target[id];

	if (unlikely(call->generation != tr2_stream.generation))
		return true;
	if (unlikely(!tr2_dest_is_on(&target->dest))) {
		tr2_dest_drop(&target->dest);
		return false;
	}
	if (likely(tr2_target_shows(target, id, kind, ev->nesting)))
		tr2_target_write(target,
				 tr2_call_render(call, id, ev, kind, json), ev);
	return tr2_dest_is_on(&target->dest);
}

/* Switch tracing off, except in a child that a handler forked during this call:
 * the child has not opened its targets yet. */
static inline void tr2_call_end_tracing(const struct tr2_call *call)
{
	if (call->generation == tr2_stream.generation)
		__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[0],
				 __ATOMIC_RELAXED);
}

/*
 * Emit a frequent event if only the event target is on, and nothing rare is to
 * be done. false: emit it by tr2_call_emit_inline(). The event stays in
 * registers, which saves a tenth of the instructions.
 */
TR2_INLINE bool
tr2_call_emit_quick(struct tr2_call *call, enum tr2_event_kind kind,
		    const struct tr2_value *v, tr2_kept_json_fn json)
{
	struct tr2_target *target = &tr2_stream.target[TR2_TARGET_event];
	struct tr2_thread *thread = call->thread;
	const bool redact = tr2_stream.redact;
	struct tr2_rendered line;
	struct tr2_event ev = { .kind = kind, .v = v };

	if (tr2_stream.opened != 1u << TR2_TARGET_event ||
	    unlikely(!call->site) || unlikely(!thread->announced) ||
	    unlikely(!tr2_dest_is_on(&target->dest)) ||
	    unlikely(call->generation != tr2_stream.generation))
		return false;
	ev.nesting = (unsigned int)thread->regions.nr_open + 1;
	if (!tr2_target_shows(target, TR2_TARGET_event, kind, ev.nesting))
		return true;
	ev.pieces = tr2_pieces_find(call->site, kind, redact);
	ev.wall_us = tr2_clock_wall_us(call->now_ns);
	if (unlikely(!ev.pieces) ||
	    unlikely(!tr2_kept_is_of(&thread->kept_json, &ev)))
		return false;
	ev.repo_id = call->repo_id;
	ev.t_rel_ns = call->t_rel_ns;
	ev.t_abs_ns = tr2_clock_since(tr2_stream.start_ns, call->now_ns);
	thread->render.redact = redact;
	line = json(&thread->kept_json, &thread->render, &ev, target->brief);
	if (unlikely(!line.p))
		return false;
	tr2_dest_write(&target->dest, line.p, line.len, ev.wall_us,
		       thread->tid);
	if (unlikely(!tr2_dest_is_on(&target->dest)))
		tr2_call_end_tracing(call);
	return true;
}

/*
 * Emit to every target that is on; if no target remains, switch tracing off. If
 * a signal handler forked during this call, the call also continues in the
 * child. There it emits nothing, since the parent emits the event. A frequent
 * event calls this inline in the function that the program calls: so no
 * function returns between the write and the program (see base/raw.h), and the
 * compiler knows the kind. json: a function of kept_lines.h, for an event that
 * the thread emits in its own name; NULL: the lines are not kept.
 */
TR2_INLINE void
tr2_call_emit_inline(struct tr2_call *call, enum tr2_event_kind kind,
		     const struct tr2_value *v, tr2_kept_json_fn json)
{
	struct tr2_thread *thread = call->thread;
	bool as_main = !json && call->emitter != &thread->emitter;
	bool any_on = false;
	unsigned int opened = tr2_stream.opened;
	struct tr2_event *ev = &call->event;

	if (unlikely(!thread->announced) && !as_main)
		tr2_call_announce_unknown(call);
	ev->kind = kind;
	ev->v = v;
	ev->pieces = NULL;
	ev->nesting = as_main ? 1 : (unsigned int)thread->regions.nr_open + 1;
	ev->tid = thread->tid;
	ev->as_main = as_main;
	ev->wall_us = tr2_clock_wall_us(ev->now_ns);
	ev->t_abs_ns = tr2_clock_since(tr2_stream.start_ns, ev->now_ns);
	thread->render.redact = tr2_stream.redact;
	if (json && likely(call->site && opened != 1u << TR2_TARGET_ring))
		ev->pieces = tr2_pieces_of(&thread->render, ev, kind);
	if (opened & 1u << TR2_TARGET_normal)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_normal, ev, kind,
					   json);
	if (opened & 1u << TR2_TARGET_perf)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_perf, ev, kind,
					   json);
	if (opened & 1u << TR2_TARGET_event)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_event, ev, kind,
					   json);
	if (unlikely(opened & (1u << TR2_TARGET_ring | TR2_STREAM_SINK)))
		any_on |= tr2_call_emit_structured(call, ev);
	if (unlikely(!any_on))
		tr2_call_end_tracing(call);
}

/* Do the same as TR2_EMIT(), inline. The macro evaluates the values twice. */
#define TR2_EMIT_INLINE(call, name, ...)                                     \
	do {                                                                 \
		if (!tr2_call_emit_quick((call), TR2_EV_##name,              \
					 TR2_VALUES_(name, __VA_ARGS__),     \
					 tr2_kept_json_##name))              \
			tr2_call_emit_inline((call), TR2_EV_##name,          \
					     TR2_VALUES_(name, __VA_ARGS__), \
					     tr2_kept_json_##name);          \
	} while (0)
