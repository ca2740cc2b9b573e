/* SPDX-License-Identifier: MIT */
/* The hot path of timers and counters. */
#include <errno.h>

#include "base/clock.h"
#include "metric/metric.h"
#include "session/call.h"
#include "trace2.h"

/* The first metric of a thread, or of a forked child. */
static __attribute__((noinline)) struct tr2_slot *slot_slow(void)
{
	struct tr2_slot *slot = NULL;
	struct tr2_thread *thread;
	int saved_errno = errno;

	if (!tr2_lock_is_mine()) {
		thread = tr2_thread_get();
		if (thread && !atomic_exchange(&thread->busy, 1)) {
			slot = tr2_thread_slot(thread);
			atomic_store(&thread->busy, 0);
		}
	}
	errno = saved_errno;
	return slot;
}

static inline struct tr2_slot *my_slot(void)
{
	struct tr2_slot *slot = tr2_my_slot;

	return __builtin_expect(slot != NULL, 1) ? slot : slot_slow();
}

void trace2_counter_add_on_(struct trace2_counter *counter, uint64_t value)
{
	struct tr2_slot *slot = my_slot();

	if (slot && counter && counter->index < TR2_MAX_COUNTERS)
		tr2_counter_cell_add(&slot->counter[counter->index], value);
}

void trace2_timer_start_on_(struct trace2_timer *timer)
{
	struct tr2_slot *slot = my_slot();

	if (slot && timer && timer->index < TR2_MAX_TIMERS)
		tr2_timer_cell_start(&slot->timer[timer->index],
				     tr2_clock_now_ns());
}

static __attribute__((noinline)) void
tell_unpaired_stop(const struct trace2_timer *timer, const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_call_misuse(&call, "trace2: timer '%s' stopped without a start",
			timer->name ? timer->name : "");
	tr2_call_end(&call);
}

void trace2_timer_stop_on_(struct trace2_timer *timer, const char *file,
			   int line)
{
	uint64_t now_ns = tr2_clock_now_ns();
	struct tr2_slot *slot = my_slot();
	unsigned int index = timer ? timer->index : TRACE2_UNREGISTERED_;

	if (slot && index < TR2_MAX_TIMERS &&
	    !tr2_timer_cell_stop(&slot->timer[index], now_ns,
				 tr2_timer_buckets(slot, index)))
		tell_unpaired_stop(timer, file, line);
}
