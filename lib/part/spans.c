/* SPDX-License-Identifier: MIT */
/*
 * The part of spans: the setting that chooses the spans to record, the open
 * spans at the end of the process, and the errors of calls.
 */
#include "part/part.h"
#include "span/sampling.h"
#include "thread/emit_span.h"

static void spans_load(const char *setting)
{
	if (!tr2_sampling_set(setting))
		tr2_pending_errors_add(
			"GIT_TRACE2_SPANS: want 1/N, slower:TIME or both, "
			"such as '1/100,slower:50ms'; all spans are recorded");
}

static void spans_emit_errors(struct tr2_call *call)
{
	static const char *const why[TR2_SPAN_MISUSES] = {
		[TR2_SPAN_UNKNOWN] = "calls with a span that is not open",
		[TR2_SPAN_BUSY] = "calls with a span that was being changed",
		[TR2_SPAN_NO_ROOM] = "spans without room: too many were open",
		[TR2_SPAN_NOT_ENTERED] =
			("span_enter or span_leave without the other"),
	};
	unsigned long long nr;
	unsigned int i;

	for (i = 0; i < TR2_SPAN_MISUSES; i++) {
		nr = tr2_span_take_count(i);
		if (nr)
			tr2_call_error(call, "trace2: %s: %llu", why[i], nr);
	}
}

static void spans_emit_process(struct tr2_call *call, struct tr2_slot *sum)
{
	struct tr2_span_hold hold;
	struct tr2_span_data data;
	uint32_t place = 0;

	(void)sum;
	while (tr2_span_hold_next(&hold, &place)) {
		data = tr2_span_data_of(&hold, call->now_ns);
		data.flags |= TR2_SPAN_DATA_UNFINISHED;
		if (data.len && tr2_sampling_keeps(&data))
			tr2_call_emit_span(call, &data);
		tr2_span_free(&hold);
	}
}

const struct tr2_part tr2_part_spans = {
	.load = spans_load,
	.emit_errors = spans_emit_errors,
	.emit_process = spans_emit_process,
	.forked = tr2_spans_forked,
	.release = tr2_spans_unmap,
};
