/* SPDX-License-Identifier: MIT */
/*
 * kernel_page - reading a counter of the kernel without a system call, by the
 * page that it maps for that.
 */
#ifndef TR2_PMU_KERNEL_PAGE_H
#define TR2_PMU_KERNEL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the kernel writes; `lock` is odd, or changes, while it does. */
struct tr2_kernel_page {
	uint32_t version, compat_version;
	uint32_t lock;
	uint32_t index; /* of the hardware counter + 1, 0: it is on none */
	int64_t offset; /* add it to what that one shows */
	uint64_t time_enabled, time_running;
	uint64_t capabilities;
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
};

#define TR2_PAGE_MAY_RDPMC (UINT64_C(1) << 2)
#define TR2_PAGE_HAS_TIME (UINT64_C(1) << 3)

_Static_assert(offsetof(struct tr2_kernel_page, lock) == 8, "ABI");
_Static_assert(offsetof(struct tr2_kernel_page, capabilities) == 40, "ABI");
_Static_assert(offsetof(struct tr2_kernel_page, time_mult) == 52, "ABI");
_Static_assert(offsetof(struct tr2_kernel_page, time_offset) == 56, "ABI");

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
bool tr2_kernel_page_read(const volatile struct tr2_kernel_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value);

#endif
