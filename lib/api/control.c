/* SPDX-License-Identifier: MIT */
/* Calls for programs that run for long: see trace2_control.h. */
#include "base/mask.h"
#include "session/call.h"
#include "session/session.h"
#include "session/targets.h"
#include "trace2.h"

/* 1 + the generation of the process in which a thread reopens targets, or
 * flushes; 0: no thread does. A forked child has another generation. */
static atomic_uint reopening, flushing;
static atomic_bool reopen_again;

static bool begin_alone(atomic_uint *by, unsigned int process)
{
	unsigned int now = atomic_load(by);

	return now != process &&
	       atomic_compare_exchange_strong(by, &now, process);
}

static int reopen_session(struct tr2_call *call, unsigned int process)
{
	int failed = 0;

	do {
		if (!begin_alone(&reopening, process))
			break; /* the thread that reopens checks reopen_again
				* afterwards */
		while (atomic_exchange(&reopen_again, false))
			failed = tr2_session_reopen_targets(call);
		atomic_store(&reopening, 0);
	} while (atomic_load(&reopen_again));
	return failed;
}

/* Reopen also if all targets have failed, and tracing is therefore off. */
int trace2_reopen_fl(const char *file, int line)
{
	struct tr2_call call;
	struct tr2_mask before;
	int failed = 0;

	tr2_session_await_pause();
	if (tr2_session.state != TR2_SESSION_ON)
		return 0;
	/* Block signals: a handler that jumps out would leave a half-opened
	 * file. */
	tr2_mask_begin(&before);
	tr2_session_revive();
	if (tr2_call_begin(&call, file, line)) {
		atomic_store(&reopen_again, true);
		failed = reopen_session(&call, call.generation + 1);
		/*
		 * Look for a request of `trace2 set` before the call ends: the
		 * command waits for the end of the call before it continues.
		 */
		tr2_session_recheck();
		tr2_call_end(&call);
	}
	tr2_mask_end(&before);
	return failed;
}

void trace2_flush_fl(const char *file, int line)
{
	struct tr2_call call;
	struct tr2_mask before;

	if (!trace2_is_enabled())
		return;
	/* Block signals: if a handler jumped out, no thread could ever flush
	 * again. */
	tr2_mask_begin(&before);
	if (tr2_call_begin(&call, file, line)) {
		if (begin_alone(&flushing, call.generation + 1)) {
			tr2_session_flush(&call);
			atomic_store(&flushing, 0);
		}
		tr2_call_end(&call);
	}
	tr2_mask_end(&before);
}
