/* SPDX-License-Identifier: MIT */
/*
 * In place of the parts that a small library lacks (`make lib SMALL=1`): rings,
 * opened counters and samples. Whoever asks for one of them gets an `error`
 * event in the other targets; the ring's target does not open.
 */
#include <errno.h>

#include "base/unwind.h"
#include "part/part.h"
#include "part/pending_errors.h"
#include "pmu/pmu.h"
#include "ring/ring.h"
#include "ring/wake.h"
#include "session/fastpath.h"
#include "session/ring.h"
#include "session/session.h"

static void tasks_load(const char *setting)
{
	(void)setting;
	tr2_pending_errors_add("this library is built without rings");
}

static void counters_load(const char *setting)
{
	(void)setting;
	tr2_pending_errors_add("this library is built without opened "
			       "counters");
}

static void samples_load(const char *setting)
{
	(void)setting;
	tr2_pending_errors_add("this library is built without samples");
}

const struct tr2_part tr2_part_tasks = { .load = tasks_load };
const struct tr2_part tr2_part_watch = { .load = NULL };
const struct tr2_part tr2_part_counters = { .load = counters_load };
const struct tr2_part tr2_part_samples = { .load = samples_load };
const struct tr2_part tr2_part_samples_kernel = { .load = NULL };

bool tr2_session_map_ring(int fd)
{
	(void)fd;
	errno = ENOTSUP;
	return false;
}

void tr2_session_begin_ring(void)
{
}

void tr2_session_end_open_ring(enum tr2_arena_state how, int status,
			       bool locked)
{
	(void)how;
	(void)status;
	(void)locked;
}

void tr2_wake_close(void)
{
}

void tr2_ring_finish(struct tr2_slot *slot)
{
	(void)slot;
}

void tr2_target_emit_to_ring(struct tr2_target *target,
			     struct tr2_render *render,
			     const struct tr2_event *ev)
{
	(void)target;
	(void)render;
	(void)ev;
}

/* No metric is ever marked as sampled. */
__thread struct tr2_limits *tr2_my_limits;

void tr2_perf_overflow(const struct tr2_slot *slot, enum tr2_metric_kind kind,
		       unsigned int index, const struct tr2_callchain *chain)
{
	(void)slot;
	(void)kind;
	(void)index;
	(void)chain;
}

void tr2_unwind(struct tr2_callchain *chain, const struct tr2_code *own)
{
	(void)chain;
	(void)own;
}

void tr2_unwind_release(void)
{
}
