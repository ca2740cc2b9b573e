/* SPDX-License-Identifier: MIT */
/* Update events and lay out readings. */
#include <errno.h>

#include "base/clock.h"
#include "pmu/pmu.h"

static unsigned int reading;

unsigned int tr2_perf_reading(void)
{
	return reading;
}

static uint64_t raw_count(const struct trace2_perf *ev)
{
	return ev->pmu->count ? ev->pmu->count(ev) :
				ev->count + ev->child_count;
}

uint64_t tr2_perf_count(const struct trace2_perf *ev)
{
	return raw_count(ev) - ev->reset_at;
}

static int update_reading(struct trace2_perf *ev)
{
	int error;

	if (ev->reading == reading)
		return 0;
	error = ev->pmu->read(ev);
	ev->reading = reading;
	if (error == -EIO)
		ev->leader->state = TR2_PERF_ERROR;
	return error;
}

int tr2_perf_update(struct trace2_perf *ev)
{
	reading++;
	return update_reading(ev);
}

/* Update all events of the group. Reading the first event of the kernel updates
 * all events of the kernel. */
static int update_group(struct trace2_perf *leader)
{
	struct trace2_perf *ev;
	int error = 0;

	reading++;
	for (ev = leader; ev && !error; ev = ev->member)
		error = update_reading(ev);
	return error;
}

static bool is_gauge(const struct trace2_perf *ev)
{
	return ev->pmu->is_gauge && ev->pmu->is_gauge(ev);
}

int tr2_perf_reset(struct trace2_perf *ev)
{
	bool of_group = ev->leader == ev;
	int error;

	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	error = of_group ? update_group(ev) : tr2_perf_update(ev);
	for (; !error && ev; ev = of_group ? ev->member : NULL)
		if (!is_gauge(ev))
			ev->reset_at = raw_count(ev);
	return error;
}

struct times {
	uint64_t enabled_ns, running_ns;
};

static struct times times_of(const struct trace2_perf *ev)
{
	struct times times = { ev->enabled_ns, ev->running_ns };
	uint64_t ns = tr2_clock_since(ev->since_ns, tr2_clock_now_ns());

	if (ev->pmu == &tr2_pmu_kernel) {
		times.enabled_ns = ev->kernel.enabled_ns;
		times.running_ns = ev->kernel.running_ns;
	} else {
		if (ev->enabled && (ev->counting ||
				    ev->leader->state == TR2_PERF_WAITING))
			times.enabled_ns += ns;
		if (ev->counting)
			times.running_ns += ns;
	}
	return times;
}

static uint64_t *put_times(uint64_t *at, const struct trace2_perf *ev,
			   uint64_t format)
{
	struct times times = times_of(ev);

	if (format & TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = times.enabled_ns;
	if (format & TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = times.running_ns;
	return at;
}

static uint64_t *put_marks(uint64_t *at, const struct trace2_perf *ev,
			   uint64_t format)
{
	if (format & TRACE2_PERF_FORMAT_ID)
		*at++ = ev->id;
	if (format & TRACE2_PERF_FORMAT_LOST)
		*at++ = ev->lost;
	return at;
}

static unsigned int lay_out_one(const struct trace2_perf *ev, uint64_t value,
				uint64_t *values)
{
	uint64_t format = ev->attr.read_format, *at = values;

	*at++ = value;
	at = put_times(at, ev, format);
	at = put_marks(at, ev, format);
	return (unsigned int)(at - values);
}

static unsigned int lay_out(const struct trace2_perf *ev, uint64_t *values)
{
	uint64_t format = ev->attr.read_format, *at = values;

	if (!(format & TRACE2_PERF_FORMAT_GROUP))
		return lay_out_one(ev, tr2_perf_count(ev), values);
	ev = ev->leader;
	*at++ = ev->nr_members;
	at = put_times(at, ev, format);
	for (; ev; ev = ev->member) {
		*at++ = tr2_perf_count(ev);
		at = put_marks(at, ev, format);
	}
	return (unsigned int)(at - values);
}

static int update_for_reading(struct trace2_perf *ev)
{
	return ev->attr.read_format & TRACE2_PERF_FORMAT_GROUP ?
		       update_group(ev->leader) :
		       tr2_perf_update(ev);
}

unsigned int tr2_perf_reading_of(struct trace2_perf *ev, uint64_t *values)
{
	unsigned int nr, i;
	int error = ev->leader->state == TR2_PERF_ERROR ?
			    -EIO :
			    update_for_reading(ev);

	nr = lay_out(ev, values);
	for (i = ev->attr.read_format & TRACE2_PERF_FORMAT_GROUP ? 1 : 0;
	     error && i < nr; i++)
		values[i] = 0;
	return nr;
}

unsigned int tr2_perf_reading_of_task(const struct trace2_perf *ev,
				      const struct tr2_slot *slot,
				      uint64_t *values)
{
	return lay_out_one(ev, tr2_perf_task_count(ev, slot), values);
}

int tr2_perf_read(struct trace2_perf *ev, uint64_t *values, size_t nr_values)
{
	uint64_t all[TR2_READING_MAX];
	unsigned int nr, i;
	int error;

	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (ev->leader->state == TR2_PERF_ERROR)
		return 0;
	error = update_for_reading(ev);
	if (error)
		return error == -EIO ? 0 : error;
	nr = lay_out(ev, all);
	if (nr > nr_values)
		return -ENOSPC;
	/* Clear the pipe only without a buffer: with one, POLLIN reports
	 * records, which are still there. */
	if (!ev->buffer.base)
		tr2_poll_pipe_clear(&ev->poll_pipe);
	for (i = 0; i < nr; i++)
		values[i] = all[i];
	return (int)nr;
}
