/* SPDX-License-Identifier: MIT */
/* Open the targets, and emit the first events. */
#include "session/targets.h"

#include "base/barrier.h"
#include "base/clock.h"
#include "event/render.h"
#include "part/pending_errors.h"
#include "session/early.h"
#include "session/fastpath.h"
#include "session/inherit.h"
#include "session/ring.h"
#include "session/session.h"
#include "session/traceparent.h"
#include "thread/stream.h"

/* The version of the event format that consumers check. */
#define FORMAT_VERSION "4"

static const char *const target_suffix[TR2_TARGET_NR] = {
#define TARGET(name, variable, key, help) [TR2_TARGET_##name] = variable,
#include "config/settings.def"
};

/* The ring is opened first, and may replace the event target. */
static bool is_replaced(enum tr2_target_id id)
{
	return id == TR2_TARGET_event && tr2_session.settings.ring_instead &&
	       tr2_dest_is_on(tr2_stream_dest(TR2_TARGET_ring));
}

static bool open_target(enum tr2_target_id id, enum tr2_open how)
{
	const struct tr2_settings *settings = &tr2_session.settings;
	struct tr2_target *target = &tr2_stream.target[id];
	const struct tr2_dest_request request = {
		.value = is_replaced(id) ? NULL : settings->destination[id],
		.variable = { settings->prefix, target_suffix[id] },
		.file_name = tr2_inherit_own_sid(),
		.max_files = settings->max_files,
		.debug = settings->debug,
		.in_forked_child = how != TR2_OPEN_FIRST,
		.goes_on = how == TR2_OPEN_AGAIN,
		.prepare = id == TR2_TARGET_ring ? tr2_session_map_ring : NULL,
	};

	target->brief = settings->brief[id];
	target->max_nesting = settings->max_nesting;
	return tr2_dest_open(&target->dest, &request);
}

/* Of the targets that the settings name: in a forked child they may open,
 * although they did not here. */
void tr2_session_prepare_text(void)
{
	char *const *destination = tr2_session.settings.destination;
	bool normal = destination[TR2_TARGET_normal] != NULL;
	bool perf = destination[TR2_TARGET_perf] != NULL;

	if (normal || perf)
		tr2_zone_load();
	tr2_render_prepare(normal, perf);
}

bool tr2_session_open_targets(enum tr2_open how)
{
	unsigned int opened = 0, i;

	tr2_stream.redact = tr2_session.settings.redact;
	tr2_dest_set_patience(tr2_session.settings.patience);
	if (open_target(TR2_TARGET_ring, how)) {
		opened |= 1u << TR2_TARGET_ring;
		tr2_session_begin_ring();
	}
	for (i = 0; i < TR2_TARGET_NR; i++)
		if (i != TR2_TARGET_ring && open_target(i, how))
			opened |= 1u << i;
	tr2_stream.opened = opened;
	return opened;
}

/* A target whose directory is full gets only its sentinel. */
void tr2_session_publish_targets(struct tr2_call *call)
{
	const struct tr2_event ev = {
		.kind = TR2_EV_too_many_files,
		.emitter = call->emitter,
		.file = call->file,
		.line = call->line,
		.nesting = 1,
		.wall_us = tr2_clock_wall_us(call->now_ns),
	};
	bool any_on = false;
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++) {
		struct tr2_target *target = &tr2_stream.target[i];

		if (target->dest.sentinel && tr2_dest_is_on(&target->dest)) {
			if (tr2_target_shows(target, i, ev.kind, 1))
				tr2_target_emit(target, i,
						&call->thread->render, &ev);
			tr2_dest_close(&target->dest);
		}
		any_on |= tr2_dest_is_on(&target->dest);
	}
	tr2_barrier_start(false);
	tr2_fastpath_start();
	__atomic_store_n(&trace2_enabled_, any_on, __ATOMIC_SEQ_CST);
}

/* Stop a target that lost `version`: readers learn from it which process emits
 * the events that follow. */
static void stop_those_without_version(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if (tr2_dest_lost(tr2_stream_dest(i)))
			tr2_dest_stop(tr2_stream_dest(i));
}

void tr2_session_emit_version(struct tr2_call *call)
{
	const char *version = tr2_session.version;

	TR2_EMIT(call, version, .evt.s = FORMAT_VERSION,
		 .exe.s = version ? version : "unknown");
	stop_those_without_version();
	tr2_session_publish_targets(call);
}

void tr2_session_emit_start(struct tr2_call *call, const char *const *argv)
{
	TR2_EMIT(call, start, .argv.argv = argv);
	tr2_traceparent_emit(call);
	tr2_early_tell(call);
	tr2_pending_errors_emit(call);
}
