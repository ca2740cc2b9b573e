/* SPDX-License-Identifier: MIT */
/*
 * kernel - functions that the files of the kernel's PMU share
 * (perf_event_open(2)).
 */
#pragma once

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "pmu/pmu.h"

/*
 * Return whether the descriptor is still this event. The host may have closed
 * it and opened another file under its number.
 */
bool tr2_kernel_is_there(struct tr2_perf_kernel *kernel);

/*
 * Return whether the kernel would ignore the period. If samples contain PERIOD,
 * the kernel samples its software events and tracepoints at each occurrence.
 * The library therefore does not request PERIOD for these events. To each
 * sample, the library itself adds the period that was set.
 */
bool tr2_kernel_has_fixed_period(const struct trace2_perf_attr *attr);

/* Map and unmap the page for reading in user space, where possible. */
void tr2_kernel_map_page(struct trace2_perf *ev);
void tr2_kernel_unmap_page(struct tr2_perf_kernel *kernel);

/* The following functions are in kernel_sample.c, for the table in kernel.c. */
int tr2_kernel_map(struct trace2_perf *ev, size_t pages);
int tr2_kernel_refresh(struct trace2_perf *ev, unsigned int overflows);
int tr2_kernel_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_kernel_poll_fd(struct trace2_perf *ev);

/* Functions that read the counter and the clock; a test gives its own. NULL:
 * use the machine's instructions. */
struct tr2_page_machine {
	uint64_t (*pmc)(uint32_t index);
	uint64_t (*cycles)(void);
};

struct tr2_page_value {
	uint64_t count, enabled_ns, running_ns;
};

/* Read a counter without a system call, through the page that the kernel maps
 * for it. Return false if this time a system call must read the counter. Only
 * the thread that the event counts may call it. */
bool tr2_kernel_page_read(const volatile struct perf_event_mmap_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value);
