/* SPDX-License-Identifier: MIT */
/*
 * stream - the targets of this process's events, and the data common to all of
 * its events.
 *
 * The session opens and closes the targets and sets the stream's owner; each
 * thread emits into them.
 */
#pragma once

#include "target/target.h"
#include "trace2.h"

/* The value of trace2_enabled_ before trace2_initialize(): see
 * part/call_before_init.h. */
#define TR2_ENABLED_EARLY 2

#define TR2_STREAM_SINK (1u << TR2_TARGET_NR)

struct tr2_stream {
	uint64_t start_ns; /* monotonic; the origin of t_abs */
	const char *sid; /* the session's whole id, "" before it has one */
	size_t sid_room; /* the most bytes that the id ever has in this
			  * process */
	unsigned int depth; /* the number of sessions that are ancestors of this
			     * one */
	unsigned int opened; /* the targets of the session: 1 << id each, and
			      * TR2_STREAM_SINK */
	bool redact;
	/* The session began in a running process: apparent misuse may have
	 * begun before the session. */
	bool is_joined;
	int enabled[2]; /* values of trace2_enabled_: [0] while no target takes
			 * bytes, [1] while a target does */
	volatile unsigned int generation; /* the number of forks so far */
	uint32_t forked_by; /* in a forked child: the thread of the parent that
			     * forked; 0: unknown */
	/* The program's function for each event; NULL: none. */
	void (*sink)(const struct trace2_event *event, void *data);
	void *sink_data;
	atomic_uint_fast64_t lost; /* events that no target got */
	struct tr2_target target[TR2_TARGET_NR];
};

extern struct tr2_stream tr2_stream TR2_HIDDEN;

static inline struct tr2_dest *tr2_stream_dest(enum tr2_target_id id)
{
	return &tr2_stream.target[id].dest;
}

/* Return whether tracing is on. Before trace2_initialize() the result is false,
 * unlike the result of trace2_is_enabled(). */
static inline bool tr2_stream_is_on(void)
{
	/* Tracing is on for 1 and for TR2_ENABLED_LOOK, which is odd, too. */
	return __atomic_load_n(&trace2_enabled_, __ATOMIC_RELAXED) & 1;
}

/* Count a lost event, or misuse that no event reports. */
void tr2_stream_lost(void);

/* Return the number of lost events: events that no target got, and events that
 * some targets missed. */
uint64_t tr2_stream_nr_lost(void);

/* Abandon the thread's write, so that others do not wait for it. */
void tr2_stream_abandon(uint32_t tid);
