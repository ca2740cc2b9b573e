/* SPDX-License-Identifier: MIT */
/* The end of a session: its last events, and its targets. */
#include "base/barrier.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/mask.h"
#include "base/raw.h"
#include "config/control_block.h"
#include "metric/metric.h"
#include "session/fastpath.h"
#include "session/parts.h"
#include "session/ring.h"
#include "session/session.h"
#include "session/signal.h"
#include "session/thread.h"
#include "target/wait.h"
#include "thread/stream.h"

/* Report an error of the clock only if it is larger than this: on a busy
 * machine, times in a stream are less exact anyway. */
#define CLOCK_TOLERANCE_NS 1000000u

static void check_clock(struct tr2_call *call)
{
	uint64_t worst_ns = tr2_clock_worst_ns();

	if (worst_ns > CLOCK_TOLERANCE_NS)
		tr2_call_error(call,
			       "trace2: times may be wrong by %llu.%03llu "
			       "seconds: the processor's clock went astray",
			       TR2_SECONDS_3(worst_ns));
}

static void check_ends(struct tr2_call *call)
{
	unsigned int nr = tr2_thread_key.exists ? 0 : tr2_thread_nr_gone();

	if (!nr)
		return;
	atomic_fetch_add(&tr2_stream.lost, nr);
	tr2_call_error(call,
		       "trace2: the ends of %u threads were not noticed: all "
		       "keys for thread-specific data were in use when the "
		       "library was loaded; call trace2_thread_exit()",
		       nr);
}

/* Emit the parts' results, and return the sum of all threads. */
static struct tr2_slot *emit_parts(struct tr2_call *call,
				   const struct tr2_thread *main_thread)
{
	struct tr2_slot *sum;

	check_ends(call);
	tr2_parts_emit_errors(call);
	tr2_parts_emit_thread(call, main_thread);
	sum = tr2_thread_sum(call->now_ns, true);
	tr2_parts_emit_process(call, sum);
	return sum;
}

void tr2_session_flush(struct tr2_call *call)
{
	struct tr2_slot *sum = tr2_thread_sum(call->now_ns, false);

	tr2_parts_emit_so_far(call, sum);
	tr2_thread_free_sum(sum, call->now_ns);
}

/*
 * Write the last events, in main's name. Any thread may call exit(), also in a
 * signal handler that interrupted the library, while other threads run on.
 */
static void write_end(struct tr2_thread *thread, bool interrupted)
{
	struct tr2_thread *main_thread = tr2_thread_main();
	struct tr2_call call = { .thread = thread, .file = __FILE__ };
	struct tr2_thread_nr nr = { 0, 0 };
	unsigned int i;

	main_thread = main_thread ? main_thread : thread;
	tr2_regions_end(&thread->regions, false);
	call.emitter = &main_thread->emitter;
	call.generation = tr2_stream.generation;
	if (!tr2_lock_is_mine())
		nr = tr2_thread_wait_idle();
	/* The events of calls that are still in progress are lost: no event
	 * follows atexit. */
	atomic_fetch_add(&tr2_stream.lost, nr.busy + nr.aside);
	call.now_ns = tr2_clock_now_ns();
	call.line = __LINE__;
	if (!tr2_lock_is_mine()) {
		if (thread->calls_parts)
			tr2_parts_before_call(thread);
		check_clock(&call);
		(void)emit_parts(&call, main_thread);
		tr2_parts_close();
	}
	call.now_ns = tr2_clock_now_ns();
	call.line = __LINE__;
	tr2_dest_expect_last();
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_check_next(tr2_stream_dest(i));
	TR2_EMIT(&call, atexit, .code.i = tr2_session.exit_code,
		 .lost.u = tr2_stream_nr_lost());
	tr2_session_end_ring(TR2_ARENA_EXITED, tr2_session.exit_code,
			     tr2_lock_is_mine());
	for (i = 0; i < TR2_TARGET_NR; i++) {
		if (interrupted || nr.busy)
			tr2_dest_stop(tr2_stream_dest(i));
		else if (i == TR2_TARGET_ring)
			tr2_dest_close(tr2_stream_dest(i));
		else
			tr2_dest_close_after_line(tr2_stream_dest(i));
	}
}

/* Return whether the end of the session is quick, because no target writes. If
 * so, signals are blocked once for the whole end, not each time that the lock
 * is taken. */
static bool is_quick(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if (i != TR2_TARGET_ring && tr2_dest_is_on(tr2_stream_dest(i)))
			return false;
	return !tr2_stream.sink;
}

void tr2_session_close(void)
{
	int expected, saved_errno = errno, cancel_state;
	struct tr2_thread *thread;
	bool interrupted, quick = is_quick();
	struct tr2_mask before;
	uintptr_t inside;

	do {
		tr2_session_await_pause();
		expected = TR2_SESSION_ON;
	} while (!atomic_compare_exchange_strong(&tr2_session.state, &expected,
						 TR2_SESSION_CLOSED) &&
		 expected == TR2_SESSION_PAUSING);
	if (expected != TR2_SESSION_ON) {
		errno = saved_errno;
		return;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	if (quick)
		tr2_mask_begin(&before);
	__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_SEQ_CST);
	tr2_fastpath_disable();
	/* From here on, this thread sees each thread that is in a call or
	 * writes to its ring; all other threads see that tracing is off. */
	tr2_barrier();
	tr2_signal_restore();
	interrupted = tr2_lock_is_mine();
	thread = interrupted ? tr2_self : tr2_thread_get();
	if (thread) {
		inside = atomic_exchange(&thread->busy, 1);
		thread->in_sink = inside && inside == thread->in_sink ?
					  TR2_EXIT_IN_SINK :
					  0;
		interrupted |= inside != 0;
		if (interrupted) {
			tr2_dest_set_urgent();
			/* The interrupted call will not continue. */
			tr2_stream_lost();
		}
		tr2_session_give_up_record();
		write_end(thread, interrupted);
		atomic_store(&thread->busy, 0);
	}
	if (quick)
		tr2_mask_end(&before);
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
}

static void write_pause(struct tr2_thread *main_thread)
{
	struct tr2_call call = { .thread = tr2_self,
				 .emitter = &main_thread->emitter,
				 .file = __FILE__,
				 .line = __LINE__,
				 .generation = tr2_stream.generation,
				 .now_ns = tr2_clock_now_ns() };
	unsigned int i;

	tr2_thread_free_sum(emit_parts(&call, main_thread), call.now_ns);
	call.now_ns = tr2_clock_now_ns();
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_check_next(tr2_stream_dest(i));
	TR2_EMIT(&call, atexit, .code.i = 0, .lost.u = tr2_stream_nr_lost());
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_close_after_line(tr2_stream_dest(i));
}

int tr2_session_pause(void)
{
	int expected = TR2_SESSION_ON;

	if (!atomic_compare_exchange_strong(&tr2_session.state, &expected,
					    TR2_SESSION_PAUSING))
		return -EBUSY;
	__atomic_store_n(&trace2_enabled_, TR2_ENABLED_LOOK, __ATOMIC_SEQ_CST);
	/* From here on, this thread sees each thread that is in a call; all
	 * other threads see that they have to wait. */
	tr2_barrier();
	if (tr2_thread_wait_idle().busy) {
		tr2_session.state = TR2_SESSION_ON;
		tr2_awake(&tr2_session.state);
		return -EBUSY;
	}
	tr2_session.state = TR2_SESSION_CHANGING;
	__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[0],
			 __ATOMIC_SEQ_CST);
	tr2_awake(&tr2_session.state);
	tr2_barrier(); /* order inline metrics, too, after the change of
			* trace2_enabled_ */
	write_pause(tr2_thread_main());
	return 0;
}
