/* SPDX-License-Identifier: MIT */
/* Translate an event's name into struct trace2_perf_attr. */
#include "pmu/pmu.h"

#include <errno.h>

#include "base/text.h"
#include "metric/metric.h"

static int find_metric(const struct tr2_perfevent *ev,
		       struct trace2_perf_attr *attr)
{
	enum tr2_metric_kind kind = ev->is_timer ? TR2_METRIC_TIMER :
						   TR2_METRIC_COUNTER;
	unsigned int index = tr2_metric_find(kind, ev->scope, ev->name);

	if (index == TRACE2_UNREGISTERED_)
		return -ENOENT;
	attr->type = TRACE2_PERF_TYPE_APP;
	attr->config = index | (uint64_t)ev->is_timer << 32;
	return 0;
}

static void set_attr(const struct tr2_perfevent *ev,
		     struct trace2_perf_attr *attr)
{
	tr2_perfevent_set_attr(attr, ev);
	if (ev->pmu == TR2_PMU_POWER)
		attr->type = TRACE2_PERF_TYPE_POWER;
	else if (ev->pmu == TR2_PMU_PROCESS)
		attr->type = TRACE2_PERF_TYPE_PROCESS;
	attr->freq = ev->freq && !ev->period;
	if (attr->freq)
		attr->sample_freq = ev->freq;
	else
		attr->sample_period = ev->period;
}

int tr2_perf_attr_of(struct tr2_perfevent *ev, struct trace2_perf_attr *attr,
		     char *error, size_t size_bytes)
{
	const char *why;
	int result;

	memset(attr, 0, sizeof(*attr));
	if (ev->period &&
	    (ev->pmu == TR2_PMU_POWER || ev->pmu == TR2_PMU_PROCESS))
		return tr2_perfevent_fail(-EINVAL, error, size_bytes, ev,
					  "power and process events take no "
					  "period");
	result = tr2_perfevent_resolve(ev, &why);
	if (result)
		return tr2_perfevent_fail(result, error, size_bytes, ev, why);
	set_attr(ev, attr);
	if (ev->pmu == TR2_PMU_APP && find_metric(ev, attr))
		return tr2_perfevent_fail(
			-ENOENT, error, size_bytes, ev,
			ev->is_timer ?
				"the program has no timer of that name" :
				"the program has no counter of that name");
	return 0;
}

int tr2_perf_parse(const char *text, struct trace2_perf_named *events,
		   size_t nr_events, char *error, size_t error_bytes)
{
	struct tr2_perfevents list;
	struct trace2_perf_named one;
	enum tr2_perfevent_result result;
	struct tr2_perfevent ev;
	size_t nr = 0;
	int bad = 0;

	tr2_perfevents_init(&list, text);
	while (!bad && (result = tr2_perfevents_next(&list, &ev))) {
		if (result == TR2_PERFEVENT_BAD) {
			bad = -EINVAL;
			break;
		}
		bad = tr2_perf_attr_of(&ev, &one.attr, list.error,
				       sizeof(list.error));
		one.group = ev.group;
		_Static_assert(sizeof(one.name) == sizeof(ev.text), "copied");
		memcpy(one.name, ev.text, sizeof(one.name));
		if (!bad && nr < nr_events)
			events[nr] = one;
		nr += nr < INT32_MAX;
	}
	if (bad && error && error_bytes) {
		size_t len = tr2_utf8_cut(list.error, strlen(list.error),
					  error_bytes - 1);

		memcpy(error, list.error, len);
		error[len] = '\0';
	}
	return bad ? bad : (int)nr;
}
