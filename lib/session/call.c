/* SPDX-License-Identifier: MIT */
#include "session/call.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mask.h"
#include "event/redact.h"
#include "pmu/record.h"
#include "session/context.h"
#include "session/early.h"
#include "session/enter.h"
#include "session/sample.h"

/* Places whose misuse is told; then once that there are more. */
#define MAX_MISUSES 64

void tr2_call_lost(void)
{
	atomic_fetch_add_explicit(&tr2_session.lost, 1, memory_order_relaxed);
}

/* false: a signal handler in the midst of a call, or tracing just ended. */
static bool enter(struct tr2_call *call)
{
	struct tr2_thread *thread = tr2_thread_get();

	if (thread)
		thread = tr2_thread_enter(thread, &call->inside);
	call->thread = thread;
	if (!thread) {
		tr2_call_lost();
		return false;
	}
	if (__atomic_load_n(&trace2_enabled_, __ATOMIC_SEQ_CST) == 1)
		return true;
	tr2_thread_leave(thread, &call->inside);
	return false;
}

__attribute__((noinline)) bool
tr2_call_begin(struct tr2_call *call, const char *file, int line)
{
	call->saved_errno = errno;
	if (tr2_lock_is_mine()) {
		tr2_call_lost();
		return false;
	}
	/* No thread is known before. */
	if (__builtin_expect(!tr2_self && !tr2_session_is_started(), 0)) {
		tr2_early_note(file, line);
		return false;
	}
	if (__builtin_expect(tr2_session_is_forked(), 0))
		tr2_session_after_fork();
	if (!enter(call)) {
		errno = call->saved_errno;
		return false;
	}
	call->file = file;
	call->line = line;
	call->repo_id = 0;
	call->t_rel_ns = 0;
	call->generation = tr2_session.generation;
	/* Acquire: pairs with the end of tr2_session_reopen(). */
	if (atomic_load_explicit(&tr2_session.state, memory_order_acquire) !=
	    TR2_SESSION_ON)
		tr2_session_reopen(call->thread, file, line);
	call->who = &call->thread->who;
	call->now_ns = tr2_clock_now_ns();
	return true;
}

void tr2_call_end(struct tr2_call *call)
{
	if (call->thread) {
		tr2_context_shrink(call->thread);
		tr2_thread_leave(call->thread, &call->inside);
	}
	errno = call->saved_errno;
}

static unsigned int nesting_of(const struct tr2_call *call)
{
	if (call->who != &call->thread->who)
		return 1;
	return (unsigned int)call->thread->regions.nr_open + 1;
}

/* What no target got, and what any of them did not: one that is off, or whose
 * reader stalls, cannot say so itself. */
static uint64_t lost_so_far(void)
{
	uint64_t lost = atomic_load_explicit(&tr2_session.lost,
					     memory_order_relaxed);
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		lost += tr2_dest_lost(&tr2_session.target[i].dest);
	return lost;
}

/* A thread has its ring from its first event on. */
static void take_ring(struct tr2_thread *thread)
{
	if (!tr2_my_slot && thread == tr2_self && !tr2_lock_is_mine())
		tr2_my_slot = tr2_thread_slot(thread);
}

/* What the kernel sampled before this event. */
static void take_samples(struct tr2_thread *thread)
{
	if (thread == tr2_self && thread->owner.slot && !tr2_lock_is_mine())
		tr2_samples_take(thread);
}

/* The ring of all threads is written under the process's lock. */
static bool needs_lock(unsigned int target, const struct tr2_event *ev)
{
	return target == TR2_TARGET_ring &&
	       tr2_event_rows[ev->kind].flags & TR2_E_PROCESS &&
	       !tr2_lock_is_mine();
}

/*
 * To every target that is on; when none is any more, tracing ends. A call that
 * a signal handler interrupted to fork goes on in the child, too, where it has
 * nothing to say: the parent says it.
 */
static inline __attribute__((always_inline)) void
emit(struct tr2_call *call, const struct tr2_event *ev)
{
	uint64_t lost = ev->kind == TR2_EV_atexit ? lost_so_far() : 0;
	bool any_on = false, locked;
	unsigned int i;

	if (tr2_dest_is_on(&tr2_session.target[TR2_TARGET_ring].dest))
		take_ring(call->thread);
	if (__builtin_expect(call->thread->samples != NULL, 0))
		take_samples(call->thread);
	for (i = 0; i < TR2_TARGET_NR; i++) {
		struct tr2_target *target = &tr2_session.target[i];

		if (call->generation != tr2_session.generation)
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
	if (!any_on && call->generation == tr2_session.generation)
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_RELAXED);
}

/* In one piece with tr2_call_emit(): see base/raw.h. */
static inline __attribute__((always_inline)) void
emit_now(struct tr2_call *call, enum tr2_event_kind kind,
	 const struct tr2_value *v)
{
	struct tr2_event ev = {
		.kind = kind,
		.v = v,
		.who = call->who,
		.file = call->file,
		.line = call->line,
		.repo_id = call->repo_id,
		.nesting = nesting_of(call),
		.tid = call->thread->tid,
		.as_main = call->who != &call->thread->who,
		.time_ns = call->now_ns,
		.wall_us = tr2_clock_wall_us(call->now_ns),
		.t_abs_ns = tr2_clock_since(tr2_session.start_ns,
					    call->now_ns),
		.t_rel_ns = call->t_rel_ns,
	};

	call->thread->render.redact = tr2_session.settings.redact;
	emit(call, &ev);
}

/* A name is a string of every event of its thread. */
static const char *shown_name(struct tr2_thread *thread, const char *base)
{
	struct tr2_buf *scratch = &thread->render.redacted;
	size_t len = base ? strlen(base) : 0;

	if (!base || !tr2_session.settings.redact)
		return base;
	base = tr2_redact(scratch, base, &len);
	return base == scratch->p ? tr2_buf_str(scratch) : base;
}

__attribute__((noinline)) void tr2_call_announce_slow(struct tr2_call *call,
						       const char *base)
{
	struct tr2_thread *thread = call->thread;
	struct tr2_mask before;

	base = shown_name(thread, base);
	/* A call that comes in between would have half a name. */
	tr2_mask_begin(&before);
	thread->announced = true;
	thread->start_ns = call->now_ns;
	tr2_thread_name(thread, base);
	tr2_mask_end(&before);
	if (tr2_dest_is_on(&tr2_session.target[TR2_TARGET_ring].dest) ||
	    __atomic_load_n(&tr2_pmu_nr_watching, __ATOMIC_RELAXED))
		tr2_thread_tell_name(thread);
	tr2_call_emit(call, TR2_EV_thread_start, NULL);
}

void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v)
{
	if (call->who == &call->thread->who)
		tr2_call_announce(call, NULL);
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

static atomic_uintptr_t misused[MAX_MISUSES];
static atomic_bool is_full;

void tr2_call_after_fork(void)
{
	memset(misused, 0, sizeof(misused));
	is_full = false;
}

enum place { NEW, TOLD, NO_ROOM };

static enum place find_place(const char *file, int line)
{
	uintptr_t place = ((uintptr_t)file << 16) ^ (uintptr_t)line;
	uintptr_t found;
	unsigned int i;

	for (i = 0; i < MAX_MISUSES; i++) {
		found = 0;
		if (atomic_compare_exchange_strong(&misused[i], &found, place))
			return NEW;
		if (found == place)
			return TOLD;
	}
	return NO_ROOM;
}

TRACE2_PRINTF_(2, 0)
static void tell_error(struct tr2_call *call, const char *fmt, va_list ap)
{
	TR2_EMIT(call, error, .msg.s = tr2_call_format(call, fmt, ap),
		 .fmt.s = fmt);
}

void tr2_call_error(struct tr2_call *call, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell_error(call, fmt, ap);
	va_end(ap);
}

void tr2_call_misuse(struct tr2_call *call, const char *fmt, ...)
{
	enum place place = find_place(call->file, call->line);
	va_list ap;

	if (place == NO_ROOM && !atomic_exchange(&is_full, true))
		tr2_call_error(call,
			       "trace2: calls are wrong in more than %u places; "
			       "no more of them are told",
			       MAX_MISUSES);
	if (place != NEW)
		return;
	va_start(ap, fmt);
	tell_error(call, fmt, ap);
	va_end(ap);
}
