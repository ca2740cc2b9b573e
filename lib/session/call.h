/* SPDX-License-Identifier: MIT */
/*
 * call - the frame of every public function that emits: one look at the
 * thread, one at the clock, errno and cancellation kept.
 *
 *	struct tr2_call call;
 *
 *	if (!tr2_call_begin(&call, file, line))
 *		return;
 *	TR2_EMIT(&call, cmd_path, .path.s = path);
 *	tr2_call_end(&call);
 *
 * A call from a signal handler that interrupted the library in the same
 * thread is counted as lost, and begin returns false.
 */
#ifndef TR2_SESSION_CALL_H
#define TR2_SESSION_CALL_H

#include "base/inside.h"
#include "session/session.h"

struct tr2_call {
	struct tr2_thread *thread; /* whose buffers are used */
	const struct tr2_who *who; /* in whose name it speaks */
	const char *file;
	int line;
	int repo_id;
	uint64_t now_ns; /* when the call began */
	uint64_t t_rel_ns;
	unsigned int generation; /* of the process: see tr2_session */
	int saved_errno;
	struct tr2_inside inside;
};

bool tr2_call_begin(struct tr2_call *call, const char *file, int line);
void tr2_call_end(struct tr2_call *call);

/* An event in the name of the calling thread, announced before if need be. */
void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v);

#define TR2_EMIT(call, name, ...)                         \
	tr2_call_emit((call), TR2_EV_##name,              \
		      (const struct tr2_value *)(const void *)&( \
			      const struct tr2_v_##name){ __VA_ARGS__ })

/* thread_start, if the thread was not announced yet. base NULL: "unknown". */
void tr2_call_announce_slow(struct tr2_call *call, const char *base);
static inline void tr2_call_announce(struct tr2_call *call, const char *base)
{
	if (!call->thread->announced)
		tr2_call_announce_slow(call, base);
}

/* vsnprintf() into the thread's buffer; NULL when fmt is NULL or empty. */
const char *tr2_call_format(struct tr2_call *call, const char *fmt, va_list ap)
	TRACE2_PRINTF_(2, 0);

/* An event, or something to be counted, that will show nowhere else. */
void tr2_call_lost(void);

/* In a forked child, whose stream has none of the parent's errors. */
void tr2_call_after_fork(void);

/* An error event of the library's own. Overwrites what tr2_call_format() gave. */
void tr2_call_error(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

/* The program used the library wrongly: the same, once for each place in it. */
void tr2_call_misuse(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

#endif
