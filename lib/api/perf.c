/* SPDX-License-Identifier: MIT */
/* Calls of opened counters, each under the process's lock. */
#include <errno.h>

#include "base/lock.h"
#include "base/macros.h"
#include "base/mask.h"
#include "base/unwind.h"
#include "pmu/pmu.h"
#include "session/fork.h"
#include "trace2_perf.h"

/* Begin a call. false: a handler interrupted the holder of the lock. */
static bool begin_call(int *saved_errno)
{
	*saved_errno = errno;
	if (tr2_lock_is_mine())
		return false;
	tr2_lock();
	return true;
}

static int end_call(int result, int saved_errno)
{
	tr2_unlock();
	errno = saved_errno;
	return result;
}

int trace2_perf_open(const struct trace2_perf_attr *attr, pid_t pid, int cpu,
		     struct trace2_perf *group, struct trace2_perf **out)
{
	int saved_errno = errno;

	if (out)
		*out = NULL;
	if (!attr || !out)
		return -EINVAL;
	if (tr2_lock_is_mine())
		return -EDEADLK;
	/* Prepare outside the lock: preparing loads a library. */
	if (tr2_perf_wants_calls(attr))
		tr2_unwind_prepare();
	/* Watch forks: opened events must be dropped in forked children. */
	tr2_session_watch_forks();
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_open(attr, pid, cpu, group, out), saved_errno);
}

int trace2_perf_read(struct trace2_perf *event, uint64_t *values,
		     size_t nr_values)
{
	int saved_errno;

	if (!event || (!values && nr_values))
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_read(event, values, nr_values), saved_errno);
}

static int call_pmu(int (*function)(struct trace2_perf *ev),
		    struct trace2_perf *event)
{
	int saved_errno;

	if (!event)
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(function(event), saved_errno);
}

int trace2_perf_enable(struct trace2_perf *event)
{
	return call_pmu(tr2_perf_enable, event);
}

int trace2_perf_disable(struct trace2_perf *event)
{
	return call_pmu(tr2_perf_disable, event);
}

int trace2_perf_reset(struct trace2_perf *event)
{
	return call_pmu(tr2_perf_reset, event);
}

int trace2_perf_refresh(struct trace2_perf *event, int overflows)
{
	int saved_errno;

	if (!event)
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_refresh(event, overflows), saved_errno);
}

int trace2_perf_set_period(struct trace2_perf *event, uint64_t period)
{
	int saved_errno;

	if (!event)
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_set_period(event, period), saved_errno);
}

int trace2_perf_poll_fd(struct trace2_perf *event)
{
	return call_pmu(tr2_perf_poll_fd, event);
}

int trace2_perf_map(struct trace2_perf *event, size_t pages)
{
	int saved_errno;

	if (!event)
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_map(event, pages), saved_errno);
}

int trace2_perf_next_record(struct trace2_perf *event, void *record,
			    size_t size_bytes)
{
	int saved_errno;

	if (!event || (!record && size_bytes))
		return -EINVAL;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	return end_call(tr2_perf_next_record(event, record, size_bytes),
			saved_errno);
}

static int switch_all(bool on)
{
	int saved_errno;

	if (!begin_call(&saved_errno))
		return -EDEADLK;
	tr2_perf_switch_all(on);
	return end_call(0, saved_errno);
}

int trace2_perf_enable_all(void)
{
	return switch_all(true);
}

int trace2_perf_disable_all(void)
{
	return switch_all(false);
}

uint64_t trace2_perf_id(const struct trace2_perf *event)
{
	return event ? event->id : 0;
}

int trace2_perf_close(struct trace2_perf *event)
{
	int saved_errno;

	if (!event)
		return 0;
	if (!begin_call(&saved_errno))
		return -EDEADLK;
	tr2_perf_close(event);
	return end_call(0, saved_errno);
}

int trace2_perf_parse(const char *list, struct trace2_perf_named *events,
		      size_t nr_events, char *error, size_t error_bytes)
{
	int saved_errno = errno, result;
	struct tr2_mask before;

	/* Block signals: the parser reads files, and takes no lock that blocks
	 * signals. */
	tr2_mask_begin(&before);
	result = tr2_perf_parse(list, events, events ? nr_events : 0, error,
				error_bytes);
	tr2_mask_end(&before);
	errno = saved_errno;
	return result;
}
