/* SPDX-License-Identifier: MIT */
#include "arena/arena.h"

#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

__thread struct tr2_slot *tr2_my_slot
	__attribute__((tls_model("initial-exec")));

static struct {
	struct tr2_slot *base; /* TR2_MAX_SLOTS of them, NULL: not reserved */
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

static bool reserve(void)
{
	if (!arena.base)
		arena.base = map(TR2_MAX_SLOTS * sizeof(struct tr2_slot),
				 PROT_NONE);
	return arena.base != NULL;
}

struct tr2_slot *tr2_arena_claim(void)
{
	struct tr2_slot *slot = NULL;
	unsigned int i;

	if (tr2_arena_totals()) {
		for (i = 1; i < TR2_MAX_SLOTS && arena.in_use[i];)
			i++;
		if (i < TR2_MAX_SLOTS)
			slot = take(i);
	}
	if (!slot) {
		slot = map(sizeof(*slot), PROT_READ | PROT_WRITE);
		if (!slot)
			return NULL;
		slot->control.version = TR2_LAYOUT_VERSION;
		slot->control.compat_version = TR2_LAYOUT_VERSION;
	}
	return slot;
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
	if (!reserve())
		return NULL;
	return arena.in_use[0] ? &arena.base[0] : take(0);
}

void tr2_arena_forget(void)
{
	tr2_my_slot = NULL;
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
