/* SPDX-License-Identifier: MIT */
/*
 * trace_span - find the work of threads for the program's spans, and the span
 * for which a thread worked at some time. In streams each span is a data_json
 * event: trace2-format(5).
 */
#pragma once

#include "model/filter.h"
#include "model/model.h"

/* The parts of a span's time. */
struct tr2_trace_span_times {
	/* Time in which threads worked for the span; two threads at once count
	 * twice. */
	int64_t worked_ns;
	int64_t queue_ns; /* time before the first work for the span */
	int64_t idle_ns;  /* later time without work for the span */
};

/* Compute the parts of a span's time. Return false if no work of threads is
 * known. */
bool tr2_trace_span_times(const struct tr2_model *m, uint32_t trace_span,
			  struct tr2_trace_span_times *times);

/* Return the value of an attribute as text: a string without its quotes, or a
 * number, boolean or object as JSON. NULL: the span does not have the
 * attribute. */
const char *tr2_trace_span_attribute(struct tr2_model *m, uint32_t trace_span,
				     const char *key);

/* The functions below skip elements that the filter leaves out. */
/* Return the innermost span for which `thread` worked at start_ns, the start of
 * an item that lasted until end_ns. region: the region around the item; 0:
 * none. Return 0 if there is no work, or if the region is inside of the
 * work. */
uint32_t tr2_trace_span_at(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t thread,
			   int64_t start_ns, int64_t end_ns, uint32_t region);
/* Return this region, or the nearest region around it that is shown; 0:
 * none. */
uint32_t tr2_region_shown(const struct tr2_filter *f, const struct tr2_model *m,
			  uint32_t region);
/* Return the innermost span that contains a region or child; 0: none. */
uint32_t tr2_trace_span_around(const struct tr2_filter *f,
			       const struct tr2_model *m, uint32_t span);
