/* SPDX-License-Identifier: MIT */
/* The end of a session. */
#include <errno.h>
#include <pthread.h>

#include "base/clock.h"
#include "metric/metric.h"
#include "session/call.h"
#include "session/counters.h"
#include "session/early.h"
#include "session/metrics.h"
#include "session/quick.h"
#include "session/ring.h"
#include "session/sample.h"
#include "session/signal.h"

/* More than times in a stream are apart anyhow when a machine is busy. */
#define CLOCK_TOLERANCE_NS 1000000u

static void check_clock(struct tr2_call *call)
{
	uint64_t worst_ns = tr2_clock_worst_ns();

	if (worst_ns > CLOCK_TOLERANCE_NS)
		tr2_call_error(call,
			       "trace2: times may be wrong by %.3f seconds: "
			       "the processor's clock went astray",
			       (double)worst_ns / 1e9);
}

/* What the program defined and the slots have no room for. */
static void tell_refused(struct tr2_call *call)
{
	unsigned int nr = tr2_metric_nr_refused();

	if (nr)
		tr2_call_error(call,
			       "trace2: %u timers or counters do not count: "
			       "more than %u or %u are defined%s",
			       nr, TR2_MAX_TIMERS, TR2_MAX_COUNTERS,
			       tr2_arena_header() ?
				       ", or the disk of the ring was full" :
				       "");
	nr = tr2_metric_nr_without_histogram();
	if (nr)
		tr2_call_error(call,
			       "trace2: %u timers have no histogram: more than "
			       "%u are to have one",
			       nr, TR2_MAX_HISTOGRAMS);
}

static void tell_ambiguous(struct tr2_call *call, enum tr2_metric_kind kind)
{
	unsigned int i, nr = tr2_metric_nr(kind);
	const struct tr2_metric_def *def;

	for (i = 0; i < nr; i++) {
		def = tr2_metric_def(kind, i);
		if (def->is_ambiguous)
			tr2_call_error(call,
				       "trace2: %s '%s/%s' is defined again "
				       "with other flags: the first ones count",
				       kind == TR2_METRIC_TIMER ? "timer" :
								  "counter",
				       def->category, def->name);
	}
}

static void emit_metrics(struct tr2_call *call, struct tr2_thread *main_thread)
{
	struct tr2_slot *sum = tr2_thread_sum(call->now_ns);

	tell_refused(call);
	tell_ambiguous(call, TR2_METRIC_TIMER);
	tell_ambiguous(call, TR2_METRIC_COUNTER);
	if (!sum)
		tr2_call_lost();
	tr2_metrics_emit(call, main_thread->owner.slot, true);
	tr2_counters_emit_thread(call, main_thread);
	tr2_metrics_emit(call, sum, false);
	tr2_samples_keep_errors();
	tr2_counters_emit(call);
	tr2_thread_close_counters();
	tr2_lock();
	tr2_arena_free(sum);
	tr2_unlock();
}

/*
 * exit() may be called by any thread, in a signal handler that interrupted the
 * library, while other threads run on. The last events are in main's name.
 */
static void write_end(struct tr2_thread *thread, bool interrupted)
{
	struct tr2_thread *main_thread = tr2_thread_main();
	struct tr2_call call = { .thread = thread, .file = __FILE__ };
	unsigned int i, nr_busy = 0, nr_aside = 0;

	main_thread = main_thread ? main_thread : thread;
	tr2_regions_end(&thread->regions, false);
	call.who = &main_thread->who;
	call.generation = tr2_session.generation;
	if (!tr2_lock_is_mine()) {
		nr_busy = tr2_thread_wait_idle();
		nr_aside = tr2_thread_nr_aside();
	}
	/* Those events come to nothing: after atexit there are none. */
	atomic_fetch_add(&tr2_session.lost, nr_busy + nr_aside);
	call.now_ns = tr2_clock_now_ns();
	call.line = __LINE__;
	if (!tr2_lock_is_mine()) {
		tr2_early_tell(&call);
		check_clock(&call);
		emit_metrics(&call, main_thread);
	}
	call.now_ns = tr2_clock_now_ns();
	call.line = __LINE__;
	TR2_EMIT(&call, atexit, .code.i = tr2_session.exit_code);
	tr2_session_end_ring(TR2_ARENA_EXITED, tr2_session.exit_code,
			     tr2_lock_is_mine());
	for (i = 0; i < TR2_TARGET_NR; i++) {
		tr2_dest_stop(&tr2_session.target[i].dest);
		if (!interrupted && !nr_busy)
			tr2_dest_close(&tr2_session.target[i].dest);
	}
}

void tr2_session_close(void)
{
	int expected = TR2_SESSION_ON, saved_errno = errno, cancel_state;
	struct tr2_thread *thread;
	bool interrupted;

	if (!atomic_compare_exchange_strong(&tr2_session.state, &expected,
					    TR2_SESSION_CLOSED))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_SEQ_CST);
	tr2_quick_stop();
	tr2_signal_restore();
	interrupted = tr2_lock_is_mine();
	thread = interrupted ? tr2_self : tr2_thread_get();
	if (thread) {
		interrupted |= atomic_exchange(&thread->busy, 1) != 0;
		if (interrupted) {
			tr2_dest_set_urgent();
			/* What it was at does not go on. */
			tr2_call_lost();
		}
		tr2_session_give_up_record();
		write_end(thread, interrupted);
		atomic_store(&thread->busy, 0);
	}
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}
