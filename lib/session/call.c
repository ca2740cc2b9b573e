/* SPDX-License-Identifier: MIT */
/* Begin and end the frame of a public function. */
#include "session/call.h"

#include <errno.h>

#include "session/control.h"
#include "part/call_before_init.h"

/*
 * Another thread may be waiting until no thread is in a call. Leave the library
 * for that thread, and wait until it has finished or given up, which it does
 * soon.
 */
static void step_aside(struct tr2_call *call)
{
	while (call->thread && tr2_session.state == TR2_SESSION_PAUSING) {
		tr2_thread_leave(call->thread, &call->inside);
		tr2_session_await_pause();
		call->thread = tr2_self ?
				       tr2_thread_enter(tr2_own_at(),
						&call->inside) :
				       NULL;
	}
}

static bool is_on(void)
{
	int enabled = __atomic_load_n(&trace2_enabled_, __ATOMIC_SEQ_CST);

	/* enabled is 1 if another thread has handled the request in between. */
	return enabled < 0 ? tr2_control_look() : enabled == 1;
}

bool tr2_call_look(struct tr2_call *call)
{
	do {
		step_aside(call);
		if (call->thread && is_on())
			return true;
	} while (call->thread && tr2_session.state == TR2_SESSION_PAUSING);
	if (call->thread)
		tr2_thread_leave(call->thread, &call->inside);
	else
		tr2_thread_count_lost(tr2_self);
	*call->errno_at = call->saved_errno;
	return false;
}

bool tr2_call_reopen(struct tr2_call *call)
{
	if (tr2_session_reopen(call->thread, call->file, call->line))
		return true;
	tr2_stream_lost();
	tr2_thread_leave(call->thread, &call->inside);
	*call->errno_at = call->saved_errno;
	return false;
}

static bool begin_first(struct tr2_call *call, const char *file, int line)
{
	if (tr2_lock_is_mine()) {
		tr2_stream_lost();
		return false;
	}
	/* Before trace2_initialize() no thread has a context. */
	if (!tr2_self && !tr2_session_is_started()) {
		tr2_early_note(file, line);
		return false;
	}
	tr2_fork_guard_look();
	if (tr2_thread_get())
		return tr2_call_begin(call, file, line);
	tr2_stream_lost();
	return false;
}

bool tr2_call_begin_slow(struct tr2_call *call, const char *file, int line)
{
	int saved_errno = errno;
	bool begun = begin_first(call, file, line);

	call->saved_errno = errno = saved_errno;
	return begun;
}

bool tr2_call_begin(struct tr2_call *call, const char *file, int line)
{
	if (!tr2_call_begin_inline(call, file, line))
		return false;
	tr2_thread_defer_cancellation(call->thread);
	return true;
}

void tr2_call_end(struct tr2_call *call)
{
	tr2_call_end_inline(call);
}

void tr2_call_announce_slow(struct tr2_call *call, const char *base)
{
	tr2_call_name_thread(call, base);
	tr2_thread_tell_name(call->thread);
	TR2_EMIT(call, thread_start, );
}
