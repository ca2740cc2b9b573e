/* SPDX-License-Identifier: MIT */
/*
 * counters - events that are counted over a command and its descendants, as
 * `perf stat` does: opened on the command before its exec, inherited by its
 * children, and read at the end. Events that only a program itself can count
 * (app/…, process/…) are passed to it in GIT_TRACE2_COUNTERS. System calls and
 * allocations, if they were asked for, are counted over the same processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "perfevent/perfevent.h"
#include "record/kernel/allocations.h"
#include "record/kernel/syscalls.h"

struct tr2_event_counter {
	struct tr2_perfevent event;
	/* the event's name, with the modifiers that are in effect */
	char name[TR2_PERFEVENT_BYTES + 2];
	int fd;       /* -1: not open */
	char why_not[TR2_PERFEVENT_BYTES]; /* reason why the event is not
					    * counted; "": it is counted */
	uint64_t value, enabled_ns, running_ns;
	bool from_wait4; /* the kernel refuses this event, but wait4() returns
			  * the same count */
};

struct tr2_event_counters {
	struct tr2_event_counter *item; /* the events that the kernel counts */
	uint32_t nr, alloc;
	/* number of a group whose first event was in the list already; 0:
	 * none */
	unsigned int headless;
	/* the events that programs count, in the form of GIT_TRACE2_COUNTERS */
	struct tr2_buf programs;
	struct tr2_syscalls *syscalls; /* NULL: not counted */
	struct tr2_allocations *allocations; /* NULL: not counted */
};

/* Add the events of a list in perf's syntax. false: the reason was printed to
 * stderr. */
bool tr2_event_counters_add(struct tr2_event_counters *counters,
			    const char *list);
/* Count system calls, or allocations, too. If they cannot be counted, a warning
 * says why. */
void tr2_event_counters_add_syscalls(struct tr2_event_counters *counters);
void tr2_event_counters_add_allocations(struct tr2_event_counters *counters);
/* After the runs, warn if the last run's system calls or allocations were not
 * all counted. */
void tr2_event_counters_check(const struct tr2_event_counters *counters);
void tr2_event_counters_release(struct tr2_event_counters *counters);

/* Open the counters on pid, a child that has not called exec yet. They count
 * from its exec. */
void tr2_event_counters_open(struct tr2_event_counters *counters, pid_t pid);
/* At the end, read the values and close the counters. `switches` is the number
 * of context switches that wait4() returned. */
void tr2_event_counters_read(struct tr2_event_counters *counters,
			     uint64_t switches);
/* Append the value of `counters` in meta.json. */
void tr2_event_counters_add_meta(const struct tr2_event_counters *counters,
			   struct tr2_buf *b);

/* Return the value of GIT_TRACE2_COUNTERS; NULL: leave the variable unset. */
const char *
tr2_event_counters_for_programs(struct tr2_event_counters *counters);

/* Can this machine count the event for this user? */
bool tr2_event_works(const struct tr2_perfevent *event);
