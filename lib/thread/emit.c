/* SPDX-License-Identifier: MIT */
/*
 * Render an event for each target, name threads, and report errors of the
 * library's own.
 */
#include "thread/emit.h"

#include <errno.h>
#include <sys/prctl.h>

#include "base/lock.h"
#include "base/mask.h"
#include "event/redact.h"
#include "thread/emit_inline.h"
#include "thread/enter.h"
#include "thread/sink.h"
#include "thread/stream.h"

/* Report misuse at this many places. After that, one error says that there is
 * more. */
#define MAX_PLACES 64

void tr2_call_take_ring(const struct tr2_call *call)
{
	struct tr2_thread *thread = call->thread;

	if (!tr2_my_slot && thread == tr2_self && !tr2_lock_is_mine() &&
	    tr2_thread_slot(thread))
		tr2_thread_set_mine(thread);
}

static bool emit_to_ring(struct tr2_call *call, const struct tr2_event *ev)
{
	struct tr2_target *target = &tr2_stream.target[TR2_TARGET_ring];

	if (!tr2_dest_is_on(&target->dest)) {
		tr2_dest_drop(&target->dest);
		return false;
	}
	tr2_call_take_ring(call);
	tr2_target_emit_to_ring(target, &call->thread->render, ev);
	return tr2_dest_is_on(&target->dest);
}

bool tr2_call_emit_structured(struct tr2_call *call, const struct tr2_event *ev)
{
	unsigned int opened = tr2_stream.opened;
	bool is_on = false;

	if (call->generation != tr2_stream.generation)
		return true;
	if (opened & 1u << TR2_TARGET_ring)
		is_on = emit_to_ring(call, ev);
	if (opened & TR2_STREAM_SINK)
		tr2_sink_call(call, ev);
	return is_on || opened & TR2_STREAM_SINK;
}

/* Redact the name, which is part of every event of its thread. */
static const char *shown_name(struct tr2_thread *thread, const char *base)
{
	struct tr2_buf *scratch = &thread->render.redacted;
	size_t len = base ? strlen(base) : 0;

	if (!base || !tr2_stream.redact)
		return base;
	base = tr2_redact(scratch, base, &len);
	return base == scratch->p ? tr2_buf_str(scratch) : base;
}

/* Return the thread's name in the kernel. A user who switches tracing on in a
 * running process knows this name from top and ps. */
static const char *kernel_name(char name[16])
{
	return prctl(PR_GET_NAME, name) || !*name ? NULL : name;
}

void tr2_call_name_thread(struct tr2_call *call, const char *base)
{
	struct tr2_thread *thread = call->thread;
	struct tr2_mask before;
	char name[16];

	if (!base && tr2_stream.is_joined && !*thread->name)
		base = kernel_name(name);
	base = shown_name(thread, base);
	/* Block signals: a handler's call would see half a name. */
	tr2_mask_begin(&before);
	thread->has_new_name = true;
	thread->start_ns = call->now_ns;
	/* Keep a name that the thread has from an earlier session of the
	 * process. */
	if (base || !*thread->name || thread->is_main)
		tr2_thread_name(thread, base);
	/* Set it last: from now on there is a head for lines. Earlier calls are
	 * possible, from functions with which the program replaces the C
	 * library's. */
	__atomic_store_n(&thread->announced, true, __ATOMIC_RELEASE);
	tr2_mask_end(&before);
}

void tr2_call_announce_unknown(struct tr2_call *call)
{
	tr2_call_name_thread(call, NULL);
	TR2_EMIT(call, thread_start, );
}

void tr2_call_emit(struct tr2_call *call, enum tr2_event_kind kind,
		   const struct tr2_value *v)
{
	tr2_call_emit_inline(call, kind, v, NULL);
}

static const char *first_of(va_list ap)
{
	const char *text;
	va_list copy;

	va_copy(copy, ap);
	text = va_arg(copy, const char *);
	va_end(copy);
	return text ? text : "(null)";
}

const char *tr2_call_format(struct tr2_call *call, const char *fmt, va_list ap)
{
	struct tr2_buf *b = &call->thread->message;

	if (!fmt || !*fmt)
		return NULL;
	/* "%s" and plain text, the most frequent formats, need no copy. */
	if (fmt[0] == '%' && fmt[1] == 's' && !fmt[2])
		return first_of(ap);
	if (!tr2_buf_is_format(fmt))
		return fmt;
	if (call->thread->cancel_type == TR2_NO_CANCEL_TYPE)
		tr2_thread_defer_cancellation(call->thread);
	tr2_buf_reset(b);
	errno = call->saved_errno; /* for %m */
	/* If the format cannot be applied, show the format itself. */
	return tr2_buf_vaddf(b, fmt, ap) ? tr2_buf_str(b) : fmt;
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
	enum place place;
	va_list ap;

	if (tr2_stream.is_joined)
		return;
	place = find_place(call->file, call->line);
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
