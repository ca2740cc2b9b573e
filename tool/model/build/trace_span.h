/* SPDX-License-Identifier: MIT */
/*
 * trace_span - the program's spans: what threads did for them, and in which of
 * them a thread was. In streams each is a data_json event: trace2-format(5).
 */
#pragma once

#include "model/filter.h"
#include "model/model.h"

/* Where the time of a span went. */
struct tr2_trace_span_times {
	/* How long threads worked for it: two at once count twice. */
	int64_t worked_ns;
	int64_t queue_ns; /* before the first of them */
	int64_t idle_ns;  /* later, while no thread did */
};

/* false: nothing is known of the threads that worked for it. */
bool tr2_trace_span_times(const struct tr2_model *m, uint32_t trace_span,
			  struct tr2_trace_span_times *times);

/* Return the value of an attribute as text: a string without its quotes, or a
 * number, a boolean, an object as JSON; NULL: the span does not have it. */
const char *tr2_trace_span_attribute(struct tr2_model *m, uint32_t trace_span,
				     const char *key);

/* All of these skip what the filter leaves out. */
/* Return the innermost span that a thread worked for when something began there
 * that took from start_ns to end_ns, if that work is inside of a region; 0: the
 * region is inside of the work, or there is none. region 0: in the thread. */
uint32_t tr2_trace_span_at(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t thread,
			   int64_t start_ns, int64_t end_ns, uint32_t region);
/* Return this region, or the nearest around it that is shown; 0: none. */
uint32_t tr2_region_shown(const struct tr2_filter *f, const struct tr2_model *m,
			  uint32_t region);
/* Return the innermost span that a region or child is in; 0: none. */
uint32_t tr2_trace_span_around(const struct tr2_filter *f,
			       const struct tr2_model *m, uint32_t span);
