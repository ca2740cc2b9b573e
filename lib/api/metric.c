/* SPDX-License-Identifier: MIT */
/* The hot path of timers and counters. */
#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/unwind.h"
#include "metric/metric.h"
#include "pmu/pmu.h"
#include "session/call.h"
#include "session/early.h"
#include "session/thread_life.h"
#include "thread/enter.h"
#include "thread/lock.h"
#include "thread/stream.h"
#include "trace2.h"

/* A forked child's cells lie in its own ring's file: open that first. */
static void open_file_of_child(void)
{
	struct tr2_call call;

	if (tr2_session.state == TR2_SESSION_FORKED &&
	    tr2_session.settings.destination[TR2_TARGET_ring] &&
	    tr2_call_begin(&call, __FILE__, __LINE__))
		tr2_call_end(&call);
}

/* Get the slot at the first metric of a thread, or of a forked child. */
static __attribute__((noinline)) struct tr2_slot *slot_slow(void)
{
	struct tr2_slot *slot = NULL;
	struct tr2_thread *thread;
	struct tr2_inside inside;
	int saved_errno = errno;

	if (!tr2_session_is_started()) {
		tr2_early_note(NULL, 0);
		return NULL;
	}
	open_file_of_child();
	if (!tr2_lock_is_mine()) {
		thread = tr2_thread_get();
		if (thread)
			thread = tr2_thread_enter(thread, &inside);
		if (thread) {
			slot = tr2_thread_slot(thread);
			tr2_thread_leave(thread, &inside);
		}
	}
	if (!slot)
		tr2_stream_lost();
	errno = saved_errno;
	return slot;
}

static inline struct tr2_slot *my_slot(void)
{
	struct tr2_slot *slot = tr2_my_slot;

	return likely(slot != NULL) ? slot : slot_slow();
}

/*
 * Functions on the way to an overflow lie in one section, which distinguishes
 * the library's own calls from the program's.
 */
#define CODE __attribute__((section("tr2_metric_code")))
/* The linker defines its ends. */
extern const char code_begin[] __asm__("__start_tr2_metric_code")
	__attribute__((visibility("hidden")));
extern const char code_end[] __asm__("__stop_tr2_metric_code")
	__attribute__((visibility("hidden")));

/*
 * Unwinding, and recording newly loaded code, take some 6 KB of stack: more
 * than a host may have given its signal handlers.
 */
#define ROOM_BYTES 16384

static bool has_room(void)
{
	const char *here = __builtin_frame_address(0);
	stack_t stack;

	if (sigaltstack(NULL, &stack))
		return false;
	return !(stack.ss_flags & SS_ONSTACK) ||
	       here - (const char *)stack.ss_sp >= ROOM_BYTES;
}

/* An overflow that cannot be handled now, since a handler interrupted the
 * holder of the lock or has too small a stack, is handled at the next count. */
static CODE __attribute__((noinline)) void
overflow(const struct tr2_slot *slot, enum tr2_metric_kind kind,
	 unsigned int index)
{
	static const struct tr2_code own = { code_begin, code_end };
	struct tr2_callchain chain;
	int saved_errno = errno;

	if (tr2_lock_is_mine())
		return;
	if (!has_room()) {
		errno = saved_errno;
		return;
	}
	/* Before the lock: it is slow, and needs no lock. */
	tr2_unwind(&chain, &own);
	tr2_lock();
	tr2_perf_overflow(slot, kind, index, &chain);
	tr2_unlock();
	errno = saved_errno;
}

/* A sampled metric has a marked index. */
static CODE __attribute__((noinline)) void
add_sampled(struct tr2_slot *slot, unsigned int index, uint64_t value)
{
	uint64_t *cell;

	if (!tr2_metric_is_sampled(index, TR2_MAX_COUNTERS))
		return;
	index &= ~TR2_METRIC_SAMPLED;
	cell = &slot->counter[index];
	tr2_counter_cell_add(cell, value);
	if (unlikely(__atomic_load_n(cell, __ATOMIC_RELAXED) >=
		     tr2_limit(TR2_METRIC_COUNTER, index)))
		overflow(slot, TR2_METRIC_COUNTER, index);
}

static inline CODE void
add(struct tr2_slot *slot, const struct trace2_counter *counter, uint64_t value)
{
	unsigned int index;

	if (!counter)
		return;
	index = __atomic_load_n(&counter->index, __ATOMIC_RELAXED);
	if (likely(index < TR2_MAX_COUNTERS))
		tr2_counter_cell_add(&slot->counter[index], value);
	else
		add_sampled(slot, index, value);
}

static CODE __attribute__((noinline)) void
add_slow(const struct trace2_counter *counter, uint64_t value)
{
	struct tr2_slot *slot = slot_slow();

	if (slot)
		add(slot, counter, value);
}

/* The slow path is a tail call: no register has to be saved for it. */
CODE void trace2_counter_add_on_(struct trace2_counter *counter, uint64_t value)
{
	struct tr2_slot *slot = tr2_my_slot;

	if (likely(slot != NULL))
		add(slot, counter, value);
	else
		add_slow(counter, value);
}

static inline void start_timer(struct tr2_slot *slot, unsigned int index)
{
	if (tr2_timer_cell_start(&slot->timer[index], tr2_clock_now_ns()) !=
	    TR2_CELL_DONE)
		tr2_stream_lost();
}

static __attribute__((noinline)) void start_sampled(struct tr2_slot *slot,
						    unsigned int index)
{
	if (tr2_metric_is_sampled(index, TR2_MAX_TIMERS))
		start_timer(slot, index & ~TR2_METRIC_SAMPLED);
}

void trace2_timer_start_on_(struct trace2_timer *timer)
{
	struct tr2_slot *slot = my_slot();
	unsigned int index;

	if (!slot || !timer)
		return;
	index = __atomic_load_n(&timer->index, __ATOMIC_RELAXED);
	if (likely(index < TR2_MAX_TIMERS))
		start_timer(slot, index);
	else
		start_sampled(slot, index);
}

static __attribute__((noinline)) void
stop_slow(const struct trace2_timer *timer, struct tr2_timer_cell *cell,
	  const char *file, int line)
{
	struct tr2_call call;

	/* It may have been started before a fork, in the parent. */
	if (tr2_self && tr2_self->crossed_fork)
		return;
	tr2_timer_cell_unpaired(cell);
	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_report_once(&call, "trace2: timer '%s' stopped without a start",
			timer->name ? timer->name : "");
	tr2_call_end(&call);
}

/* State of the thread for one stop, as its caller found it. */
struct stop {
	const struct trace2_timer *timer;
	struct tr2_slot *slot;
	uint64_t now_ns;
	const char *file;
	int line;
};

static inline void stop(const struct stop *s, unsigned int index)
{
	struct tr2_timer_cell *cell = &s->slot->timer[index];
	enum tr2_cell_result result =
		tr2_timer_cell_stop(cell, s->now_ns,
				    tr2_timer_buckets(s->slot, index));

	if (result == TR2_CELL_UNPAIRED)
		stop_slow(s->timer, cell, s->file, s->line);
	else if (result == TR2_CELL_BUSY)
		tr2_stream_lost();
}

static CODE __attribute__((noinline)) void
stop_sampled(const struct stop *s, unsigned int index)
{
	if (!tr2_metric_is_sampled(index, TR2_MAX_TIMERS))
		return;
	index &= ~TR2_METRIC_SAMPLED;
	stop(s, index);
	if (unlikely(__atomic_load_n(&s->slot->timer[index].total_ns,
				     __ATOMIC_RELAXED) >=
		     tr2_limit(TR2_METRIC_TIMER, index)))
		overflow(s->slot, TR2_METRIC_TIMER, index);
}

CODE void trace2_timer_stop_on_(struct trace2_timer *timer, const char *file,
			   int line)
{
	struct stop s = { timer, NULL, tr2_clock_now_ns(), file, line };
	unsigned int index;

	s.slot = my_slot();
	if (!s.slot || !timer)
		return;
	index = __atomic_load_n(&timer->index, __ATOMIC_RELAXED);
	if (likely(index < TR2_MAX_TIMERS))
		stop(&s, index);
	else
		stop_sampled(&s, index);
}
