/* SPDX-License-Identifier: MIT */
/* Collect addresses of callchains. */
#include "record/kernel/callchains.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/order.h"

/* Offset in a sample of the number of its addresses. */
#define NR_AT (sizeof(struct perf_event_header) + 6 * sizeof(uint64_t))
/* Values from here on are markers that begin a part of the chain, not
 * addresses. */
#define MARKER ((uint64_t)PERF_CONTEXT_MAX)
#define FULL (TR2_CALLCHAINS_ADDRS / 4 * 3)

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static void add_addr(struct tr2_callchains *c, uint64_t addr)
{
	uint32_t i = (uint32_t)(mix_hash(0, addr) % TR2_CALLCHAINS_ADDRS);

	while (c->addrs[i] && c->addrs[i] != addr)
		i = (i + 1) % TR2_CALLCHAINS_ADDRS;
	if (c->addrs[i] || c->nr >= FULL)
		return;
	c->addrs[i] = addr;
	c->nr++;
}

/* Does the thread wait after this switch? raw: the size of the tracepoint's
 * data (4 bytes), and the data. */
static bool waits(const struct tr2_callchains *c, const unsigned char *raw,
		  size_t size)
{
	uint64_t state = 0;

	if (!c->state.size || c->state.size > sizeof(state) ||
	    size < (size_t)4 + c->state.at + c->state.size)
		return true;
	memcpy(&state, raw + 4 + c->state.at, c->state.size);
	return state && !(state & TR2_PREV_STATE_PREEMPTED);
}

/* Return how many addresses at the beginning of the chain are in the kernel. */
static uint64_t kernel_part(const unsigned char *p, uint64_t nr)
{
	uint64_t i, addr;

	for (i = 0; i < nr; i++) {
		memcpy(&addr, p + i * sizeof(addr), sizeof(addr));
		if (addr == (uint64_t)PERF_CONTEXT_USER)
			break;
	}
	return i;
}

void tr2_callchains_add(struct tr2_callchains *c, const unsigned char *record,
			size_t size, bool is_switch)
{
	const unsigned char *p = record + NR_AT + sizeof(uint64_t);
	uint64_t nr, hash = 0, addr, i;

	if (size < NR_AT + sizeof(nr))
		return;
	memcpy(&nr, record + NR_AT, sizeof(nr));
	size -= NR_AT + sizeof(nr);
	if (nr > size / sizeof(addr) ||
	    (is_switch &&
	     !waits(c, p + nr * sizeof(addr), size - nr * sizeof(addr))))
		return;
	nr = kernel_part(p, nr);
	for (i = 0; i < nr; i++) {
		memcpy(&addr, p + i * sizeof(addr), sizeof(addr));
		hash = mix_hash(hash, addr);
	}
	if (!nr || c->seen[hash % TR2_CALLCHAINS_SEEN] == hash)
		return;
	c->seen[hash % TR2_CALLCHAINS_SEEN] = hash;
	for (i = 0; i < nr; i++) {
		memcpy(&addr, p + i * sizeof(addr), sizeof(addr));
		if (addr && addr < MARKER)
			add_addr(c, addr);
	}
}

TR2_ORDER(by_value, uint64_t, tr2_order(*a, *b))

void tr2_callchains_sort(struct tr2_callchains *c)
{
	uint32_t i, nr = 0;

	for (i = 0; i < TR2_CALLCHAINS_ADDRS; i++)
		if (c->addrs[i])
			c->addrs[nr++] = c->addrs[i];
	qsort(c->addrs, nr, sizeof(*c->addrs), by_value);
}
