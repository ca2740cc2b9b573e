/* SPDX-License-Identifier: MIT */
/*
 * kernel_events - events of the kernel, each opened for every CPU, because an
 * inherited event cannot be mapped otherwise.
 *
 * They are opened on the recorder, disabled, before it forks the command:
 * processes that the recorder forks inherit the events, which begin with an
 * exec. For a process that runs already, they are also opened on each of its
 * threads.
 *
 * With CAP_PERFMON, the samples of switches and wake-ups are taken of the whole
 * machine instead. They show threads outside of the recording and the very end
 * of a thread, and they cost a fork nothing. A filter keeps the samples that
 * matter.
 *
 * No event has inherit_stat: a task that ends would write its count
 * (PERF_RECORD_READ) from its CPU into the rings of all CPUs. The kernel's
 * rings are made for one writer: with several, a ring can stop for good without
 * a record of loss.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/kernel/kernel_rings.h"

struct tr2_kernel_event {
	struct perf_event_attr attr;
	const char *name;
	/* Events of the recorder, one for each CPU that exists; then events of
	 * threads. */
	int *fds;
	uint64_t *ids;
	uint32_t nr, nr_own, alloc;
	bool whole_machine;
};

/*
 * Set up the first event: records of tasks. With states, also records of
 * switches; with mappings, also of the files that processes execute.
 */
void tr2_kernel_event_tasks(struct tr2_kernel_event *event, bool states,
			    bool mappings);

/* Set up samples of switches, with the kernel functions in which a thread
 * waits. tracepoint: the id of sched_switch; 0: use the software event. stacks:
 * add the program's functions, found by frame pointers. */
void tr2_kernel_event_switches(struct tr2_kernel_event *event,
			       uint64_t tracepoint, bool stacks);
/* Let the event cover all processes of the machine. */
void tr2_kernel_event_widen(struct tr2_kernel_event *event);
/* May this user see the events of all processes? */
bool tr2_kernel_can_see_machine(void);

/* Set up samples of sched_waking. */
void tr2_kernel_event_wakings(struct tr2_kernel_event *event,
			      uint64_t tracepoint);

/* Set up the samples that a BPF program writes about the whole machine. */
void tr2_kernel_event_output(struct tr2_kernel_event *event);

/* Set up samples of CPU time, with the chain of calls at each sample.
 * stack_bytes: copy the registers and this much of the program's stack; 0:
 * follow frame pointers. */
void tr2_kernel_event_profile(struct tr2_kernel_event *event, uint32_t hz,
			      uint32_t stack_bytes);
/* Can this program unwind the registers and stacks of this machine? */
bool tr2_kernel_can_copy_stacks(void);

/* Open the event with rings of its own. Return -1 with errno, and nothing open,
 * on failure. */
int tr2_kernel_event_open_rings(struct tr2_kernel_event *event,
				struct tr2_kernel_rings *rings, bool large);

/* Open the event; its records go to the rings. Return -1 with errno, and
 * nothing open, on failure. */
int tr2_kernel_event_open(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings);

/* Open the event, disabled, for a thread, and for all threads and processes
 * that it begins from now on. Return -1 with errno on failure. */
int tr2_kernel_event_attach(struct tr2_kernel_event *event,
			    const struct tr2_kernel_rings *rings, pid_t tid);
/* Close the event for all threads. */
void tr2_kernel_event_detach(struct tr2_kernel_event *event);
/* Enable the event for all threads to which it was attached, and for the
 * threads that these have begun since. */
void tr2_kernel_event_start(const struct tr2_kernel_event *event);

/* Stop the event for all tasks. */
void tr2_kernel_event_stop(const struct tr2_kernel_event *event);
void tr2_kernel_event_close(struct tr2_kernel_event *event);
