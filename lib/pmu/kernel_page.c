/* SPDX-License-Identifier: MIT */
/* Read a counter of the kernel in user space, through the page that it maps. */
#include "pmu/kernel_page.h"

#include <stddef.h>

#define MAX_TRIES 1000

#if defined(__x86_64__) || defined(__i386__)
static uint64_t pmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

static uint64_t cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

static const struct tr2_page_machine this_machine = { pmc, cycles };
#define THIS_MACHINE (&this_machine)
#else
#define THIS_MACHINE NULL
#endif

/* Compute cycles * mult >> shift without overflow. */
static uint64_t scale(uint64_t value, uint32_t mult, uint16_t shift)
{
	uint64_t whole = value >> shift;
	uint64_t rest = value & ((UINT64_C(1) << shift) - 1);

	return whole * mult + (rest * mult >> shift);
}

static uint64_t sign_extend(uint64_t value, uint16_t width)
{
	unsigned int unused = 64u - width;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Read the counter once. The caller checks the page's lock before and after. */
static bool take_value(const volatile struct perf_event_mmap_page *page,
		       const struct tr2_page_machine *machine,
		       struct tr2_page_value *value)
{
	uint64_t ns;
	uint32_t index = page->index;
	uint16_t width = page->pmc_width, shift = page->time_shift;

	if (!page->cap_user_rdpmc || !index || !width ||
	    width > 64)
		return false;
	value->enabled_ns = page->time_enabled;
	value->running_ns = page->time_running;
	if (page->cap_user_time && shift < 64) {
		ns = page->time_offset +
		     scale(machine->cycles(), page->time_mult, shift);
		value->enabled_ns += ns;
		value->running_ns += ns;
	}
	value->count = (uint64_t)page->offset +
		       sign_extend(machine->pmc(index - 1), width);
	return true;
}

bool tr2_kernel_page_read(const volatile struct perf_event_mmap_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value)
{
	uint32_t before, after;
	unsigned int tries;
	bool taken;

	machine = machine ? machine : THIS_MACHINE;
	if (!page || !machine)
		return false;
	for (tries = 0; tries < MAX_TRIES; tries++) {
		before = page->lock;
		/* The kernel writes the page on this CPU: keeping the order of
		 * the instructions suffices. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		taken = take_value(page, machine, value);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		after = page->lock;
		if (before == after && !(before & 1))
			return taken;
	}
	return false;
}
