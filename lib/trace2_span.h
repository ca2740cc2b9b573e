/* SPDX-License-Identifier: MIT */
/*
 * trace2_span.h - a part of trace2.h, which includes it: spans.
 *
 * A span is a stretch of work with an id. Unlike a region it may begin on one
 * thread and end on another, be open beside other spans of its thread, and have
 * a parent in another process. Each span becomes one event when it ends, or at
 * the end of the process, which reports it as unfinished.
 *
 * Rules for every call here:
 *
 * - The rules of trace2.h. All calls are signal-safe; enter and leave are lost
 *   in a handler that interrupted the library.
 * - A span is a value of 16 bytes: copy it, hand it to other threads, keep it
 *   in a request. The zeroed one, TRACE2_SPAN_NONE, is no span: calls with it
 *   do nothing. Calls with a span that has ended, that another process started,
 *   or that was made up, are only counted; an `error` event at the end of the
 *   process gives their number.
 * - A forked child may use its parent's spans as parents of its own spans, and
 *   pass them on; it cannot change or end them.
 * - At most 16,384 spans are open at once, each with some 800 bytes for names
 *   and attributes. Spans and attributes that do not fit are left out and
 *   counted.
 * - Calls take no locks: two threads may use one span at the same time. If
 *   another call is changing the span, an end takes effect after that call; a
 *   fail then ends the span as failed, but without its reason. A change during
 *   another call's change is lost, and counted, after some 10 us.
 */
#ifndef TRACE2_SPAN_H
#define TRACE2_SPAN_H

/* Include trace2.h. */
#include "trace2.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trace2_span {
	uint64_t id; /* the span's id in a traceparent, as a number */
	uint64_t place; /* only for the library */
} trace2_span_t;

#ifdef __cplusplus
#define TRACE2_SPAN_NONE (trace2_span_t())
#else
#define TRACE2_SPAN_NONE ((trace2_span_t){ 0, 0 })
#endif

/* The length of a constant string; the library finds other lengths. */
#define TRACE2_UNKNOWN_LENGTH_ (~(size_t)0)
TRACE2_INLINE_ size_t trace2_length_(const char *s)
{
	return s && __builtin_constant_p(__builtin_strlen(s)) ?
		       __builtin_strlen(s) :
		       TRACE2_UNKNOWN_LENGTH_;
}

/* A text of the program with its length. */
struct trace2_text_ {
	const char *s;
	size_t len;
};
TRACE2_INLINE_ struct trace2_text_ trace2_text_of_(const char *s, size_t len)
{
	struct trace2_text_ text;

	text.s = s;
	text.len = len;
	return text;
}
TRACE2_INLINE_ struct trace2_text_ trace2_measure_(const char *s)
{
	return trace2_text_of_(s, trace2_length_(s));
}

TRACE2_API trace2_span_t trace2_span_start_fl(const char *file, int line,
					      const char *category,
					      const char *name,
					      trace2_span_t parent);
TRACE2_API trace2_span_t trace2_span_start_remote_fl(const char *file, int line,
						     const char *category,
						     const char *name,
						     const char *traceparent,
						     const char *tracestate);
TRACE2_API trace2_span_t trace2_span_start_on_(const char *file, int line,
					       struct trace2_text_ category,
					       struct trace2_text_ name,
					       trace2_span_t parent);
TRACE2_API trace2_span_t trace2_span_start_remote_on_(
	const char *file, int line, struct trace2_text_ category,
	struct trace2_text_ name, const char *traceparent,
	const char *tracestate);
TRACE2_API void trace2_span_set_intmax_(trace2_span_t span,
					struct trace2_text_ key,
					intmax_t value);
TRACE2_API void trace2_span_set_string_(trace2_span_t span,
					struct trace2_text_ key,
					struct trace2_text_ value);
TRACE2_API void trace2_span_set_double_(trace2_span_t span,
					struct trace2_text_ key, double value);
TRACE2_API void trace2_span_set_bool_(trace2_span_t span,
				      struct trace2_text_ key, int value);
TRACE2_API void trace2_span_enter_fl(const char *file, int line,
				     trace2_span_t span);
TRACE2_API void trace2_span_leave_fl(const char *file, int line,
				     trace2_span_t span);
TRACE2_API void trace2_span_end_fl(const char *file, int line,
				   trace2_span_t span);
TRACE2_API void trace2_span_fail_fl(const char *file, int line,
				    trace2_span_t span, const char *reason);

/* Return whether a call with this span has anything to do. */
TRACE2_INLINE_ int trace2_span_is_on_(trace2_span_t span)
{
	return trace2_is_enabled() && span.place;
}

/* A bit of `place`: the span is not sampled, and no part of it is recorded. */
#define TRACE2_SPAN_UNRECORDED_ ((uint64_t)1 << 32)

/*
 * Return 1 if the attributes of the span may be recorded. Return 0 if the span
 * is TRACE2_SPAN_NONE or not sampled, or tracing is off: then attributes need
 * not be computed, and setting them does nothing. The call costs a branch. Any
 * thread; signal-safe.
 */
TRACE2_INLINE_ int trace2_span_is_recorded(trace2_span_t span)
{
	return trace2_span_is_on_(span) &&
	       !(span.place & TRACE2_SPAN_UNRECORDED_);
}

/*
 * Start a span. parent: TRACE2_SPAN_NONE begins a trace of its own, or, in a
 * process with a TRACEPARENT in its environment, a child of the process. A
 * parent that has ended counts as none. A category longer than 100 bytes and a
 * name longer than 200 are cut. Return TRACE2_SPAN_NONE while tracing is off,
 * or if there is no room. End the span with exactly one of end and fail.
 */
#define trace2_span_start(category, name, parent) \
	trace2_span_start_(__FILE__, __LINE__, (category), (name), (parent))
TRACE2_INLINE_ trace2_span_t
trace2_span_start_(const char *file, int line, const char *category,
		   const char *name, trace2_span_t parent)
{
	return trace2_is_enabled() ?
		       trace2_span_start_on_(file, line,
					     trace2_measure_(category),
					     trace2_measure_(name), parent) :
		       TRACE2_SPAN_NONE;
}

/*
 * Start a span whose parent is in another process, as the W3C's headers
 * `traceparent` and `tracestate` name it; the sampled flag of the parent
 * decides whether the span is recorded. traceparent NULL or invalid: no parent.
 * tracestate may be NULL; up to 256 bytes of it become a part of the event.
 */
#define trace2_span_start_remote(category, name, traceparent, tracestate)  \
	trace2_span_start_remote_(__FILE__, __LINE__, (category), (name), \
				  (traceparent), (tracestate))
TRACE2_INLINE_ trace2_span_t
trace2_span_start_remote_(const char *file, int line, const char *category,
			  const char *name, const char *traceparent,
			  const char *tracestate)
{
	return trace2_is_enabled() ?
		       trace2_span_start_remote_on_(
			       file, line, trace2_measure_(category),
			       trace2_measure_(name), traceparent, tracestate) :
		       TRACE2_SPAN_NONE;
}

/*
 * Set an attribute. If a key is set again, the last value counts. Keys longer
 * than 64 bytes and strings longer than 256 are cut; a NULL string is empty.
 */
TRACE2_INLINE_ void trace2_span_set_intmax(trace2_span_t span,
						const char *key, intmax_t value)
{
	if (trace2_span_is_recorded(span))
		trace2_span_set_intmax_(span, trace2_measure_(key), value);
}
TRACE2_INLINE_ void trace2_span_set_string(trace2_span_t span,
						const char *key,
						const char *value)
{
	if (trace2_span_is_recorded(span))
		trace2_span_set_string_(span, trace2_measure_(key),
					trace2_measure_(value));
}
/* Set a string of at most len bytes. It needs no NUL; a NUL among the bytes
 * ends it. */
TRACE2_INLINE_ void trace2_span_set_string_n(trace2_span_t span,
					     const char *key,
					     const char *value, size_t len)
{
	if (trace2_span_is_recorded(span))
		trace2_span_set_string_(span, trace2_measure_(key),
					trace2_text_of_(value, len));
}
TRACE2_INLINE_ void trace2_span_set_double(trace2_span_t span,
						const char *key, double value)
{
	if (trace2_span_is_recorded(span))
		trace2_span_set_double_(span, trace2_measure_(key), value);
}
TRACE2_INLINE_ void trace2_span_set_bool(trace2_span_t span,
					      const char *key, int value)
{
	if (trace2_span_is_recorded(span))
		trace2_span_set_bool_(span, trace2_measure_(key), value);
}

/*
 * Make the calling thread work for the span from enter to leave: its regions,
 * data and children in between belong to the span, and a child's TRACEPARENT
 * names it. Spans nest, up to 16 deep in a thread. A leave also leaves the
 * spans that were entered inside; a leave without its enter is counted. The
 * event has the times of entering and leaving, as many as fit into the span's
 * memory.
 */
#define trace2_span_enter(span) \
	trace2_span_call_(trace2_span_enter_fl, __FILE__, __LINE__, (span))
#define trace2_span_leave(span) \
	trace2_span_call_(trace2_span_leave_fl, __FILE__, __LINE__, (span))

/* End the span, on any thread. If the calling thread has entered the span,
 * leave it, too. */
#define trace2_span_end(span) \
	trace2_span_call_(trace2_span_end_fl, __FILE__, __LINE__, (span))
TRACE2_INLINE_ void
trace2_span_call_(void (*function)(const char *, int, trace2_span_t),
		  const char *file, int line, trace2_span_t span)
{
	if (trace2_span_is_on_(span))
		function(file, line, span);
}

/* End the span as failed. reason: up to 128 bytes; NULL: unknown. */
#define trace2_span_fail(span, reason) \
	trace2_span_fail_(__FILE__, __LINE__, (span), (reason))
TRACE2_INLINE_ void trace2_span_fail_(const char *file, int line,
					   trace2_span_t span,
					   const char *reason)
{
	if (trace2_span_is_on_(span))
		trace2_span_fail_fl(file, line, span, reason);
}

#define TRACE2_SPAN_CONTEXT_BYTES 56

/*
 * Write the W3C's traceparent of the span, for a request or a message, and
 * return its length, 55. Return 0 and write an empty string if there is none:
 * tracing is off, the span is not open, or size is smaller than
 * TRACE2_SPAN_CONTEXT_BYTES. buf may be NULL.
 */
TRACE2_API size_t trace2_span_context_(trace2_span_t span, char *buf,
				       size_t size);
TRACE2_INLINE_ size_t trace2_span_context(trace2_span_t span, char *buf,
					       size_t size)
{
	if (trace2_span_is_on_(span))
		return trace2_span_context_(span, buf, size);
	if (buf && size)
		*buf = '\0';
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_SPAN_H */
