/* SPDX-License-Identifier: MIT */
/* Emit spans to the targets. */
#include "thread/emit_span.h"

#include "base/lock.h"
#include "span/record.h"
#include "thread/sink.h"

static bool has_ring(const struct tr2_call *call)
{
	return tr2_stream.opened & 1u << TR2_TARGET_ring &&
	       call->generation == tr2_stream.generation &&
	       tr2_dest_is_on(tr2_stream_dest(TR2_TARGET_ring));
}

static void put_record(const struct tr2_call *call, uint32_t type,
		       const struct tr2_span_data *span)
{
	if (!has_ring(call))
		return;
	tr2_call_take_ring(call);
	if (!tr2_span_put_record(tr2_my_slot, type, span, call->thread->tid,
				 true))
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
}

/* Emit to a target. Ignore the depth of regions: a span is not a detail of the
 * region in which it ends. */
static void emit_to(struct tr2_call *call, enum tr2_target_id id,
		    const struct tr2_event *ev)
{
	struct tr2_target *target = &tr2_stream.target[id];

	if (!(tr2_stream.opened & 1u << id) ||
	    call->generation != tr2_stream.generation)
		return;
	if (tr2_dest_is_on(&target->dest))
		tr2_target_emit(target, id, &call->thread->render, ev);
	else
		tr2_dest_drop(&target->dest);
}

/* Emit a value that is in the thread's buffer for messages, unless memory was
 * short. */
static void emit_text(struct tr2_call *call, const char *key,
		      unsigned int nesting)
{
	struct tr2_thread *thread = call->thread;
	const struct tr2_v_data_json v = {
		.category.s = TR2_SPAN_EVENT_CATEGORY,
		.key.s = key,
		.value.s = tr2_buf_str(&thread->message),
	};
	const struct tr2_event ev = {
		.kind = TR2_EV_data_json,
		.v = (const struct tr2_value *)(const void *)&v,
		.emitter = call->emitter,
		.file = call->file,
		.line = call->line,
		.nesting = nesting,
		.tid = thread->tid,
		.as_main = call->emitter != &thread->emitter,
		.now_ns = call->now_ns,
		.wall_us = tr2_clock_wall_us(call->now_ns),
		.t_abs_ns = tr2_clock_since(tr2_stream.start_ns, call->now_ns),
		.t_rel_ns = call->t_rel_ns,
	};

	if (thread->message.failed) {
		tr2_stream_lost();
		return;
	}
	/* The attributes of a span are already redacted. */
	thread->render.redact = false;
	thread->render.own_json = true;
	emit_to(call, TR2_TARGET_perf, &ev);
	emit_to(call, TR2_TARGET_event, &ev);
	if (tr2_stream.opened & TR2_STREAM_SINK &&
	    call->generation == tr2_stream.generation)
		tr2_sink_call(call, &ev);
	thread->render.own_json = false;
}

static bool has_text(void)
{
	return tr2_stream.opened &
	       (1u << TR2_TARGET_perf | 1u << TR2_TARGET_event |
		TR2_STREAM_SINK);
}

void tr2_call_emit_span(struct tr2_call *call,
			const struct tr2_span_data *span)
{
	struct tr2_buf *json = &call->thread->message;

	put_record(call, TR2_RECORD_SPAN_END, span);
	if (!has_text())
		return;
	call->t_rel_ns = tr2_clock_since(span->start_ns, span->end_ns);
	tr2_buf_reset(json);
	tr2_span_data_json(json, span, tr2_stream.start_ns);
	emit_text(call, TR2_SPAN_EVENT_KEY, span->nesting);
}

void tr2_call_emit_span_start(struct tr2_call *call,
			      const struct tr2_span_data *span)
{
	put_record(call, TR2_RECORD_SPAN_START, span);
}

static void put_trace(const struct tr2_call *call)
{
	const struct tr2_session_trace *trace = &tr2_session_trace;
	const struct tr2_span_data data = {
		.self = trace->self,
		.parent = trace->parent,
		.start_ns = call->now_ns,
		.flags = trace->sampled ? TR2_SPAN_DATA_SAMPLED : 0,
		.nesting = 1,
		.bytes = "",
	};

	if (!has_ring(call) || tr2_lock_is_mine())
		return;
	tr2_lock();
	if (!tr2_span_put_record(tr2_arena_totals(), TR2_RECORD_TRACE, &data,
				 call->thread->tid, true))
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
	tr2_unlock();
}

void tr2_call_emit_trace(struct tr2_call *call)
{
	const struct tr2_session_trace *trace = &tr2_session_trace;
	struct tr2_buf *json = &call->thread->message;

	put_trace(call);
	if (!has_text())
		return;
	call->t_rel_ns = 0;
	tr2_buf_reset(json);
	tr2_trace_data_json(json, &trace->self, trace->parent, trace->sampled);
	emit_text(call, TR2_TRACE_EVENT_KEY, 1);
}

static inline __attribute__((always_inline)) void
put(uint32_t type, const struct tr2_span_data *span)
{
	const struct tr2_own TR2_TLS_SEGMENT *own = tr2_own_at();

	if (!tr2_span_put_record(own->slot, type, span, own->context->tid,
				 false))
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
}

void tr2_fastpath_span_start(const struct tr2_span_data *span)
{
	put(TR2_RECORD_SPAN_START, span);
}

void tr2_fastpath_span_end(const struct tr2_span_data *span)
{
	put(TR2_RECORD_SPAN_END, span);
}
