/* SPDX-License-Identifier: MIT */
/* The functions of trace2_span.h. */
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"
#include "session/call.h"
#include "session/fastpath.h"
#include "span/items.h"
#include "span/sampling.h"
#include "thread/emit_span.h"
#include "trace2.h"

#define INLINE static inline __attribute__((always_inline))

INLINE bool is_open(void)
{
	/* Acquire: pairs with the end of tr2_session_reopen(). */
	return tr2_stream_is_on() && !tr2_fork_guard_is_cleared() &&
	       atomic_load_explicit(&tr2_session.state,
				    memory_order_acquire) == TR2_SESSION_ON;
}

/* Open the session of a forked child. false: the span does not start, for
 * example before trace2_initialize(). */
static __attribute__((noinline)) bool open_session(const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return false;
	tr2_call_end(&call);
	return true;
}

static __attribute__((noinline)) void
tell_start_slow(const char *file, int line, const struct tr2_span_data *data)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_announce(&call, NULL);
	tr2_call_emit_span_start(&call, data);
	tr2_call_end(&call);
}

/* Report the start to a ring; other targets do not record it. */
INLINE void tell_start(const char *file, int line,
		       const struct tr2_span_hold *hold)
{
	const struct tr2_span_data data = tr2_span_data_of(hold, 0);

	if (!(__atomic_load_n(&tr2_stream.opened, __ATOMIC_RELAXED) &
	      1u << TR2_TARGET_ring))
		return;
	if (likely(tr2_fastpath_is_on() && tr2_fastpath_span_thread()))
		tr2_fastpath_span_start(&data);
	else
		tell_start_slow(file, line, &data);
}

static struct trace2_text_ unmeasured(const char *s)
{
	return (struct trace2_text_){ s, TRACE2_UNKNOWN_LENGTH_ };
}

/* The known facts about a new span's parent. */
struct above {
	struct tr2_context context; /* id 0: no parent */
	uint32_t flags, one_in;
};

/* Decide whether the span is sampled. A child is sampled if its parent is; for
 * a span that begins a trace, the setting decides. */
INLINE void decide(struct tr2_span_hold *hold, const struct above *above)
{
	uint32_t flags = above->flags, one_in = above->one_in;

	tr2_span_set_trace(hold, &above->context);
	if (!above->context.id) {
		one_in = tr2_sampling.one_in;
		if (tr2_sampling_takes(hold->span->trace[1]))
			flags |= TR2_SPAN_DATA_SAMPLED;
	}
	tr2_span_set_flags(hold, flags, one_in);
}

INLINE trace2_span_t start(const char *file, int line,
			   struct trace2_text_ category,
			   struct trace2_text_ name, const struct above *above,
			   const char *tracestate)
{
	bool redact = tr2_stream.redact;
	struct tr2_span_hold hold;
	bool is_sampled, is_recorded;

	if (!tr2_span_make(&hold))
		return TRACE2_SPAN_NONE;
	decide(&hold, above);
	is_sampled = hold.span->flags & TR2_SPAN_DATA_SAMPLED;
	is_recorded = is_sampled || tr2_sampling.slower_ns;
	if (is_recorded) {
		tr2_span_set_names(hold.span, category, name, redact);
		hold.span->start_ns = tr2_clock_now_ns();
	}
	if (is_sampled)
		tell_start(file, line, &hold);
	if (unlikely(tracestate != NULL) && is_recorded)
		tr2_span_set_text(hold.span, TR2_SPAN_NO_KEY, TR2_ITEM_STATE,
				  unmeasured(tracestate), redact);
	tr2_span_release(&hold);
	return tr2_span_handle(&hold, !is_recorded);
}

/* If the session is in a trace, make it the parent of a span without a
 * parent. */
INLINE void be_below_session(struct above *above)
{
	const struct tr2_session_trace *trace = &tr2_session_trace;

	above->context = trace->self;
	above->one_in = 1;
	above->flags = trace->self.id && trace->sampled ?
			       TR2_SPAN_DATA_SAMPLED :
			       0;
}

trace2_span_t trace2_span_start_on_(const char *file, int line,
				    struct trace2_text_ category,
				    struct trace2_text_ name,
				    trace2_span_t parent)
{
	struct above above;

	if (unlikely(!is_open()) && !open_session(file, line))
		return TRACE2_SPAN_NONE;
	if (!parent.place) {
		be_below_session(&above);
	} else if (likely(tr2_span_look_up(parent, &above.context,
					   &above.flags, &above.one_in))) {
		above.flags &= TR2_SPAN_DATA_SAMPLED;
	} else {
		tr2_span_count(TR2_SPAN_UNKNOWN);
		be_below_session(&above);
	}
	return start(file, line, category, name, &above, NULL);
}

trace2_span_t trace2_span_start_fl(const char *file, int line,
				   const char *category, const char *name,
				   trace2_span_t parent)
{
	return trace2_span_start_on_(file, line, unmeasured(category),
				     unmeasured(name), parent);
}

trace2_span_t trace2_span_start_remote_on_(const char *file, int line,
					   struct trace2_text_ category,
					   struct trace2_text_ name,
					   const char *traceparent,
					   const char *tracestate)
{
	struct above above = { .one_in = 1 };
	bool sampled;

	if (unlikely(!is_open()) && !open_session(file, line))
		return TRACE2_SPAN_NONE;
	if (tr2_context_parse(traceparent, &above.context, &sampled)) {
		above.flags = TR2_SPAN_DATA_REMOTE |
			      (sampled ? TR2_SPAN_DATA_SAMPLED : 0);
	} else {
		be_below_session(&above);
		tracestate = NULL;
	}
	return start(file, line, category, name, &above, tracestate);
}

trace2_span_t trace2_span_start_remote_fl(const char *file, int line,
					  const char *category,
					  const char *name,
					  const char *traceparent,
					  const char *tracestate)
{
	return trace2_span_start_remote_on_(file, line, unmeasured(category),
					    unmeasured(name), traceparent,
					    tracestate);
}

static bool is_unrecorded(trace2_span_t span)
{
	return span.place & TR2_PLACE_UNRECORDED;
}

/* While this call changed the span, another call may have asked to end the
 * span: if so, end it. */
static void end_as_asked(trace2_span_t span);

INLINE void release(const struct tr2_span_hold *hold, trace2_span_t span)
{
	if (unlikely(tr2_span_release(hold)))
		end_as_asked(span);
}

INLINE void set_number(trace2_span_t span, struct trace2_text_ key,
		       enum tr2_item_type type, uint64_t value)
{
	struct tr2_span_hold hold;

	if (is_unrecorded(span))
		return;
	hold = tr2_span_hold(span);
	if (!hold.span)
		return;
	tr2_span_set_number(hold.span, key, type, value, tr2_stream.redact);
	release(&hold, span);
}

void trace2_span_set_intmax_(trace2_span_t span, struct trace2_text_ key,
			     intmax_t value)
{
	set_number(span, key, TR2_ITEM_INT, (uint64_t)value);
}

void trace2_span_set_double_(trace2_span_t span, struct trace2_text_ key,
			     double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	set_number(span, key, TR2_ITEM_DOUBLE, bits);
}

void trace2_span_set_bool_(trace2_span_t span, struct trace2_text_ key,
			     int value)
{
	set_number(span, key, TR2_ITEM_BOOL, value != 0);
}

void trace2_span_set_string_(trace2_span_t span, struct trace2_text_ key,
			     struct trace2_text_ value)
{
	struct tr2_span_hold hold;

	if (is_unrecorded(span))
		return;
	hold = tr2_span_hold(span);
	if (!hold.span)
		return;
	tr2_span_set_text(hold.span, key, TR2_ITEM_STRING, value,
			  tr2_stream.redact);
	release(&hold, span);
}

/* Spans to end after this call. */
struct asked {
	trace2_span_t span[TR2_ENTERED_MAX];
	uint32_t nr;
};

static void end_all(struct asked *asked)
{
	while (unlikely(asked->nr))
		end_as_asked(asked->span[--asked->nr]);
}

static void add_interval(struct tr2_open_span *span,
			 const struct tr2_thread *thread, uint64_t from_ns,
			 uint64_t to_ns)
{
	const struct tr2_interval interval = {
		.thread = thread->name,
		.tid = thread->tid,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};

	tr2_span_add_interval(span, &interval);
}

/* Leave the span at this place of the stack, and the spans above it. */
static void leave_from(struct tr2_thread *thread, uint32_t at, uint64_t now_ns,
		       struct asked *asked)
{
	struct tr2_entered *entered = &thread->entered;
	struct tr2_span_hold hold;
	uint32_t i;

	for (i = entered->nr; i-- > at;) {
		if (is_unrecorded(entered->at[i].span))
			continue;
		hold = tr2_span_hold(entered->at[i].span);
		if (!hold.span)
			continue;
		add_interval(hold.span, thread, entered->at[i].from_ns, now_ns);
		if (tr2_span_release(&hold))
			asked->span[asked->nr++] = entered->at[i].span;
	}
	entered->nr = at;
}

/* Forget spans that another thread has ended, or whose leave a jump skipped. */
static void forget_ended(struct tr2_entered *entered)
{
	struct tr2_context context;
	uint32_t flags = 0, one_in = 0, i, nr = 0;

	for (i = 0; i < entered->nr; i++)
		if (tr2_span_look_up(entered->at[i].span, &context, &flags,
				     &one_in))
			entered->at[nr++] = entered->at[i];
	entered->nr = nr;
}

/* Return whether the thread may enter and leave spans without the frame of a
 * call. */
INLINE bool is_ready(const struct tr2_thread *thread)
{
	return likely(is_open()) && likely(thread != NULL) &&
	       __atomic_load_n(&trace2_enabled_, __ATOMIC_RELAXED) == 1 &&
	       __atomic_load_n(&thread->announced, __ATOMIC_RELAXED) &&
	       !atomic_load_explicit(&thread->busy, memory_order_relaxed);
}

static __attribute__((noinline)) void enter_slow(const char *file, int line,
						 trace2_span_t span)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_announce(&call, NULL);
	if (call.thread->entered.nr == TR2_ENTERED_MAX)
		forget_ended(&call.thread->entered);
	if (!tr2_entered_push(&call.thread->entered, span, call.now_ns))
		tr2_span_count(TR2_SPAN_NOT_ENTERED);
	tr2_call_end(&call);
}

void trace2_span_enter_fl(const char *file, int line, trace2_span_t span)
{
	struct tr2_thread *thread = tr2_self;

	if (!is_ready(thread) ||
	    !tr2_entered_push(&thread->entered, span,
			      is_unrecorded(span) ? 0 : tr2_clock_now_ns()))
		enter_slow(file, line, span);
}

INLINE void leave(struct tr2_thread *thread, trace2_span_t span,
		  uint64_t now_ns, struct asked *asked)
{
	uint32_t nr = tr2_entered_find(&thread->entered, span);

	asked->nr = 0;
	if (likely(nr))
		leave_from(thread, nr - 1, now_ns, asked);
	else
		tr2_span_count(TR2_SPAN_NOT_ENTERED);
}

static __attribute__((noinline)) void leave_slow(const char *file, int line,
						 trace2_span_t span)
{
	struct asked asked;
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	leave(call.thread, span, call.now_ns, &asked);
	tr2_call_end(&call);
	end_all(&asked);
}

void trace2_span_leave_fl(const char *file, int line, trace2_span_t span)
{
	struct tr2_thread *thread = tr2_self;
	struct asked asked;

	if (!is_ready(thread)) {
		leave_slow(file, line, span);
		return;
	}
	if (is_unrecorded(span) && tr2_entered_pop(&thread->entered, span))
		return;
	leave(thread, span, tr2_clock_now_ns(), &asked);
	end_all(&asked);
}

/* If the calling thread works for the span, leave it and the spans above it,
 * and return the time of the enter; else return 0. */
INLINE uint64_t leave_own(struct tr2_thread *thread, trace2_span_t span,
			  uint64_t now_ns, struct asked *asked)
{
	uint64_t from_ns;
	uint32_t nr;

	asked->nr = 0;
	if (likely(!thread || !thread->entered.nr))
		return 0;
	nr = tr2_entered_find(&thread->entered, span);
	if (!nr)
		return 0;
	if (unlikely(nr != thread->entered.nr))
		leave_from(thread, nr, now_ns, asked);
	from_ns = thread->entered.at[nr - 1].from_ns;
	/* From here on, a signal handler may enter spans of its own at this
	 * index. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->entered.nr = nr - 1;
	return from_ns;
}

/* The way a span ends. */
struct end {
	trace2_span_t span;
	bool failed;
	const char *reason;
};

/* Hold the span to end it, and set *data. Return false if it is not open. */
INLINE bool finish(struct tr2_thread *thread, const struct end *end,
		   uint64_t now_ns, struct tr2_span_hold *hold,
		   struct tr2_span_data *data, struct asked *asked)
{
	uint64_t from_ns = leave_own(thread, end->span, now_ns, asked);

	*hold = tr2_span_hold_to_end(end->span, end->failed);
	if (!hold->span)
		return false;
	if (from_ns)
		add_interval(hold->span, thread, from_ns, now_ns);
	if (end->reason)
		tr2_span_set_text(hold->span, TR2_SPAN_NO_KEY, TR2_ITEM_FAILED,
				  unmeasured(end->reason), tr2_stream.redact);
	*data = tr2_span_data_of(hold, now_ns);
	data->nesting = thread ? (uint32_t)thread->regions.nr_open + 1 : 1;
	if (end->failed || tr2_span_shall_fail(hold))
		data->flags |= TR2_SPAN_DATA_FAILED;
	return true;
}

/* End the span without an event. The call that ends it is lost, for example
 * because it came from a signal handler that interrupted the library. */
static void drop_span(const struct end *end)
{
	const struct tr2_span_hold hold =
		tr2_span_hold_to_end(end->span, end->failed);

	if (hold.span)
		tr2_span_free(&hold);
}

static __attribute__((noinline)) void end_slow(const char *file, int line,
					       const struct end *end)
{
	struct tr2_span_hold hold;
	struct tr2_span_data data;
	struct tr2_call call;
	struct asked asked;

	if (!tr2_call_begin(&call, file, line)) {
		drop_span(end);
		return;
	}
	tr2_call_announce(&call, NULL);
	if (finish(call.thread, end, call.now_ns, &hold, &data, &asked)) {
		if (tr2_sampling_keeps(&data))
			tr2_call_emit_span(&call, &data);
		tr2_span_free(&hold);
	}
	tr2_call_end(&call);
	end_all(&asked);
}

/* End a span that is not recorded. */
INLINE void end_unrecorded(const struct end *end)
{
	struct tr2_thread *thread = tr2_self;
	struct asked asked;

	asked.nr = 0;
	if (thread && thread->entered.nr &&
	    !tr2_entered_pop(&thread->entered, end->span))
		leave_own(thread, end->span, tr2_clock_now_ns(), &asked);
	drop_span(end);
	end_all(&asked);
}

INLINE void end_span(const char *file, int line, const struct end *end)
{
	const struct end slow = *end;
	struct tr2_thread *thread;
	struct tr2_span_hold hold;
	struct tr2_span_data data;
	struct asked asked;

	if (unlikely(!is_open())) {
		end_slow(file, line, &slow);
	} else if (is_unrecorded(end->span)) {
		end_unrecorded(end);
	} else if (!tr2_fastpath_is_on() ||
		   !(thread = tr2_fastpath_span_thread())) {
		end_slow(file, line, &slow);
	} else if (finish(thread, end, tr2_clock_now_ns(), &hold, &data,
			  &asked)) {
		if (tr2_sampling_keeps(&data))
			tr2_fastpath_span_end(&data);
		tr2_span_free(&hold);
		end_all(&asked);
	} else {
		end_all(&asked);
	}
}

static __attribute__((noinline)) void end_as_asked(trace2_span_t span)
{
	const struct end end = { span, false, NULL };
	struct tr2_context context;
	uint32_t flags, one_in;

	/* Another call may have ended the span already. */
	if (tr2_span_look_up(span, &context, &flags, &one_in))
		end_span(__FILE__, __LINE__, &end);
}

void trace2_span_end_fl(const char *file, int line, trace2_span_t span)
{
	const struct end end = { span, false, NULL };

	end_span(file, line, &end);
}

void trace2_span_fail_fl(const char *file, int line, trace2_span_t span,
			 const char *reason)
{
	const struct end end = { span, true, reason };

	end_span(file, line, &end);
}

size_t trace2_span_context_(trace2_span_t span, char *buf, size_t size)
{
	struct tr2_context context;
	uint32_t flags, one_in;

	if (buf && size)
		*buf = '\0';
	if (!buf || size < TRACE2_SPAN_CONTEXT_BYTES)
		return 0;
	if (!tr2_span_look_up(span, &context, &flags, &one_in)) {
		tr2_span_count(TR2_SPAN_UNKNOWN);
		return 0;
	}
	tr2_context_format(buf, &context, flags & TR2_SPAN_DATA_SAMPLED);
	return TR2_TRACEPARENT_BYTES;
}
