/* SPDX-License-Identifier: MIT */
/*
 * The library is unloaded: by dlclose() of itself, or of a plugin that it was
 * linked into. It leaves no memory, no descriptor and no handler. A process that
 * ends leaves all of that to the kernel, since other threads may still run.
 *
 * The C library calls destructors without a number first, then what was
 * registered with atexit(), then those with a number; but at the end of a
 * process what was registered with atexit() comes first.
 */
#include <stdlib.h>

#include "base/unwind.h"
#include "metric/metric.h"
#include "pmu/pmu.h"
#include "session/counters.h"
#include "session/inherit.h"
#include "session/sample.h"
#include "session/session.h"

/* Here, so that whoever links the archive has this file, too. */
bool tr2_session_exit_has_begun;
static bool is_unloaded;

__attribute__((destructor)) static void begin_unload(void)
{
	is_unloaded = !tr2_session_exit_has_begun;
}

static void release_argv(void)
{
	char **word;

	for (word = tr2_session.argv; word && *word; word++)
		free(*word);
	free(tr2_session.argv);
	tr2_session.argv = NULL;
}

/* What threads have, those that live on included. */
static void release_threads(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_close(&tr2_session.target[i].dest);
	tr2_lock();
	tr2_samples_release();
	tr2_thread_release_all();
	tr2_counters_release();
	tr2_pmu_release();
	tr2_arena_release();
	tr2_unlock();
}

static void release_session(void)
{
	release_threads();
	tr2_session_release_guard();
	tr2_unwind_release();
	tr2_settings_release(&tr2_session.settings);
	tr2_inherit_end();
	free(tr2_session.version);
	tr2_session.version = NULL;
	release_argv();
}

__attribute__((destructor(101))) static void unload(void)
{
	if (!is_unloaded)
		return;
	tr2_thread_forget_key();
	if (tr2_session.state != TR2_SESSION_OFF) {
		tr2_session_exit();
		/* It is about to be in code that is gone. What it uses stays,
		 * at least. */
		if (tr2_thread_wait_idle())
			return;
		release_session();
	}
	tr2_metric_release();
}
