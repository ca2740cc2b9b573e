/* SPDX-License-Identifier: MIT */
/*
 * kernel_page - reading a counter of the kernel without a system call, by the
 * page that it maps for that.
 */
#ifndef TR2_PMU_KERNEL_PAGE_H
#define TR2_PMU_KERNEL_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The two instructions; NULL: as the machine has them. */
struct tr2_page_machine {
	uint64_t (*pmc)(uint32_t index);
	uint64_t (*cycles)(void);
};

struct tr2_page_value {
	uint64_t count, enabled_ns, running_ns;
};

/* false: it has to be read by a system call this time. For the thread whose
 * event it is, alone. */
bool tr2_kernel_page_read(const volatile struct perf_event_mmap_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value);

#endif
