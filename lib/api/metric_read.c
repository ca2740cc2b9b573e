/* SPDX-License-Identifier: MIT */
/* Read metrics back: the sums over all threads. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "metric/metric.h"
#include "session/session.h"
#include "trace2.h"

struct reading {
	unsigned int index;
	uint64_t now_ns;
	struct trace2_metric_value *value;
};

static void add_counter(const struct tr2_slot *slot, void *cookie)
{
	struct reading *r = cookie;

	r->value->count += tr2_counter_read(slot, r->index);
}

static void add_timer(const struct tr2_slot *slot, void *cookie)
{
	struct reading *r = cookie;
	struct trace2_metric_value *v = r->value;
	struct tr2_timer_sum sum;

	tr2_timer_read(slot, r->index, r->now_ns, &sum);
	if (sum.count) {
		if (!v->count || (int64_t)sum.min_ns < v->min)
			v->min = (int64_t)sum.min_ns;
		if (!v->count || (int64_t)sum.max_ns > v->max)
			v->max = (int64_t)sum.max_ns;
	}
	v->count += sum.count;
	v->sum = tr2_clock_sum(v->sum, sum.total_ns);
	v->unfinished += sum.unfinished;
}

/* Read a sum. from: a definition's index; NULL: no definition. */
static int read_sum(void (*add)(const struct tr2_slot *slot, void *cookie),
		    const unsigned int *from, unsigned int max,
		    struct trace2_metric_value *value)
{
	struct reading r = { .value = value };
	int saved_errno = errno;

	trace2_no_value_(value);
	if (!from || !value || !tr2_session_is_started() || tr2_lock_is_mine())
		return 0;
	r.index = __atomic_load_n(from, __ATOMIC_RELAXED) & ~TR2_METRIC_MARKS;
	if (r.index >= max)
		return 0;
	tr2_lock();
	r.now_ns = tr2_clock_now_ns();
	if (tr2_arena_is_used())
		add(tr2_arena_totals(), &r);
	tr2_arena_each(add, &r);
	tr2_unlock();
	errno = saved_errno;
	return 1;
}

#define READ(kind, add, max)                                              \
	int trace2_##kind##_read_on_(const struct trace2_##kind *kind,    \
				     struct trace2_metric_value *value)   \
	{                                                                 \
		return read_sum(add, kind ? &kind->index : NULL, max,     \
				value);                                   \
	}
#define READ_TIMER(kind) READ(kind, add_timer, TR2_MAX_TIMERS)
#define READ_COUNTER(kind) READ(kind, add_counter, TR2_MAX_COUNTERS)
#define READ_GAUGE(kind)
#define TR2_METRIC_KIND(KIND, kind, number, CELL, ...) READ_##CELL(kind)
#include "arena/kinds.def"

int trace2_gauge_read_on_(const struct trace2_gauge *gauge,
			  struct trace2_metric_value *value)
{
	const struct tr2_gauge_cell *cell;
	unsigned int index;
	uint64_t high, low;

	tr2_fork_guard_look();
	cell = __atomic_load_n(&tr2_gauges, __ATOMIC_RELAXED);
	trace2_no_value_(value);
	if (!gauge || !value || !cell)
		return 0;
	index = __atomic_load_n(&gauge->index, __ATOMIC_RELAXED);
	if (index >= TR2_MAX_GAUGES)
		return 0;
	cell += index;
	high = __atomic_load_n(&cell->high, __ATOMIC_RELAXED);
	low = __atomic_load_n(&cell->low, __ATOMIC_RELAXED);
	if (!high && !low)
		return 0;
	value->last = __atomic_load_n(&cell->last, __ATOMIC_RELAXED);
	value->min = tr2_gauge_value(~low);
	value->max = tr2_gauge_value(high);
	return 1;
}
