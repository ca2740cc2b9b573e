/* SPDX-License-Identifier: MIT */
/* The start of a session: settings, targets, first events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "base/barrier.h"
#include "base/bind.h"
#include "base/clock.h"
#include "base/mask.h"
#include "base/raw.h"
#include "base/text.h"
#include "part/call_before_init.h"
#include "session/control.h"
#include "session/fastpath.h"
#include "session/fork.h"
#include "session/inherit.h"
#include "session/parts.h"
#include "session/session.h"
#include "session/signal.h"
#include "session/targets.h"
#include "session/thread.h"
#include "thread/stream.h"

void tr2_session_start_clock(void)
{
	static atomic_bool started;

	if (atomic_exchange(&started, true))
		return;
	tr2_clock_prepare();
	tr2_stream.start_ns = tr2_clock_now_ns();
}

/* Install the handlers; the user's setting overrides the program's. */
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
/* Record the exit code that the parent will see, even if the program has
 * reported another one. */
static void note_status(int status, void *unused)
{
	(void)unused;
	tr2_session.exit_code = status & 0xff;
}

/* Watch the status only if the library stays until the end: a function of
 * on_exit() cannot be removed. */
static void watch_status(void)
{
	if (tr2_session_is_never_unloaded())
		on_exit(note_status, NULL);
}
#else
static void watch_status(void)
{
}
#endif

static void arrange_for_the_end(const struct trace2_options *options)
{
	tr2_session_watch_forks();
	atexit(tr2_session_exit);
	watch_status(); /* call it after atexit(): the function of on_exit() is
			 * then called first */
	at_quick_exit(tr2_session_exit);
	install_handlers(options);
}

static bool prepare_session(const struct trace2_options *options)
{
	uint64_t wall_us = tr2_clock_wall_us(tr2_clock_now_ns());

	if (!tr2_settings_load(&tr2_session.settings, options))
		return false;
	if (!tr2_inherit_start(wall_us)) {
		tr2_settings_warn_of_memory(&tr2_session.settings);
		tr2_settings_release(&tr2_session.settings);
		return false;
	}
	if (tr2_session.settings.has_sink) {
		tr2_stream.sink = options->sink;
		tr2_stream.sink_data = options->sink_data;
	}
	tr2_stream.sid = tr2_inherit_sid();
	tr2_stream.sid_room = tr2_inherit_sid_room();
	tr2_stream.depth = tr2_inherit_depth();
	tr2_stream.redact = tr2_session.settings.redact;
	if (!tr2_session_open_targets(TR2_OPEN_FIRST) &&
	    !tr2_session.settings.control) {
		tr2_settings_release(&tr2_session.settings);
		return false;
	}
	tr2_session.forks_go_on =
		options && (options->flags & TRACE2_FORKS_GO_ON);
	if (options && options->version)
		tr2_session.version = strdup(options->version);
	tr2_bind_libc();
	tr2_text_wide_start();
	tr2_clock_start();
	tr2_session_prepare_text();
	return true;
}

/* Give up: there is no memory for the first thread. */
static void abandon_session(void)
{
	unsigned int i;

	tr2_session.state = TR2_SESSION_CLOSED;
	tr2_settings_warn_of_memory(&tr2_session.settings);
	tr2_signal_restore();
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_close(tr2_stream_dest(i));
}

/* Emit version first; only then switch tracing on for other threads, and allow
 * trace2_reopen(). */
static void begin_stream(const char *file, int line)
{
	struct tr2_thread *thread = tr2_thread_get();
	struct tr2_call call = { .thread = thread,
				 .file = file,
				 .line = line,
				 .generation = tr2_stream.generation };

	if (!thread) {
		abandon_session();
		return;
	}
	/* The main thread began with the process. */
	thread->start_ns = tr2_stream.start_ns;
	call.emitter = &thread->emitter;
	call.now_ns = tr2_clock_now_ns();
	tr2_session_emit_version(&call);
	tr2_session.state = TR2_SESSION_ON;
	if (!tr2_barrier_is_alone())
		tr2_awake(&tr2_session.state);
	tr2_parts_open(thread, &tr2_session.settings);
	if (thread->calls_parts)
		tr2_fastpath_disable();
}

/*
 * Begin a session even without a target: a target may come while the process
 * runs.
 */
static void begin_session(const char *file, int line)
{
	if (tr2_stream.opened) {
		tr2_session.state = TR2_SESSION_OPENING;
		begin_stream(file, line);
	} else {
		tr2_session.state = tr2_thread_get() ? TR2_SESSION_PAUSED :
						       TR2_SESSION_CLOSED;
	}
	if (tr2_session.settings.control)
		tr2_control_open();
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
	if (prepare_session(options)) {
		tr2_inherit_publish();
		tr2_parts_begin();
		arrange_for_the_end(options);
		begin_session(file, line);
	}
	tr2_mask_end(&before);
	errno = saved_errno;
}

/* Return a session id while there is no session. Use the kernel's clock: the
 * library's clock has not started. */
const char *tr2_session_id_while_off(void)
{
	static atomic_bool published;
	int saved_errno = errno;
	struct timespec now = { 0, 0 };
	bool ok;

	clock_gettime(CLOCK_REALTIME, &now);
	ok = !getauxval(AT_SECURE) &&
	     tr2_inherit_start((uint64_t)now.tv_sec * 1000000 +
			       (uint64_t)now.tv_nsec / 1000);
	if (ok && !tr2_session_is_started() &&
	    !atomic_exchange(&published, true))
		tr2_inherit_publish_sid();
	errno = saved_errno;
	return ok ? tr2_inherit_sid() : "";
}
