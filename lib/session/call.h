/* SPDX-License-Identifier: MIT */
/*
 * call - the frame of every public function that emits. It looks the thread up
 * once, reads the clock once, and keeps errno and the type of cancellation.
 *
 *	struct tr2_call call;
 *
 *	if (!tr2_call_begin(&call, file, line))
 *		return;
 *	TR2_EMIT(&call, cmd_path, .path.s = path);
 *	tr2_call_end(&call);
 *
 * A call from a signal handler that interrupted the library in the same thread
 * is counted as lost, and tr2_call_begin() returns false.
 */
#pragma once

#include "base/clock.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/macros.h"
#include "session/fork.h"
#include "session/parts.h"
#include "session/session.h"
#include "session/thread.h"
#include "site/site.h"
#include "thread/context.h"
#include "thread/emit.h"
#include "thread/enter.h"

bool tr2_call_begin(struct tr2_call *call, const char *file, int line);
void tr2_call_end(struct tr2_call *call);

/* Handle a call that has entered while trace2_enabled_ is not 1. false: the
 * call does nothing. */
bool tr2_call_look(struct tr2_call *call);

/* Open the session of a forked child if needed. false: the call is lost. */
bool tr2_call_reopen(struct tr2_call *call);

/* Begin a call of a thread that has no context yet, or a call that does
 * nothing. */
bool tr2_call_begin_slow(struct tr2_call *call, const char *file, int line);

/* Begin a call inline, for frequent events. */
TR2_INLINE bool
tr2_call_begin_inline(struct tr2_call *call, const char *file, int line)
{
	const struct tr2_own TR2_TLS_SEGMENT *own = tr2_own_at();
	struct tr2_thread *thread = own->context;

	if (unlikely(!thread) || unlikely(own->has_lock) ||
	    unlikely(tr2_fork_guard_is_cleared()))
		return tr2_call_begin_slow(call, file, line);
	call->errno_at = thread->errno_at;
	call->saved_errno = *call->errno_at;
	thread = tr2_thread_enter(own, &call->inside);
	call->thread = thread;
	if (unlikely(!thread)) {
		tr2_thread_count_lost(tr2_self);
		*call->errno_at = call->saved_errno;
		return false;
	}
	if (unlikely(__atomic_load_n(&trace2_enabled_, __ATOMIC_SEQ_CST) !=
		     1)) {
		if (!tr2_call_look(call))
			return false;
		thread = call->thread;
	}
	call->site = NULL;
	call->file = file;
	call->line = line;
	call->repo_id = 0;
	call->t_rel_ns = 0;
	call->generation = tr2_stream.generation;
	/* Acquire: pairs with the end of tr2_session_reopen(). */
	if (unlikely(atomic_load_explicit(&tr2_session.state,
					  memory_order_acquire) !=
		     TR2_SESSION_ON) &&
	    !tr2_call_reopen(call))
		return false;
	if (unlikely(thread->calls_parts))
		tr2_parts_before_call(thread);
	call->emitter = &thread->emitter;
	call->now_ns = tr2_thread_now_ns(thread);
	return true;
}

TR2_INLINE bool
tr2_call_begin_at_inline(struct tr2_call *call, struct trace2_site *site)
{
	if (!tr2_call_begin_inline(call, site ? site->file : NULL,
				   site ? site->line : 0))
		return false;
	call->site = tr2_site_get(site);
	return true;
}

TR2_INLINE void
tr2_call_end_inline(struct tr2_call *call)
{
	if (call->thread) {
		if (unlikely(call->thread->has_new_name))
			tr2_thread_tell_name(call->thread);
		tr2_context_shrink(call->thread);
		tr2_thread_leave(call->thread, &call->inside);
	}
	*call->errno_at = call->saved_errno;
}

/* Emit thread_start, if the thread was not announced yet. base NULL:
 * "unknown". */
void tr2_call_announce_slow(struct tr2_call *call, const char *base);
static inline void tr2_call_announce(struct tr2_call *call, const char *base)
{
	if (!call->thread->announced)
		tr2_call_announce_slow(call, base);
}
