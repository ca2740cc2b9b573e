/* SPDX-License-Identifier: MIT */
/* perf - shared parts of the unit tests of opened counters. */
#pragma once

#include "../helper/host.h"
#include "tap.h"
#include "trace2_perf.h"

/* The last record that next() returned. */
static union {
	struct trace2_perf_record head;
	uint64_t word[TRACE2_PERF_RECORD_MAX / 8 + 1];
	uint32_t half[TRACE2_PERF_RECORD_MAX / 4 + 1];
	char byte[TRACE2_PERF_RECORD_MAX + 1];
} record;

static inline int next(struct trace2_perf *ev)
{
	return trace2_perf_next_record(ev, &record, sizeof(record));
}

/* pages: of its map; 0: none. NULL: the failure was reported. */
static inline struct trace2_perf *
open_mapped(const struct trace2_perf_attr *attr, size_t pages)
{
	struct trace2_perf *ev;

	if (!trace2_perf_open(attr, 0, -1, NULL, &ev) && pages)
		trace2_perf_map(ev, pages);
	return ev;
}
