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
/* Is the session's process selected? Before the tree is built, the answer for a
 * session that goes on is based on its events so far. */
bool tr2_filter_session(const struct tr2_filter *f, const struct tr2_model *m,
			uint32_t session);
/* Is a span of a selected session selected by its name, duration, depth and
 * time? */
bool tr2_filter_span(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t span);

/* The same for a span of the program, which has no depth. */
bool tr2_filter_trace_span(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t trace_span);

/* Is an event selected by its session and time? An event that begins or ends a
 * span is selected with the span. Other events are not if regions are named; if
 * a time range is given, only events about the whole process are. */
bool tr2_filter_event(const struct tr2_filter *f, const struct tr2_model *m,
		      const struct tr2_line *line);
