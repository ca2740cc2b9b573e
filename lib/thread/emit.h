/* SPDX-License-Identifier: MIT */
/*
 * emit - an event on its way from a thread to the targets.
 *
 * struct tr2_call is the frame of a public function that emits: session/call.h
 * begins and ends it.
 */
#ifndef TR2_THREAD_EMIT_H
#define TR2_THREAD_EMIT_H

#include <stdarg.h>

#include "base/clock.h"
#include "base/inside.h"
#include "base/macros.h"
#include "event/pieces.h"
#include "thread/stream.h"
#include "thread/thread.h"
#include "trace2.h"

struct tr2_call {
	struct tr2_thread *thread; /* its buffers are used */
	const struct tr2_emitter *emitter; /* the emitter of the event */
	const struct tr2_site *site; /* NULL: not known */
	const char *file;
	int line;
	int repo_id;
	uint64_t now_ns; /* when the call began */
	uint64_t t_rel_ns;
	unsigned int generation; /* of the process: see tr2_stream */
	int *errno_at, saved_errno;
	struct tr2_inside inside;
};

/* Emit an event in the name of the calling thread, after its thread_start. */
void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v);

#define TR2_EMIT_BY_(emit, call, name, ...)        \
	emit((call), TR2_EV_##name,                \
	     (const struct tr2_value *)(const void *)&( \
		     const struct tr2_v_##name){ __VA_ARGS__ })
#define TR2_EMIT(call, name, ...) \
	TR2_EMIT_BY_(tr2_call_emit, call, name, __VA_ARGS__)
/* The same, for frequent events: see tr2_call_emit_inline(). */
#define TR2_EMIT_INLINE(call, name, ...) \
	TR2_EMIT_BY_(tr2_call_emit_inline, call, name, __VA_ARGS__)

/* Announce the thread as "unknown". */
void tr2_call_announce_unknown(struct tr2_call *call);

/* Emit to the ring; true: it is still on. */
bool tr2_call_emit_to_ring(struct tr2_call *call, const struct tr2_event *ev);

TR2_INLINE bool
tr2_call_emit_to(struct tr2_call *call, enum tr2_target_id id,
		 const struct tr2_event *ev)
{
	struct tr2_target *target = &tr2_stream.target[id];

	if (call->generation != tr2_stream.generation)
		return true;
	if (unlikely(!tr2_dest_is_on(&target->dest))) {
		tr2_dest_drop(&target->dest);
		return false;
	}
	if (tr2_target_shows(target, id, ev->kind, ev->nesting))
		tr2_target_emit(target, id, &call->thread->render, ev);
	return tr2_dest_is_on(&target->dest);
}

/*
 * Emit to every target that is on; if none remains, tracing ends. If a signal
 * handler forked during this call, the call continues in the child, too, and
 * emits nothing there: the parent emits the event.
 *
 * Inline, in the function that the program calls if the event is frequent:
 * nothing returns between the write and the program (see base/raw.h), and what
 * follows from its kind is known.
 */
TR2_INLINE void
tr2_call_emit_inline(struct tr2_call *call, enum tr2_event_kind kind,
		     const struct tr2_value *v)
{
	struct tr2_thread *thread = call->thread;
	bool as_main = call->emitter != &thread->emitter, any_on = false;
	unsigned int opened = tr2_stream.opened;
	struct tr2_event ev;

	/* An initializer would clear it first, which takes 10 ns. */
	ev.kind = kind;
	ev.v = v;
	ev.emitter = call->emitter;
	ev.site = call->site;
	ev.pieces = NULL;
	ev.file = call->file;
	ev.line = call->line;
	ev.repo_id = call->repo_id;
	ev.nesting = as_main ? 1 : (unsigned int)thread->regions.nr_open + 1;
	ev.tid = thread->tid;
	ev.as_main = as_main;
	ev.time_ns = call->now_ns;
	ev.wall_us = tr2_clock_wall_us(call->now_ns);
	ev.t_abs_ns = tr2_clock_since(tr2_stream.start_ns, call->now_ns);
	ev.t_rel_ns = call->t_rel_ns;
	if (unlikely(!thread->announced) && !as_main)
		tr2_call_announce_unknown(call);
	thread->render.redact = tr2_stream.redact;
	if (call->site && opened != 1u << TR2_TARGET_ring)
		ev.pieces = tr2_pieces_of(&thread->render, &ev);
	if (opened & 1u << TR2_TARGET_normal)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_normal, &ev);
	if (opened & 1u << TR2_TARGET_perf)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_perf, &ev);
	if (opened & 1u << TR2_TARGET_event)
		any_on |= tr2_call_emit_to(call, TR2_TARGET_event, &ev);
	if (opened & 1u << TR2_TARGET_ring)
		any_on |= call->generation != tr2_stream.generation ||
			  tr2_call_emit_to_ring(call, &ev);
	if (unlikely(!any_on))
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_RELAXED);
}

/* Give the thread its number and name, for its announcement; base NULL:
 * "unknown". */
void tr2_call_name_thread(struct tr2_call *call, const char *base);

/* Format into the thread's buffer; NULL if fmt is NULL or empty. */
const char *tr2_call_format(struct tr2_call *call, const char *fmt, va_list ap)
	TRACE2_PRINTF_(2, 0);

/* Emit an error of the library's own. Overwrites the text of
 * tr2_call_format(). */
void tr2_call_error(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

/* The same for misuse of the library, once for each calling place. */
void tr2_call_report_once(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

/* Call it in a forked child, whose stream has none of the parent's errors. */
void tr2_call_after_fork(void);

#endif
