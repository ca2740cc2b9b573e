/* SPDX-License-Identifier: MIT */
/* Begin and end the frame of a public function. */
#include "session/call.h"

#include <errno.h>

#include "base/clock.h"
#include "base/macros.h"
#include "session/early.h"
#include "session/fork.h"
#include "session/parts.h"
#include "session/thread_life.h"
#include "thread/context.h"
#include "thread/enter.h"
#include "thread/fork_guard.h"
#include "thread/lock.h"
#include "thread/stream.h"

/* false: a signal handler interrupted a call, or tracing has just ended. */
static bool enter_thread(struct tr2_call *call)
{
	struct tr2_thread *thread = tr2_thread_get();

	if (thread)
		thread = tr2_thread_enter(thread, &call->inside);
	call->thread = thread;
	if (!thread) {
		tr2_stream_lost();
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
		tr2_stream_lost();
		return false;
	}
	/* No thread is known yet. */
	if (unlikely(!tr2_self && !tr2_session_is_started())) {
		tr2_early_note(file, line);
		return false;
	}
	if (unlikely(tr2_fork_guard_is_cleared()))
		tr2_session_after_fork();
	if (!enter_thread(call)) {
		errno = call->saved_errno;
		return false;
	}
	call->file = file;
	call->line = line;
	call->repo_id = 0;
	call->t_rel_ns = 0;
	call->generation = tr2_stream.generation;
	/* Acquire: pairs with the end of tr2_session_reopen(). */
	if (atomic_load_explicit(&tr2_session.state, memory_order_acquire) !=
	    TR2_SESSION_ON)
		tr2_session_reopen(call->thread, file, line);
	if (unlikely(call->thread->calls_parts))
		tr2_parts_before_call(call->thread);
	call->emitter = &call->thread->emitter;
	call->now_ns = tr2_clock_now_ns();
	return true;
}

void tr2_call_end(struct tr2_call *call)
{
	if (call->thread) {
		if (unlikely(call->thread->has_new_name))
			tr2_thread_tell_name(call->thread);
		tr2_context_shrink(call->thread);
		tr2_thread_leave(call->thread, &call->inside);
	}
	errno = call->saved_errno;
}

void tr2_call_announce_slow(struct tr2_call *call, const char *base)
{
	tr2_call_name_thread(call, base);
	tr2_thread_tell_name(call->thread);
	TR2_EMIT(call, thread_start, );
}
