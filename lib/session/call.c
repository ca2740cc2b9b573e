/* SPDX-License-Identifier: MIT */
/* Begin and end the frame of a public function. */
#include "session/call.h"

#include "session/early.h"

bool tr2_call_turn_away(struct tr2_call *call, const char *file, int line)
{
	/* No thread is known yet. */
	if (!tr2_lock_is_mine() && !tr2_self && !tr2_session_is_started())
		tr2_early_note(file, line);
	else
		tr2_stream_lost();
	errno = call->saved_errno;
	return false;
}

bool tr2_call_begin(struct tr2_call *call, const char *file, int line)
{
	return tr2_call_begin_inline(call, file, line);
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
