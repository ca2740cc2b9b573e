/* SPDX-License-Identifier: MIT */
/*
 * counters - events that are counted over a command and everything below it,
 * as `perf stat` does: opened on the command before its exec, inherited by what
 * it starts, and read when it is over. Events that only a program itself can
 * count (app/…, process/…) are handed to it in GIT_TRACE2_COUNTERS.
 */
#ifndef TR2_RECORD_COUNTERS_H
#define TR2_RECORD_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "perfevent/perfevent.h"

struct tr2_event_counter {
	struct tr2_perfevent event;
	char name[TR2_PERFEVENT_BYTES + 2]; /* with what had to be left out */
	int fd;       /* -1: not open */
	char why_not[TR2_PERFEVENT_BYTES]; /* "" when it counts */
	uint64_t value, enabled_ns, running_ns;
};

struct tr2_event_counters {
	struct tr2_event_counter *item; /* those of the kernel */
	size_t nr, alloc;
	unsigned int headless; /* a group whose first was there already; 0: none */
	struct tr2_buf programs; /* the others, as GIT_TRACE2_COUNTERS has it */
};

/* Adds the events of a list in perf's syntax. false: said on stderr why not. */
bool tr2_event_counters_add(struct tr2_event_counters *counters, const char *list);
void tr2_event_counters_release(struct tr2_event_counters *counters);

/* pid: a child that has not called exec yet; they count from there on. */
void tr2_event_counters_open(struct tr2_event_counters *counters, pid_t pid);
/* When all is over: takes the values and closes. */
void tr2_event_counters_read(struct tr2_event_counters *counters);
/* `,"counters":{…}` for meta.json. */
void tr2_event_counters_add_meta(const struct tr2_event_counters *counters,
			   struct tr2_buf *b);

/* The value of GIT_TRACE2_COUNTERS; NULL: nothing to set. */
const char *tr2_event_counters_for_programs(struct tr2_event_counters *counters);

/* Whether this machine counts such an event for us. */
bool tr2_event_works(const struct tr2_perfevent *event);

#endif
