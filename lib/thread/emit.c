/* SPDX-License-Identifier: MIT */
/*
 * Render an event for each target, name threads, and report errors of the
 * library's own.
 */
#include "thread/emit.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/mask.h"
#include "event/redact.h"
#include "thread/lock.h"
#include "thread/stream.h"

/* Places of misuse that are reported; then one error says that there are
 * more. */
#define MAX_PLACES 64

static unsigned int nesting_of(const struct tr2_call *call)
{
	if (call->emitter != &call->thread->emitter)
		return 1;
	return (unsigned int)call->thread->regions.nr_open + 1;
}

/* A thread gets its ring at its first event. */
static void take_ring(struct tr2_thread *thread)
{
	if (!tr2_my_slot && thread == tr2_self && !tr2_lock_is_mine())
		tr2_my_slot = tr2_thread_slot(thread);
}

/* The ring of slot 0 is written under the process's lock. */
static bool needs_lock(unsigned int target, const struct tr2_event *ev)
{
	return target == TR2_TARGET_ring &&
	       tr2_event_rows[ev->kind].flags & TR2_E_PROCESS &&
	       !tr2_lock_is_mine();
}

/*
 * Emit to every target that is on; if none remains, tracing ends. If a signal
 * handler forked during this call, the call continues in the child, too, and
 * emits nothing there: the parent emits the event.
 */
static inline __attribute__((always_inline)) void
emit(struct tr2_call *call, const struct tr2_event *ev)
{
	uint64_t lost = ev->kind == TR2_EV_atexit ? tr2_stream_nr_lost() : 0;
	bool any_on = false, locked;
	unsigned int i;

	if (tr2_dest_is_on(&tr2_stream.target[TR2_TARGET_ring].dest))
		take_ring(call->thread);
	for (i = 0; i < TR2_TARGET_NR; i++) {
		struct tr2_target *target = &tr2_stream.target[i];

		if (call->generation != tr2_stream.generation)
			return;
		if (!tr2_dest_is_on(&target->dest)) {
			tr2_dest_drop(&target->dest);
			continue;
		}
		locked = needs_lock(i, ev);
		if (locked)
			tr2_lock();
		tr2_target_emit(target, i, &call->thread->render, ev, lost);
		if (locked)
			tr2_unlock();
		any_on |= tr2_dest_is_on(&target->dest);
	}
	if (!any_on && call->generation == tr2_stream.generation)
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_RELAXED);
}

/* Inlined into tr2_call_emit(): see base/raw.h. */
static inline __attribute__((always_inline)) void
emit_now(struct tr2_call *call, enum tr2_event_kind kind,
	 const struct tr2_value *v)
{
	struct tr2_event ev = {
		.kind = kind,
		.v = v,
		.emitter = call->emitter,
		.file = call->file,
		.line = call->line,
		.repo_id = call->repo_id,
		.nesting = nesting_of(call),
		.tid = call->thread->tid,
		.as_main = call->emitter != &call->thread->emitter,
		.time_ns = call->now_ns,
		.wall_us = tr2_clock_wall_us(call->now_ns),
		.t_abs_ns = tr2_clock_since(tr2_stream.start_ns,
					    call->now_ns),
		.t_rel_ns = call->t_rel_ns,
	};

	call->thread->render.redact = tr2_stream.redact;
	emit(call, &ev);
}

/* The name is part of every event of its thread. */
static const char *shown_name(struct tr2_thread *thread, const char *base)
{
	struct tr2_buf *scratch = &thread->render.redacted;
	size_t len = base ? strlen(base) : 0;

	if (!base || !tr2_stream.redact)
		return base;
	base = tr2_redact(scratch, base, &len);
	return base == scratch->p ? tr2_buf_str(scratch) : base;
}

void tr2_call_name_thread(struct tr2_call *call, const char *base)
{
	struct tr2_thread *thread = call->thread;
	struct tr2_mask before;

	base = shown_name(thread, base);
	/* A handler's call in between would see half a name. */
	tr2_mask_begin(&before);
	thread->announced = thread->has_new_name = true;
	thread->start_ns = call->now_ns;
	tr2_thread_name(thread, base);
	tr2_mask_end(&before);
}

static __attribute__((noinline)) void announce(struct tr2_call *call)
{
	tr2_call_name_thread(call, NULL);
	TR2_EMIT(call, thread_start, );
}

void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v)
{
	if (unlikely(!call->thread->announced) &&
	    call->emitter == &call->thread->emitter)
		announce(call);
	emit_now(call, kind, v);
}

const char *tr2_call_format(struct tr2_call *call, const char *fmt, va_list ap)
{
	struct tr2_buf *b = &call->thread->message;

	if (!fmt || !*fmt)
		return NULL;
	tr2_buf_reset(b);
	errno = call->saved_errno; /* for %m */
	tr2_buf_vaddf(b, fmt, ap);
	return tr2_buf_str(b);
}

static atomic_uintptr_t reported[MAX_PLACES];
static atomic_bool is_full;

void tr2_call_after_fork(void)
{
	memset(reported, 0, sizeof(reported));
	is_full = false;
}

enum place { NEW, KNOWN, NO_ROOM };

static enum place find_place(const char *file, int line)
{
	uintptr_t place = ((uintptr_t)file << 16) ^ (uintptr_t)line;
	uintptr_t found;
	unsigned int i;

	for (i = 0; i < MAX_PLACES; i++) {
		found = 0;
		if (atomic_compare_exchange_strong(&reported[i], &found, place))
			return NEW;
		if (found == place)
			return KNOWN;
	}
	return NO_ROOM;
}

TRACE2_PRINTF_(2, 0)
static void emit_error(struct tr2_call *call, const char *fmt, va_list ap)
{
	TR2_EMIT(call, error, .msg.s = tr2_call_format(call, fmt, ap),
		 .fmt.s = fmt);
}

void tr2_call_error(struct tr2_call *call, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_error(call, fmt, ap);
	va_end(ap);
}

void tr2_call_report_once(struct tr2_call *call, const char *fmt, ...)
{
	enum place place = find_place(call->file, call->line);
	va_list ap;

	if (place == NO_ROOM && !atomic_exchange(&is_full, true))
		tr2_call_error(call,
			       "trace2: misuse in more than %u places; no "
			       "more of it is reported",
			       MAX_PLACES);
	if (place != NEW)
		return;
	va_start(ap, fmt);
	emit_error(call, fmt, ap);
	va_end(ap);
}
