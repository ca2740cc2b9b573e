/* SPDX-License-Identifier: MIT */
/* Open the targets, and emit the first events. */
#include "session/targets.h"

#include "base/barrier.h"
#include "base/clock.h"
#include "base/fork_guard.h"
#include "base/local_time.h"
#include "base/text.h"
#include "event/render.h"
#include "session/inherit.h"
#include "session/ring.h"
#include "session/parts.h"
#include "session/session.h"
#include "target/wait.h"
#include "thread/stream.h"

/* The version of the event format that consumers check. */
#define FORMAT_VERSION "4"

static const char *const target_suffix[TR2_TARGET_NR] = {
#define TARGET(name, variable, key, help) [TR2_TARGET_##name] = variable,
#include "config/settings.def"
};

static const char *const target_name[TR2_TARGET_NR] = {
#define X(name) #name,
	TR2_TARGETS(X)
#undef X
};

/* Return whether the ring, which is opened first, replaces the event target. */
static bool is_replaced(enum tr2_target_id id)
{
	return id == TR2_TARGET_event && tr2_session.settings.ring_instead &&
	       tr2_dest_is_on(tr2_stream_dest(TR2_TARGET_ring));
}

static struct tr2_dest_request request_of(enum tr2_target_id id,
					  enum tr2_open how)
{
	const struct tr2_settings *settings = &tr2_session.settings;

	return (struct tr2_dest_request){
		.value = is_replaced(id) ? NULL : settings->destination[id],
		.variable = { settings->prefix, target_suffix[id] },
		.file_name = tr2_inherit_own_sid(),
		.max_files = settings->max_files,
		.debug = settings->debug,
		.in_forked_child = how != TR2_OPEN_FIRST,
		.goes_on = how == TR2_OPEN_AGAIN,
		.was_directory = how >= TR2_OPEN_IN_CHILD &&
				 tr2_stream.target[id].dest.place.name,
		.prepare = id == TR2_TARGET_ring ? tr2_session_map_ring : NULL,
	};
}

static bool open_target(enum tr2_target_id id, enum tr2_open how)
{
	const struct tr2_settings *settings = &tr2_session.settings;
	struct tr2_target *target = &tr2_stream.target[id];
	const struct tr2_dest_request request = request_of(id, how);

	target->brief = settings->brief[id];
	target->max_nesting = settings->max_nesting;
	return tr2_dest_open(&target->dest, &request);
}

/* Prepare the templates of all targets that the settings name, even if one
 * failed to open: it may open in a forked child. */
void tr2_session_prepare_text(void)
{
	char *const *destination = tr2_session.settings.destination;
	bool later = tr2_session.settings.control;
	bool normal = later || destination[TR2_TARGET_normal];
	bool perf = later || destination[TR2_TARGET_perf];

	if (normal || perf)
		tr2_zone_load();
	tr2_render_prepare(normal, perf);
}

bool tr2_session_open_targets(enum tr2_open how)
{
	unsigned int opened = 0, i;
	int error = 0;

	tr2_dest_set_patience(tr2_session.settings.patience);
	if (open_target(TR2_TARGET_ring, how)) {
		opened |= 1u << TR2_TARGET_ring;
		tr2_session_begin_ring();
	}
	for (i = 0; i < TR2_TARGET_NR; i++) {
		if (i == TR2_TARGET_ring)
			continue;
		errno = 0;
		if (open_target(i, how))
			opened |= 1u << i;
		else if (errno)
			error = errno;
	}
	if (tr2_stream.sink)
		opened |= TR2_STREAM_SINK;
	/* Store atomically: the start of a span reads `opened` without the
	 * frame of a call. */
	__atomic_store_n(&tr2_stream.opened, opened, __ATOMIC_RELAXED);
	errno = error;
	return opened;
}

static bool any_is_on(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if (tr2_dest_is_on(tr2_stream_dest(i)))
			return true;
	return tr2_stream.sink;
}

/* Switch the fast path on if the ring is the only target. */
static void start_fastpath(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if ((i == TR2_TARGET_ring) !=
		    tr2_dest_is_on(tr2_stream_dest(i)))
			return;
	if (tr2_stream.sink)
		return;
	tr2_barrier_start(true);
	tr2_fork_guard_set_fastpath(true);
}

/* Publish the targets. A target whose directory is full gets only the sentinel
 * event. */
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
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++) {
		struct tr2_target *target = &tr2_stream.target[i];

		if (target->dest.sentinel && tr2_dest_is_on(&target->dest)) {
			if (tr2_target_shows(target, i, ev.kind, 1))
				tr2_target_emit(target, i,
						&call->thread->render, &ev);
			tr2_dest_close(&target->dest);
		}
	}
	tr2_barrier_start(false);
	start_fastpath();
	__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[any_is_on()],
			 __ATOMIC_SEQ_CST);
}

/* Stop a target that lost `version`: from that event readers learn which
 * process emits the following events. */
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

/* Render the first line of a file in which the session continues. */
static struct tr2_rendered render_head(struct tr2_call *call,
				       enum tr2_target_id id)
{
	const char *version = tr2_session.version;
	const struct tr2_thread *main_thread = tr2_thread_main();
	const struct tr2_event ev = {
		.kind = TR2_EV_version,
		.v = TR2_VALUES_(version, .evt.s = FORMAT_VERSION,
				 .exe.s = version ? version : "unknown",
				 .part.u = tr2_session.part),
		.emitter = &main_thread->emitter,
		.file = call->file,
		.line = call->line,
		.nesting = 1,
		.now_ns = call->now_ns,
		.wall_us = tr2_clock_wall_us(call->now_ns),
		.as_main = true,
	};

	call->thread->render.redact = tr2_stream.redact;
	return tr2_target_render(&tr2_stream.target[id], id,
				 &call->thread->render, &ev);
}

static bool reopen_target(struct tr2_call *call, enum tr2_target_id id)
{
	const struct tr2_dest_request request = request_of(id, TR2_OPEN_AGAIN);
	const struct tr2_rendered head = render_head(call, id);
	char text[128];
	int error;

	error = head.p ? tr2_dest_reopen(tr2_stream_dest(id), &request, head.p,
					 head.len) :
			 -ENOMEM;
	if (error)
		tr2_call_error(call,
			       "trace2: cannot open the %s target again: %s",
			       target_name[id],
			       tr2_error_text(-error, text, sizeof(text)));
	return !error;
}

void tr2_session_revive(void)
{
	int off = 0;

	if (__atomic_compare_exchange_n(&trace2_enabled_, &off, 1, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
	    tr2_session.state != TR2_SESSION_ON)
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_SEQ_CST);
}

void tr2_session_recheck(void)
{
	if (!any_is_on())
		__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[0],
				 __ATOMIC_SEQ_CST);
}

int tr2_session_reopen_targets(struct tr2_call *call)
{
	unsigned int i;
	int failed = 0;

	tr2_session.part = tr2_session.part ? tr2_session.part + 1 : 2;
	for (i = 0; i < TR2_TARGET_NR; i++)
		if (i != TR2_TARGET_ring && tr2_stream.opened & 1u << i)
			failed += !reopen_target(call, i);
	return failed;
}

void tr2_session_emit_start(struct tr2_call *call, const char *const *argv)
{
	TR2_EMIT(call, start, .argv.argv = argv);
	tr2_parts_emit_begun(call);
}
