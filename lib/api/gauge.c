/* SPDX-License-Identifier: MIT */
/* Gauges: cells of the process, which all threads change. */
#include <errno.h>

#include "api/metric.h"
#include "base/macros.h"
#include "metric/metric.h"
#include "part/call_before_init.h"
#include "session/session.h"
#include "thread/stream.h"
#include "trace2.h"

/* Find the gauges at their first use in the process, or in a forked child. */
static __attribute__((noinline)) struct tr2_gauge_cell *find_gauges(void)
{
	struct tr2_gauge_cell *gauges = NULL;
	int saved_errno = errno;

	if (!tr2_session_is_started())
		tr2_early_note(NULL, 0);
	else if (tr2_metric_file_is_open())
		gauges = tr2_arena_gauges();
	else
		tr2_stream_lost();
	errno = saved_errno;
	return gauges;
}

static inline struct tr2_gauge_cell *find_cell(const struct trace2_gauge *gauge)
{
	struct tr2_gauge_cell *gauges =
		__atomic_load_n(&tr2_gauges, __ATOMIC_RELAXED);
	unsigned int index;

	/* In a forked child, `gauges` may still point to the parent's
	 * gauges. */
	if (unlikely(!gauges) || unlikely(tr2_fork_guard_is_cleared()))
		gauges = find_gauges();
	if (!gauges || !gauge)
		return NULL;
	index = __atomic_load_n(&gauge->index, __ATOMIC_RELAXED);
	return likely(index < TR2_MAX_GAUGES) ? &gauges[index] : NULL;
}

static __attribute__((noinline)) void raise_bound(uint64_t *bound,
						  uint64_t code)
{
	uint64_t seen = __atomic_load_n(bound, __ATOMIC_RELAXED);

	while (seen < code &&
	       !__atomic_compare_exchange_n(bound, &seen, code, true,
					    __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static inline void note_value(struct tr2_gauge_cell *cell, int64_t value)
{
	uint64_t code = tr2_gauge_code(value);

	if (unlikely(code > __atomic_load_n(&cell->high, __ATOMIC_RELAXED)))
		raise_bound(&cell->high, code);
	if (unlikely(~code > __atomic_load_n(&cell->low, __ATOMIC_RELAXED)))
		raise_bound(&cell->low, ~code);
}

void trace2_gauge_set_on_(struct trace2_gauge *gauge, int64_t value)
{
	struct tr2_gauge_cell *cell = find_cell(gauge);

	if (!cell)
		return;
	__atomic_store_n(&cell->last, value, __ATOMIC_RELAXED);
	note_value(cell, value);
}

void trace2_gauge_add_on_(struct trace2_gauge *gauge, int64_t value)
{
	struct tr2_gauge_cell *cell = find_cell(gauge);

	if (cell)
		note_value(cell, __atomic_add_fetch(&cell->last, value,
						    __ATOMIC_RELAXED));
}

void trace2_gauge_sub_on_(struct trace2_gauge *gauge, int64_t value)
{
	struct tr2_gauge_cell *cell = find_cell(gauge);

	if (cell)
		note_value(cell, __atomic_sub_fetch(&cell->last, value,
						    __ATOMIC_RELAXED));
}
