/* SPDX-License-Identifier: MIT */
/*
 * kernel_formats - find the fields of tracepoints, by the formats that a file
 * of the kernel's records has from the kernel.
 */
#ifndef TR2_FORMAT_KERNEL_KERNEL_FORMATS_H
#define TR2_FORMAT_KERNEL_KERNEL_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tr2_kernel_field {
	uint32_t at, size;
};

struct tr2_kernel_formats {
	uint64_t switch_id, waking_id; /* 0: unknown */
	/* sched_switch */
	struct tr2_kernel_field prev_pid, prev_comm, prev_state;
	struct tr2_kernel_field next_pid, next_comm;
	struct tr2_kernel_field pid, flags, depth; /* sched_waking */
};

/* In prev_state: 0 or PREEMPTED if the thread could go on; DEAD if it never runs
 * again. */
#define TR2_PREV_STATE_PREEMPTED 0x100
#define TR2_PREV_STATE_DEAD 0x30

void tr2_kernel_formats_read(struct tr2_kernel_formats *formats,
			     const char *text, size_t len);

#endif
