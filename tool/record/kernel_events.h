/* SPDX-License-Identifier: MIT */
/*
 * kernel_events - events of the kernel. Those that write records are opened for
 * each CPU, because an inherited event cannot be mapped otherwise.
 *
 * They are opened on the recorder, disabled, before it forks the command: what
 * it forks inherits them, and they begin with an exec. The kernel reports the
 * count of an inherited event alone when a task ends (PERF_RECORD_READ): so the
 * command has one, too.
 */
#ifndef TR2_RECORD_KERNEL_EVENTS_H
#define TR2_RECORD_KERNEL_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/kernel_rings.h"

struct tr2_kernel_event {
	struct perf_event_attr attr;
	const char *name;
	int *fds;      /* one a CPU that exists */
	uint64_t *ids; /* likewise */
	uint32_t nr;   /* 0: not open */
};

/* Set the fields that all events of kernel.data have. */
void tr2_kernel_event_to_data(struct perf_event_attr *attr);

/*
 * The first event: records of tasks. With states, records of switches and, at
 * the end of each task, of the time that it had a CPU, too.
 */
void tr2_kernel_event_tasks(struct tr2_kernel_event *event, bool states);

/* Samples of switches, with the functions of the kernel in which a thread
 * waits. tracepoint: the number of sched_switch; 0: of the software event. */
void tr2_kernel_event_switches(struct tr2_kernel_event *event,
			       uint64_t tracepoint);
/* Samples of sched_waking. */
void tr2_kernel_event_wakings(struct tr2_kernel_event *event,
			      uint64_t tracepoint);

/* Open it; the rings are its own. -1: errno, and nothing is open. */
int tr2_kernel_event_open_rings(struct tr2_kernel_event *event,
				struct tr2_kernel_rings *rings, bool states);

/* Open it; its records go to the rings. leader: of its group, which is open;
 * NULL: none. -1: errno, and nothing is open. */
int tr2_kernel_event_open(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings,
			  const struct tr2_kernel_event *leader);
/* Open it once, for `pid` on all CPUs, without records. */
int tr2_kernel_event_open_task(struct tr2_kernel_event *event, pid_t pid,
			       const struct tr2_kernel_event *leader);

/* Stop it for all tasks. */
void tr2_kernel_event_stop(const struct tr2_kernel_event *event);
void tr2_kernel_event_close(struct tr2_kernel_event *event);

/*
 * Open an event of the recorder that the command does not inherit. -1: errno.
 *
 * When the kernel switches between two tasks with the same inherited events, it
 * exchanges the events instead, and their counts, pair by pair in the order of
 * two lists. The recorder's list has the order in which events were opened, the
 * others that of CPUs: counts of different events would be exchanged, and the
 * command would have those of the recorder, which report no end. With an event
 * that is not inherited, the recorder's are not the same.
 */
int tr2_kernel_event_open_own(struct tr2_kernel_event *event);

#endif
