/* SPDX-License-Identifier: MIT */
#include "session/session.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mask.h"
#include "metric/metric.h"
#include "session/call.h"
#include "session/counters.h"
#include "session/early.h"
#include "session/inherit.h"
#include "session/quick.h"
#include "session/ring.h"
#include "session/sample.h"
#include "session/signal.h"

/* The version of the event format that consumers look for. */
#define FORMAT_VERSION "4"

int trace2_enabled_ = TR2_ENABLED_EARLY;
struct tr2_session tr2_session;

void tr2_session_start_clock(void)
{
	static atomic_bool started;

	if (atomic_exchange(&started, true))
		return;
	tr2_clock_prepare();
	tr2_session.start_ns = tr2_clock_now_ns();
}

static const char *const target_suffix[TR2_TARGET_NR] = {
#define TARGET(name, variable, key, help) [TR2_TARGET_##name] = variable,
#include "config/settings.def"
};

/* The ring is opened first, and may stand in for the event target. */
static bool is_replaced(enum tr2_target_id id)
{
	return id == TR2_TARGET_event && tr2_session.settings.ring_instead &&
	       tr2_dest_is_on(&tr2_session.target[TR2_TARGET_ring].dest);
}

static bool open_target(enum tr2_target_id id, bool again)
{
	const struct tr2_settings *settings = &tr2_session.settings;
	struct tr2_target *target = &tr2_session.target[id];
	struct tr2_buf variable = TR2_BUF_INIT;
	struct tr2_dest_request request = {
		.value = is_replaced(id) ? NULL : settings->destination[id],
		.file_name = tr2_inherit_own_sid(),
		.max_files = settings->max_files,
		.debug = settings->debug,
		.quiet = again,
		.prepare = id == TR2_TARGET_ring ? tr2_session_map_ring : NULL,
	};
	bool on;

	tr2_buf_addstr(&variable, settings->prefix);
	tr2_buf_addstr(&variable, target_suffix[id]);
	request.variable = tr2_buf_str(&variable);
	target->brief = settings->brief[id];
	target->max_nesting = settings->max_nesting;
	on = tr2_dest_open(&target->dest, &request);
	tr2_buf_release(&variable);
	return on;
}

bool tr2_session_open_targets(bool again)
{
	bool ring = open_target(TR2_TARGET_ring, again), any_on = ring;
	unsigned int i;

	if (ring)
		tr2_session_begin_ring();
	for (i = 0; i < TR2_TARGET_NR; i++)
		if (i != TR2_TARGET_ring)
			any_on |= open_target(i, again);
	return any_on;
}

/* Targets whose directory is full say so, and no more. */
static void close_sentinels(struct tr2_call *call)
{
	const struct tr2_event ev = {
		.kind = TR2_EV_too_many_files,
		.who = call->who,
		.file = call->file,
		.line = call->line,
		.nesting = 1,
		.wall_us = tr2_clock_wall_us(call->now_ns),
	};
	bool any_on = false;
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++) {
		struct tr2_target *target = &tr2_session.target[i];

		if (target->dest.sentinel && tr2_dest_is_on(&target->dest)) {
			tr2_target_emit(target, i, &call->thread->render, &ev,
					0);
			tr2_dest_close(&target->dest);
		}
		any_on |= tr2_dest_is_on(&target->dest);
	}
	tr2_quick_start();
	__atomic_store_n(&trace2_enabled_, any_on, __ATOMIC_SEQ_CST);
}

/* Events of a session that did not begin would tell of nobody. */
static void stop_those_without_version(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if (tr2_dest_lost(&tr2_session.target[i].dest))
			tr2_dest_stop(&tr2_session.target[i].dest);
}

void tr2_session_emit_version(struct tr2_call *call)
{
	const char *version = tr2_session.version;

	TR2_EMIT(call, version, .evt.s = FORMAT_VERSION,
		 .exe.s = version ? version : "unknown");
	stop_those_without_version();
	close_sentinels(call);
}

void tr2_session_exit(void)
{
	struct tr2_call call;

	tr2_session_exit_has_begun = true;
	if (tr2_session_is_forked())
		tr2_session_after_fork();
	if (tr2_session.state == TR2_SESSION_FORKED) {
		/* A child that did nothing leaves no trace. */
		if (!tr2_arena_is_used() ||
		    !tr2_call_begin(&call, __FILE__, __LINE__))
			return;
		tr2_call_end(&call);
	}
	tr2_session_close();
}

static void on_thread_end(struct tr2_thread *thread)
{
	thread->named = true; /* nothing is wrong with an end that nobody tells */
	if (trace2_is_enabled() &&
	    (thread->announced || thread->owner.slot))
		trace2_thread_exit_fl(__FILE__, __LINE__);
	if (tr2_self == thread)
		tr2_thread_retire(thread, tr2_clock_now_ns());
}

/* The user's word before the program's. */
static void install_handlers(const struct trace2_options *options)
{
	const char *list = tr2_session.settings.signals;
	unsigned int flags = options ? options->flags : 0;

	if (!list && (flags & TRACE2_SIGPIPE))
		list = "PIPE";
	if (!(flags & TRACE2_NO_SIGNALS))
		tr2_signal_install(list);
}

#if defined(__GLIBC__)
/* Nothing, in a program that is linked statically. */
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC")
	__attribute__((weak, visibility("hidden")));

/* The program itself, or a library that is not unloaded: what on_exit() calls
 * must be there at the end, and cannot be taken back. */
static bool stays_loaded(void)
{
	const ElfW(Dyn) *entry = own_dynamic;

	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG ||
		    (entry->d_tag == DT_FLAGS_1 &&
		     (entry->d_un.d_val & (DF_1_NODELETE | DF_1_PIE))))
			return true;
	return !own_dynamic;
}

/* What the parent will see, whatever the program has said. */
static void note_status(int status, void *unused)
{
	(void)unused;
	tr2_session.exit_code = status & 0xff;
}

static void watch_status(void)
{
	if (stays_loaded())
		on_exit(note_status, NULL);
}
#else
static void watch_status(void)
{
}
#endif

static void arrange_for_the_end(const struct trace2_options *options)
{
	tr2_thread_on_end = on_thread_end;
	tr2_session_watch_forks();
	atexit(tr2_session_exit);
	watch_status(); /* behind it, so called before */
	at_quick_exit(tr2_session_exit);
	install_handlers(options);
}

static bool prepare(const struct trace2_options *options)
{
	uint64_t wall_us = tr2_clock_wall_us(tr2_clock_now_ns());

	if (!tr2_settings_load(&tr2_session.settings, options))
		return false;
	if (!tr2_inherit_start(wall_us) || !tr2_session_open_targets(false)) {
		tr2_settings_release(&tr2_session.settings);
		return false;
	}
	if (options && options->version)
		tr2_session.version = strdup(options->version);
	tr2_clock_start();
	tr2_zone_load();
	tr2_render_prepare();
	return true;
}

static void give_up(void)
{
	unsigned int i;

	tr2_session.state = TR2_SESSION_CLOSED;
	tr2_signal_restore();
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_close(&tr2_session.target[i].dest);
}

/* version comes first: tracing is switched on for others behind it. */
static void begin_stream(const char *file, int line)
{
	struct tr2_thread *thread = tr2_thread_get();
	struct tr2_call call = { .thread = thread,
				 .file = file,
				 .line = line,
				 .generation = tr2_session.generation };

	if (!thread) { /* there was no memory for it */
		give_up();
		return;
	}
	/* The main thread began with the process. */
	thread->start_ns = tr2_session.start_ns;
	call.who = &thread->who;
	call.now_ns = tr2_clock_now_ns();
	tr2_session_emit_version(&call);
	tr2_counters_load(tr2_session.settings.counters);
	tr2_counters_open(thread);
	tr2_samples_load(tr2_session.settings.sample);
	tr2_samples_open(thread);
}

void tr2_session_start(const char *file, int line,
		       const struct trace2_options *options)
{
	static atomic_bool started;
	int saved_errno = errno;
	struct tr2_mask before;

	tr2_mask_begin(&before);
	if (atomic_exchange(&started, true)) {
		tr2_mask_end(&before);
		return;
	}
	tr2_early_end();
	tr2_session_start_clock();
	if (prepare(options)) {
		tr2_inherit_publish();
		arrange_for_the_end(options);
		tr2_session.state = TR2_SESSION_ON;
		begin_stream(file, line);
	}
	tr2_mask_end(&before);
	errno = saved_errno;
}

void tr2_session_keep_argv(const char *const *argv)
{
	static atomic_bool kept;
	struct tr2_mask before;
	size_t n = 0, i;
	char **copy;

	if (atomic_exchange(&kept, true))
		return;
	tr2_mask_begin(&before);
	while (argv && argv[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (i = 0; copy && i < n; i++)
		copy[i] = strdup(argv[i]);
	tr2_session.argv = copy;
	tr2_mask_end(&before);
}
