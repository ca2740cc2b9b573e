/* SPDX-License-Identifier: MIT */
/*
 * exec_args - the arguments and the directory of each program, written into the
 * kernel's rings by a BPF program at the exec itself.
 *
 * The recorder does not have to wake up for it, and the arguments of even the
 * shortest program are recorded. It needs CAP_BPF, CAP_PERFMON and Linux 5.17.
 * Elsewhere, the recorder reads /proc/PID when it hears of an exec.
 */
#pragma once

#include "record/kernel/kernel_events.h"
#include "record/kernel/kernel_rings.h"

struct tr2_exec_args {
	struct tr2_kernel_event event; /* each sample has the arguments and the
					* directory of a program */
	/* Descriptors, or -1. outputs: the map of the event's descriptors,
	 * which the kernel empties when the map is closed; link: the attached
	 * program. */
	int outputs, link;
	char why_not[128]; /* "": the event and the program are open */
};

void tr2_exec_args_init(struct tr2_exec_args *args);
/* Open event and BPF program for all programs of the machine. The samples go to
 * the rings. Return false with the reason in why_not. */
bool tr2_exec_args_open(struct tr2_exec_args *args,
			const struct tr2_kernel_rings *rings);
void tr2_exec_args_start(const struct tr2_exec_args *args);
void tr2_exec_args_release(struct tr2_exec_args *args);
/* Decode a sample of the event. Return false if it is invalid. event->more is
 * NULL if the kernel could not read the arguments: then read /proc/PID. */
bool tr2_exec_args_decode(const unsigned char *record, size_t size,
			  struct tr2_task_event *event);
