/* SPDX-License-Identifier: MIT */
/*
 * kernel_page - read a counter of the kernel without a system call, through the
 * page that the kernel maps for it.
 */
#ifndef TR2_PMU_KERNEL_PAGE_H
#define TR2_PMU_KERNEL_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The instructions that read the counter and the clock; NULL: the machine's. */
struct tr2_page_machine {
	uint64_t (*pmc)(uint32_t index);
	uint64_t (*cycles)(void);
};

struct tr2_page_value {
	uint64_t count, enabled_ns, running_ns;
};

/* Return false if this time the counter must be read by a system call. Only the
 * thread that the event counts may call it. */
bool tr2_kernel_page_read(const volatile struct perf_event_mmap_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value);

#endif
