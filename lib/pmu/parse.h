/* SPDX-License-Identifier: MIT */
/*
 * parse - translate an event's name into the attributes that tr2_perf_open()
 * takes.
 */
#ifndef TR2_PMU_PARSE_H
#define TR2_PMU_PARSE_H

#include "perfevent/perfevent.h"
#include "trace2_perf.h"

/* Return 0, or a negative errno with a message in error[size_bytes]. */
int tr2_perf_attr_of(struct tr2_perfevent *ev, struct trace2_perf_attr *attr,
		     char *error, size_t size_bytes);

/* The implementation of trace2_perf_parse(). */
int tr2_perf_parse(const char *text, struct trace2_perf_named *events,
		   size_t nr_events, char *error, size_t error_bytes);

#endif
