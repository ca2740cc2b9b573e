/* SPDX-License-Identifier: MIT */
/*
 * The end of the process, or of the library in it: by dlclose() of the library,
 * or of a plugin that contains it. Unloading leaves no memory, descriptor or
 * handler. A process that ends leaves them to the kernel, since other threads
 * may still run.
 *
 * The C library calls destructors without a priority first, then functions of
 * atexit(), then destructors with a priority. At the end of a process, however,
 * the functions of atexit() come first.
 */
#include <elf.h>
#include <link.h>

#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/unwind.h"
#include "metric/metric.h"
#include "session/call.h"
#include "session/session.h"
#include "session/control.h"
#include "session/fork.h"
#include "session/inherit.h"
#include "session/parts.h"
#include "session/thread.h"
#include "site/site.h"
#include "thread/stream.h"

static bool exit_has_begun, is_unloaded;

#if defined(__GLIBC__)
/* The dynamic section of this module; a statically linked program has none. */
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC")
	__attribute__((weak, visibility("hidden")));

bool tr2_session_is_never_unloaded(void)
{
	const ElfW(Dyn) *entry = own_dynamic;

	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG ||
		    (entry->d_tag == DT_FLAGS_1 &&
		     (entry->d_un.d_val & (DF_1_NODELETE | DF_1_PIE))))
			return true;
	return !own_dynamic;
}
#else
bool tr2_session_is_never_unloaded(void)
{
	return false;
}
#endif

void tr2_session_exit(void)
{
	struct tr2_call call;

	exit_has_begun = true;
	tr2_fork_guard_look();
	if (tr2_session.state == TR2_SESSION_FORKED) {
		/* A child without events emits nothing. */
		if (!tr2_arena_is_used() ||
		    !tr2_call_begin(&call, __FILE__, __LINE__))
			return;
		tr2_call_end(&call);
	}
	tr2_session_close();
}

__attribute__((destructor)) static void begin_unload(void)
{
	is_unloaded = !exit_has_begun && !tr2_session_is_never_unloaded();
}

/* Release the data of all threads, including live ones. */
static void release_threads(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_close(tr2_stream_dest(i));
	tr2_lock();
	tr2_parts_release();
	tr2_thread_release_all();
	tr2_arena_release();
	tr2_unlock();
}

static void release_session(void)
{
	release_threads();
	tr2_fork_guard_release();
	tr2_unwind_release();
	tr2_control_release();
	tr2_session_release();
}

__attribute__((destructor(101))) static void unload(void)
{
	if (!is_unloaded)
		return;
	tr2_thread_forget_key();
	if (tr2_session.state != TR2_SESSION_OFF) {
		tr2_session_exit();
		/* Another thread is still in a call, and will return into
		 * unmapped code. Keep at least the data that it uses. */
		if (tr2_thread_wait_idle().busy)
			return;
		release_session();
	}
	tr2_inherit_end();
	tr2_metric_release();
	tr2_site_release();
}
