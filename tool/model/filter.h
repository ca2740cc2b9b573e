/* SPDX-License-Identifier: MIT */
/*
 * filter - select processes, regions and events by the options that all
 * commands and exports share.
 */
#pragma once

#include "common/options.h"
#include "model/model.h"

/* Does any option restrict the processes? */
bool tr2_filter_on(const struct tr2_filter *f);
bool tr2_filter_node(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t node);
/* Is the session's process selected? Before the tree is built, judge an
 * unfinished session by its events so far. */
bool tr2_filter_session(const struct tr2_filter *f, const struct tr2_model *m,
			uint32_t session);
/* Is a span of a selected session selected by its name, duration, depth and
 * time? */
bool tr2_filter_span(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t span);

/* Is a span of the program selected by its name, duration and time? Such a span
 * has no depth. */
bool tr2_filter_trace_span(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t trace_span);

/* Is an event selected by its session and time? An event that begins or ends a
 * span is selected together with the span. Of the other events, -N selects
 * none, and -t selects only events about the whole process. */
bool tr2_filter_event(const struct tr2_filter *f, const struct tr2_model *m,
		      const struct tr2_line *line);
