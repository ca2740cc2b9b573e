/* SPDX-License-Identifier: MIT */
/*
 * kernel - what the parts of the kernel's PMU know of perf_event_open(2).
 */
#ifndef TR2_PMU_KERNEL_H
#define TR2_PMU_KERNEL_H

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "pmu/pmu.h"

/* Has the host closed it, and opened another file under its number? */
bool tr2_kernel_is_there(struct tr2_perf_kernel *kernel);

/*
 * Of its software events and tracepoints the kernel takes a sample each time,
 * whatever the period is, where samples are to say their PERIOD. So it is not
 * asked for that; it is the one that was set.
 */
bool tr2_kernel_has_fixed_period(const struct trace2_perf_attr *attr);

/* The page for reading in user space, where that may be. */
void tr2_kernel_map_page(struct trace2_perf *ev);
void tr2_kernel_unmap_page(struct tr2_perf_kernel *kernel);

/* Of kernel_sample.c, for the table. */
int tr2_kernel_map(struct trace2_perf *ev, size_t pages);
int tr2_kernel_refresh(struct trace2_perf *ev, unsigned int overflows);
int tr2_kernel_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_kernel_poll_fd(struct trace2_perf *ev);

#endif
