/* SPDX-License-Identifier: MIT */
#include "arena/arena.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/check.h"

__thread struct tr2_slot *tr2_my_slot
	__attribute__((tls_model("initial-exec")));

static struct {
	struct tr2_slot *base; /* TR2_MAX_SLOTS of them, NULL: not reserved */
	struct tr2_slot *totals; /* slot 0, or a mapping of its own */
	unsigned int nr_used; /* slots below were memory at some time */
	uint8_t in_use[TR2_MAX_SLOTS];
} arena;

static void *map(size_t size_bytes, int protection)
{
	void *p = mmap(NULL, size_bytes, protection,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool is_inside(const struct tr2_slot *slot)
{
	return arena.base && slot >= arena.base &&
	       slot < arena.base + TR2_MAX_SLOTS;
}

static struct tr2_slot *take(unsigned int i)
{
	struct tr2_slot *slot = &arena.base[i];

	if (i >= arena.nr_used) {
		if (mprotect(slot, sizeof(*slot), PROT_READ | PROT_WRITE))
			return NULL;
		arena.nr_used = i + 1;
	}
	arena.in_use[i] = 1;
	slot->control.version = TR2_LAYOUT_VERSION;
	slot->control.compat_version = TR2_LAYOUT_VERSION;
	return slot;
}

/* What is reserved is missing from a limited address space. */
static bool may_reserve(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur == RLIM_INFINITY;
}

static bool reserve(void)
{
	if (!arena.base && may_reserve())
		arena.base = map(TR2_MAX_SLOTS * sizeof(struct tr2_slot),
				 PROT_NONE);
	return arena.base != NULL;
}

static struct tr2_slot *take_own(void)
{
	struct tr2_slot *slot = map(sizeof(*slot), PROT_READ | PROT_WRITE);

	if (slot) {
		slot->control.version = TR2_LAYOUT_VERSION;
		slot->control.compat_version = TR2_LAYOUT_VERSION;
	}
	return slot;
}

struct tr2_slot *tr2_arena_claim(void)
{
	struct tr2_slot *slot = NULL;
	unsigned int i;

	tr2_arena_totals();
	if (arena.base) {
		for (i = 1; i < TR2_MAX_SLOTS && arena.in_use[i];)
			i++;
		if (i < TR2_MAX_SLOTS)
			slot = take(i);
	}
	return slot ? slot : take_own();
}

void tr2_arena_free(struct tr2_slot *slot)
{
	if (!slot)
		return;
	if (!is_inside(slot)) {
		munmap(slot, sizeof(*slot));
		return;
	}
	TR2_CHECK(arena.in_use[slot - arena.base]);
	/* Zero again; and what is not in use takes no memory. */
	if (madvise(slot, sizeof(*slot), MADV_DONTNEED))
		memset(slot, 0, sizeof(*slot));
	arena.in_use[slot - arena.base] = 0;
}

struct tr2_slot *tr2_arena_totals(void)
{
	if (!arena.totals && reserve())
		arena.totals = take(0);
	if (!arena.totals)
		arena.totals = take_own();
	return arena.totals;
}

bool tr2_arena_is_used(void)
{
	return arena.totals != NULL;
}

void tr2_arena_forget(void)
{
	tr2_my_slot = NULL;
	arena.totals = NULL;
	if (!arena.base)
		return;
	/*
	 * Mapping anew over the child's copy, instead of clearing it, copies
	 * no page that the parent wrote.
	 */
	if (mmap(arena.base, TR2_MAX_SLOTS * sizeof(struct tr2_slot), PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		arena.base = NULL;
	arena.nr_used = 0;
	memset(arena.in_use, 0, sizeof(arena.in_use));
}
