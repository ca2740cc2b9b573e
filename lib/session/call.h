/* SPDX-License-Identifier: MIT */
/*
 * call - the frame of every public function that emits: one lookup of the
 * thread, one read of the clock, errno and cancellation kept.
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
#ifndef TR2_SESSION_CALL_H
#define TR2_SESSION_CALL_H

#include "session/session.h"
#include "thread/emit.h"

bool tr2_call_begin(struct tr2_call *call, const char *file, int line);
void tr2_call_end(struct tr2_call *call);

/* Emit thread_start, if the thread was not announced yet. base NULL:
 * "unknown". */
void tr2_call_announce_slow(struct tr2_call *call, const char *base);
static inline void tr2_call_announce(struct tr2_call *call, const char *base)
{
	if (!call->thread->announced)
		tr2_call_announce_slow(call, base);
}

#endif
