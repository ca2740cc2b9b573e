/* SPDX-License-Identifier: MIT */
/*
 * emit - an event on its way from a thread to the targets.
 *
 * struct tr2_call is the frame of a public function that emits: session/call.h
 * begins and ends it.
 */
#pragma once

#include <stdarg.h>

#include "base/clock.h"
#include "base/call_mark.h"
#include "event/pieces.h"
#include "thread/stream.h"
#include "thread/thread.h"
#include "trace2.h"

struct tr2_call {
	struct tr2_thread *thread; /* thread whose buffers are used */
	union {
		struct {
			TR2_EVENT_OF_CALL
		};
		struct tr2_event event; /* the event to emit */
	};
	unsigned int generation; /* number of forks of the process: see
				  * tr2_stream */
	int *errno_at, saved_errno;
	struct tr2_call_mark inside;
};

/* Emit an event in the name of the calling thread. If the thread is not
 * announced yet, emit its thread_start first. */
void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v);

#define TR2_VALUES_(name, ...)                     \
	((const struct tr2_value *)(const void *)&( \
		const struct tr2_v_##name){ __VA_ARGS__ })
#define TR2_EMIT(call, name, ...)            \
	tr2_call_emit((call), TR2_EV_##name, \
		      TR2_VALUES_(name, __VA_ARGS__))

/* Announce the thread, with the name "unknown". */
void tr2_call_announce_unknown(struct tr2_call *call);

/* Get the ring of the thread, at the thread's first event. */
void tr2_call_take_ring(const struct tr2_call *call);

/* Emit to the ring and the sink; true: one of them is still on. */
bool tr2_call_emit_structured(struct tr2_call *call,
			      const struct tr2_event *ev);

/* Set the thread's number and name, for its announcement. base NULL: "unknown",
 * or the thread's name in the kernel if the session began while the process was
 * running. */
void tr2_call_name_thread(struct tr2_call *call, const char *base);

/* Format into the thread's buffer; NULL if fmt is NULL or empty. */
const char *tr2_call_format(struct tr2_call *call, const char *fmt, va_list ap)
	TRACE2_PRINTF_(2, 0);

/* Emit an error event of the library. This overwrites the text of
 * tr2_call_format(). */
void tr2_call_error(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

/* Emit an error for misuse of the library, once for each calling place. */
void tr2_call_report_once(struct tr2_call *call, const char *fmt, ...)
	TRACE2_PRINTF_(2, 3);

/* Call it in a forked child: its stream contains none of the parent's
 * errors. */
void tr2_call_after_fork(void);
