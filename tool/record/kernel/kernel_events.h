/* SPDX-License-Identifier: MIT */
/*
 * kernel_events - events of the kernel, each opened for every CPU, because an
 * inherited event cannot be mapped otherwise.
 *
 * They are opened on the recorder, disabled, before it forks the command: what
 * it forks inherits them, and they begin with an exec. For a process that runs
 * already, they are opened on each of its threads, too.
 *
 * With CAP_PERFMON, the samples of switches and wake-ups are those of the whole
 * machine instead: they tell of threads outside of the recording, and of the very
 * end of a thread, and they cost a fork nothing. A filter keeps what matters.
 *
 * None has inherit_stat: a task that ends would write its count (PERF_RECORD_READ)
 * into the rings of all CPUs from the one it is on. The kernel's rings have one
 * writer, and such a ring can stop for good without a record of loss.
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
	/* Those of the recorder, one a CPU that exists; then those of threads. */
	int *fds;
	uint64_t *ids;
	uint32_t nr, nr_own, alloc;
	bool whole_machine;
};

/*
 * The first event: records of tasks; with states, of switches, too; with
 * mappings, of the files that processes execute.
 */
void tr2_kernel_event_tasks(struct tr2_kernel_event *event, bool states,
			    bool mappings);

/* Samples of switches, with the functions of the kernel in which a thread
 * waits. tracepoint: the number of sched_switch; 0: of the software event.
 * stacks: with the functions of the program, too, by frame pointers. */
void tr2_kernel_event_switches(struct tr2_kernel_event *event,
			       uint64_t tracepoint, bool stacks);
/* Open it for all processes of the machine. */
void tr2_kernel_event_widen(struct tr2_kernel_event *event);
/* May this user do so? */
bool tr2_kernel_can_see_machine(void);

/* Samples of sched_waking. */
void tr2_kernel_event_wakings(struct tr2_kernel_event *event,
			      uint64_t tracepoint);

/* Samples of the CPU time, with the calls that led there. stack_bytes: copy so
 * much of the user's stack, and the registers; 0: follow frame pointers. */
void tr2_kernel_event_profile(struct tr2_kernel_event *event, uint32_t hz,
			      uint32_t stack_bytes);
/* Are registers and stacks of this machine understood? */
bool tr2_kernel_can_copy_stacks(void);

/* Open it; the rings are its own. -1: errno, and nothing is open. */
int tr2_kernel_event_open_rings(struct tr2_kernel_event *event,
				struct tr2_kernel_rings *rings, bool large);

/* Open it; its records go to the rings. -1: errno, and nothing is open. */
int tr2_kernel_event_open(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings);

/* Open it for a thread and what that begins from now on, disabled. -1: errno. */
int tr2_kernel_event_attach(struct tr2_kernel_event *event,
			    const struct tr2_kernel_rings *rings, pid_t tid);
/* Close it for all threads. */
void tr2_kernel_event_detach(struct tr2_kernel_event *event);
/* Enable it for all threads, and what they began meanwhile. */
void tr2_kernel_event_start(const struct tr2_kernel_event *event);

/* Stop it for all tasks. */
void tr2_kernel_event_stop(const struct tr2_kernel_event *event);
void tr2_kernel_event_close(struct tr2_kernel_event *event);
