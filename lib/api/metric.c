/* SPDX-License-Identifier: MIT */
/* The hot path of timers, distributions and counters. */
#include <errno.h>
#include <signal.h>

#include "api/metric.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/macros.h"
#include "base/unwind.h"
#include "metric/metric.h"
#include "pmu/pmu.h"
#include "session/call.h"
#include "part/call_before_init.h"
#include "session/thread.h"
#include "thread/enter.h"
#include "thread/stream.h"
#include "trace2.h"

bool tr2_metric_file_is_open(void)
{
	struct tr2_call call;

	tr2_fork_guard_look();
	if (tr2_session.state != TR2_SESSION_FORKED ||
	    !tr2_session.settings.destination[TR2_TARGET_ring])
		return true;
	if (!tr2_call_begin(&call, __FILE__, __LINE__))
		return false;
	tr2_call_end(&call);
	return true;
}

/* Get a thread's slot at the thread's first metric, and again in a forked
 * child. */
static __attribute__((noinline)) struct tr2_slot *slot_slow(void)
{
	struct tr2_slot *slot = NULL;
	struct tr2_thread *thread;
	struct tr2_call_mark inside;
	int saved_errno = errno;

	if (!tr2_session_is_started()) {
		tr2_early_note(NULL, 0);
		return NULL;
	}
	tr2_metric_file_is_open();
	if (tr2_my_slot && tr2_self && tr2_self->owner.slot == tr2_my_slot) {
		slot = tr2_my_slot;
	} else if (!tr2_lock_is_mine()) {
		thread = tr2_thread_get();
		if (thread)
			thread = tr2_thread_enter(tr2_own_at(), &inside);
		if (thread) {
			slot = tr2_thread_slot(thread);
			tr2_thread_leave(thread, &inside);
		}
	}
	if (!slot)
		tr2_thread_count_lost(tr2_self);
	errno = saved_errno;
	return slot;
}

static inline struct tr2_slot *my_slot(void)
{
	struct tr2_slot *slot = tr2_my_slot;

	/* In a forked child, `slot` may still be the parent's. */
	return likely(slot != NULL) && likely(tr2_fork_guard_is_set()) ?
		       slot :
		       slot_slow();
}

/*
 * CODE puts a function into a section. All functions between the program and an
 * overflow lie there, so that the unwinder can skip the library's own frames.
 */
#define CODE __attribute__((section("tr2_metric_code")))
/* The linker defines both ends of the section. */
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
	stack_t stack;
	/* Take the address of a variable. With __builtin_frame_address() the
	 * caller would get a frame pointer, and the unwinder could not unwind
	 * its stack: see base/tls.h. */
	const char *here = (const char *)&stack;

	if (sigaltstack(NULL, &stack))
		return false;
	return !(stack.ss_flags & SS_ONSTACK) ||
	       here - (const char *)stack.ss_sp >= ROOM_BYTES;
}

/* Handle an overflow. If a handler interrupted the holder of the lock or has
 * too small a stack, leave the overflow to the next count. */
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
	/* Unwind before taking the lock: it is slow, and needs no lock. */
	tr2_unwind(&chain, &own);
	tr2_lock();
	tr2_perf_overflow(slot, kind, index, &chain);
	tr2_unlock();
	errno = saved_errno;
}

/* Add to a counter whose index is marked TR2_METRIC_SAMPLED, and take a sample
 * if the counter has reached its limit. Ignore any other index. */
static CODE __attribute__((noinline)) void
add_sampled(struct tr2_slot *slot, unsigned int index, uint64_t value)
{
	uint64_t *cell;

	if (!tr2_metric_is_sampled(index, TR2_MAX_COUNTERS))
		return;
	index &= ~TR2_METRIC_MARKS;
	cell = &slot->counter[index];
	tr2_counter_cell_add(cell, value);
	if (unlikely(__atomic_load_n(cell, __ATOMIC_RELAXED) >=
		     tr2_limit(TR2_METRIC_COUNTER, index)))
		overflow(slot, TR2_METRIC_COUNTER, index);
}

static inline CODE void add_to_cell(struct tr2_slot *slot,
				    const struct trace2_counter *counter,
				    uint64_t value)
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
		add_to_cell(slot, counter, value);
}

/* The slow path is a tail call: no register has to be saved for it. */
CODE void trace2_counter_add_on_(struct trace2_counter *counter, uint64_t value)
{
	struct tr2_slot *slot = tr2_my_slot;

	if (likely(slot != NULL) && likely(tr2_fork_guard_is_set()))
		add_to_cell(slot, counter, value);
	else
		add_slow(counter, value);
}

/* Read the index of a timer or distribution at `from`. Return false if the
 * definition is not registered. */
static inline bool find_cell(const unsigned int *from, unsigned int *index)
{
	*index = __atomic_load_n(from, __ATOMIC_RELAXED) & ~TR2_METRIC_MARKS;
	return *index < TR2_MAX_TIMERS;
}

/* Start a timer by the kernel's clock. Timers start inline again only when the
 * clock has a scale. */
static void start_by_ns(struct tr2_timer_cell *cell, uint64_t now_ns)
{
	tr2_mine.timers = NULL;
	if (tr2_timer_cell_start(cell, now_ns, TR2_NEST_NS) != TR2_CELL_DONE)
		tr2_stream_lost();
}

static void start_by_ticks(struct tr2_timer_cell *cell, uint64_t ticks)
{
	if (tr2_timer_cell_start(cell, ticks, 0) != TR2_CELL_DONE)
		tr2_stream_lost();
}

/* Start a timer, and open the inline path: the thread has not started a timer
 * yet, or its scale of the clock has ended. */
static __attribute__((noinline)) void start_slow(struct tr2_slot *slot,
						 struct tr2_timer_cell *cell)
{
	uint64_t now_ns = tr2_clock_now_ns();
	struct tr2_ticks ticks;

	if (!tr2_clock_ticks_now(&ticks)) {
		start_by_ns(cell, now_ns);
		return;
	}
	tr2_timer_set_clock(slot, &ticks.line);
	tr2_mine.rate = ticks.line.rate;
	tr2_mine.until = ticks.until;
	tr2_mine.timers = (struct trace2_timer_cell_ *)(void *)slot->timer;
	start_by_ticks(cell, ticks.now);
}

void trace2_timer_start_on_(struct trace2_timer *timer)
{
	struct tr2_slot *slot = my_slot();
	unsigned int index;
	uint64_t ticks;

	if (!slot || !timer || !find_cell(&timer->index, &index))
		return;
	if (likely(tr2_mine.timers != NULL)) {
		ticks = tr2_clock_ticks();
		if (likely(ticks <= tr2_mine.until)) {
			start_by_ticks(&slot->timer[index], ticks);
			return;
		}
	}
	start_slow(slot, &slot->timer[index]);
}

static __attribute__((noinline)) void
stop_slow(const struct trace2_timer *timer, struct tr2_timer_cell *cell,
	  const char *file, int line)
{
	struct tr2_call call;

	/* The timer may have been started before a fork, in the parent. */
	if (tr2_self && tr2_self->crossed_fork)
		return;
	tr2_timer_cell_unpaired(cell);
	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_report_once(&call,
			"trace2: timer '%s' stopped without a start",
			timer->name ? timer->name : "");
	tr2_call_end(&call);
}

static inline void stop_timer(const struct trace2_timer *timer,
			      struct tr2_slot *slot, unsigned int index,
			      const char *file, int line)
{
	struct tr2_timer_cell *cell = &slot->timer[index];
	enum tr2_cell_result result =
		tr2_timer_cell_stop(cell, tr2_timer_cell_elapsed(cell),
				    tr2_timer_buckets(slot, index));

	if (result == TR2_CELL_UNPAIRED)
		stop_slow(timer, cell, file, line);
	else if (result == TR2_CELL_BUSY)
		tr2_stream_lost();
}

/* Take a sample if the timer has reached its limit. The function is inline: all
 * functions between the program and overflow() must lie in the section of
 * CODE. */
static inline CODE __attribute__((always_inline)) void
check_limit(const struct trace2_timer *timer, const struct tr2_slot *slot,
	    unsigned int index)
{
	if (unlikely(tr2_metric_is_sampled(
		    __atomic_load_n(&timer->index, __ATOMIC_RELAXED),
		    TR2_MAX_TIMERS)) &&
	    unlikely(__atomic_load_n(&slot->timer[index].total_ns,
				     __ATOMIC_RELAXED) >=
		     tr2_limit(TR2_METRIC_TIMER, index)))
		overflow(slot, TR2_METRIC_TIMER, index);
}

CODE void trace2_timer_stop_on_(struct trace2_timer *timer, const char *file,
			   int line)
{
	struct tr2_slot *slot = my_slot();
	unsigned int index;

	if (!slot || !timer || !find_cell(&timer->index, &index))
		return;
	stop_timer(timer, slot, index, file, line);
	check_limit(timer, slot, index);
}

static __attribute__((noinline)) void
report_negative(const char *kind, const char *name, const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_report_once(&call, "trace2: %s '%s' got a negative value",
			     kind, name ? name : "");
	tr2_call_end(&call);
}

static inline void add_value(struct tr2_slot *slot, unsigned int index,
			     uint64_t value)
{
	if (tr2_timer_cell_add(&slot->timer[index], value,
			       tr2_timer_buckets(slot, index)) != TR2_CELL_DONE)
		tr2_stream_lost();
}

CODE void trace2_timer_add_on_(struct trace2_timer *timer, uint64_t ns,
			       const char *file, int line)
{
	struct tr2_slot *slot = my_slot();
	unsigned int index;

	if (!slot || !timer || !find_cell(&timer->index, &index))
		return;
	if (unlikely(ns > INT64_MAX)) {
		report_negative("timer", timer->name, file, line);
		return;
	}
	add_value(slot, index, ns);
	check_limit(timer, slot, index);
}

void trace2_distribution_add_on_(struct trace2_distribution *distribution,
				 uint64_t value, const char *file, int line)
{
	struct tr2_slot *slot = my_slot();
	unsigned int index;

	if (!slot || !distribution || !find_cell(&distribution->index, &index))
		return;
	if (unlikely(value > INT64_MAX)) {
		report_negative("distribution", distribution->name, file, line);
		return;
	}
	add_value(slot, index, value);
}
